//! Conversations recorded from six builds of agents that speak the Agent Client Protocol: what is decoded, the rows, and
//! that the recorded history shows the streamed rows at every point.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod every_point;
mod schema;
mod traps;

use std::collections::BTreeMap;

use pilothouse_agents::AgentEvent;
use pilothouse_core::MessageController;
use pilothouse_core::protocol::event::Event;
use pilothouse_test_support::recordings::acp::{AcpRecording, Played, Player, recordings};
use pilothouse_test_support::rows;
use serde_json::{Value, json};

/// The name of raw events that hold updates of a session that was not opened.
const OTHER_SESSION: &str = "session/update of another session";

/// The events of a conversation, with the process's end.
fn events(recording: &AcpRecording) -> Vec<Event> {
    let played = Player::play(recording).into_iter();
    played
        .filter_map(|played| match played {
            Played::Event(AgentEvent::Session(event)) => Some(event),
            _ => None,
        })
        .collect()
}

fn fold(events: impl IntoIterator<Item = Event>) -> MessageController {
    let mut controller = MessageController::default();
    for event in events {
        controller.handle_server_event(event);
        assert_eq!(controller.broken_invariant(), None);
    }
    controller
}

/// The recording with this name.
fn recording(name: &str) -> AcpRecording {
    recordings().into_iter().find(|recording| recording.name == name).unwrap_or_else(|| panic!("no {name}"))
}

fn rows_of(name: &str) -> Vec<String> {
    rows::render(fold(events(&recording(name))).rows())
}

#[test]
fn every_recording_is_there() {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for recording in recordings() {
        *count.entry(recording.agent().to_owned()).or_default() += 1;
    }
    let expected = [
        ("claude-agent", 42),
        ("claude-agent-0.49", 17),
        ("codex", 38),
        ("gemini", 36),
        ("kilo", 18),
        ("opencode", 39),
    ];
    assert_eq!(count, expected.map(|(agent, count)| (agent.to_owned(), count)).into());
}

#[test]
fn every_recorded_line_is_understood() {
    for recording in recordings() {
        for played in Player::play(&recording) {
            match played {
                Played::Event(AgentEvent::UnreadableLine) => panic!("{}: an unreadable line", recording.name),
                // Some recorded clients open two sessions in one process.
                Played::Event(AgentEvent::Session(Event::Raw { name, .. })) if name == OTHER_SESSION => {}
                Played::Event(AgentEvent::Session(Event::Raw { name, data })) => {
                    panic!("{}: {name} is not understood: {data}", recording.name)
                }
                _ => {}
            }
        }
    }
}

#[test]
fn the_events_of_every_recording() {
    snapshots("events", |recording| {
        let mut events: Vec<Value> = Vec::new();
        let mut last: Option<Event> = None;
        let push = |events: &mut Vec<Value>, event: Option<Event>| {
            events.extend(event.map(|event| shorten(serde_json::to_value(event).unwrap())));
        };
        for played in Player::play(recording) {
            match played {
                Played::Event(AgentEvent::Session(Event::Raw { name, .. })) if name == OTHER_SESSION => {}
                Played::Event(AgentEvent::Session(event)) => {
                    if !last.as_mut().is_some_and(|last| last.join(&event)) {
                        push(&mut events, last.replace(event));
                    }
                }
                Played::Event(event) => {
                    push(&mut events, last.take());
                    events.push(shorten(json!(format!("{event:?}"))));
                }
                Played::Reply(request, reply) => {
                    push(&mut events, last.take());
                    events.push(shorten(json!(format!("{request:?} → {reply:?}"))));
                }
                Played::Write(_) => {}
            }
        }
        push(&mut events, last);
        events.into_iter().map(|event| event.to_string()).collect()
    });
}

#[test]
fn the_rows_of_every_recording() {
    snapshots("rows", |recording| rows::render_shortened(fold(events(recording)).rows()));
}

/// One snapshot per agent.
fn snapshots(kind: &str, lines: impl Fn(&AcpRecording) -> Vec<String>) {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for recording in recordings() {
        let text = texts.entry(recording.agent().to_owned()).or_default();
        text.push_str(&format!("\n== {}\n{}\n", recording.name, lines(&recording).join("\n")));
    }
    for (agent, text) in texts {
        insta::assert_snapshot!(format!("{kind}-{agent}"), text);
    }
}

/// Shortens long texts to their beginning and length, and long lists to their length.
fn shorten(value: Value) -> Value {
    match value {
        Value::String(text) if text.chars().count() > 160 => {
            let beginning: String = text.chars().take(140).collect();
            Value::String(format!("{beginning}… ({} bytes)", text.len()))
        }
        Value::Array(items) if items.len() > 8 => json!(format!("{} items", items.len())),
        Value::Array(items) => items.into_iter().map(shorten).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, value)| (key, shorten(value))).collect(),
        other => other,
    }
}
