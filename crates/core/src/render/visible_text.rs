//! Makes hidden characters visible: control, bidirectional and zero-width characters, and everything that looks
//! like a space or like nothing. Used for approvals, so that the user sees exactly what will run.
//!
//! Marks are separate pieces, so that the text `⟨ESC⟩` cannot be mistaken for a mark. There is no exception for
//! emoji: a variation selector after one is invisible too, and two file names may differ in nothing else.
//!
//! Marked as well: marks stacked on one letter, words of mixed scripts, and letters and signs that look like ASCII.

mod hidden;
mod look_alikes;

use hidden::OPEN;
use look_alikes::LookAlikes;

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
/// marked too, because after a backslash they change the meaning of a command; long runs of them and of blank lines are
/// folded, because they move what follows out of view.
pub fn visible_pieces(text: &str) -> Vec<VisiblePiece> {
    pieces(text, false)
}

/// The text in one line, without markup. Line breaks, tabs and the bracket that opens a mark are marked too, so
/// that different texts always have different results. Look-alikes are not marked: labels and status lines use signs
/// such as `›` and `−`.
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

/// Whether a text is not what it looks like: it contains hidden characters, look-alikes, or long blank space in a line.
pub fn is_deceptive(text: &str) -> bool {
    let is_warning = |piece: &VisiblePiece| match piece {
        VisiblePiece::Plain(_) => false,
        VisiblePiece::Marked(mark) => mark.text.len() > LONG_BLANK || !is_blank(&mark.text),
    };
    pieces(text, false).iter().any(is_warning)
}

fn is_blank(text: &str) -> bool {
    text.trim_start_matches([' ', '\t', '\n']).is_empty()
}

const LOOK_ALIKE: &str = "look-alike";

/// The longest run of spaces and tabs within a line that is shown as it is.
const LONG_BLANK: usize = 40;

/// The number of blank lines from which on they are folded.
const BLANK_LINES: usize = 3;

fn pieces(text: &str, one_line: bool) -> Vec<VisiblePiece> {
    let mut pieces = Vec::new();
    let (mut plain, mut next) = (0, 0);
    let (mut blanks, mut look_alikes) = (Blanks::default(), LookAlikes::default());
    let mut marks_on_letter = 0_usize;
    while let Some(character) = text.get(next..).and_then(|rest| rest.chars().next()) {
        let start = next;
        next += character.len_utf8();
        marks_on_letter = if hidden::is_combining(character) { marks_on_letter + 1 } else { 0 };
        let hidden = match character {
            '\n' | '\t' | OPEN if one_line => Some(hidden::contextual(character)),
            ' ' | '\t' if blanks.is_marked(text, start) => Some(hidden::contextual(character)),
            _ if marks_on_letter > hidden::usual_marks(character) => Some(hidden::COMBINING),
            _ => hidden::look_up(character),
        };
        let (shown, name) = if let Some((end, count)) = blank_lines(text, start).filter(|_| !one_line) {
            next = end;
            (format!("{OPEN}{count} blank lines⟩"), "blank lines")
        } else if let Some(hidden) = hidden {
            let rest = text.get(start..).unwrap_or_default();
            let length = rest.len() - rest.trim_start_matches(character).len();
            next = start + length;
            (hidden.shown(character, length / character.len_utf8()), hidden.name)
        } else if let Some(sign) = look_alikes::sign(character).filter(|_| !one_line) {
            (format!("{OPEN}U+{:04X} looks like {sign}⟩", u32::from(character)), LOOK_ALIKE)
        } else if let Some((end, script)) = look_alikes.at(text, start, character).filter(|_| !one_line) {
            next = end;
            (format!("{OPEN}{script} {}⟩", text.get(start..end).unwrap_or_default()), LOOK_ALIKE)
        } else {
            continue;
        };
        push_plain(&mut pieces, text.get(plain..start));
        let text = text.get(start..next).unwrap_or_default().to_owned();
        pieces.push(VisiblePiece::Marked(HiddenMark { text, shown, name }));
        plain = next;
    }
    push_plain(&mut pieces, text.get(plain..));
    pieces
}

/// The end and the number of the blank lines that begin here, if they are many. The last line break is not included, so
/// that the next line begins on a line of its own.
fn blank_lines(text: &str, start: usize) -> Option<(usize, usize)> {
    let begins_line = start == 0 || text.get(..start)?.ends_with('\n');
    let rest = text.get(start..).filter(|_| begins_line)?;
    let blank = &rest[..rest.len() - rest.trim_start_matches([' ', '\t', '\n']).len()];
    let last = blank.rfind('\n')?;
    let count = blank.matches('\n').count();
    (count >= BLANK_LINES).then_some((start + last, count))
}

fn push_plain(pieces: &mut Vec<VisiblePiece>, text: Option<&str>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        pieces.push(VisiblePiece::Plain(text.to_owned()));
    }
}

/// The last run of spaces and tabs, cached so that each run is scanned once.
#[derive(Default)]
struct Blanks {
    end: usize,
    is_marked: bool,
}

impl Blanks {
    /// Whether the spaces at this place are marked: they end a line, or they are many.
    fn is_marked(&mut self, text: &str, start: usize) -> bool {
        if start >= self.end {
            let rest = text.get(start..).unwrap_or_default();
            let after = rest.trim_start_matches([' ', '\t']);
            self.end = text.len() - after.len();
            let ends_line = after.is_empty() || after.starts_with(['\n', '\r']);
            self.is_marked = ends_line || self.end - start > LONG_BLANK;
            #[cfg(test)]
            crate::render::work::add(self.end - start);
        }
        self.is_marked
    }
}

#[cfg(test)]
mod tests;
