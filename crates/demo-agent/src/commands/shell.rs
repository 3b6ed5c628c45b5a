//! The user's own shell commands: streamed, abortable, and part of the session afterwards.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Command;
use crate::{
    agent::{Agent, State, WorkKind},
    pace::Cancel,
    protocol::{Event, Message},
    session,
    shell::{self, Ended, ShellCommand},
};

/// Starts the command at once; its response comes when it has ended. Several may run side by side.
pub(super) fn start(agent: &Arc<Agent>, command: Command) {
    let cancel = Cancel::new();
    agent.with(|state| {
        state.shells.retain(|other| !other.is_cancelled());
        state.shells.push(cancel.clone());
    });
    let agent = Arc::clone(agent);
    tokio::spawn(async move {
        // pi passes a missing command on to the shell under this name.
        let text = command.text("command").unwrap_or("undefined");
        let shell = ShellCommand { command: text, folder: &agent.folder, cancel: &cancel, every_piece: true };
        let ended = shell::run(shell, &agent.groups, &agent.output, |delta, _| {
            let id = command.id.as_ref();
            agent.output.emit(&Event::BashExecutionUpdate { id, delta });
        })
        .await;
        match ended {
            Ok(ended) => finish(&agent, &command, text, &ended),
            Err(error) => command.fail(&agent, format!("Cannot run the command: {error}")),
        }
        // A thrown switch marks the entry as done; see `start`.
        cancel.cancel();
    });
}

fn finish(agent: &Agent, command: &Command, text: &str, ended: &Ended) {
    let truncated = ended.captured.truncated();
    let full_output_path = ended.captured.full_output_path().map(|path| path.display().to_string());
    let mut data = json!({
        "output": truncated.content,
        "cancelled": ended.cancelled,
        "truncated": truncated.is_cut(),
    });
    if let Some(code) = ended.exit_code {
        data["exitCode"] = json!(code);
    }
    if let Some(path) = &full_output_path {
        data["fullOutputPath"] = json!(path);
    }
    let message = Message::BashExecution {
        command: text.to_owned(),
        output: truncated.content.clone(),
        exit_code: ended.exit_code,
        cancelled: ended.cancelled,
        truncated: truncated.is_cut(),
        full_output_path,
        timestamp: session::milliseconds(),
        exclude_from_context: command.fields["excludeFromContext"] == Value::Bool(true),
    };
    agent.with(|state| {
        store(state, message);
        command.succeed(agent, Some(data));
    });
}

/// Like pi, a result that comes during a run is stored after it.
fn store(state: &mut State, message: Message) {
    if state.is_at(WorkKind::Run) {
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
