//! Reads the wording of an option: yes, no, or neither. Agents send approvals and questions alike as a list of
//! options, so the wording is all that distinguishes them.
//!
//! A keyboard shortcut may only choose an option whose meaning is certain. An option is therefore a plain yes or
//! no only if it consists of known words: "Allow once" is plain, "Allow for this session" approves more than this
//! one request.

use crate::render::visible_text::has_hidden;

/// The meaning of an option that approves or declines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// Approves this one request.
    Yes,
    /// Approves more than this request, or something unclear.
    BroadYes,
    /// Declines this one request.
    No,
    /// Declines more than this request, or adds something to it.
    BroadNo,
}

/// Words that mean yes or no, whatever follows them.
const YES: [&str; 9] = ["yes", "y", "allow", "approve", "accept", "permit", "grant", "always", "authorize"];
const NO: [&str; 11] =
    ["no", "n", "deny", "reject", "block", "decline", "refuse", "disallow", "forbid", "never", "not"];

/// Words that mean yes or no only if no unknown word follows: "Run" approves, "Run tests" is a choice.
const WEAK_YES: [&str; 9] = ["ok", "okay", "proceed", "continue", "confirm", "run", "execute", "go", "sure"];
const WEAK_NO: [&str; 5] = ["cancel", "abort", "stop", "skip", "dont"];

/// Words that do not change the scope of a yes or a no.
const NEUTRAL: [&str; 25] = [
    "once",
    "just",
    "only",
    "this",
    "that",
    "the",
    "it",
    "time",
    "now",
    "please",
    "thanks",
    "one",
    "single",
    "i",
    "do",
    "ahead",
    "command",
    "tool",
    "call",
    "action",
    "request",
    "change",
    "edit",
    "operation",
    "step",
];

impl Consent {
    /// The meaning of an option. None if it neither approves nor declines.
    pub fn of(option: &str) -> Option<Self> {
        let words = words(option);
        let mut words = words.iter().map(String::as_str).peekable();
        words.next_if(|word| *word == "i");
        words.next_if(|word| *word == "do");
        let first = words.next()?;
        let rest: Vec<&str> = words.collect();
        let among = |lists: &[&[&str]], word: &str| lists.iter().any(|list| list.contains(&word));
        let yes = among(&[&YES, &WEAK_YES], first);
        if !yes && !among(&[&NO, &WEAK_NO], first) {
            return None;
        }
        let negates = ["dont", "not", "never"].contains(&first);
        // "Don't allow" declines. "Don't ask again" approves later requests and is not recognised.
        if negates && !rest.first().is_none_or(|next| among(&[&YES, &WEAK_YES], next)) {
            return None;
        }
        // Further words of the same side repeat the meaning; words of the other side contradict it.
        let same: &[&[&str]] = match (yes, negates) {
            (true, _) | (_, true) => &[&YES, &WEAK_YES, &NEUTRAL],
            _ => &[&NO, &WEAK_NO, &NEUTRAL],
        };
        let lasting = |word: &str| ["always", "never"].contains(&word);
        let known = rest.iter().all(|word| among(same, word) && !lasting(word));
        if !known && among(&[&WEAK_YES, &WEAK_NO], first) && !negates {
            return None;
        }
        let plain = known && !lasting(first) && !has_symbols(option) && !has_hidden(option);
        Some(match (yes, plain) {
            (true, true) => Self::Yes,
            (true, false) => Self::BroadYes,
            (false, true) => Self::No,
            (false, false) => Self::BroadNo,
        })
    }

    pub const fn is_yes(self) -> bool {
        matches!(self, Self::Yes | Self::BroadYes)
    }
}

/// Whether the options contain both a yes and a no, which makes the list an approval request.
pub fn offers_yes_and_no(options: &[String]) -> bool {
    let offers = |yes: bool| {
        options.iter().filter_map(|option| Consent::of(option)).any(|consent| consent.is_yes() == yes)
    };
    offers(true) && offers(false)
}

/// The index of the option with this meaning, if exactly one has it.
pub fn only_option(options: &[String], consent: Consent) -> Option<usize> {
    let mut fitting = (0..options.len()).filter(|index| Consent::of(&options[*index]) == Some(consent));
    fitting.next().filter(|_| fitting.next().is_none())
}

/// The words in lower case, without punctuation and numbering: "1. Yes, don't wait" is `yes`, `dont`, `wait`.
fn words(option: &str) -> Vec<String> {
    let option = option.trim_start_matches(is_not_letter).to_lowercase().replace(['\'', '’'], "");
    let words = option.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Whether an option contains more than ordinary punctuation after its first letter. A star, for example, may mean
/// "everything".
fn has_symbols(option: &str) -> bool {
    let option = option.trim_start_matches(is_not_letter);
    option.contains(|letter: char| {
        !letter.is_alphanumeric() && !letter.is_whitespace() && !",.;:!()[]'’-".contains(letter)
    })
}

fn is_not_letter(letter: char) -> bool {
    !letter.is_alphabetic()
}

#[cfg(test)]
#[path = "consent_tests.rs"]
mod tests;
