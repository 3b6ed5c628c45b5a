//! Folds a recording as the server folds a live agent: events, questions, shell commands, process exits and changes of
//! session.

use pilothouse_agents::pi::{Incoming, Response, decode};
use pilothouse_core::protocol::event::Event;
use pilothouse_core::{BashResult, MessageController};
use serde_json::Value;

use super::Scenario;
use crate::rows;

/// The part of a recording between two changes of session.
#[derive(Default)]
struct Segment {
    /// Known once the recorded client has asked pi for its state; a scenario with one session may never ask.
    session_id: Option<String>,
    /// Whether the segment begins with an empty conversation.
    fresh: bool,
    controller: MessageController,
}

/// The rows of a recording as a client that watched it live has them.
pub struct RecordingFold {
    segments: Vec<Segment>,
}

impl RecordingFold {
    pub fn of(scenario: &Scenario) -> Self {
        let mut fold = Self { segments: vec![Segment { fresh: true, ..Segment::default() }] };
        for process in scenario.processes() {
            for record in &process.records {
                fold.fold_record(record);
            }
            fold.fold_event(Event::ProcessExit {
                code: process.code,
                signal: process.signal,
                expected: false,
                stderr: Vec::new(),
                shell_lives: false,
            });
        }
        fold
    }

    fn fold_record(&mut self, record: &Value) {
        for event in events_of(record, self.controller()) {
            self.fold_event(event);
        }
        if record["dir"] == "out" {
            for incoming in decode(record["line"].to_string().as_bytes()) {
                if let Incoming::Response(response) = incoming {
                    self.follow_session(&response);
                }
            }
        }
    }

    /// Begins a segment if the response shows that pi is in another session.
    fn follow_session(&mut self, response: &Response) {
        let changes = ["new_session", "fork", "clone", "switch_session"].contains(&response.command.as_str());
        if changes && response.success && response.data["cancelled"] == false {
            let fresh = response.command == "new_session";
            self.segments.push(Segment { fresh, ..Segment::default() });
        }
        if response.command == "get_state"
            && let Some(id) = response.data["sessionId"].as_str()
        {
            let segment = self.segments.last_mut().unwrap();
            if segment.session_id.get_or_insert_with(|| id.to_owned()) != id {
                // A new process did not find the session file it was given, and began another session.
                let session_id = Some(id.to_owned());
                self.segments.push(Segment { session_id, fresh: true, ..Segment::default() });
            }
        }
    }

    fn fold_event(&mut self, event: Event) {
        self.segments.last_mut().unwrap().controller.handle_server_event(event);
    }

    fn controller(&self) -> &MessageController {
        &self.segments.last().unwrap().controller
    }

    /// The rendered rows of a session, and whether the recording contains the session's beginning.
    pub fn rows_of(&self, session_id: &str) -> (Vec<String>, bool) {
        let named = |segment: &&Segment| segment.session_id.as_deref() == Some(session_id);
        let mut chosen: Vec<&Segment> = self.segments.iter().filter(named).collect();
        if chosen.is_empty() {
            // The first session has no id if its state was never asked for.
            chosen.extend(self.segments.first().filter(|first| first.session_id.is_none()));
        }
        let begins = chosen.first().is_some_and(|segment| segment.fresh);
        (chosen.iter().flat_map(|segment| rows::render(segment.controller.rows())).collect(), begins)
    }

    /// The shortened rows of all sessions, for snapshots.
    pub fn text(&self) -> String {
        let texts =
            self.segments.iter().map(|segment| rows::render_shortened(segment.controller.rows()).join("\n"));
        texts.collect::<Vec<_>>().join("\n--- another session ---\n")
    }
}

/// The events of one record. pi sends no events for the user's shell commands, so these come from the request and
/// its response.
pub fn events_of(record: &Value, controller: &MessageController) -> Vec<Event> {
    let line = &record["line"];
    let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
    if record["dir"] == "in" {
        let bash = Event::BashStart {
            id: text("id"),
            command: text("command"),
            exclude_from_context: line["excludeFromContext"].as_bool().unwrap_or_default(),
        };
        return if line["type"] == "bash" { vec![bash] } else { Vec::new() };
    }
    let incoming = decode(line.to_string().as_bytes()).into_iter();
    incoming
        .filter_map(|incoming| match incoming {
            Incoming::Event(event) => Some(event),
            Incoming::Ask(ask) => Some(Event::AskOpened { ask: Box::new(ask) }),
            Incoming::Response(response) if response.command == "bash" => bash_end(response, controller),
            _ => None,
        })
        .collect()
}

fn bash_end(response: Response, controller: &MessageController) -> Option<Event> {
    let row = controller.rows().iter().find(|row| row.id == format!("b-{}", response.id))?;
    let BashResult { command, exclude_from_context, .. } = row.bash_result.clone()?;
    let mut ended: BashResult = match response.success {
        true => {
            let mut data = response.data;
            data["command"] = command.clone().into();
            serde_json::from_value(data).unwrap()
        }
        // The server shows the error of a command that pi refused to run.
        false => BashResult { output: response.error, ..BashResult::default() },
    };
    ended.command = command;
    ended.exclude_from_context = exclude_from_context;
    Some(Event::BashEnd { id: response.id, result: ended })
}
