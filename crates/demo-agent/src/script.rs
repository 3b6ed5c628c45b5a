//! `--script`: replays a recorded conversation, faithfully and at any pace.
//!
//! Recorded commands are waited for in their order; what followed them is sent as it was, with the ids of the actual
//! requests. Commands that the recording does not have are answered by the agent itself and leave the script alone.

mod recording;
mod stored;

use std::{collections::VecDeque, fs, sync::Arc};

use anyhow::Context;
use serde_json::{Value, json};
use tokio::{
    sync::{mpsc, watch},
    time::Instant,
};

use crate::{
    DemoArguments,
    agent::{Agent, WorkKind},
    commands::{self, Command},
};
use recording::{Cue, Line, Recording, is_question, same_kind};
use stored::Stored;

struct Player<'a> {
    agent: &'a Arc<Agent>,
    recording: Recording,
    /// The next cue.
    place: usize,
    /// Commands that have come but whose cue has not.
    early: VecDeque<Command>,
    renamed: Vec<Renamed>,
    stored: Stored,
    /// Set while the script is between `agent_start` and `agent_settled`.
    run: Option<watch::Sender<bool>>,
}

/// A recorded request and the actual one that stands for it.
struct Renamed {
    recorded: Option<Value>,
    actual: Option<Value>,
    actual_kind: String,
}

/// Plays until stdin closes; after the last cue it only answers.
pub(crate) async fn play(
    agent: &Arc<Agent>,
    arguments: &DemoArguments,
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
        place: 0,
        early: VecDeque::new(),
        renamed: Vec::new(),
        stored: Stored::new(session.as_deref()),
        run: None,
    };
    let mut passed = Instant::now();
    loop {
        if player.pass_awaited() {
            passed = Instant::now();
            continue;
        }
        let due = player.next_line().map(|after| passed + agent.pace.scale(after).unwrap_or_default());
        let wait = async {
            match due {
                // Even a timer that is due takes a millisecond.
                Some(due) if due <= Instant::now() => {}
                Some(due) => tokio::time::sleep_until(due).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            line = lines.recv() => match line {
                Some(line) => player.hear(&line),
                None => return Ok(()),
            },
            () = wait => {
                player.send_next();
                // When it was due: a timer that came late does not delay what follows, so that a rate stays a rate.
                passed = due.unwrap_or(passed);
                agent.output.keep_pace().await;
            }
        }
    }
}

impl Player<'_> {
    /// Passes a cue whose command is already here.
    fn pass_awaited(&mut self) -> bool {
        let Some(Cue::Await { kind, id }) = self.recording.cues.get(self.place) else { return false };
        let matches = self.early.front().is_some_and(|command| same_kind(kind, &command.kind));
        if !matches {
            return false;
        }
        let Some(command) = self.early.pop_front() else { return false };
        self.renamed.push(Renamed { recorded: id.clone(), actual: command.id, actual_kind: command.kind });
        self.advance();
        true
    }

    /// How long after the last cue the next line follows, if a line is next.
    fn next_line(&self) -> Option<std::time::Duration> {
        match self.recording.cues.get(self.place)? {
            Cue::Send { after, .. } => Some(*after),
            Cue::Await { .. } => None,
        }
    }

    fn send_next(&mut self) {
        let Some(Cue::Send { line, .. }) = self.recording.cues.get(self.place) else { return };
        let line = line.clone();
        self.follow(&line.object);
        let renamed =
            self.renamed.iter().rev().find(|renamed| renamed.recorded.as_ref() == line.object.get("id"));
        let bytes = self.readdress(&line, renamed);
        self.agent.output.send_line(bytes);
        self.advance();
    }

    fn advance(&mut self) {
        self.place += 1;
        if self.place == self.recording.cues.len() {
            self.stored.script_ended(self.agent);
        }
    }

    /// Keeps the agent's own state in step, so that its answers fit the script.
    fn follow(&mut self, event: &Value) {
        match event["type"].as_str() {
            Some("agent_start") if self.run.is_none() => {
                self.run = Some(self.agent.with(|state| state.begin(WorkKind::Run).1));
            }
            Some("agent_settled") => self.settle(),
            // Older versions of pi end with this, and know no retries beyond it.
            Some("agent_end") if event.get("willRetry").is_none() => self.settle(),
            Some("message_end") => self.stored.message_ended(self.agent, &event["message"]),
            _ => {}
        }
    }

    fn settle(&mut self) {
        self.agent.with(|state| state.end_work());
        if let Some(finished) = self.run.take() {
            finished.send_replace(true);
        }
    }

    /// The line for the actual asker and session; otherwise byte for byte as recorded.
    fn readdress(&self, line: &Line, renamed: Option<&Renamed>) -> Vec<u8> {
        let mut line = line.clone();
        let addressed = line.object["type"] == "response" || line.object["type"] == "bash_execution_update";
        if let (true, Some(renamed)) = (addressed, renamed) {
            line.replace("id", renamed.actual.as_ref().unwrap_or(&Value::Null));
            line.replace("command", &json!(renamed.actual_kind));
        }
        if line.object.pointer("/data/sessionId").is_some() {
            self.agent.with(|state| {
                line.replace("sessionId", &json!(state.session.id()));
                line.replace("sessionFile", &json!(state.session.path()));
            });
        }
        line.raw.into_bytes()
    }

    fn hear(&mut self, line: &[u8]) {
        match Command::read(line) {
            Ok(command) => self.heed(command),
            Err(unreadable) => commands::refuse(self.agent, &unreadable),
        }
    }

    fn heed(&mut self, command: Command) {
        let awaited = self.recording.awaited_from(self.place).nth(self.early.len());
        if awaited.is_some_and(|(_, kind)| same_kind(kind, &command.kind)) {
            self.early.push_back(command);
        } else if is_question(&command.kind) && self.answer_as_recorded(&command) {
            // Sent.
        } else if needs_a_script(&command.kind) {
            command.fail(self.agent, "Not in the script");
        } else {
            commands::handle(self.agent, command);
        }
    }

    /// Answers from the recording, if this was asked there before the next awaited command.
    fn answer_as_recorded(&mut self, command: &Command) -> bool {
        let until = self.recording.awaited_from(self.place).next().map_or(usize::MAX, |(place, _)| place);
        let questions = &self.recording.questions;
        let Some(place) =
            questions.iter().position(|question| question.kind == command.kind && question.before <= until)
        else {
            return false;
        };
        let question = self.recording.questions.remove(place);
        let renamed =
            Renamed { recorded: question.id, actual: command.id.clone(), actual_kind: command.kind.clone() };
        self.agent.output.send_line(self.readdress(&question.answer, Some(&renamed)));
        true
    }
}

/// Work that only a recording can do here; everything else the agent does itself.
fn needs_a_script(kind: &str) -> bool {
    matches!(kind, "prompt" | "steer" | "follow_up" | "bash" | "compact")
}
