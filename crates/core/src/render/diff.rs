//! Hunks of a change to a file, with marks inside lines, for the edit tools of every agent.
//!
//! Plain data for the page to draw, made from two texts or from a patch in any of the formats agents write. The work
//! is bounded for any input, and what is left out is counted. Nothing here knows how a diff is drawn, and nothing
//! here applies a patch.

mod apply_patch;
mod builder;
mod compare;
mod intraline;
mod numbered;
mod slide;
mod step;
mod texts;
mod tokens;
mod unified;

use builder::Allowance;

pub use step::diffs_of;

/// What changes in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileDiff {
    /// Empty if nothing tells it.
    pub path: String,
    /// Where a moved file was before.
    pub old_path: Option<String>,
    pub change: FileChange,
    pub hunks: Vec<Hunk>,
    /// Added and removed lines, shown or not.
    pub added: usize,
    pub removed: usize,
    /// Lines that would stand behind the last hunk, but are too many to show.
    pub left_out: usize,
    /// Too large to be compared line by line: shown as one replacement.
    pub coarse: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileChange {
    #[default]
    Edited,
    Created,
    Deleted,
    /// Moved to another path, and perhaps edited.
    Moved,
    /// The whole content is given; whether there was a file before is not known.
    Written,
    /// Something that is not text; there are no hunks.
    Binary,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// The number of the first line on either side; 0 is unknown, or a side with no lines at all.
    pub old_start: usize,
    pub new_start: usize,
    /// What a patch says about the place, such as the function around it.
    pub heading: String,
    pub lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub kind: LineKind,
    pub old_number: Option<usize>,
    pub new_number: Option<usize>,
    /// Together the text of the line, without its end.
    pub spans: Vec<Span>,
    pub end: LineEnd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    Context,
    Added,
    Removed,
}

/// How a line ends. A line whose end is all that changes is removed and added with the same text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineEnd {
    Newline,
    CarriageReturnNewline,
    /// The last line of a file that has no newline at its end.
    Missing,
}

/// A part of a line; `changed` marks what differs from the line it is paired with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub text: String,
    pub changed: bool,
}

impl FileDiff {
    /// From the whole of a file before and after.
    pub fn from_texts(path: &str, old: &str, new: &str) -> Self {
        texts::of_files(path, old, new, &mut Allowance::default())
    }

    /// From a part of a file before and after; where in the file it stands is not known.
    pub fn from_parts(path: &str, old: &str, new: &str) -> Self {
        texts::of_parts(path, &[(old, new)], &mut Allowance::default())
    }

    /// From a patch: unified, in the format of `apply_patch`, or with line numbers as pi shows it. Lenient: text
    /// around it is skipped, and lines count for more than what the headers say of them. Empty if there is no patch.
    pub fn from_patch(text: &str) -> Vec<Self> {
        let allowance = &mut Allowance::default();
        if apply_patch::is_patch(text) {
            return apply_patch::parse(text, allowance);
        }
        let files = unified::parse(text, allowance);
        if !files.is_empty() {
            return files;
        }
        numbered::parse(text, allowance).into_iter().collect()
    }
}

impl Line {
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }
}

#[cfg(test)]
#[path = "diff/shown_as_text.rs"]
mod shown_as_text;

#[cfg(test)]
#[path = "diff/property_tests.rs"]
mod property_tests;
