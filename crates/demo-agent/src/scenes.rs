//! The demo's answers, as data. A scene returns its next step, given the results of its tool calls. It never reads
//! a file, runs a command or waits; `run` plays the steps.
//!
//! The answers are deterministic: they depend on the prompt, the length of the session, the model and the thinking
//! level.

mod ask;
mod context;
mod error;
mod guide;
mod plan;
mod steer;
mod test_scenes;
mod text;
mod tools;

use std::{path::PathBuf, time::Duration};

use serde::Serialize;
use serde_json::Value;

pub(crate) use ask::BLOCKED;

use crate::pace::Pace;

/// The answer to one prompt, in one or more steps.
pub(crate) trait Scene: Send + Sync {
    /// Files that the scene needs in the scratch folder.
    fn files(&self) -> &'static [SceneFile] {
        &[]
    }

    /// Returns the next step. `results` belongs to the tool calls of the previous one. A reply without tool calls
    /// is the last step.
    fn next(&mut self, context: &SceneContext, results: &[CallResult]) -> Step;
}

pub(crate) struct SceneFile {
    pub(crate) name: &'static str,
    pub(crate) bytes: &'static [u8],
}

/// The state that a scene's answers may depend on.
#[derive(Clone, Debug)]
pub(crate) struct SceneContext {
    pub(crate) folder: PathBuf,
    /// The path of the scratch folder, which may not exist yet.
    pub(crate) scratch: PathBuf,
    pub(crate) pace: Pace,
    pub(crate) terse: bool,
    pub(crate) thinking_level: &'static str,
    pub(crate) model: &'static str,
    /// The number of user messages in the session, including the current one.
    pub(crate) user_messages: usize,
    /// The size of the context in tokens.
    pub(crate) tokens: u64,
    /// Whether there is enough conversation to compact.
    pub(crate) compactable: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Reply(Reply),
    /// The provider fails, possibly after a part of the reply. The run retries if its settings allow it.
    Fail {
        blocks: Vec<Block>,
        error: String,
    },
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Reply {
    pub(crate) blocks: Vec<Block>,
    /// Compacts the conversation at the end of the run.
    pub(crate) then_compact: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Block {
    /// Left out if thinking is off.
    Thinking(String),
    Text(String),
    /// Text that pauses in the middle until a file exists.
    HeldText {
        before: String,
        file: PathBuf,
        after: String,
    },
    Call(Call),
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) tool: Tool,
    /// The nominal duration. The calls of one reply end in the order of their durations.
    pub(crate) duration: Duration,
}

/// A tool with its arguments. Serialises to the arguments only.
#[derive(Serialize, Clone, Debug)]
#[serde(untagged)]
pub(crate) enum Tool {
    Ls {
        path: String,
    },
    Read {
        path: String,
    },
    Bash {
        command: String,
        #[serde(skip)]
        ask_first: bool,
    },
    Write {
        path: String,
        content: String,
    },
    Edit {
        path: String,
        edits: Vec<Replacement>,
    },
    Grep {
        pattern: String,
        path: String,
    },
    Todo {
        todos: Vec<PlannedStep>,
    },
    /// A task for a subagent, which always returns the same answer.
    Task {
        description: String,
        prompt: String,
        #[serde(skip)]
        answer: String,
    },
    AskUser(Question),
}

#[derive(Serialize, Clone, Debug)]
pub(crate) struct PlannedStep {
    pub(crate) content: String,
    pub(crate) status: &'static str,
}

#[derive(Serialize, Clone, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Replacement {
    pub(crate) old_text: String,
    pub(crate) new_text: String,
}

/// A question to the user. Serialises to the body of an `extension_ui_request`.
#[derive(Serialize, Clone, Debug)]
#[serde(tag = "method", rename_all = "lowercase")]
pub(crate) enum Question {
    Select { title: String, options: Vec<String> },
    Confirm { title: String, message: String },
    Input { title: String, placeholder: String },
    Editor { title: String, prefill: String },
}

#[derive(Clone, Debug)]
pub(crate) struct CallResult {
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

impl Step {
    /// A reply of text only, which ends the scene.
    pub(crate) fn say(text: impl Into<String>) -> Self {
        Self::reply([Block::Text(text.into())])
    }

    pub(crate) fn reply(blocks: impl Into<Vec<Block>>) -> Self {
        Self::Reply(Reply { blocks: blocks.into(), then_compact: false })
    }
}

impl Block {
    /// A tool call with a nominal duration in milliseconds.
    fn call(tool: Tool, milliseconds: u64) -> Self {
        Self::Call(Call { tool, duration: Duration::from_millis(milliseconds) })
    }
}

impl Tool {
    pub(crate) fn bash(command: impl Into<String>) -> Self {
        Self::Bash { command: command.into(), ask_first: false }
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Ls { .. } => "ls",
            Self::Read { .. } => "read",
            Self::Bash { .. } => "bash",
            Self::Write { .. } => "write",
            Self::Edit { .. } => "edit",
            Self::Grep { .. } => "grep",
            Self::Todo { .. } => "todo_write",
            Self::Task { .. } => "task",
            Self::AskUser(_) => "ask_user",
        }
    }

    /// The arguments as JSON text, with the fields in pi's order.
    pub(crate) fn arguments_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    pub(crate) fn arguments(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// A slash command of the demo.
pub(crate) struct SlashCommand {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    /// Whether the command is offered to the user; the others are for tests.
    pub(crate) listed: bool,
    start: fn(&str) -> Box<dyn Scene>,
}

macro_rules! command {
    ($name:literal, $description:literal, $listed:literal, $start:expr) => {
        SlashCommand {
            name: $name,
            description: $description,
            listed: $listed,
            start: |arguments| Box::new($start(arguments)),
        }
    };
}

pub(crate) static COMMANDS: [SlashCommand; 17] = [
    command!("tour", "A guided tour: thinking, Markdown, tools", true, guide::TourScene::new),
    command!(
        "tools",
        "Real tools: list, read, shell, write, edit, and some that fail",
        true,
        tools::ToolsScene::new
    ),
    command!("plan", "A plan, a search, and a task for a subagent", true, plan::PlanScene::new),
    command!("think", "Long thinking before a short answer", true, text::ThinkScene::new),
    command!("long", "A long answer; /long N for N paragraphs", true, text::LongScene::new),
    command!("ask", "Questions: choose, confirm, type, edit", true, ask::AskScene::new),
    command!("approve", "A command that needs your approval", true, ask::ApproveScene::new),
    command!("steer", "A slow task that you can steer while it runs", true, steer::SteerScene::new),
    command!("error", "A failing provider; /error retry recovers", true, error::ErrorScene::new),
    command!("image", "An image as a tool result", true, tools::ImageScene::new),
    command!("compact", "Compact the conversation", true, context::CompactScene::new),
    command!("usage", "Show context window usage", true, context::UsageScene::new),
    command!("help", "List all commands", true, guide::HelpScene::new),
    command!("wait", "Half an answer; the rest follows once FILE exists", false, test_scenes::WaitScene::new),
    command!(
        "wait-code",
        "Half a code block; the rest follows once FILE exists",
        false,
        test_scenes::WaitCodeScene::new
    ),
    command!(
        "wait-tool",
        "A shell command that runs until FILE exists",
        false,
        test_scenes::WaitToolScene::new
    ),
    command!("run", "Runs the given shell command as a tool", false, test_scenes::RunScene::new),
];

/// The scene for a prompt: the one of its slash command, or the plain answer.
pub(crate) fn for_prompt(text: &str, images: &[ImageInfo]) -> Box<dyn Scene> {
    match slash_command(text) {
        Some((command, arguments)) => (command.start)(arguments),
        None => Box::new(guide::PlainScene::new(text, images)),
    }
}

pub(crate) fn is_slash_command(text: &str) -> bool {
    slash_command(text).is_some()
}

fn slash_command(text: &str) -> Option<(&'static SlashCommand, &str)> {
    let rest = text.trim().strip_prefix('/')?;
    let (name, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let command = COMMANDS.iter().find(|command| command.name == name)?;
    Some((command, arguments.trim()))
}

/// The type and size of an image in a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ImageInfo {
    pub(crate) mime_type: String,
    pub(crate) bytes: usize,
}

/// The text with which a running scene acknowledges steering messages.
pub(crate) fn acknowledge(texts: &[String]) -> String {
    let quoted: Vec<String> = texts
        .iter()
        .map(|text| text.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n"))
        .collect();
    format!(
        "Steering received, between two steps:\n\n{}\n\nA real agent would change course now; the demo only acknowledges the message and continues.",
        quoted.join("\n\n")
    )
}

#[cfg(test)]
mod tests;
