//! Spans that are half written: what to keep back of them and how to complete the rest. Knows code spans, escapes,
//! brackets and the runs that emphasise, as far as it takes to look right for the moment; what they really are is
//! decided by the parser when they are whole.

use super::destination::{Destination, scan};
use super::marks::{beginning_of_address, flanks, is_part_of_entity, is_punctuation, may_be_tag, run};
use crate::limits::{MARKDOWN_DEPTH, MARKDOWN_HELD_BYTES};

#[derive(Debug, PartialEq, Eq)]
pub struct Healed {
    /// How much of the source is shown.
    pub keep: usize,
    /// What completes it.
    pub closers: String,
}

/// A run that opens emphasis.
struct Opener {
    at: usize,
    length: usize,
    character: u8,
}

struct Bracket {
    at: usize,
    image: bool,
    /// Openers before it: those behind it end with it, if it becomes a link.
    openers: usize,
}

/// Completes the spans of a block that still grows.
pub fn heal(source: &str) -> Healed {
    let mut healer = Healer { source, openers: Vec::new(), brackets: Vec::new() };
    let mut at = 0;
    loop {
        match healer.step(at) {
            Step::To(next) => at = next,
            Step::Keep(keep, closers) => return healer.finish(keep, closers),
        }
    }
}

enum Step {
    To(usize),
    Keep(usize, String),
}

struct Healer<'a> {
    source: &'a str,
    openers: Vec<Opener>,
    brackets: Vec<Bracket>,
}

impl Healer<'_> {
    fn step(&mut self, at: usize) -> Step {
        let rest = self.source.as_bytes().get(at..).unwrap_or_default();
        let next = rest.get(1);
        match rest.first() {
            None => keep(self.source.len()),
            Some(b'\\') if next.is_none() => keep(at),
            Some(b'\\') => Step::To(at + 1 + usize::from(next.is_some_and(u8::is_ascii_punctuation))),
            Some(b'`') => self.code(at, run(rest)),
            Some(b'<') => self.tag(at),
            Some(b'&') if is_part_of_entity(rest) => keep(at),
            Some(b'!') if next.is_none() => keep(at),
            Some(b'!') if next == Some(&b'[') => self.bracket(at, true),
            Some(b'[') => self.bracket(at, false),
            Some(b']') => self.close_bracket(at),
            Some(b'*' | b'_' | b'~') if run(rest) == rest.len() => keep(at),
            Some(character @ (b'*' | b'_' | b'~')) => self.delimiter(at, run(rest), *character),
            Some(_) => Step::To(at + 1),
        }
    }

    fn code(&self, at: usize, length: usize) -> Step {
        let start = at + length;
        let mut from = start;
        let bytes = self.source.as_bytes();
        while let Some(tick) = self.source.get(from..).and_then(|rest| rest.find('`')) {
            let close = from + tick;
            let closing = run(bytes.get(close..).unwrap_or_default());
            if closing == length {
                return Step::To(close + closing);
            }
            from = close + closing;
        }
        let content = self.source.get(start..).unwrap_or_default().trim_end_matches('`');
        let visible = content.trim_end();
        if visible.is_empty() {
            return keep(at);
        }
        // A space after the opening run is only dropped together with one before the closing run.
        let space = if content.starts_with(' ') { " " } else { "" };
        Step::Keep(start + visible.len(), space.to_owned() + &"`".repeat(length))
    }

    fn tag(&self, at: usize) -> Step {
        let rest = self.source.as_bytes().get(at + 1..).unwrap_or_default();
        let is_tag = rest.first().is_none_or(|first| first.is_ascii_alphabetic() || b"/!?".contains(first));
        let end = rest.iter().take(MARKDOWN_HELD_BYTES).position(|byte| *byte == b'>');
        match end {
            _ if !is_tag => Step::To(at + 1),
            Some(end) => Step::To(at + 1 + end),
            None if rest.len() < MARKDOWN_HELD_BYTES && may_be_tag(rest) => keep(at),
            None => Step::To(at + 1),
        }
    }

    fn bracket(&mut self, at: usize, image: bool) -> Step {
        self.brackets.push(Bracket { at, image, openers: self.openers.len() });
        Step::To(at + 1 + usize::from(image))
    }

    fn close_bracket(&mut self, at: usize) -> Step {
        let Some(bracket) = self.brackets.pop() else { return Step::To(at + 1) };
        let behind = self.source.get(at + 1..).unwrap_or_default();
        let short = self.source.len() - bracket.at <= MARKDOWN_HELD_BYTES;
        match behind.as_bytes().first() {
            None if short => keep(bracket.at),
            Some(b'[') if short && !behind.contains(']') => keep(bracket.at),
            Some(b'(') => match scan(behind) {
                Destination::Complete(length) => {
                    self.openers.truncate(bracket.openers);
                    Step::To(at + 1 + length)
                }
                Destination::Unfinished if bracket.image => keep(bracket.at),
                Destination::Unfinished => {
                    self.openers.truncate(bracket.openers);
                    Step::Keep(at + 1, "()".to_owned())
                }
                Destination::Invalid => Step::To(at + 1),
            },
            _ => Step::To(at + 1),
        }
    }

    fn delimiter(&mut self, at: usize, mut length: usize, character: u8) -> Step {
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
        // A lone star between letters or digits multiplies more often than it emphasises, and a lone tilde means
        // "about" or a home folder more often than it strikes anything out.
        let product = character == b'*' && length == 1 && before.is_some_and(char::is_alphanumeric);
        // As in `*.rs` and `**/a`.
        let pattern = after.is_some_and(|after| "./,;:)".contains(after));
        let opens = left && (!in_word || is_punctuation(before)) && !product && !pattern;
        let possible = if character == b'~' { length == 2 } else { true };
        if length > 0 && opens && possible && self.openers.len() < MARKDOWN_DEPTH {
            self.openers.push(Opener { at: end - length, length, character });
        }
        Step::To(end)
    }

    fn finish(mut self, mut keep: usize, mut closers: String) -> Healed {
        let end = self.source.len();
        let held = |bracket: &&Bracket| {
            let rest = self.source.get(bracket.at..).unwrap_or_default();
            end - bracket.at <= MARKDOWN_HELD_BYTES && !rest.contains('\n')
        };
        if closers.is_empty() && keep == end {
            keep -= beginning_of_address(self.source);
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

fn keep(keep: usize) -> Step {
    Step::Keep(keep, String::new())
}

#[cfg(test)]
#[path = "heal_tests.rs"]
mod tests;
