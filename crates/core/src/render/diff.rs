//! Diffs for the edit tools of all agents: hunks of changed lines, with the changed words marked.
//!
//! The result is plain data for the page to render. Its size and the time to compute it are bounded for any input;
//! lines beyond the limit are counted.
//!
//! - `tool_edits` finds the texts or patches in a tool call and its result.
//! - `texts` compares two texts: `compare` finds the changed lines, which are then moved to where they read best.
//! - `patch` reads patches.
//! - `builder` collects the lines of both into hunks, and `intraline` marks the changed words.

mod builder;
mod compare;
mod intraline;
mod patch;
mod texts;
mod tool_edits;

pub use tool_edits::diffs_of;

/// The changes of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileDiff {
    /// Empty if unknown.
    pub path: String,
    /// The earlier path of a moved file.
    pub old_path: Option<String>,
    pub change: FileChange,
    pub hunks: Vec<Hunk>,
    /// The number of added lines, including those left out.
    pub added: usize,
    /// The number of removed lines, including those left out.
    pub removed: usize,
    /// The number of lines after the last hunk that exceed the display limit.
    pub left_out: usize,
    /// The change is too large for a comparison and appears as one replacement.
    pub coarse: bool,
}

/// The kind of change of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileChange {
    #[default]
    Edited,
    Created,
    Deleted,
    /// Moved to another path, and possibly edited.
    Moved,
    /// Written as a whole. Whether the file existed before is unknown.
    Written,
    /// Not text. There are no hunks.
    Binary,
}

/// Changed lines and the context around them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// The number of the first line in the old file. 0 if unknown or if the old file is empty.
    pub old_start: usize,
    /// The number of the first line in the new file. 0 if unknown or if the new file is empty.
    pub new_start: usize,
    /// The heading of the hunk in a patch, such as the enclosing function.
    pub heading: String,
    pub lines: Vec<Line>,
}

/// One line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub kind: LineKind,
    pub old_number: Option<usize>,
    pub new_number: Option<usize>,
    /// The text of the line without its end, in parts.
    pub spans: Vec<Span>,
    pub end: LineEnd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    Context,
    Added,
    Removed,
}

/// The end of a line. A line of which only the end changes is removed and added with the same text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineEnd {
    Newline,
    CarriageReturnNewline,
    /// The last line of a file that has no newline at its end.
    Missing,
}

/// A part of a line. `changed` is set if it differs from the line that this one is paired with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub text: String,
    pub changed: bool,
}

impl Line {
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }
}

#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod test_support;
