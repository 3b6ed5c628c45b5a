//! Breaches that are known and wait to be mended, each with the script that shows it, which is a seed too. While one
//! stands here the targets look past it, so that they can find the next. Whoever mends one takes it out, with the
//! condition that asks for it: from then on the rule holds for everything.

/// A client's id or a shell command's id that comes twice names two rows: `u1`, `u1`; `b1`, `B1`, `b1`.
pub const ROW_IDS_REPEAT: bool = true;

/// An event with a call's id that falls back on a call without one does not give it the id, so that the same event
/// again means another row: `c`, `X1`, `X1`.
pub const NAMELESS_CALLS_TAKE_NO_ID: bool = true;

/// The real end of an interrupted call changes its row, not what the fold remembers of it: `x1`, `z`, `X1`.
pub const LATE_ENDS_ARE_HALF_REMEMBERED: bool = true;

/// A page cannot follow the removal of a row that it does not hold, and counts other rows from then on: `c`, `c1`,
/// `o1`, `M`. Nor, when its first row goes, does it see that a failure stands before it: `M2`, `c`, `o1`, `M2`.
pub const REMOVALS_LEAD_PAGES_ASTRAY: bool = true;

/// A page whose rows all stand aside takes them for the conversation proper: `b1`, `b2`, `o1`.
pub const PAGES_OF_ROWS_ASIDE_ARE_TAKEN_IN: bool = true;

/// Numbers of a snapshot that are as high as they go overflow with the next event or row: `u`, `j…`, `u`.
pub const NUMBERS_OF_SNAPSHOTS_OVERFLOW: bool = true;
