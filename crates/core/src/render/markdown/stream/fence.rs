//! An open fenced block of code at the top level. New lines are appended to it without parsing. Its text equals
//! what the parser produces for it in the end.

use crate::render::markdown::parse::language;

#[derive(Clone, Debug, PartialEq)]
pub struct Fence {
    character: char,
    length: usize,
    indent: usize,
    /// The start of the first line that is not completely shown.
    line: usize,
    /// The start of the part of that line that is not shown.
    shown: usize,
    empty: bool,
}

/// The state of a block after new text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenceProgress {
    /// Still open. True if its text changed.
    Open(bool),
    /// Closed at this place of the source.
    Closed(usize),
    /// Not certain: the parser must decide.
    Unclear,
}

impl Fence {
    /// The fence that opens at this place of the source, and its language. None if its line is incomplete.
    pub fn open_at(source: &str, place: usize) -> Option<(Self, String)> {
        let rest = source.get(place..)?;
        let line = without_end(rest.get(..=rest.find('\n')?)?)?;
        let marks = line.trim_start_matches(' ');
        let indent = line.len() - marks.len();
        let character = marks.chars().next().filter(|character| ['`', '~'].contains(character))?;
        let info = marks.trim_start_matches(character);
        let length = marks.len() - info.len();
        if indent > 3 || length < 3 || info.contains(['\\', '&']) || (character == '`' && info.contains('`'))
        {
            return None;
        }
        let line = place + rest.find('\n')? + 1;
        Some((Self { character, length, indent, line, shown: line, empty: true }, language(info.trim())))
    }

    /// Appends the new part of the source to the text of the block.
    pub fn feed(&mut self, source: &str, text: &mut String) -> FenceProgress {
        let mut more = false;
        while let Some(length) = source.get(self.shown..).and_then(|rest| rest.find('\n')) {
            let end = self.shown + length + 1;
            let Some(line) = source.get(self.line..end).and_then(without_end) else {
                return FenceProgress::Unclear;
            };
            if self.closes(line) {
                return FenceProgress::Closed(end);
            }
            self.append_line(source, self.line + line.len(), text);
            self.line = end;
            self.shown = end;
            more = true;
        }
        let partial = source.get(self.line..).unwrap_or_default();
        let visible = partial.trim_end_matches('\r');
        let may_close =
            visible.trim_start_matches(' ').trim_start_matches(self.character).trim_end_matches(' ');
        if !may_close.is_empty() && self.shown < self.line + visible.len() {
            self.append_line(source, self.line + visible.len(), text);
            more = true;
        }
        FenceProgress::Open(more)
    }

    /// Appends the current line up to `end`.
    fn append_line(&mut self, source: &str, end: usize, text: &mut String) {
        if self.shown == self.line {
            if !self.empty {
                text.push('\n');
            }
            self.empty = false;
            self.skip_indent(source, end, text);
        }
        text.push_str(source.get(self.shown..end).unwrap_or_default());
        self.shown = self.shown.max(end);
    }

    /// Skips as much indentation as the fence has. The rest of a partly skipped tab becomes spaces.
    fn skip_indent(&mut self, source: &str, end: usize, text: &mut String) {
        let mut column = 0;
        for character in source.get(self.shown..end).unwrap_or_default().chars() {
            match character {
                _ if column >= self.indent => break,
                ' ' => column += 1,
                '\t' => column = 4,
                _ => break,
            }
            self.shown += 1;
        }
        for _ in self.indent..column {
            text.push(' ');
        }
    }

    fn closes(&self, line: &str) -> bool {
        let marks = line.trim_start_matches(' ');
        let rest = marks.trim_start_matches(self.character);
        line.len() - marks.len() <= 3
            && marks.len() - rest.len() >= self.length
            && rest.trim_end_matches(' ').is_empty()
    }
}

/// A complete line without its end. None if it contains a lone carriage return, which the parser does not treat
/// consistently as a line end.
fn without_end(line: &str) -> Option<&str> {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    (!line.contains('\r')).then_some(line)
}
