//! Completes the unfinished spans of a growing block: holds back undecided markup and closes open spans. It knows code
//! spans, escapes, links, tags and emphasis well enough for a preview. The parser decides once the text is complete.

use crate::limits::{MARKDOWN_DEPTH, MARKDOWN_HELD_BYTES};

/// The part of a source to show.
#[derive(Debug, PartialEq, Eq)]
pub struct Healed {
    /// The length of the source to keep.
    pub keep: usize,
    /// The marks that close its open spans.
    pub closers: String,
}

/// A run of marks that opens emphasis.
struct Opener {
    at: usize,
    length: usize,
    character: u8,
}

/// An opening bracket.
struct Bracket {
    at: usize,
    image: bool,
    /// The number of openers before it. Those after it end with it if it becomes a link.
    openers: usize,
}

/// Completes the spans of a growing block.
pub fn heal(source: &str) -> Healed {
    let mut healer = Healer { source, openers: Vec::new(), brackets: Vec::new() };
    let mut at = 0;
    loop {
        match healer.step_at(at) {
            HealStep::Continue(next) => at = next,
            HealStep::Stop { keep, closers } => return healer.finish(keep, closers),
        }
    }
}

/// The result of looking at one place.
enum HealStep {
    /// Continue at this place.
    Continue(usize),
    /// Show the source up to `keep`, followed by `closers`.
    Stop { keep: usize, closers: String },
}

struct Healer<'a> {
    source: &'a str,
    openers: Vec<Opener>,
    brackets: Vec<Bracket>,
}

impl Healer<'_> {
    fn step_at(&mut self, at: usize) -> HealStep {
        let rest = self.source.as_bytes().get(at..).unwrap_or_default();
        let next = rest.get(1);
        match rest.first() {
            None => stop_at(self.source.len()),
            Some(b'\\') if next.is_none() => stop_at(at),
            Some(b'\\') => {
                HealStep::Continue(at + 1 + usize::from(next.is_some_and(u8::is_ascii_punctuation)))
            }
            Some(b'`') => self.code_span(at, run_length(rest)),
            Some(b'<') => self.tag(at),
            Some(b'&') if may_be_entity(rest) => stop_at(at),
            Some(b'!') if next.is_none() => stop_at(at),
            Some(b'!') if next == Some(&b'[') => self.open_bracket(at, true),
            Some(b'[') => self.open_bracket(at, false),
            Some(b']') => self.close_bracket(at),
            Some(b'*' | b'_' | b'~') if run_length(rest) == rest.len() => stop_at(at),
            Some(character @ (b'*' | b'_' | b'~')) => self.emphasis(at, run_length(rest), *character),
            Some(_) => HealStep::Continue(at + 1),
        }
    }

    fn code_span(&self, at: usize, length: usize) -> HealStep {
        let start = at + length;
        let mut from = start;
        let bytes = self.source.as_bytes();
        while let Some(tick) = self.source.get(from..).and_then(|rest| rest.find('`')) {
            let close = from + tick;
            let closing = run_length(bytes.get(close..).unwrap_or_default());
            if closing == length {
                return HealStep::Continue(close + closing);
            }
            from = close + closing;
        }
        let content = self.source.get(start..).unwrap_or_default().trim_end_matches('`');
        let visible = content.trim_end();
        if visible.is_empty() {
            return stop_at(at);
        }
        // The parser drops the space after the opening run only if there is one before the closing run too.
        let space = if content.starts_with(' ') { " " } else { "" };
        HealStep::Stop { keep: start + visible.len(), closers: space.to_owned() + &"`".repeat(length) }
    }

    fn tag(&self, at: usize) -> HealStep {
        let rest = self.source.as_bytes().get(at + 1..).unwrap_or_default();
        let is_tag = rest.first().is_none_or(|first| first.is_ascii_alphabetic() || b"/!?".contains(first));
        let end = rest.iter().take(MARKDOWN_HELD_BYTES).position(|byte| *byte == b'>');
        match end {
            _ if !is_tag => HealStep::Continue(at + 1),
            Some(end) => HealStep::Continue(at + 1 + end),
            None if rest.len() < MARKDOWN_HELD_BYTES && may_be_tag(rest) => stop_at(at),
            None => HealStep::Continue(at + 1),
        }
    }

    fn open_bracket(&mut self, at: usize, image: bool) -> HealStep {
        self.brackets.push(Bracket { at, image, openers: self.openers.len() });
        HealStep::Continue(at + 1 + usize::from(image))
    }

    fn close_bracket(&mut self, at: usize) -> HealStep {
        let Some(bracket) = self.brackets.pop() else { return HealStep::Continue(at + 1) };
        let after = self.source.get(at + 1..).unwrap_or_default();
        let short = self.source.len() - bracket.at <= MARKDOWN_HELD_BYTES;
        match after.as_bytes().first() {
            None if short => stop_at(bracket.at),
            Some(b'[') if short && !after.contains(']') => stop_at(bracket.at),
            Some(b'(') => match scan_destination(after) {
                Destination::Complete(length) => {
                    self.openers.truncate(bracket.openers);
                    HealStep::Continue(at + 1 + length)
                }
                Destination::Unfinished if bracket.image => stop_at(bracket.at),
                Destination::Unfinished => {
                    self.openers.truncate(bracket.openers);
                    HealStep::Stop { keep: at + 1, closers: "()".to_owned() }
                }
                Destination::Invalid => HealStep::Continue(at + 1),
            },
            _ => HealStep::Continue(at + 1),
        }
    }

    fn emphasis(&mut self, at: usize, mut length: usize, character: u8) -> HealStep {
        let end = at + length;
        let before = self.source.get(..at).and_then(|text| text.chars().next_back());
        let after = self.source.get(end..).and_then(|text| text.chars().next());
        let left = flanks(before, after);
        let right = flanks(after, before);
        let in_word = character == b'_' && left && right;
        if right && (!in_word || is_punctuation(after)) {
            while length > 0 {
                let matches = |opener: &Opener| {
                    opener.character == character && (character != b'~' || opener.length == length)
                };
                let Some(position) = self.openers.iter().rposition(matches) else { break };
                self.openers.truncate(position + 1);
                if let Some(opener) = self.openers.last_mut() {
                    let matched = opener.length.min(length);
                    opener.length -= matched;
                    length -= matched;
                }
                self.openers.retain(|opener| opener.length > 0);
            }
        }
        // A single star between letters or digits is more often a product than emphasis, and a single tilde more
        // often means "about" or a home folder than strikethrough.
        let product = character == b'*' && length == 1 && before.is_some_and(char::is_alphanumeric);
        // A glob such as `*.rs` or `**/a`.
        let pattern = after.is_some_and(|after| "./,;:)".contains(after));
        let opens = left && (!in_word || is_punctuation(before)) && !product && !pattern;
        let possible = if character == b'~' { length == 2 } else { true };
        if length > 0 && opens && possible && self.openers.len() < MARKDOWN_DEPTH {
            self.openers.push(Opener { at: end - length, length, character });
        }
        HealStep::Continue(end)
    }

    fn finish(mut self, mut keep: usize, mut closers: String) -> Healed {
        let end = self.source.len();
        let held = |bracket: &&Bracket| {
            let rest = self.source.get(bracket.at..).unwrap_or_default();
            end - bracket.at <= MARKDOWN_HELD_BYTES && !rest.contains('\n')
        };
        if closers.is_empty() && keep == end {
            keep -= address_prefix_len(self.source);
        }
        if let Some(bracket) = self.brackets.iter().find(held).filter(|bracket| bracket.at < keep) {
            keep = bracket.at;
            closers.clear();
        }
        self.openers.retain(|opener| opener.at < keep);
        while closers.is_empty() {
            let Some(last) = self.openers.last() else { break };
            keep = self.source.get(..keep).unwrap_or_default().trim_end().len();
            if last.at + last.length < keep {
                break;
            }
            keep = last.at;
            self.openers.pop();
        }
        for opener in self.openers.iter().rev() {
            for _ in 0..opener.length {
                closers.push(char::from(opener.character));
            }
        }
        Healed { keep, closers }
    }
}

const fn stop_at(keep: usize) -> HealStep {
    HealStep::Stop { keep, closers: String::new() }
}

/// The state of the `(destination "title")` of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Destination {
    /// Complete, with its length including the parentheses.
    Complete(usize),
    Unfinished,
    Invalid,
}

/// Scans a text that begins with the opening parenthesis.
fn scan_destination(text: &str) -> Destination {
    let bytes = text.as_bytes();
    let mut at = skip_spaces(bytes, 1);
    if bytes.get(at) == Some(&b'<') {
        // A destination in angle brackets cannot contain a line break.
        let rest = bytes.get(at..).unwrap_or_default();
        match rest.iter().position(|byte| matches!(byte, b'>' | b'\n')) {
            None => return Destination::Unfinished,
            Some(end) if rest.get(end) == Some(&b'\n') => return Destination::Invalid,
            Some(end) => at += end + 1,
        }
    } else {
        let mut depth = 0usize;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\\' => at += 1,
                b'(' => depth += 1,
                b')' if depth == 0 => return Destination::Complete(at + 1),
                b')' => depth -= 1,
                byte if byte.is_ascii_whitespace() => break,
                byte if byte.is_ascii_control() => return Destination::Invalid,
                _ => {}
            }
            at += 1;
        }
    }
    let title = skip_spaces(bytes, at);
    let close = match bytes.get(title) {
        None => return Destination::Unfinished,
        Some(b')') => return Destination::Complete(title + 1),
        Some(quote @ (b'"' | b'\'')) if title > at => *quote,
        Some(b'(') if title > at => b')',
        Some(_) => return Destination::Invalid,
    };
    let Some(end) = find_closing(bytes, title + 1, close) else { return Destination::Unfinished };
    let end = skip_spaces(bytes, end);
    match bytes.get(end) {
        None => Destination::Unfinished,
        Some(b')') => Destination::Complete(end + 1),
        Some(_) => Destination::Invalid,
    }
}

fn skip_spaces(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// The place after the next `close` that is not escaped.
fn find_closing(bytes: &[u8], mut at: usize, close: u8) -> Option<usize> {
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            byte if *byte == close => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// The number of times the first byte repeats.
fn run_length(rest: &[u8]) -> usize {
    rest.iter().take_while(|byte| Some(*byte) == rest.first()).count()
}

/// Whether the rest may be the beginning of an entity such as `&amp;`.
fn may_be_entity(rest: &[u8]) -> bool {
    let name = rest.get(1..).unwrap_or_default();
    name.len() <= 32 && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'#')
}

/// Whether the text after `<` may become a tag or, if it contains no space, an address. Comparisons in prose
/// cannot.
fn may_be_tag(rest: &[u8]) -> bool {
    let mut quote = None;
    let spaced = rest.iter().any(u8::is_ascii_whitespace) && !rest.starts_with(b"!--");
    rest.iter().all(|byte| {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            _ => {}
        }
        quote.is_some() || !spaced || !b"<(){};,`*|&".contains(byte)
    })
}

/// The length of the beginning of a bare address at the end. It is held back, so that an address appears as a link
/// from its first character on.
fn address_prefix_len(source: &str) -> usize {
    let begins = |length: &usize| {
        let Some((before, end)) =
            source.len().checked_sub(*length).and_then(|at| source.split_at_checked(at))
        else {
            return false;
        };
        ("https://".starts_with(end) || "http://".starts_with(end))
            && !before.ends_with(char::is_alphanumeric)
    };
    (1..="https://".len()).find(begins).unwrap_or_default()
}

/// Whether a run of marks between these two characters can open emphasis towards `inside`, by the rules of
/// CommonMark.
fn flanks(outside: Option<char>, inside: Option<char>) -> bool {
    let outside_word = !is_space(outside) && !is_punctuation(outside);
    !is_space(inside) && (!is_punctuation(inside) || !outside_word)
}

fn is_space(character: Option<char>) -> bool {
    character.is_none_or(char::is_whitespace)
}

fn is_punctuation(character: Option<char>) -> bool {
    character.is_some_and(|character| !character.is_alphanumeric() && !character.is_whitespace())
}

#[cfg(test)]
#[path = "heal_tests.rs"]
mod tests;
