//! `/think`: long thinking, then a short answer.

use super::{Block, CallResult, Scene, Setting, Step};

pub(super) struct Think;

impl Think {
    pub(super) fn new(_arguments: &str) -> Self {
        Self
    }
}

impl Scene for Think {
    fn next(&mut self, setting: &Setting, _results: &[CallResult]) -> Step {
        let paragraphs = match setting.thinking_level {
            "off" => return Step::say(OFF),
            "minimal" => 1,
            "low" => 2,
            "medium" => 4,
            _ => THOUGHTS.len(),
        };
        let thinking = THOUGHTS[..paragraphs].join("\n\n");
        let mut answer = "**Sixteen sailors.** Twelve can be paired off in 11 × 9 × 7 × 5 × 3 × 1 = 10,395 ways, fourteen \
            in 135,135, and sixteen in the 2,027,025 that were claimed."
            .to_owned();
        if !setting.terse {
            answer.push_str(&format!(
                "\n\nThe thinking above is prepared text, folded to one line until you open it. Its length follows the \
                thinking level, now `{}`: change it in the title bar and ask again.",
                setting.thinking_level
            ));
        }
        Step::reply([Block::Thinking(thinking), Block::Text(answer)])
    }
}

const OFF: &str = "Thinking is **off** for this session, so there is nothing to show. \
Choose another level in the title bar, then send `/think` again.";

const THOUGHTS: [&str; 6] = [
    "Let me set myself a small problem, so that there is something to think about. A crew is paired off for night \
watches, and somebody claims that there are exactly 2,027,025 ways to do it. How many sailors are there?",
    "The number of ways to split 2n people into pairs is (2n − 1) × (2n − 3) × … × 3 × 1. The first sailor has 2n − 1 \
possible partners; take that pair away and the same question remains for 2n − 2.",
    "Small cases first. Two sailors: 1. Four: 3 × 1 = 3. Six: 5 × 3 = 15. Eight: 7 × 15 = 105. Ten: 9 × 105 = 945. \
Twelve: 11 × 945 = 10,395. It grows quickly, so the answer cannot be far.",
    "Fourteen: 13 × 10,395 = 135,135. Sixteen: 15 × 135,135 = 2,027,025. That is the number claimed.",
    "Check it another way: 16! / (2^8 × 8!). 16! is 20,922,789,888,000 and 2^8 × 8! is 256 × 40,320 = 10,321,920. \
The quotient is 2,027,025. Both agree.",
    "Could another crew give the same number? No: the sequence is strictly growing from two sailors on, so sixteen is \
the only one. I can answer.",
];
