//! The heart of the product, on recorded conversations: what streamed is what the session file shows.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};

use pilothouse_agents::pi::history::SessionHistory;
use pilothouse_agents::pi::{Incoming, decode};
use pilothouse_core::event::Event;
use pilothouse_core::{BashResult, MessageController, UiMessage};
use serde_json::Value;

fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/pi")
}

/// What a person sees of a row; ids are given by arrival and may differ.
fn visible(rows: &[UiMessage]) -> Vec<String> {
    let rows = rows.iter().map(|row| {
        let tool = row.tool_step.as_ref().map(|step| {
            format!(
                "{} {} {:?} {:?} {}",
                step.tool_name, step.call_id, step.phase, step.result, step.tool_args
            )
        });
        let bash = row.bash_result.as_ref();
        format!("{:?} {:?} {:?} {tool:?} {bash:?} images={}", row.kind, row.mark, row.text, row.images.len())
    });
    rows.collect()
}

/// Folds what pi said, as the server does; user shell commands have no event of pi's own but request and response.
fn fold_live(transcript: &str) -> MessageController {
    let mut controller = MessageController::default();
    for record in transcript.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let line = &record["line"];
        if record["dir"] == "in" {
            if line["type"] == "bash" {
                controller.handle_server_event(Event::BashStart {
                    id: line["id"].as_str().unwrap_or_default().into(),
                    command: line["command"].as_str().unwrap_or_default().into(),
                    exclude_from_context: line["excludeFromContext"].as_bool().unwrap_or_default(),
                });
            }
            continue;
        }
        for incoming in decode(line.to_string().as_bytes()) {
            match incoming {
                Incoming::Event(event) => drop(controller.handle_server_event(event)),
                Incoming::Response(response) if response.command == "bash" && response.success => {
                    let started = controller.rows().iter().find(|row| row.id == format!("b-{}", response.id));
                    let mut result = started.and_then(|row| row.bash_result.clone()).unwrap_or_default();
                    let ended: BashResult = serde_json::from_value(merged(&result, &response.data)).unwrap();
                    result = ended;
                    controller.handle_server_event(Event::BashEnd { id: response.id, result });
                }
                _ => {}
            }
        }
    }
    controller
}

fn merged(started: &BashResult, data: &Value) -> Value {
    let mut merged = data.clone();
    merged["command"] = started.command.clone().into();
    merged["excludeFromContext"] = started.exclude_from_context.into();
    merged
}

fn unmarked(row: String) -> String {
    row.replace("exclude_from_context: true", "exclude_from_context: false")
}

#[test]
fn what_streamed_is_what_the_session_file_shows() {
    // A kill or a cut loses the end of the reply on disk; a fork or a new session leaves the first file.
    let differs = [
        "fork-first-message",
        "sessions",
        "new-session-mid-run",
        "kill-mid-stream-then-resume",
        "kill-mid-first-reply-then-resume",
        "stdin-closed-mid-stream",
        "stdin-closed-mid-tool",
        "sigterm-mid-stream",
    ];
    let mut compared = 0;
    let mut wrong = Vec::new();
    for folder in [recordings(), recordings().join("v0.73.1")] {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let session = folder.join("sessions").join(format!("{name}.jsonl"));
            if !session.exists() || differs.contains(&name.as_str()) {
                continue;
            }
            let live = fold_live(&std::fs::read_to_string(&path).unwrap());
            let history = SessionHistory::parse(&std::fs::read(&session).unwrap()).unwrap();
            let stored = MessageController::load_messages_from_history(history.messages);
            compared += 1;
            let (live, stored) = (visible(live.rows()), visible(stored.rows()));
            // pi 0.73 does not store that a shell command stood outside the context.
            let forgets = name == "user-bash" && folder.ends_with("v0.73.1");
            let stored = if forgets { stored.into_iter().map(unmarked).collect() } else { stored };
            let live = if forgets { live.into_iter().map(unmarked).collect() } else { live };
            if live != stored {
                wrong.push(format!("{}\n live   {live:#?}\n stored {stored:#?}", path.display()));
            }
        }
    }
    assert!(compared > 40, "only {compared} recordings were compared");
    assert!(wrong.is_empty(), "{} of {compared} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_recorded_line_is_understood() {
    for folder in [recordings(), recordings().join("v0.73.1")] {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "jsonl") {
                continue;
            }
            for record in std::fs::read_to_string(&path).unwrap().lines() {
                let record: Value = serde_json::from_str(record).unwrap();
                if record["dir"] == "out" {
                    assert!(
                        !decode(record["line"].to_string().as_bytes()).contains(&Incoming::Junk),
                        "{record}"
                    );
                }
            }
        }
    }
}
