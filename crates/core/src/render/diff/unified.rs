//! Reads unified patches, as git, diff and models write them. The counts in a hunk's header are often wrong where a
//! model wrote it, so they only decide what cannot be told from the lines: whether `--- x` is a removed line or the
//! next file.

mod paths;

use super::builder::{Allowance, Builder};
use super::texts::without_carriage_return;
use super::{FileChange, FileDiff, LineEnd, LineKind};

pub(super) fn parse(text: &str, allowance: &mut Allowance) -> Vec<FileDiff> {
    let lines: Vec<&str> = text.strip_suffix('\n').unwrap_or(text).split('\n').collect();
    let mut reader =
        Reader { files: Vec::new(), file: None, header: Header::default(), allowance, by_git: false };
    let mut rest = lines.as_slice();
    while !rest.is_empty() {
        let taken = reader.take(rest);
        rest = rest.get(taken..).unwrap_or_default();
    }
    reader.end_file();
    reader.files
}

struct Reader<'w> {
    files: Vec<FileDiff>,
    file: Option<Builder>,
    /// Of the hunk that is read.
    header: Header<'static>,
    allowance: &'w mut Allowance,
    /// Git's own header came before: a file may have been moved or created without any lines.
    by_git: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Header<'a> {
    old_start: usize,
    new_start: usize,
    /// Lines still to come on either side; None where the header does not say.
    left: Option<(usize, usize)>,
    heading: &'a str,
    /// The patch itself has lines that end with CRLF, so that a CR at the end of a line says nothing about the file.
    carriage_returns: bool,
}

impl Reader<'_> {
    /// Reads one line, or the two of a file's header; says how many.
    fn take(&mut self, lines: &[&str]) -> usize {
        let Some(raw) = lines.first() else { return 1 };
        let line = raw.strip_suffix('\r').unwrap_or(raw);
        if self.in_hunk() && self.content(raw, lines) {
            return 1;
        }
        if let Some(header) = Header::of(raw) {
            let file = self.file.get_or_insert_with(|| Builder::new(""));
            file.begin_hunk(header.old_start, header.new_start, header.heading);
            self.header = Header { heading: "", ..header };
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
            self.file = Some(Builder::new(&paths::of_git_header(names)));
            self.by_git = true;
        } else {
            self.extended_header(line);
        }
        1
    }

    fn in_hunk(&self) -> bool {
        self.file.as_ref().is_some_and(Builder::in_hunk)
    }

    /// Takes a line as one of the hunk; false if the hunk ends before it.
    fn content(&mut self, raw: &str, lines: &[&str]) -> bool {
        let Some(file) = &mut self.file else { return false };
        if raw.starts_with('\\') {
            file.without_newline();
            return true;
        }
        if !self.header.goes_on_with(raw, lines) {
            return false;
        }
        let (kind, rest) = match raw.split_at_checked(1) {
            Some(("+", rest)) => (LineKind::Added, rest),
            Some(("-", rest)) => (LineKind::Removed, rest),
            Some((" ", rest)) => (LineKind::Context, rest),
            // The space of an empty line is often lost on the way.
            _ => (LineKind::Context, raw),
        };
        let mut line = without_carriage_return(rest);
        if self.header.carriage_returns && line.end == LineEnd::CarriageReturnNewline {
            line = without_carriage_return(line.text);
        }
        file.line(kind, line.text, line.end, self.allowance);
        self.header.count(kind);
        true
    }

    fn name_file(&mut self, old: &str, new: &str) {
        // The header of a file whose `diff --git` was read before, or of the next one.
        if self.file.as_ref().is_none_or(|file| !file.diff.hunks.is_empty() || file.diff.left_out > 0) {
            self.end_file();
        }
        let names = paths::of_headers(old, new);
        let diff = &mut self.file.get_or_insert_with(|| Builder::new("")).diff;
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

    fn extended_header(&mut self, line: &str) {
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
        let tells =
            |diff: &FileDiff| diff.added + diff.removed > 0 || (by_git && diff.change != FileChange::Edited);
        self.files.extend(self.file.take().map(Builder::finish).filter(tells));
    }
}

/// `--- old` and `+++ new`, one after the other.
fn file_header<'a>(lines: &[&'a str]) -> Option<(&'a str, &'a str)> {
    let old = lines.first()?.strip_prefix("--- ")?;
    let new = lines.get(1)?.strip_prefix("+++ ")?;
    Some((old, new))
}

impl<'a> Header<'a> {
    /// `@@ -1,2 +1,3 @@ heading`, or a bare `@@ heading` without a place.
    fn of(raw: &'a str) -> Option<Self> {
        let line = raw.strip_suffix('\r').unwrap_or(raw);
        let rest = line.strip_prefix("@@").filter(|rest| !rest.starts_with('@'))?;
        let carriage_returns = line.len() < raw.len();
        let placed = Self::placed(rest.trim_start());
        let bare = || Self { heading: rest.trim().trim_end_matches('@').trim_end(), ..Self::default() };
        Some(Self { carriage_returns, ..placed.unwrap_or_else(bare) })
    }

    fn placed(rest: &'a str) -> Option<Self> {
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

    /// Whether a line belongs to the hunk. `lines` begins with it.
    fn goes_on_with(&self, raw: &str, lines: &[&str]) -> bool {
        let awaits = |old: usize, new: usize| {
            self.left.is_some_and(|(old_left, new_left)| old_left >= old && new_left >= new)
        };
        match raw.bytes().next() {
            Some(b'-') if file_header(lines).is_some() => {
                // Only the counts tell two changed lines from the header of the next file.
                let before_hunk = lines.get(2).is_some_and(|line| Header::of(line).is_some());
                if before_hunk { self.left == Some((1, 1)) } else { awaits(1, 1) }
            }
            // What stands before the signature of a mail.
            Some(b'-') if raw.trim_end() == "--" => awaits(1, 0),
            Some(b'+' | b'-' | b' ') => true,
            None | Some(b'\r') if raw.trim_end().is_empty() => {
                let next_is_content = || lines.get(1).is_some_and(|line| line.starts_with(['+', '-', ' ']));
                self.left.map_or_else(next_is_content, |_| awaits(1, 1))
            }
            _ => false,
        }
    }

    const fn count(&mut self, kind: LineKind) {
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

/// `12,3` or `12`, which is one line.
fn range(text: &str) -> Option<(usize, usize)> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}

#[cfg(test)]
#[path = "unified_tests.rs"]
mod tests;
