//! Reads unified patches as git, diff and models write them. Models often write wrong counts in a hunk's header,
//! so the counts decide only what the lines leave open: whether `--- x` is a removed line or the header of the
//! next file.

use super::paths;
use crate::render::diff::builder::{DiffBuilder, DisplayBudget};
use crate::render::diff::texts::without_carriage_return;
use crate::render::diff::{FileChange, FileDiff, LineEnd, LineKind};

pub(super) fn parse(text: &str, budget: &mut DisplayBudget) -> Vec<FileDiff> {
    let lines: Vec<&str> = text.strip_suffix('\n').unwrap_or(text).split('\n').collect();
    let mut reader =
        PatchReader { files: Vec::new(), file: None, header: HunkHeader::default(), budget, by_git: false };
    let mut rest = lines.as_slice();
    while !rest.is_empty() {
        let count = reader.read_next(rest);
        rest = rest.get(count..).unwrap_or_default();
    }
    reader.end_file();
    reader.files
}

struct PatchReader<'w> {
    files: Vec<FileDiff>,
    file: Option<DiffBuilder>,
    /// The header of the current hunk, with the counts of lines still expected.
    header: HunkHeader<'static>,
    budget: &'w mut DisplayBudget,
    /// The file has a header of git, so it may be moved or created without any changed lines.
    by_git: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct HunkHeader<'a> {
    old_start: usize,
    new_start: usize,
    /// The lines still expected on the old and the new side. None if the header has no counts.
    left: Option<(usize, usize)>,
    heading: &'a str,
    /// The patch itself has CRLF line ends, so one CR at the end of a line does not belong to the file.
    carriage_returns: bool,
}

impl PatchReader<'_> {
    /// Reads one line, or the two lines of a file header. Returns their number.
    fn read_next(&mut self, lines: &[&str]) -> usize {
        let Some(raw) = lines.first() else { return 1 };
        let line = raw.strip_suffix('\r').unwrap_or(raw);
        if self.in_hunk() && self.read_hunk_line(raw, lines) {
            return 1;
        }
        if let Some(header) = HunkHeader::parse(raw) {
            let file = self.file.get_or_insert_with(|| DiffBuilder::new(""));
            file.begin_hunk(header.old_start, header.new_start, header.heading);
            self.header = HunkHeader { heading: "", ..header };
            return 1;
        }
        if let Some(file) = &mut self.file {
            file.end_hunk();
        }
        if let Some((old, new)) = file_header(lines) {
            self.name_file(old, new);
            return 2;
        }
        if let Some(names) = line.strip_prefix("diff --git ") {
            self.end_file();
            self.file = Some(DiffBuilder::new(&paths::of_git_header(names)));
            self.by_git = true;
        } else {
            self.read_extended_header(line);
        }
        1
    }

    fn in_hunk(&self) -> bool {
        self.file.as_ref().is_some_and(DiffBuilder::in_hunk)
    }

    /// Reads a line of the current hunk. Returns false if the hunk ends before it.
    fn read_hunk_line(&mut self, raw: &str, lines: &[&str]) -> bool {
        let Some(file) = &mut self.file else { return false };
        if raw.starts_with('\\') {
            file.mark_missing_newline();
            return true;
        }
        if !self.header.continues_with(raw, lines) {
            return false;
        }
        let (kind, rest) = match raw.split_at_checked(1) {
            Some(("+", rest)) => (LineKind::Added, rest),
            Some(("-", rest)) => (LineKind::Removed, rest),
            Some((" ", rest)) => (LineKind::Context, rest),
            // Models and editors often drop the space of an empty line.
            _ => (LineKind::Context, raw),
        };
        let mut line = without_carriage_return(rest);
        if self.header.carriage_returns && line.end == LineEnd::CarriageReturnNewline {
            line = without_carriage_return(line.text);
        }
        file.push_line(kind, line.text, line.end, self.budget);
        self.header.count_line(kind);
        true
    }

    fn name_file(&mut self, old: &str, new: &str) {
        // This is the header of the file that `diff --git` began, unless that already has lines.
        if self.file.as_ref().is_none_or(|file| !file.diff.hunks.is_empty() || file.diff.left_out > 0) {
            self.end_file();
        }
        let names = paths::of_headers(old, new);
        let diff = &mut self.file.get_or_insert_with(|| DiffBuilder::new("")).diff;
        match names {
            (None, Some(new)) => (diff.path, diff.change) = (new, FileChange::Created),
            (Some(old), None) => (diff.path, diff.change) = (old, FileChange::Deleted),
            (None, None) => {}
            (Some(old), Some(new)) => {
                if old != new && diff.change == FileChange::Edited {
                    (diff.change, diff.old_path) = (FileChange::Moved, Some(old));
                }
                diff.path = new;
            }
        }
    }

    fn read_extended_header(&mut self, line: &str) {
        let Some(file) = &mut self.file else { return };
        let diff = &mut file.diff;
        if line.starts_with("new file mode") {
            diff.change = FileChange::Created;
        } else if line.starts_with("deleted file mode") {
            diff.change = FileChange::Deleted;
        } else if let Some(old) = line.strip_prefix("rename from ") {
            (diff.change, diff.old_path) = (FileChange::Moved, Some(paths::unquoted(old)));
        } else if let Some(new) = line.strip_prefix("rename to ") {
            diff.path = paths::unquoted(new);
        } else if line.starts_with("Binary files ") || line == "GIT binary patch" {
            diff.change = FileChange::Binary;
        }
    }

    fn end_file(&mut self) {
        let by_git = std::mem::take(&mut self.by_git);
        let has_change =
            |diff: &FileDiff| diff.added + diff.removed > 0 || (by_git && diff.change != FileChange::Edited);
        self.files.extend(self.file.take().map(DiffBuilder::finish).filter(has_change));
    }
}

/// The names in `--- old` and `+++ new`, if these are the next two lines.
fn file_header<'a>(lines: &[&'a str]) -> Option<(&'a str, &'a str)> {
    let old = lines.first()?.strip_prefix("--- ")?;
    let new = lines.get(1)?.strip_prefix("+++ ")?;
    Some((old, new))
}

impl<'a> HunkHeader<'a> {
    /// Reads `@@ -1,2 +1,3 @@ heading`, or `@@ heading` without line numbers.
    fn parse(raw: &'a str) -> Option<Self> {
        let line = raw.strip_suffix('\r').unwrap_or(raw);
        let rest = line.strip_prefix("@@").filter(|rest| !rest.starts_with('@'))?;
        let carriage_returns = line.len() < raw.len();
        let numbered = Self::parse_numbered(rest.trim_start());
        let bare = || Self { heading: rest.trim().trim_end_matches('@').trim_end(), ..Self::default() };
        Some(Self { carriage_returns, ..numbered.unwrap_or_else(bare) })
    }

    fn parse_numbered(rest: &'a str) -> Option<Self> {
        let (old, rest) = rest.strip_prefix('-')?.split_once(' ')?;
        let (new, heading) = rest.trim_start().strip_prefix('+')?.split_once("@@")?;
        let (old_start, old_left) = range(old)?;
        let (new_start, new_left) = range(new.trim_end())?;
        Some(Self {
            old_start,
            new_start,
            left: Some((old_left, new_left)),
            heading: heading.trim(),
            carriage_returns: false,
        })
    }

    /// Whether a line belongs to the hunk. `lines` begins with this line.
    fn continues_with(&self, raw: &str, lines: &[&str]) -> bool {
        let expects = |old: usize, new: usize| {
            self.left.is_some_and(|(old_left, new_left)| old_left >= old && new_left >= new)
        };
        match raw.bytes().next() {
            Some(b'-') if file_header(lines).is_some() => {
                // Only the counts distinguish two changed lines from the header of the next file.
                let before_hunk = lines.get(2).is_some_and(|line| HunkHeader::parse(line).is_some());
                if before_hunk { self.left == Some((1, 1)) } else { expects(1, 1) }
            }
            // The separator before the signature of a mail.
            Some(b'-') if raw.trim_end() == "--" => expects(1, 0),
            Some(b'+' | b'-' | b' ') => true,
            None | Some(b'\r') if raw.trim_end().is_empty() => {
                let next_is_content = || lines.get(1).is_some_and(|line| line.starts_with(['+', '-', ' ']));
                self.left.map_or_else(next_is_content, |_| expects(1, 1))
            }
            _ => false,
        }
    }

    const fn count_line(&mut self, kind: LineKind) {
        if let Some((old, new)) = &mut self.left {
            if !matches!(kind, LineKind::Added) {
                *old = old.saturating_sub(1);
            }
            if !matches!(kind, LineKind::Removed) {
                *new = new.saturating_sub(1);
            }
        }
    }
}

/// Reads `12,3` as start and count, or `12` as a single line.
fn range(text: &str) -> Option<(usize, usize)> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}

#[cfg(test)]
#[path = "unified_tests.rs"]
mod tests;
