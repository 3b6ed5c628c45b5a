//! `/long`: a long answer with everything Markdown has, about 48 KB; `/long N` for N paragraphs.

use super::{CallResult, Scene, Setting, Step};

/// With these paragraphs the answer is about 48 KB.
const PARAGRAPHS: usize = 140;
/// Nobody needs more, and a slip of the finger should not fill the session.
const AT_MOST: usize = 5_000;

pub(super) struct Long {
    paragraphs: usize,
}

impl Long {
    pub(super) fn new(arguments: &str) -> Self {
        Self { paragraphs: arguments.parse().unwrap_or(PARAGRAPHS).clamp(1, AT_MOST) }
    }
}

impl Scene for Long {
    fn next(&mut self, _setting: &Setting, _results: &[CallResult]) -> Step {
        let mut text = format!("# The lighthouse keeper's log, in {} parts\n\n", self.paragraphs);
        for number in 1..=self.paragraphs {
            text.push_str(&part(number));
        }
        text.push_str("\n---\n\nThat is all. Scroll up while it grows: the page stays where you read.");
        Step::say(text)
    }
}

/// One paragraph, and in turn a heading, a list, code, a table or a quotation with it.
fn part(number: usize) -> String {
    let pick = |sentences: &[&'static str], offset: usize| sentences[(number + offset) % sentences.len()];
    let paragraph = format!(
        "{} {} {} {}\n\n",
        pick(&WEATHER, 0),
        pick(&SHIPS, number / 3),
        pick(&LAMP, number / 5),
        pick(&EVENING, number / 2)
    );
    match number % 8 {
        1 => format!("## Watch {}\n\n{paragraph}", number / 8 + 1),
        3 => format!(
            "{paragraph}```rust\n/// Seconds between two flashes on night {number}.\nfn interval(night: u32) -> u32 {{\n    \
            match night % 3 {{\n        0 => 5,\n        1 => {},\n        _ => 12,\n    }}\n}}\n```\n\n",
            number % 7 + 3
        ),
        5 => format!(
            "{paragraph}| hour | wind | sea |\n|---:|---|---|\n| {:02} | south-west {} | slight |\n| {:02} | west {} | moderate |\n\n",
            number % 24,
            number % 6 + 1,
            (number + 4) % 24,
            number % 5 + 3
        ),
        6 => format!(
            "{paragraph}- oil: **{}** litres\n- wicks trimmed: {}\n- visitors: `{}`\n\n",
            number * 3,
            number % 4,
            number % 2
        ),
        0 => format!("> Night {number}: all quiet, and the light was seen.\n\n{paragraph}"),
        _ => paragraph,
    }
}

const WEATHER: [&str; 7] = [
    "The wind had gone round to the west before dawn, and with it the fog left the sound in long grey pieces.",
    "Rain came twice, the second time so hard that the panes had to be wiped from outside.",
    "A clear morning; the far cape stood up as if somebody had drawn it with a ruler.",
    "Low cloud all day, and a swell from a storm that nobody here has seen.",
    "The glass fell slowly from noon on, without much to show for it yet.",
    "Frost on the gallery, thin as paper, gone by the time the kettle boiled.",
    "Warm for the season, and so still that the gulls walked.",
];

const SHIPS: [&str; 6] = [
    "Three colliers passed inside the bank, and one pilot cutter stood off and on until the tide served.",
    "The mail boat was late by an hour and made no excuse for it.",
    "A barque hove to for the night; her riding light could be counted on.",
    "Two fishing boats came in under the lee and landed more salt than fish.",
    "Nothing passed that needed us, which is the best that can be said of a day.",
    "The survey vessel took her soundings again, line after line, like somebody mowing.",
];

const LAMP: [&str; 5] = [
    "The lamp was lit at sunset and burned evenly; the clockwork ran eleven seconds fast and was set right.",
    "One prism was found loose, wedged with a splinter of teak, and has been quiet since.",
    "The new wick smokes less than the old and will be kept.",
    "We cleaned the lens from the top down, which takes two people and some patience.",
    "The spare burner was tried and gives a whiter light, at the price of more oil.",
];

const EVENING: [&str; 4] = [
    "In the evening the log was brought up to date, this page included.",
    "Supper was late; nobody minded.",
    "The children from the farm came to see the light turn and stayed until it was dark.",
    "We read aloud by the light that was left over.",
];
