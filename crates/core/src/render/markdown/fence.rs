//! A fenced block of code that is still open, at the top level: its lines are appended as they come, and never
//! parsed again. What is shown of it is what the parser makes of it in the end.

use super::tree::language;

#[derive(Clone, Debug, PartialEq)]
pub struct Fence {
    character: char,
    length: usize,
    indent: usize,
    /// Where the first line begins that is not shown completely.
    line: usize,
    /// Where the part of that line begins that is not shown.
    shown: usize,
    empty: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fed {
    /// True if more is shown than before.
    Open(bool),
    /// The block ends here.
    Closed(usize),
    /// The block is better left to the parser.
    Unclear,
}

impl Fence {
    /// The fence that opens at this place of the source, if its line is complete, and its language.
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

    /// Appends what the source has more than before to the text of the block.
    pub fn feed(&mut self, source: &str, text: &mut String) -> Fed {
        let mut more = false;
        while let Some(length) = source.get(self.shown..).and_then(|rest| rest.find('\n')) {
            let end = self.shown + length + 1;
            let Some(line) = source.get(self.line..end).and_then(without_end) else { return Fed::Unclear };
            if self.closes(line) {
                return Fed::Closed(end);
            }
            self.show(source, self.line + line.len(), text);
            self.line = end;
            self.shown = end;
            more = true;
        }
        let partial = source.get(self.line..).unwrap_or_default();
        let visible = partial.trim_end_matches('\r');
        let may_close =
            visible.trim_start_matches(' ').trim_start_matches(self.character).trim_end_matches(' ');
        if !may_close.is_empty() && self.shown < self.line + visible.len() {
            self.show(source, self.line + visible.len(), text);
            more = true;
        }
        Fed::Open(more)
    }

    fn show(&mut self, source: &str, end: usize, text: &mut String) {
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

    /// Lines lose as much indentation as the fence has; of a tab that is cut apart, spaces remain.
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

/// A whole line without its end. The parser takes a lone carriage return for an end here and not there.
fn without_end(line: &str) -> Option<&str> {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    (!line.contains('\r')).then_some(line)
}
