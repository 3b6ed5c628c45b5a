//! What the options of a choice say: yes, no, or something else. Agents tell approvals from questions by nothing but
//! the words of their options. A key may press only what is certain, so an option counts as plain when it says yes or
//! no in known words alone: "Allow once" does, "Allow for this session" is a yes to more than that.

use crate::render::visible_text::has_hidden;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// Yes, to this once.
    Yes,
    /// Yes, and to more than this, or to what cannot be told.
    YesAndMore,
    /// No, to this once.
    No,
    /// No, and for longer, or with something to it.
    NoAndMore,
}

/// Say yes or no whatever follows them.
const YES: [&str; 9] = ["yes", "y", "allow", "approve", "accept", "permit", "grant", "always", "authorize"];
const NO: [&str; 11] =
    ["no", "n", "deny", "reject", "block", "decline", "refuse", "disallow", "forbid", "never", "not"];

/// Say yes or no only where nothing follows that could be another thing: "Run tests" is a choice.
const WEAK_YES: [&str; 9] = ["ok", "okay", "proceed", "continue", "confirm", "run", "execute", "go", "sure"];
const WEAK_NO: [&str; 5] = ["cancel", "abort", "stop", "skip", "dont"];

/// Change nothing about how far a yes or a no reaches.
const HARMLESS: [&str; 25] = [
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
        // "Don't allow", but not "Don't ask again", which is a yes to all that follows.
        if negates && !rest.first().is_none_or(|next| among(&[&YES, &WEAK_YES], next)) {
            return None;
        }
        // Of what follows, words of the same side repeat it; the other side's take it back.
        let same: &[&[&str]] = match (yes, negates) {
            (true, _) | (_, true) => &[&YES, &WEAK_YES, &HARMLESS],
            _ => &[&NO, &WEAK_NO, &HARMLESS],
        };
        let lasting = |word: &str| ["always", "never"].contains(&word);
        let known = rest.iter().all(|word| among(same, word) && !lasting(word));
        if !known && among(&[&WEAK_YES, &WEAK_NO], first) && !negates {
            return None;
        }
        let plain = known && !lasting(first) && !has_signs(option) && !has_hidden(option);
        Some(match (yes, plain) {
            (true, true) => Self::Yes,
            (true, false) => Self::YesAndMore,
            (false, true) => Self::No,
            (false, false) => Self::NoAndMore,
        })
    }

    const fn is_yes(self) -> bool {
        matches!(self, Self::Yes | Self::YesAndMore)
    }
}

/// Whether a choice asks for leave: it offers both a yes and a no.
pub fn is_approval(options: &[String]) -> bool {
    let says = |yes: bool| {
        options.iter().filter_map(|option| Consent::of(option)).any(|consent| consent.is_yes() == yes)
    };
    says(true) && says(false)
}

/// The option that says just this, if there is exactly one.
pub fn the_one(options: &[String], consent: Consent) -> Option<usize> {
    let mut fitting = (0..options.len()).filter(|index| Consent::of(&options[*index]) == Some(consent));
    fitting.next().filter(|_| fitting.next().is_none())
}

/// In small letters, without signs and without what numbers them: "1. Yes, don't wait" is yes, dont, wait.
fn words(option: &str) -> Vec<String> {
    let option = option.trim_start_matches(is_no_letter).to_lowercase().replace(['\'', '’'], "");
    let words = option.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Behind its first letter an option may hold signs that mean nothing; others, such as a star, may mean all.
fn has_signs(option: &str) -> bool {
    let option = option.trim_start_matches(is_no_letter);
    option.contains(|letter: char| {
        !letter.is_alphanumeric() && !letter.is_whitespace() && !",.;:!()[]'’-".contains(letter)
    })
}

fn is_no_letter(letter: char) -> bool {
    !letter.is_alphabetic()
}

#[cfg(test)]
#[path = "consent_tests.rs"]
mod tests;
