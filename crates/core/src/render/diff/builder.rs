//! Builds the hunks of one file, line by line: numbers and counts the lines, marks changed words, and enforces the
//! display limit. All sources of a diff use it.

use super::{FileDiff, Hunk, Line, LineEnd, LineKind, Span, intraline};
use crate::limits::{DIFF_SHOWN_BYTES, DIFF_SHOWN_LINES};

/// The lines and bytes that may still be shown for all files of a tool call.
pub(super) struct DisplayBudget {
    lines: usize,
    bytes: usize,
}

impl Default for DisplayBudget {
    fn default() -> Self {
        Self { lines: DIFF_SHOWN_LINES, bytes: DIFF_SHOWN_BYTES }
    }
}

impl DisplayBudget {
    /// Reserves a line of this length. Returns false if it exceeds the budget.
    fn reserve_line(&mut self, bytes: usize) -> bool {
        let fits = self.lines > 0 && self.bytes >= bytes;
        // Once a line is left out, so are all that follow. A gap in the middle would misrepresent the change.
        self.lines = if fits { self.lines - 1 } else { 0 };
        self.bytes = self.bytes.saturating_sub(bytes);
        fits
    }
}

/// The diff of one file under construction.
pub(super) struct DiffBuilder {
    pub diff: FileDiff,
    hunk: Option<Hunk>,
    old_number: Option<usize>,
    new_number: Option<usize>,
}

impl DiffBuilder {
    pub fn new(path: &str) -> Self {
        let diff = FileDiff { path: path.to_owned(), ..FileDiff::default() };
        Self { diff, hunk: None, old_number: None, new_number: None }
    }

    /// Begins a hunk and ends the one before. A start of 0 is unknown.
    pub fn begin_hunk(&mut self, old_start: usize, new_start: usize, heading: &str) {
        // Headings without lines between them are one path, such as a class and a function in it.
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

    /// Adds a line to the current hunk. Does nothing outside a hunk.
    pub fn push_line(&mut self, kind: LineKind, text: &str, end: LineEnd, budget: &mut DisplayBudget) {
        let Some(hunk) = &mut self.hunk else { return };
        match kind {
            LineKind::Context => {}
            LineKind::Added => self.diff.added += 1,
            LineKind::Removed => self.diff.removed += 1,
        }
        if !budget.reserve_line(text.len()) {
            self.diff.left_out += 1;
            return;
        }
        let old_number = if kind == LineKind::Added { None } else { next_number(&mut self.old_number) };
        let new_number = if kind == LineKind::Removed { None } else { next_number(&mut self.new_number) };
        hunk.lines.push(Line { kind, old_number, new_number, spans: unmarked(text), end });
    }

    /// Records that the line before is the last of its file and has no newline.
    pub fn mark_missing_newline(&mut self) {
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

fn next_number(counter: &mut Option<usize>) -> Option<usize> {
    let number = *counter;
    *counter = number.map(|number| number.saturating_add(1));
    number
}

fn unmarked(text: &str) -> Vec<Span> {
    if text.is_empty() { Vec::new() } else { vec![Span { text: text.to_owned(), changed: false }] }
}
