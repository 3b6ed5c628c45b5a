//! Makes hidden characters visible: control, bidirectional and zero-width characters, and everything that looks
//! like a space or like nothing. Used for approvals, so that the user sees exactly what will run.
//!
//! Marks are separate pieces, so that the text `⟨ESC⟩` cannot be mistaken for a mark. There is no exception for
//! emoji: a variation selector after one is invisible too, and two file names may differ in nothing else. Letters
//! that look alike are not detected.

mod hidden;

/// A part of a text. The texts of all pieces together are the original text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VisiblePiece {
    Plain(String),
    Marked(HiddenMark),
}

/// A mark in place of a hidden character and its direct repetitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenMark {
    /// The original characters.
    pub text: String,
    /// The text to show instead, such as `⟨ESC⟩` or `⟨U+200B zero width space ×3⟩`.
    pub shown: String,
    /// The name of the character.
    pub name: &'static str,
}

/// The pieces of a text that is shown with its line breaks and tabs. Spaces and tabs at the end of a line are
/// marked too, because after a backslash they change the meaning of a command.
pub fn visible_pieces(text: &str) -> Vec<VisiblePiece> {
    pieces(text, false)
}

/// The text in one line, without markup. Line breaks, tabs and the bracket that opens a mark are marked too, so
/// that different texts always have different results.
pub fn visible_string(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for piece in pieces(text, true) {
        shown.push_str(match &piece {
            VisiblePiece::Plain(text) => text,
            VisiblePiece::Marked(mark) => &mark.shown,
        });
    }
    shown
}

/// Whether a text contains hidden characters that deserve a warning. Spaces at the end of a line do not.
pub fn has_hidden(text: &str) -> bool {
    text.chars().any(|character| hidden::look_up(character).is_some())
}

fn pieces(text: &str, one_line: bool) -> Vec<VisiblePiece> {
    let mut pieces = Vec::new();
    let mut plain = 0;
    let mut trailing = TrailingSpace::default();
    let mut rest = text.char_indices().peekable();
    while let Some((start, character)) = rest.next() {
        let hidden = match character {
            '\n' | '\t' | hidden::OPEN if one_line => Some(hidden::contextual(character)),
            ' ' | '\t' if trailing.contains(text, start) => Some(hidden::contextual(character)),
            _ => hidden::look_up(character),
        };
        let Some(hidden) = hidden else { continue };
        let mut end = start + character.len_utf8();
        let mut count = 1_usize;
        while let Some((next, _)) = rest.next_if(|(_, next)| *next == character) {
            end = next + character.len_utf8();
            count += 1;
        }
        push_plain(&mut pieces, text.get(plain..start));
        let text = text.get(start..end).unwrap_or_default().to_owned();
        let shown = hidden.shown(character, count);
        pieces.push(VisiblePiece::Marked(HiddenMark { text, shown, name: hidden.name }));
        plain = end;
    }
    push_plain(&mut pieces, text.get(plain..));
    pieces
}

fn push_plain(pieces: &mut Vec<VisiblePiece>, text: Option<&str>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        pieces.push(VisiblePiece::Plain(text.to_owned()));
    }
}

/// The last run of white space, cached so that each run is scanned once.
#[derive(Default)]
struct TrailingSpace {
    end: usize,
    ends_line: bool,
}

impl TrailingSpace {
    /// Whether the white space at this place is at the end of a line.
    fn contains(&mut self, text: &str, start: usize) -> bool {
        if start >= self.end {
            let rest = text.get(start..).unwrap_or_default();
            let after = rest.trim_start_matches([' ', '\t']);
            self.end = text.len() - after.len();
            self.ends_line = after.is_empty() || after.starts_with(['\n', '\r']);
            #[cfg(test)]
            crate::render::work::add(self.end - start);
        }
        self.ends_line
    }
}

#[cfg(test)]
mod tests;
