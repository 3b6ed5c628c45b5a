//! `/approve`: asks before a command runs, and runs it only if allowed.

use super::{Block, Call, CallResult, Scene, Setting, Step, Tool};

pub(super) struct Approve {
    command: String,
    asked: bool,
}

impl Approve {
    pub(super) fn new(arguments: &str) -> Self {
        let command = if arguments.is_empty() { HARMLESS } else { arguments };
        Self { command: command.to_owned(), asked: false }
    }
}

/// Sounds as if it did something, and does nothing to the project.
const HARMLESS: &str = "echo \"I would run rm -r build in $(pwd)\"; ls | wc -l";

impl Scene for Approve {
    fn next(&mut self, setting: &Setting, results: &[CallResult]) -> Step {
        if !self.asked {
            self.asked = true;
            return Step::reply([
                Block::Thinking("This one needs permission first.".to_owned()),
                Block::Text("I would like to run a command. It waits for your decision.".to_owned()),
                Call::lasting(Tool::Bash { command: self.command.clone(), ask_first: true }, 600),
            ]);
        }
        let blocked = results.iter().any(|result| result.text == BLOCKED);
        let failed = results.iter().any(|result| result.is_error);
        Step::say(match (blocked, failed, setting.terse) {
            (true, _, true) => "Blocked. Nothing ran.",
            (true, _, false) => {
                "You blocked it, so **nothing was run**. A real agent would now look for another way or ask what you \
                prefer."
            }
            (false, true, _) => "You allowed it; it ran and failed. Open the row to see why.",
            (false, false, true) => "Allowed, and done.",
            (false, false, false) => {
                "You allowed it, and it really ran; open the row to see its output. Send `/approve` again and block it \
                to see the other side. `/approve COMMAND` asks about a command of your own."
            }
        })
    }
}

/// The result of a command that was not allowed.
pub(crate) const BLOCKED: &str = "Blocked by the user";
