//! Every recorded line in both directions: the decoded output of pi as snapshots, and the input to pi compared
//! with our encoding of the same command.

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
        insta::assert_snapshot!(name, decoded_output(&scenario));
    }
}

/// The decoded output of pi, one item per line. Successive deltas of one text are joined.
fn decoded_output(scenario: &Scenario) -> String {
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
    shorten(value).to_string()
}

/// Shortens long texts to their beginning and length, and long lists to their length.
fn shorten(value: Value) -> Value {
    match value {
        Value::String(text) if text.chars().count() > 80 => {
            let beginning: String = text.chars().take(60).collect();
            Value::String(format!("{beginning}… ({} bytes)", text.len()))
        }
        Value::Array(items) if items.len() > 8 => json!(format!("{} items", items.len())),
        Value::Array(items) => items.into_iter().map(shorten).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, value)| (key, shorten(value))).collect(),
        other => other,
    }
}

#[test]
fn commands_are_encoded_as_they_were_recorded() {
    let (mut compared, mut never_sent) = (0, std::collections::BTreeSet::new());
    for scenario in scenarios() {
        for record in scenario.records().filter(|record| record["dir"] == "in") {
            let recorded = &record["line"];
            let kind = recorded["type"].as_str().unwrap_or("no command");
            match command(recorded) {
                Some(command) => {
                    let id = recorded["id"].as_str().unwrap_or_default();
                    let line = command.encode(id);
                    assert!(line.ends_with('\n') && line.matches('\n').count() == 1, "{line}");
                    let mut ours: Value = serde_json::from_str(&line).unwrap();
                    // We always write these fields.
                    for key in ["streamingBehavior", "excludeFromContext"] {
                        if recorded.get(key).is_none() {
                            ours.as_object_mut().unwrap().remove(key);
                        }
                    }
                    assert_eq!(ours, *recorded, "{}", scenario.name);
                    compared += 1;
                }
                None => drop(never_sent.insert(kind.to_owned())),
            }
        }
    }
    assert!(compared > 200, "only {compared} commands were compared");
    insta::assert_debug_snapshot!("commands-we-never-send", never_sent);
}

/// Our command that corresponds to a recorded one, if there is one and the recorded one is valid.
fn command(recorded: &Value) -> Option<PiCommand> {
    let text = |key: &str| recorded[key].as_str().map(str::to_owned);
    Some(match recorded["type"].as_str()? {
        "get_state" => PiCommand::GetState,
        "get_session_stats" => PiCommand::GetSessionStats,
        "get_commands" => PiCommand::GetCommands,
        "get_available_models" => PiCommand::GetAvailableModels,
        "get_available_thinking_levels" => PiCommand::GetAvailableThinkingLevels,
        "prompt" => PiCommand::Prompt {
            message: text("message")?,
            images: recorded["images"].as_array().into_iter().flatten().map(image).collect(),
            lane: if recorded["streamingBehavior"] == "followUp" { Lane::FollowUp } else { Lane::Steer },
        },
        "abort" => PiCommand::Abort,
        "clear_queue" => PiCommand::ClearQueue,
        "bash" => PiCommand::Bash {
            command: text("command")?,
            exclude_from_context: recorded["excludeFromContext"].as_bool().unwrap_or_default(),
        },
        "abort_bash" => PiCommand::AbortBash,
        "compact" => PiCommand::Compact { instructions: text("customInstructions") },
        "fork" => PiCommand::Fork { entry_id: text("entryId")? },
        "set_session_name" => PiCommand::SetSessionName { name: text("name")? },
        "set_model" => PiCommand::SetModel { provider: text("provider")?, model_id: text("modelId")? },
        "set_thinking_level" => PiCommand::SetThinkingLevel { level: text("level")? },
        "extension_ui_response" => PiCommand::AnswerDialog {
            ask_id: text("id")?,
            answer: match (text("value"), recorded["confirmed"].as_bool()) {
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
