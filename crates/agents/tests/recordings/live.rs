//! Folds what pi said as the server does: its events, its dialogs, the requests and responses of shell commands, the
//! ends of its processes, and where it changed to another session.

use pilothouse_agents::pi::{Incoming, Response, decode};
use pilothouse_core::protocol::event::Event;
use pilothouse_core::{BashResult, MessageController};
use serde_json::Value;

use crate::rows;
use crate::scenario::Scenario;

/// What streamed in one session, between two changes of session.
#[derive(Default)]
struct Segment {
    /// Told by pi when it is asked for its state; a scenario with one session may never ask.
    session_id: Option<String>,
    /// It begins with an empty conversation.
    fresh: bool,
    controller: MessageController,
}

pub struct Live {
    segments: Vec<Segment>,
}

impl Live {
    pub fn of(scenario: &Scenario) -> Self {
        let mut live = Self { segments: vec![Segment { fresh: true, ..Segment::default() }] };
        for process in scenario.processes() {
            for record in &process.records {
                live.take(record);
            }
            live.event(Event::ProcessExit {
                code: process.code,
                signal: process.signal,
                expected: false,
                stderr: Vec::new(),
            });
        }
        live
    }

    fn take(&mut self, record: &Value) {
        for event in events_of(record, self.controller()) {
            self.event(event);
        }
        if record["dir"] == "out" {
            for incoming in decode(record["line"].to_string().as_bytes()) {
                if let Incoming::Response(response) = incoming {
                    self.response(&response);
                }
            }
        }
    }

    fn response(&mut self, response: &Response) {
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
                // A new process did not find the file it was to go on with, and began another.
                let session_id = Some(id.to_owned());
                self.segments.push(Segment { session_id, fresh: true, ..Segment::default() });
            }
        }
    }

    fn event(&mut self, event: Event) {
        self.segments.last_mut().unwrap().controller.handle_server_event(event);
    }

    fn controller(&self) -> &MessageController {
        &self.segments.last().unwrap().controller
    }

    /// The rows that streamed in a session, and whether it began in front of our eyes.
    pub fn rows_of(&self, session_id: &str) -> (Vec<String>, bool) {
        let named = |segment: &&Segment| segment.session_id.as_deref() == Some(session_id);
        let mut chosen: Vec<&Segment> = self.segments.iter().filter(named).collect();
        if chosen.is_empty() {
            // A session that nobody asked the state of is the scenario's first.
            chosen.extend(self.segments.first().filter(|first| first.session_id.is_none()));
        }
        let begins = chosen.first().is_some_and(|segment| segment.fresh);
        (chosen.iter().flat_map(|segment| rows::told(segment.controller.rows())).collect(), begins)
    }

    /// All rows, for the snapshot.
    pub fn text(&self) -> String {
        let texts =
            self.segments.iter().map(|segment| rows::told_briefly(segment.controller.rows()).join("\n"));
        texts.collect::<Vec<_>>().join("\n--- another session ---\n")
    }
}

/// The events of one recorded line. Shell commands of the user's have none of pi's own, but request and response.
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
            Incoming::Ask(ask) => Some(Event::AskOpened { ask }),
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
        // The server shows what pi says of a command it would not run.
        false => BashResult { output: response.error, ..BashResult::default() },
    };
    ended.command = command;
    ended.exclude_from_context = exclude_from_context;
    Some(Event::BashEnd { id: response.id, result: ended })
}
