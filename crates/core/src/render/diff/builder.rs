//! Builds the hunks of one file line by line: numbers, counts, marks, and the limit of what is shown.
//! Every source of a diff ends here; nothing here knows where the lines come from.

use super::{FileDiff, Hunk, Line, LineEnd, LineKind, Span, intraline};
use crate::limits::{DIFF_SHOWN_BYTES, DIFF_SHOWN_LINES};

/// What may still be shown, over all files of a call.
pub(super) struct Allowance {
    lines: usize,
    bytes: usize,
}

impl Default for Allowance {
    fn default() -> Self {
        Self { lines: DIFF_SHOWN_LINES, bytes: DIFF_SHOWN_BYTES }
    }
}

impl Allowance {
    fn take(&mut self, bytes: usize) -> bool {
        let fits = self.lines > 0 && self.bytes >= bytes;
        // Once something is left out, so is all that follows: a gap in the middle would read as a lie.
        self.lines = if fits { self.lines - 1 } else { 0 };
        self.bytes = self.bytes.saturating_sub(bytes);
        fits
    }
}

pub(super) struct Builder {
    pub diff: FileDiff,
    hunk: Option<Hunk>,
    old_number: Option<usize>,
    new_number: Option<usize>,
}

impl Builder {
    pub fn new(path: &str) -> Self {
        let diff = FileDiff { path: path.to_owned(), ..FileDiff::default() };
        Self { diff, hunk: None, old_number: None, new_number: None }
    }

    /// Ends the hunk before, if there is one. A start of 0 is unknown.
    pub fn begin_hunk(&mut self, old_start: usize, new_start: usize, heading: &str) {
        // Without lines between them, headings lead to one place: a function inside a class.
        let outer = self.hunk.take_if(|hunk| hunk.lines.is_empty() && !hunk.heading.is_empty());
        let heading =
            outer.map_or_else(|| heading.to_owned(), |outer| format!("{} › {heading}", outer.heading));
        self.end_hunk();
        self.old_number = Some(old_start).filter(|start| *start > 0);
        self.new_number = Some(new_start).filter(|start| *start > 0);
        self.hunk = Some(Hunk { old_start, new_start, heading, lines: Vec::new() });
    }

    pub const fn in_hunk(&self) -> bool {
        self.hunk.is_some()
    }

    /// A line of the present hunk; outside of one there is nothing to add to.
    pub fn line(&mut self, kind: LineKind, text: &str, end: LineEnd, allowance: &mut Allowance) {
        let Some(hunk) = &mut self.hunk else { return };
        match kind {
            LineKind::Context => {}
            LineKind::Added => self.diff.added += 1,
            LineKind::Removed => self.diff.removed += 1,
        }
        if !allowance.take(text.len()) {
            self.diff.left_out += 1;
            return;
        }
        let old_number = if kind == LineKind::Added { None } else { count(&mut self.old_number) };
        let new_number = if kind == LineKind::Removed { None } else { count(&mut self.new_number) };
        hunk.lines.push(Line { kind, old_number, new_number, spans: unmarked(text), end });
    }

    /// The line before is the last of its file and has no newline.
    pub fn without_newline(&mut self) {
        let Some(line) = self.hunk.as_mut().and_then(|hunk| hunk.lines.last_mut()) else { return };
        if self.diff.left_out > 0 {
            return;
        }
        if line.end == LineEnd::CarriageReturnNewline {
            line.spans = unmarked(&(line.text() + "\r"));
        }
        line.end = LineEnd::Missing;
    }

    pub fn end_hunk(&mut self) {
        let Some(mut hunk) = self.hunk.take() else { return };
        if hunk.lines.is_empty() {
            return;
        }
        intraline::mark(&mut hunk.lines);
        self.diff.hunks.push(hunk);
    }

    pub fn finish(mut self) -> FileDiff {
        self.end_hunk();
        self.diff
    }
}

fn count(number: &mut Option<usize>) -> Option<usize> {
    let present = *number;
    *number = present.map(|number| number.saturating_add(1));
    present
}

fn unmarked(text: &str) -> Vec<Span> {
    if text.is_empty() { Vec::new() } else { vec![Span { text: text.to_owned(), changed: false }] }
}
