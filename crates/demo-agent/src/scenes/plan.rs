//! `/plan`: a plan that is worked off, a real search of this folder, and a part of the work handed to a second guide.

use super::{Block, Call, CallResult, PlannedStep, Scene, Setting, Step, Tool};

/// What is looked for; few folders have nothing of it.
const WORD: &str = "the";

pub(super) struct PlanScene {
    step: usize,
}

impl PlanScene {
    pub(super) fn new(_arguments: &str) -> Self {
        Self { step: 0 }
    }
}

impl Scene for PlanScene {
    fn next(&mut self, _setting: &Setting, results: &[CallResult]) -> Step {
        self.step += 1;
        let found = results.iter().map(|result| result.text.lines().count()).max().unwrap_or_default();
        match self.step {
            1 => Step::reply([
                Block::Text("I make a plan first, and keep it up to date.".to_owned()),
                Call::lasting(plan(0), 100),
                Call::lasting(Tool::Grep { pattern: WORD.to_owned(), path: ".".to_owned() }, 400),
            ]),
            2 => Step::reply([
                Call::lasting(plan(1), 100),
                Call::lasting(
                    Tool::Task {
                        description: "Count what was found".to_owned(),
                        prompt: format!("Say in a sentence or two what {found} lines of a search mean."),
                        answer: format!(
                            "**{found} lines** came back. With a real agent a second one would now read the files \
                            and report; the demo's second guide only counts."
                        ),
                    },
                    700,
                ),
            ]),
            3 => Step::reply([Call::lasting(plan(3), 100)]),
            _ => Step::say(
                "The plan is worked off. Open its rows: each kind of tool has a form of its own, and what was found \
                stands by file.",
            ),
        }
    }
}

/// The plan when so many of its steps are done.
fn plan(done: usize) -> Tool {
    const STEPS: [&str; 3] = ["Search the folder", "Ask a second guide what it means", "Sum up"];
    let state = |place: usize| match place {
        _ if place < done => "completed",
        _ if place == done => "in_progress",
        _ => "pending",
    };
    let step =
        |(place, text): (usize, &&str)| PlannedStep { content: (*text).to_owned(), status: state(place) };
    Tool::Todo { todos: STEPS.iter().enumerate().map(step).collect() }
}
