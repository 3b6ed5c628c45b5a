//! Text with everything visible that a reader could miss: control, bidirectional and zero-width characters, and all
//! that looks like a space or like nothing. For approvals: what is shown is what runs.
//!
//! Marks are pieces of their own, so that `⟨ESC⟩` in a text is never taken for one. Emoji get no exception: a
//! selector behind one is as invisible as any other, and the name of a file may differ in nothing else. Letters that
//! look alike are not looked at.

mod hidden;

/// A part of a text. Together the texts of all pieces are exactly what was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Plain(String),
    Marked(Mark),
}

/// What stands in place of something invisible: one character, however often it is repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// What is really there.
    pub text: String,
    /// What to show for it, such as `⟨ESC⟩` or `⟨U+200B zero width space ×3⟩`.
    pub shown: String,
    /// What it is, in words.
    pub name: &'static str,
}

/// The pieces of a text that is shown with its line breaks and tabs. Spaces and tabs at the end of a line are marked
/// too: behind a backslash one of them changes what a command does.
pub fn visible(text: &str) -> Vec<Piece> {
    pieces(text, false)
}

/// For places of one line and without markup. Line breaks and tabs are marked as well, and so is the bracket that
/// opens a mark: the result tells everything, too.
pub fn visible_string(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for piece in pieces(text, true) {
        shown.push_str(match &piece {
            Piece::Plain(text) => text,
            Piece::Marked(mark) => &mark.shown,
        });
    }
    shown
}

/// Whether there is something invisible that deserves a warning; spaces at the end of a line do not.
pub fn has_hidden(text: &str) -> bool {
    text.chars().any(|character| hidden::look_up(character).is_some())
}

fn pieces(text: &str, one_line: bool) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut plain = 0;
    let mut trailing = TrailingSpace::default();
    let mut rest = text.char_indices().peekable();
    while let Some((start, character)) = rest.next() {
        let hidden = match character {
            '\n' | '\t' | hidden::OPEN if one_line => Some(hidden::of_some_places(character)),
            ' ' | '\t' if trailing.has(text, start) => Some(hidden::of_some_places(character)),
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
        pieces.push(Piece::Marked(Mark { text, shown: hidden.shown(character, count), name: hidden.name }));
        plain = end;
    }
    push_plain(&mut pieces, text.get(plain..));
    pieces
}

fn push_plain(pieces: &mut Vec<Piece>, text: Option<&str>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        pieces.push(Piece::Plain(text.to_owned()));
    }
}

/// The run of white space that was looked at last: each is looked at once, however long it is.
#[derive(Default)]
struct TrailingSpace {
    end: usize,
    ends_line: bool,
}

impl TrailingSpace {
    /// Whether the space at this place stands at the end of a line.
    fn has(&mut self, text: &str, start: usize) -> bool {
        if start >= self.end {
            let rest = text.get(start..).unwrap_or_default();
            let behind = rest.trim_start_matches([' ', '\t']);
            self.end = text.len() - behind.len();
            self.ends_line = behind.is_empty() || behind.starts_with(['\n', '\r']);
        }
        self.ends_line
    }
}

#[cfg(test)]
#[path = "visible_text_tests.rs"]
mod tests;
