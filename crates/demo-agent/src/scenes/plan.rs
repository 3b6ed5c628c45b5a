//! `/plan`: a plan with progress, a real search of this folder, and a task for a subagent.

use super::{Block, CallResult, PlannedStep, Scene, SceneContext, Step, Tool};

/// The word to search for, which almost every folder contains.
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
    fn next(&mut self, _context: &SceneContext, results: &[CallResult]) -> Step {
        self.step += 1;
        let found = results.iter().map(|result| result.text.lines().count()).max().unwrap_or_default();
        match self.step {
            1 => Step::reply([
                Block::Text("I'll make a plan first and keep it up to date.".to_owned()),
                Block::call(plan(0), 100),
                Block::call(Tool::Grep { pattern: WORD.to_owned(), path: ".".to_owned() }, 400),
            ]),
            2 => Step::reply([
                Block::call(plan(1), 100),
                Block::call(
                    Tool::Task {
                        description: "Count what was found".to_owned(),
                        prompt: format!("Say in a sentence or two what {found} lines of a search mean."),
                        answer: format!(
                            "**{found} lines** came back. With a real agent, a second one would now read the files \
                            and report; the demo's subagent only counts."
                        ),
                    },
                    700,
                ),
            ]),
            3 => Step::reply([Block::call(plan(3), 100)]),
            _ => Step::say(
                "The plan is done. Open its rows: each kind of tool has its own view, and search results are grouped \
                by file.",
            ),
        }
    }
}

/// The plan with this many of its steps completed.
fn plan(completed: usize) -> Tool {
    const STEPS: [&str; 3] = ["Search the folder", "Ask a subagent what it means", "Sum up"];
    let status = |index: usize| match index {
        _ if index < completed => "completed",
        _ if index == completed => "in_progress",
        _ => "pending",
    };
    let step =
        |(index, text): (usize, &&str)| PlannedStep { content: (*text).to_owned(), status: status(index) };
    Tool::Todo { todos: STEPS.iter().enumerate().map(step).collect() }
}
