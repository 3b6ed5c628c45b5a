//! Commands from stdin, one JSON object per line. Every command gets exactly one response; some responses are
//! delayed.
//!
//! Error messages have the same text as in pi. Unlike in pi, no line ends the process, not even `null`.

mod prompts;
mod queries;
mod settings;
mod shell;

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    agent::{Agent, WorkKind},
    run::compaction,
    session::context,
    tools::ask_user,
};

/// A command with the fields that all commands have in common.
pub(crate) struct Command {
    pub(crate) id: Option<Value>,
    pub(crate) kind: String,
    pub(crate) fields: Value,
}

/// A line that is not a command.
pub(crate) struct InvalidLine {
    pub(crate) id: Option<Value>,
    /// The `command` field of the response.
    pub(crate) command: Option<&'static str>,
    pub(crate) error: String,
}

impl Command {
    pub(crate) fn parse(line: &[u8]) -> Result<Self, InvalidLine> {
        let fields: Value = serde_json::from_slice(line).map_err(|error| InvalidLine {
            id: None,
            command: Some("parse"),
            error: format!("Failed to parse command: {error}"),
        })?;
        let id = fields.get("id").cloned();
        match fields.get("type").and_then(Value::as_str) {
            Some(kind) => Ok(Self { id, kind: kind.to_owned(), fields }),
            None => Err(InvalidLine { id, command: None, error: "Unknown command: undefined".to_owned() }),
        }
    }

    pub(crate) fn text(&self, field: &str) -> Option<&str> {
        self.fields[field].as_str()
    }

    pub(crate) fn succeed(&self, agent: &Agent, data: Option<Value>) {
        agent.output.succeed(self.id.as_ref(), &self.kind, data);
    }

    pub(crate) fn fail(&self, agent: &Agent, error: impl Into<String>) {
        agent.output.fail(self.id.as_ref(), &self.kind, error);
    }
}

pub(crate) fn handle_line(agent: &Arc<Agent>, line: &[u8]) {
    match Command::parse(line) {
        Ok(command) => handle(agent, command),
        Err(invalid) => reject(agent, &invalid),
    }
}

pub(crate) fn reject(agent: &Agent, invalid: &InvalidLine) {
    let error = Err(invalid.error.clone());
    agent.output.respond(invalid.id.as_ref(), invalid.command, error);
}

pub(crate) fn handle(agent: &Arc<Agent>, command: Command) {
    match command.kind.as_str() {
        "prompt" => prompts::prompt(agent, &command),
        "steer" => prompts::queue(agent, &command, prompts::Queue::Steering),
        "follow_up" => prompts::queue(agent, &command, prompts::Queue::FollowUp),
        "clear_queue" => prompts::clear_queue(agent, &command),
        "abort" => abort(agent, command),
        "abort_retry" => abort_retry(agent, &command),
        "bash" => shell::start(agent, command),
        "abort_bash" => shell::abort(agent, &command),
        "compact" => compact(agent, command),
        "extension_ui_response" => ask_user::answer(agent, command.fields),
        kind if queries::is_query(kind) => queries::answer(agent, &command),
        kind if settings::is_setting(kind) => settings::change(agent, &command),
        "fork" => fork(agent, &command),
        "clone" => clone(agent, &command),
        "new_session" | "switch_session" | "export_html" => {
            command.fail(agent, "The demo agent has one session per process");
        }
        kind => command.fail(agent, format!("Unknown command: {kind}")),
    }
}

/// Cancels the run or the compaction under way, and responds when it has settled.
fn abort(agent: &Arc<Agent>, command: Command) {
    let Some(mut work) = agent.with(|state| state.work.clone()) else {
        command.succeed(agent, None);
        return;
    };
    work.cancel.cancel();
    let agent = Arc::clone(agent);
    tokio::spawn(async move {
        // An error means that the sender was dropped, so the work has ended as well.
        let _ = work.finished.wait_for(|finished| *finished).await;
        command.succeed(&agent, None);
    });
}

/// Switches to a new session that ends before one of the user's messages.
fn fork(agent: &Arc<Agent>, command: &Command) {
    let wanted = command.text("entryId").unwrap_or_default();
    let forked = agent.with(|state| {
        let text = state
            .session
            .entries()
            .iter()
            .find(|entry| entry["id"] == wanted && entry["message"]["role"] == "user")
            .map(|entry| context::text_of(&entry["message"]))?;
        state.session = state.session.fork(wanted)?;
        Some(text)
    });
    match forked {
        Some(text) => command.succeed(agent, Some(json!({"text": text, "cancelled": false}))),
        None => command.fail(agent, "Invalid entry ID for forking"),
    }
}

/// Switches to a new session with all messages.
fn clone(agent: &Arc<Agent>, command: &Command) {
    agent.with(|state| state.session = state.session.copy());
    command.succeed(agent, Some(json!({"cancelled": false})));
}

fn abort_retry(agent: &Arc<Agent>, command: &Command) {
    if let Some(wait) = agent.with(|state| state.retry_wait.clone()) {
        wait.cancel();
    }
    command.succeed(agent, None);
}

/// Compacts the conversation, after aborting the run under way.
fn compact(agent: &Arc<Agent>, command: Command) {
    let agent = Arc::clone(agent);
    tokio::spawn(async move {
        let (work, finished) = loop {
            let busy = match agent.with(|state| match &state.work {
                Some(work) => Err(work.clone()),
                None => Ok(state.begin_work(WorkKind::Compaction)),
            }) {
                Ok(begun) => break begun,
                Err(busy) => busy,
            };
            if busy.kind == WorkKind::Compaction {
                command.fail(&agent, "Compaction is already in progress");
                return;
            }
            busy.cancel.cancel();
            let _ = busy.finished.clone().wait_for(|finished| *finished).await;
        };
        let outcome = compaction::compact(&agent, "manual", &work.cancel).await;
        agent.with(|state| state.end_work());
        match outcome {
            Ok(data) => command.succeed(&agent, Some(data)),
            Err(error) => command.fail(&agent, error),
        }
        finished.send_replace(true);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_invalid(line: &str) -> (Option<Value>, Option<&'static str>, String) {
        let Err(InvalidLine { id, command, error }) = Command::parse(line.as_bytes()) else {
            panic!("{line} was parsed as a command")
        };
        (id, command, error)
    }

    #[test]
    fn a_command_keeps_an_id_of_any_type() {
        for id in ["7", "\"seven\"", "null", "[1]"] {
            let line = format!("{{\"id\":{id},\"type\":\"get_state\"}}\r");
            let Ok(command) = Command::parse(line.as_bytes()) else { panic!("{line} was rejected") };
            assert_eq!(command.id.unwrap().to_string(), id);
            assert_eq!(command.kind, "get_state");
        }
    }

    #[test]
    fn a_line_without_a_type_is_an_undefined_command() {
        for line in ["null", "42", "[]", "\"text\"", "{}", r#"{"type":7}"#] {
            let (id, command, error) = parse_invalid(line);
            assert_eq!((id, command, error.as_str()), (None, None, "Unknown command: undefined"), "{line}");
        }
        assert_eq!(parse_invalid(r#"{"id":"x"}"#).0, Some(Value::from("x")));
    }

    #[test]
    fn a_line_that_is_not_json_is_a_parse_error() {
        for line in ["", "{not json", "\u{feff}{}"] {
            let (_, command, error) = parse_invalid(line);
            assert_eq!(command, Some("parse"));
            assert!(error.starts_with("Failed to parse command: "), "{error}");
        }
        assert!(Command::parse(b"{\"type\":\"\xff\"}").is_err());
    }
}
