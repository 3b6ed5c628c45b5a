//! `--script`: replays a recorded conversation.
//!
//! The player waits for the recorded commands in their order and then sends the lines that followed them in the
//! recording, with the ids of the actual commands. The agent itself handles commands that are not in the
//! recording.

mod recording;
mod session_recorder;

use std::{collections::VecDeque, fs, sync::Arc};

use anyhow::Context;
use serde_json::{Value, json};
use tokio::{
    sync::{mpsc, watch},
    time::Instant,
};

use crate::{
    Arguments,
    agent::{Agent, WorkKind},
    commands::{self, Command},
};
use recording::{RecordedLine, Recording, ScriptStep, is_equivalent, is_query};
use session_recorder::SessionRecorder;

struct Player<'a> {
    agent: &'a Arc<Agent>,
    recording: Recording,
    /// The index of the next step.
    position: usize,
    /// Received commands whose steps are still ahead.
    early: VecDeque<Command>,
    matched: Vec<MatchedCommand>,
    session_recorder: SessionRecorder,
    /// Present while the script is between `agent_start` and `agent_settled`.
    run: Option<watch::Sender<bool>>,
}

/// An actual command that was matched with a recorded one.
struct MatchedCommand {
    recorded_id: Option<Value>,
    actual_id: Option<Value>,
    actual_kind: String,
}

/// Plays the script until stdin closes. After its last step the player only answers commands.
pub(crate) async fn play(
    agent: &Arc<Agent>,
    arguments: &Arguments,
    mut lines: mpsc::Receiver<Vec<u8>>,
) -> anyhow::Result<()> {
    let read = |path: &std::path::Path| {
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let script = arguments.script.as_deref().map(read).transpose()?.unwrap_or_default();
    let session = arguments.script_session.as_deref().map(read).transpose()?;
    let mut player = Player {
        agent,
        recording: Recording::parse(&script, arguments.script_strict).context("not a recording")?,
        position: 0,
        early: VecDeque::new(),
        matched: Vec::new(),
        session_recorder: SessionRecorder::new(session.as_deref()),
        run: None,
    };
    let mut last_step = Instant::now();
    loop {
        if player.match_awaited() {
            last_step = Instant::now();
            continue;
        }
        let due = player.next_delay().map(|delay| last_step + agent.pace.scale(delay).unwrap_or_default());
        let wait = async {
            match due {
                // Even a timer that is already due takes a millisecond.
                Some(due) if due <= Instant::now() => {}
                Some(due) => tokio::time::sleep_until(due).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            line = lines.recv() => match line {
                Some(line) => player.receive(&line),
                None => return Ok(()),
            },
            () = wait => {
                player.send_next();
                // The due time, not the current one: a late timer must not slow down the lines that follow.
                last_step = due.unwrap_or(last_step);
                agent.output.wait_for_room().await;
            }
        }
    }
}

impl Player<'_> {
    /// Passes the next step if it awaits a command that has already arrived.
    fn match_awaited(&mut self) -> bool {
        let Some(ScriptStep::Await { kind, id }) = self.recording.steps.get(self.position) else {
            return false;
        };
        let matches = self.early.front().is_some_and(|command| is_equivalent(kind, &command.kind));
        if !matches {
            return false;
        }
        let Some(command) = self.early.pop_front() else { return false };
        self.matched.push(MatchedCommand {
            recorded_id: id.clone(),
            actual_id: command.id,
            actual_kind: command.kind,
        });
        self.advance();
        true
    }

    /// The delay between the last step and the next line. `None` unless a line is next.
    fn next_delay(&self) -> Option<std::time::Duration> {
        match self.recording.steps.get(self.position)? {
            ScriptStep::Send { delay, .. } => Some(*delay),
            ScriptStep::Await { .. } => None,
        }
    }

    fn send_next(&mut self) {
        let Some(ScriptStep::Send { line, .. }) = self.recording.steps.get(self.position) else { return };
        let line = line.clone();
        self.track(&line.object);
        let matched =
            self.matched.iter().rev().find(|matched| matched.recorded_id.as_ref() == line.object.get("id"));
        let bytes = self.adapt(&line, matched);
        self.agent.output.send_line(bytes);
        self.advance();
    }

    fn advance(&mut self) {
        self.position += 1;
        if self.position == self.recording.steps.len() {
            self.session_recorder.script_ended(self.agent);
        }
    }

    /// Updates the agent's own state, so that its answers agree with the script.
    fn track(&mut self, event: &Value) {
        match event["type"].as_str() {
            Some("agent_start") if self.run.is_none() => {
                self.run = Some(self.agent.with(|state| state.begin_work(WorkKind::Run).1));
            }
            Some("agent_settled") => self.settle(),
            // In older versions of pi this is the last event of a run.
            Some("agent_end") if event.get("willRetry").is_none() => self.settle(),
            Some("message_end") => self.session_recorder.message_ended(self.agent, &event["message"]),
            _ => {}
        }
    }

    fn settle(&mut self) {
        self.agent.with(|state| state.end_work());
        if let Some(finished) = self.run.take() {
            finished.send_replace(true);
        }
    }

    /// Replaces the ids of command and session with the actual ones. Everything else stays byte for byte as
    /// recorded.
    fn adapt(&self, line: &RecordedLine, matched: Option<&MatchedCommand>) -> Vec<u8> {
        let mut line = line.clone();
        let has_command_id =
            line.object["type"] == "response" || line.object["type"] == "bash_execution_update";
        if let (true, Some(matched)) = (has_command_id, matched) {
            line.replace("id", matched.actual_id.as_ref().unwrap_or(&Value::Null));
            line.replace("command", &json!(matched.actual_kind));
        }
        if line.object.pointer("/data/sessionId").is_some() {
            self.agent.with(|state| {
                line.replace("sessionId", &json!(state.session.id()));
                line.replace("sessionFile", &json!(state.session.path()));
            });
        }
        line.raw.into_bytes()
    }

    fn receive(&mut self, line: &[u8]) {
        match Command::parse(line) {
            Ok(command) => self.handle(command),
            Err(invalid) => commands::reject(self.agent, &invalid),
        }
    }

    fn handle(&mut self, command: Command) {
        let awaited = self.recording.awaited_from(self.position).nth(self.early.len());
        if awaited.is_some_and(|(_, kind)| is_equivalent(kind, &command.kind)) {
            self.early.push_back(command);
        } else if is_query(&command.kind) && self.answer_from_recording(&command) {
            // Answered.
        } else if needs_script(&command.kind) {
            command.fail(self.agent, "Not in the script");
        } else {
            commands::handle(self.agent, command);
        }
    }

    /// Answers a query with the recorded response, if the recording has one before the next awaited command.
    fn answer_from_recording(&mut self, command: &Command) -> bool {
        let until = self.recording.awaited_from(self.position).next().map_or(usize::MAX, |(index, _)| index);
        let queries = &self.recording.queries;
        let Some(index) =
            queries.iter().position(|query| query.kind == command.kind && query.before_step <= until)
        else {
            return false;
        };
        let query = self.recording.queries.remove(index);
        let matched = MatchedCommand {
            recorded_id: query.id,
            actual_id: command.id.clone(),
            actual_kind: command.kind.clone(),
        };
        self.agent.output.send_line(self.adapt(&query.response, Some(&matched)));
        true
    }
}

/// Whether a command is refused unless it is in the script. The agent itself handles all others.
fn needs_script(kind: &str) -> bool {
    matches!(kind, "prompt" | "steer" | "follow_up" | "bash" | "compact")
}
