//! Questions to the user: `/ask` and `/approve`.

use super::{Block, CallResult, Question, Scene, SceneContext, Step, Tool};

/// `/ask`: asks one question of each kind, then summarises the answers.
pub(super) struct AskScene {
    step: usize,
    answers: Vec<String>,
}

impl AskScene {
    pub(super) fn new(_arguments: &str) -> Self {
        Self { step: 0, answers: Vec::new() }
    }
}

impl Scene for AskScene {
    fn next(&mut self, _context: &SceneContext, results: &[CallResult]) -> Step {
        self.answers.extend(results.iter().map(|result| result.text.clone()));
        let question = question(self.step);
        self.step += 1;
        match question {
            Some((text, question)) => {
                Step::reply([Block::Text(text.to_owned()), Block::call(Tool::AskUser(question), 0)])
            }
            None => Step::say(summary(&self.answers)),
        }
    }
}

fn question(step: usize) -> Option<(&'static str, Question)> {
    Some(match step {
        0 => (
            "Four questions, one of each kind. First, choose one.",
            Question::Select {
                title: "Which colour should the buoy have?".to_owned(),
                options: ["red", "green", "yellow"].map(str::to_owned).to_vec(),
            },
        ),
        1 => (
            "Second, a yes or no.",
            Question::Confirm {
                title: "Paint it today?".to_owned(),
                message: "The forecast says dry until the evening.".to_owned(),
            },
        ),
        2 => (
            "Third, a line of text.",
            Question::Input { title: "Who paints it?".to_owned(), placeholder: "e.g. Ada".to_owned() },
        ),
        3 => (
            "Last, a longer text to edit.",
            Question::Editor {
                title: "The note for the logbook".to_owned(),
                prefill: "Buoy painted.\nWeather: dry.".to_owned(),
            },
        ),
        _ => return None,
    })
}

fn summary(answers: &[String]) -> String {
    let rows: Vec<String> = ["choice", "confirmation", "name", "note"]
        .iter()
        .zip(answers)
        .map(|(name, answer)| format!("| {name} | {} |", answer.replace('\n', "<br>").replace('|', "\\|")))
        .collect();
    format!(
        "Thanks! Here is what arrived:\n\n| question | answer |\n|---|---|\n{}\n\n\
        A dismissed question counts as no answer, never as approval.",
        rows.join("\n")
    )
}

/// `/approve`: asks before a command runs, and runs it only if allowed.
pub(super) struct ApproveScene {
    command: String,
    asked: bool,
}

impl ApproveScene {
    pub(super) fn new(arguments: &str) -> Self {
        let command = if arguments.is_empty() { HARMLESS } else { arguments };
        Self { command: command.to_owned(), asked: false }
    }
}

/// Looks like a command worth a question, but changes nothing.
const HARMLESS: &str = "echo \"I would run rm -r build in $(pwd)\"; ls | wc -l";

impl Scene for ApproveScene {
    fn next(&mut self, context: &SceneContext, results: &[CallResult]) -> Step {
        if !self.asked {
            self.asked = true;
            return Step::reply([
                Block::Thinking("This command needs approval first.".to_owned()),
                Block::Text("I'd like to run a command. It needs your approval.".to_owned()),
                Block::call(Tool::Bash { command: self.command.clone(), ask_first: true }, 600),
            ]);
        }
        let blocked = results.iter().any(|result| result.text == BLOCKED);
        let failed = results.iter().any(|result| result.is_error);
        Step::say(match (blocked, failed, context.terse) {
            (true, _, true) => "Blocked. Nothing ran.",
            (true, _, false) => {
                "You blocked it, so **nothing was run**. A real agent would now look for another way or ask what you \
                prefer."
            }
            (false, true, _) => "You allowed it, and it ran but failed. Open the row to see why.",
            (false, false, true) => "Allowed and done.",
            (false, false, false) => {
                "You allowed it, and it really ran. Open the row to see its output. Send `/approve` again and block it \
                to see the other outcome. `/approve COMMAND` asks about any command."
            }
        })
    }
}

/// The result of a command that was not allowed.
pub(crate) const BLOCKED: &str = "Blocked by the user";
