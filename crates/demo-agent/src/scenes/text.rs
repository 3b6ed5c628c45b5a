//! Long texts: `/long` and `/think`.

use super::{Block, CallResult, Scene, SceneContext, Step};

/// The default number of paragraphs, which makes an answer of about 48 KB.
const DEFAULT_PARAGRAPHS: usize = 140;
/// The upper limit, so that a typo does not fill the session.
const MAX_PARAGRAPHS: usize = 5_000;

/// `/long`: a long answer with all kinds of Markdown; `/long N` for N paragraphs.
pub(super) struct LongScene {
    paragraphs: usize,
}

impl LongScene {
    pub(super) fn new(arguments: &str) -> Self {
        Self { paragraphs: arguments.parse().unwrap_or(DEFAULT_PARAGRAPHS).clamp(1, MAX_PARAGRAPHS) }
    }
}

impl Scene for LongScene {
    fn next(&mut self, _context: &SceneContext, _results: &[CallResult]) -> Step {
        let mut text = format!("# The lighthouse keeper's log, in {} parts\n\n", self.paragraphs);
        for number in 1..=self.paragraphs {
            text.push_str(&part(number));
        }
        text.push_str(
            "\n---\n\nThat is all. If you scroll up while the answer grows, the page stays where you are reading.",
        );
        Step::say(text)
    }
}

/// One paragraph, sometimes together with a heading, a list, code, a table or a quotation.
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

/// `/think`: long thinking, then a short answer.
pub(super) struct ThinkScene;

impl ThinkScene {
    pub(super) fn new(_arguments: &str) -> Self {
        Self
    }
}

impl Scene for ThinkScene {
    fn next(&mut self, context: &SceneContext, _results: &[CallResult]) -> Step {
        let paragraphs = match context.thinking_level {
            "off" => return Step::say(THINKING_OFF),
            "minimal" => 1,
            "low" => 2,
            "medium" => 4,
            _ => THOUGHTS.len(),
        };
        let thinking = THOUGHTS[..paragraphs].join("\n\n");
        let mut answer = "**Sixteen sailors.** Twelve can be paired off in 11 × 9 × 7 × 5 × 3 × 1 = 10,395 ways, fourteen \
            in 135,135, and sixteen in the 2,027,025 that were claimed."
            .to_owned();
        if !context.terse {
            answer.push_str(&format!(
                "\n\nThe thinking above is prepared text, collapsed to one line until you open it. Its length depends on the \
                thinking level, which is `{}` now. Change it in the title bar and ask again.",
                context.thinking_level
            ));
        }
        Step::reply([Block::Thinking(thinking), Block::Text(answer)])
    }
}

const THINKING_OFF: &str = "Thinking is **off** for this session, so there is nothing to show. \
Choose another level in the title bar, then send `/think` again.";

const THOUGHTS: [&str; 6] = [
    "I need a small problem to think about. A crew is paired off for night watches, and the captain claims that there \
are exactly 2,027,025 ways to do it. How many sailors are there?",
    "The number of ways to split 2n people into pairs is (2n − 1) × (2n − 3) × … × 3 × 1. The first sailor has 2n − 1 \
possible partners; take that pair away and the same question remains for 2n − 2.",
    "Small cases first. Two sailors: 1. Four: 3 × 1 = 3. Six: 5 × 3 = 15. Eight: 7 × 15 = 105. Ten: 9 × 105 = 945. \
Twelve: 11 × 945 = 10,395. It grows quickly, so the answer cannot be far.",
    "Fourteen: 13 × 10,395 = 135,135. Sixteen: 15 × 135,135 = 2,027,025. That is the number claimed.",
    "Check it another way: 16! / (2^8 × 8!). 16! is 20,922,789,888,000 and 2^8 × 8! is 256 × 40,320 = 10,321,920. \
The quotient is 2,027,025. Both agree.",
    "Could another crew size give the same number? No: the sequence is strictly growing from two sailors on, so \
sixteen is the only one. I can answer.",
];
