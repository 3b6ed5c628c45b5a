//! The user's shell commands: streamed, abortable, and stored in the session when they end.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Command;
use crate::{
    agent::{Agent, State, WorkKind},
    pace::Cancel,
    protocol::{Event, Message},
    session,
    shell::{self, ShellCommand, ShellResult},
};

/// Starts the command and responds when it has ended. Several commands may run at the same time.
pub(super) fn start(agent: &Arc<Agent>, command: Command) {
    let cancel = Cancel::new();
    agent.with(|state| {
        state.shells.retain(|other| !other.is_cancelled());
        state.shells.push(cancel.clone());
    });
    let agent = Arc::clone(agent);
    tokio::spawn(async move {
        // pi passes a missing command to the shell as the word `undefined`.
        let text = command.text("command").unwrap_or("undefined");
        let shell = ShellCommand { command: text, folder: &agent.folder, cancel: &cancel, with_deltas: true };
        let result = shell::run(shell, &agent.groups, &agent.output, |delta, _| {
            let id = command.id.as_ref();
            agent.output.emit(&Event::BashExecutionUpdate { id, delta });
        })
        .await;
        match result {
            Ok(result) => finish(&agent, &command, text, &result),
            Err(error) => command.fail(&agent, format!("Cannot run the command: {error}")),
        }
        // Marks the command as ended, so that the next `start` removes it from the list.
        cancel.cancel();
    });
}

fn finish(agent: &Agent, command: &Command, text: &str, result: &ShellResult) {
    let truncated = result.captured.truncated();
    let full_output_path = result.captured.full_output_path().map(|path| path.display().to_string());
    let mut data = json!({
        "output": truncated.content,
        "cancelled": result.cancelled,
        "truncated": truncated.is_truncated(),
    });
    if let Some(code) = result.exit_code {
        data["exitCode"] = json!(code);
    }
    if let Some(path) = &full_output_path {
        data["fullOutputPath"] = json!(path);
    }
    let message = Message::BashExecution {
        command: text.to_owned(),
        output: truncated.content.clone(),
        exit_code: result.exit_code,
        cancelled: result.cancelled,
        truncated: truncated.is_truncated(),
        full_output_path,
        timestamp: session::milliseconds(),
        exclude_from_context: command.fields["excludeFromContext"] == Value::Bool(true),
    };
    agent.with(|state| {
        store(state, message);
        command.succeed(agent, Some(data));
    });
}

/// Stores the result of a command, as in pi: during a run it is held back until the run ends.
fn store(state: &mut State, message: Message) {
    if state.is_busy_with(WorkKind::Run) {
        state.finished_shells.push(message);
    } else {
        state.store_message(&message);
    }
}

pub(super) fn abort(agent: &Agent, command: &Command) {
    for cancel in agent.with(|state| std::mem::take(&mut state.shells)) {
        cancel.cancel();
    }
    command.succeed(agent, None);
}
