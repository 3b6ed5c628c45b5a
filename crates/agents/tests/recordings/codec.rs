//! Every recorded line, both ways: what pi said is decoded (and looked at as a whole), what was said to pi is what we
//! would write.

use pilothouse_agents::pi::{Incoming, PiCommand, decode};
use pilothouse_core::conversation::ask::Answer;
use pilothouse_core::conversation::queue::Lane;
use pilothouse_core::conversation::ui_message::Image;
use serde_json::{Value, json};

use pilothouse_test_support::recordings::{Scenario, scenarios};

#[test]
fn the_events_of_every_recording() {
    for scenario in scenarios() {
        let name = format!("events-{}", scenario.name.replace('/', "-"));
        insta::assert_snapshot!(name, told(&scenario));
    }
}

/// One line for each thing pi told; pieces of one text are one.
fn told(scenario: &Scenario) -> String {
    let mut all: Vec<Incoming> = Vec::new();
    for record in scenario.records().filter(|record| record["dir"] == "out") {
        for next in decode(record["line"].to_string().as_bytes()) {
            let joined = match (all.last_mut(), &next) {
                (Some(Incoming::Event(last)), Incoming::Event(next)) => last.join(next),
                _ => false,
            };
            if !joined {
                all.push(next);
            }
        }
    }
    all.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn line(incoming: &Incoming) -> String {
    let value = match incoming {
        Incoming::Event(event) => serde_json::to_value(event).unwrap(),
        Incoming::Response(response) => json!({
            "response": response.command, "id": response.id, "success": response.success,
            "data": response.data, "error": response.error,
        }),
        Incoming::QueueLength(length) => json!({"waiting": [length.steering, length.follow_up]}),
        Incoming::Ask(ask) => json!({ "ask": ask }),
        Incoming::ShellOutput { request_id, delta } => json!({"bash_output": request_id, "delta": delta}),
        Incoming::Unreadable => json!("junk"),
    };
    short(value).to_string()
}

/// Long texts by their beginning and length, lists of messages by their number.
fn short(value: Value) -> Value {
    match value {
        Value::String(text) if text.chars().count() > 80 => {
            let beginning: String = text.chars().take(60).collect();
            Value::String(format!("{beginning}… ({} bytes)", text.len()))
        }
        Value::Array(items) if items.len() > 8 => json!(format!("{} items", items.len())),
        Value::Array(items) => items.into_iter().map(short).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, value)| (key, short(value))).collect(),
        other => other,
    }
}

#[test]
fn what_was_said_to_pi_is_what_we_would_write() {
    let (mut compared, mut never_sent) = (0, std::collections::BTreeSet::new());
    for scenario in scenarios() {
        for record in scenario.records().filter(|record| record["dir"] == "in") {
            let said = &record["line"];
            let kind = said["type"].as_str().unwrap_or("no command");
            match command(said) {
                Some(command) => {
                    let id = said["id"].as_str().unwrap_or_default();
                    let line = command.encode(id);
                    assert!(line.ends_with('\n') && line.matches('\n').count() == 1, "{line}");
                    let mut ours: Value = serde_json::from_str(&line).unwrap();
                    // We always name a lane, and whether the output is for the model.
                    for key in ["streamingBehavior", "excludeFromContext"] {
                        if said.get(key).is_none() {
                            ours.as_object_mut().unwrap().remove(key);
                        }
                    }
                    assert_eq!(ours, *said, "{}", scenario.name);
                    compared += 1;
                }
                None => drop(never_sent.insert(kind.to_owned())),
            }
        }
    }
    assert!(compared > 200, "{compared}");
    insta::assert_debug_snapshot!("commands-we-never-send", never_sent);
}

/// The command of ours that says the same, if we have one and the recorded one is well-formed.
fn command(said: &Value) -> Option<PiCommand> {
    let text = |key: &str| said[key].as_str().map(str::to_owned);
    Some(match said["type"].as_str()? {
        "get_state" => PiCommand::GetState,
        "get_session_stats" => PiCommand::GetSessionStats,
        "get_commands" => PiCommand::GetCommands,
        "get_available_models" => PiCommand::GetAvailableModels,
        "get_available_thinking_levels" => PiCommand::GetAvailableThinkingLevels,
        "prompt" => PiCommand::Prompt {
            message: text("message")?,
            images: said["images"].as_array().into_iter().flatten().map(image).collect(),
            lane: if said["streamingBehavior"] == "followUp" { Lane::FollowUp } else { Lane::Steer },
        },
        "abort" => PiCommand::Abort,
        "clear_queue" => PiCommand::ClearQueue,
        "bash" => PiCommand::Bash {
            command: text("command")?,
            exclude_from_context: said["excludeFromContext"].as_bool().unwrap_or_default(),
        },
        "abort_bash" => PiCommand::AbortBash,
        "compact" => PiCommand::Compact { instructions: text("customInstructions") },
        "fork" => PiCommand::Fork { entry_id: text("entryId")? },
        "set_session_name" => PiCommand::SetSessionName { name: text("name")? },
        "set_model" => PiCommand::SetModel { provider: text("provider")?, model_id: text("modelId")? },
        "set_thinking_level" => PiCommand::SetThinkingLevel { level: text("level")? },
        "extension_ui_response" => PiCommand::AnswerDialog {
            ask_id: text("id")?,
            answer: match (text("value"), said["confirmed"].as_bool()) {
                (Some(value), _) => Answer::Text(value),
                (None, Some(confirmed)) => Answer::Confirm(confirmed),
                (None, None) => Answer::Cancel,
            },
        },
        _ => return None,
    })
}

fn image(value: &Value) -> Image {
    serde_json::from_value(value.clone()).unwrap()
}
