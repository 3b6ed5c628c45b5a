//! `/wait FILE`, `/wait-code FILE` and `/wait-tool FILE`: stand still in the middle until a file exists, so that a test
//! can look around without racing the clock.

use std::path::PathBuf;

use super::{Block, Call, CallResult, Scene, Setting, Step, Tool};

pub(super) struct WaitScene {
    file: String,
}

impl WaitScene {
    pub(super) fn new(arguments: &str) -> Self {
        Self { file: arguments.to_owned() }
    }
}

impl Scene for WaitScene {
    fn next(&mut self, setting: &Setting, _results: &[CallResult]) -> Step {
        if self.file.is_empty() {
            return Step::say("Say which file to wait for: `/wait FILE`.");
        }
        Step::reply([
            Block::Thinking("Half now, half when the file is there.".to_owned()),
            Block::HeldText {
                before: format!("The first half. I go on when `{}` exists.", self.file),
                file: absolute(setting, &self.file),
                after: "\n\nThe second half. Done.".to_owned(),
            },
        ])
    }
}

pub(super) struct WaitCodeScene {
    file: String,
}

impl WaitCodeScene {
    pub(super) fn new(arguments: &str) -> Self {
        Self { file: arguments.to_owned() }
    }
}

impl Scene for WaitCodeScene {
    fn next(&mut self, setting: &Setting, _results: &[CallResult]) -> Step {
        if self.file.is_empty() {
            return Step::say("Say which file to wait for: `/wait-code FILE`.");
        }
        Step::reply([Block::HeldText {
            before: CODE_BEFORE.to_owned(),
            file: absolute(setting, &self.file),
            after: CODE_AFTER.to_owned(),
        }])
    }
}

/// Ends in the middle of a line and of a comment.
const CODE_BEFORE: &str =
    "```rust\nfn flash(seconds: u64) -> Lamp {\n    let lamp = Lamp::lit(); /* until it is";
const CODE_AFTER: &str =
    "\n       light again */\n    lamp.after(seconds, \"dark\")\n}\n```\n\nThat is the lamp.";

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
    fn next(&mut self, _setting: &Setting, results: &[CallResult]) -> Step {
        if self.file.is_empty() {
            return Step::say("Say which file to wait for: `/wait-tool FILE`.");
        }
        if !self.started {
            self.started = true;
            let file = shell_words::quote(&self.file);
            let command = format!("echo waiting; until [ -e {file} ]; do sleep 0.05; done; echo found");
            return Step::reply([
                Block::Text(format!("I run a command that ends when `{}` exists.", self.file)),
                Call::lasting(Tool::bash(command), 0),
            ]);
        }
        let failed = results.iter().any(|result| result.is_error);
        Step::say(if failed { "The command failed." } else { "The command has ended. Done." })
    }
}

fn absolute(setting: &Setting, file: &str) -> PathBuf {
    setting.folder.join(file)
}

/// `/run COMMAND`: the given command as a tool call, for tests.
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
    fn next(&mut self, _setting: &Setting, results: &[CallResult]) -> Step {
        if self.command.is_empty() {
            return Step::say("Say what to run: `/run COMMAND`.");
        }
        if !self.started {
            self.started = true;
            return Step::reply([Call::lasting(Tool::bash(self.command.clone()), 0)]);
        }
        let failed = results.iter().any(|result| result.is_error);
        Step::say(if failed { "The command failed." } else { "The command has ended." })
    }
}
