//! Scenes for tests: `/wait`, `/wait-code`, `/wait-tool` and `/run`.
//!
//! The waiting scenes pause in the middle until a file exists, so that a test can inspect the state without
//! depending on timing.

use std::path::PathBuf;

use super::{Block, CallResult, Scene, SceneContext, Step, Tool};

/// `/wait FILE`: pauses in the middle of a text.
pub(super) struct WaitScene {
    file: String,
}

impl WaitScene {
    pub(super) fn new(arguments: &str) -> Self {
        Self { file: arguments.to_owned() }
    }
}

impl Scene for WaitScene {
    fn next(&mut self, context: &SceneContext, _results: &[CallResult]) -> Step {
        if self.file.is_empty() {
            return Step::say("Say which file to wait for: `/wait FILE`.");
        }
        Step::reply([
            Block::Thinking("One half now, the other half later.".to_owned()),
            Block::HeldText {
                before: format!("The first half. I continue when `{}` exists.", self.file),
                file: absolute(context, &self.file),
                after: "\n\nThe second half. Done.".to_owned(),
            },
        ])
    }
}

/// `/wait-code FILE`: pauses in the middle of a code block.
pub(super) struct WaitCodeScene {
    file: String,
}

impl WaitCodeScene {
    pub(super) fn new(arguments: &str) -> Self {
        Self { file: arguments.to_owned() }
    }
}

impl Scene for WaitCodeScene {
    fn next(&mut self, context: &SceneContext, _results: &[CallResult]) -> Step {
        if self.file.is_empty() {
            return Step::say("Say which file to wait for: `/wait-code FILE`.");
        }
        Step::reply([Block::HeldText {
            before: CODE_BEFORE.to_owned(),
            file: absolute(context, &self.file),
            after: CODE_AFTER.to_owned(),
        }])
    }
}

/// Ends in the middle of a line and a comment.
const CODE_BEFORE: &str =
    "```rust\nfn flash(seconds: u64) -> Lamp {\n    let lamp = Lamp::lit(); /* until it is";
const CODE_AFTER: &str =
    "\n       light again */\n    lamp.after(seconds, \"dark\")\n}\n```\n\nThat is the lamp.";

/// `/wait-tool FILE`: runs a shell command until the file exists.
pub(super) struct WaitToolScene {
    file: String,
    started: bool,
}

impl WaitToolScene {
    pub(super) fn new(arguments: &str) -> Self {
        Self { file: arguments.to_owned(), started: false }
    }
}

impl Scene for WaitToolScene {
    fn next(&mut self, _context: &SceneContext, results: &[CallResult]) -> Step {
        if self.file.is_empty() {
            return Step::say("Say which file to wait for: `/wait-tool FILE`.");
        }
        if !self.started {
            self.started = true;
            let file = shell_words::quote(&self.file);
            let command = format!("echo waiting; until [ -e {file} ]; do sleep 0.05; done; echo found");
            return Step::reply([
                Block::Text(format!("I run a command that ends when `{}` exists.", self.file)),
                Block::call(Tool::bash(command), 0),
            ]);
        }
        let failed = results.iter().any(|result| result.is_error);
        Step::say(if failed { "The command failed." } else { "The command has ended. Done." })
    }
}

/// Resolves a path against the session's folder.
fn absolute(context: &SceneContext, file: &str) -> PathBuf {
    context.folder.join(file)
}

/// `/run COMMAND`: runs the command as a tool call.
pub(super) struct RunScene {
    command: String,
    started: bool,
}

impl RunScene {
    pub(super) fn new(arguments: &str) -> Self {
        Self { command: arguments.to_owned(), started: false }
    }
}

impl Scene for RunScene {
    fn next(&mut self, _context: &SceneContext, results: &[CallResult]) -> Step {
        if self.command.is_empty() {
            return Step::say("Say what to run: `/run COMMAND`.");
        }
        if !self.started {
            self.started = true;
            return Step::reply([Block::call(Tool::bash(self.command.clone()), 0)]);
        }
        let failed = results.iter().any(|result| result.is_error);
        Step::say(if failed { "The command failed." } else { "The command has ended." })
    }
}
