//! Every recorded conversation, played through the real server: the rows are those of the recording, clients that join
//! on the way have the same, and so has the restarted server after a kill.

use std::sync::Arc;

use pilothouse_agents::AgentEvent;
use pilothouse_core::conversation::ask::Answer;
use pilothouse_core::conversation::ui_message::Image;
use pilothouse_core::protocol::SessionCommand;
use pilothouse_core::protocol::event::Event;
use pilothouse_core::{Mark, MessageController, UiMessage};
use pilothouse_test_support::client::{Client, assert_same, synchronise};
use pilothouse_test_support::recordings::acp::{AcpRecording, Played, Player, recordings};
use pilothouse_test_support::rows;
use pilothouse_test_support::server::{ServerSetup, TestServer};
use serde_json::Value;

use super::replaying;
use crate::binary;

/// The number of conversations that are played at the same time.
const CONCURRENT: usize = 6;

/// Recordings that a user of ours cannot have.
const NOT_PLAYED: [(&str, &str); 14] = [
    ("kilo/ask", "the question tool never ends the turn"),
    ("kilo/model-change", "an option that the chosen model does not have"),
    ("opencode/model-change", "an option that the chosen model does not have"),
    ("errors", "malformed requests"),
    ("init-error", "no session; see `services`"),
    ("list", "no session; see `services`"),
    ("load-missing", "an unknown session; see `services`"),
    ("load-replay", "an import; see `services`"),
    ("lifecycle", "requests after the end of the session"),
    ("resume", "a session of another process; see `services`"),
    ("two-sessions", "two sessions in one process"),
    ("prompt-while-busy", "a second prompt in a running turn"),
    ("prompt-while-streaming", "a second prompt in a running turn"),
    ("steering", "steering while idle is a prompt here; see `services`"),
];

fn is_played(recording: &AcpRecording) -> bool {
    let scenario = recording.name.split('/').next_back().unwrap();
    !NOT_PLAYED.iter().any(|(name, _)| *name == scenario || *name == recording.name)
}

struct PlayedConversation {
    name: String,
    session: String,
    rows: Vec<String>,
    joined_midway: bool,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn promise_17_every_acp_recording_has_the_same_rows_live_when_joined_and_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let only = std::env::var("PILOTHOUSE_SCENARIO").ok();
    let mut all: Vec<AcpRecording> = recordings().into_iter().filter(is_played).collect();
    all.retain(|recording| only.as_ref().is_none_or(|only| recording.name.contains(only.as_str())));
    let mut config = "idle_minutes = 0\n".to_owned();
    for recording in &all {
        config.push_str(&format!(
            "[[agent]]\nname = '{}'\ndialect = 'acp'\ncommand = '{}'\n",
            agent(recording),
            replaying(&recording.name)
        ));
    }
    std::fs::write(folder.path().join("config.toml"), config).unwrap();
    let setup = ServerSetup::new(binary()).project(folder.path());
    let setup = setup.argument("--config").argument(folder.path().join("config.toml"));
    let server = Arc::new(setup.start());
    let turns = Arc::new(tokio::sync::Semaphore::new(CONCURRENT));
    let mut tasks = Vec::new();
    for recording in all {
        let (server, turns, folder) = (server.clone(), turns.clone(), folder.path().to_owned());
        let name = recording.name.clone();
        let play = async move {
            let _turn = turns.acquire().await.unwrap();
            play(&server, &recording, &folder).await
        };
        tasks.push((name, tokio::spawn(play)));
    }
    let (mut played, mut failed) = (Vec::new(), Vec::new());
    for (name, task) in tasks {
        match task.await {
            Ok(conversation) => played.push(conversation),
            Err(_) => failed.push(name),
        }
    }
    let mut server = Arc::into_inner(server).unwrap();
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    for conversation in &played {
        if conversation.rows.is_empty() {
            continue;
        }
        client.open(&conversation.session).await;
        let restored = rows::render(client.rows(&conversation.session));
        if restored != conversation.rows {
            eprintln!("{}: live {:#?} restored {restored:#?}", conversation.name, conversation.rows);
            failed.push(conversation.name.clone());
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
    let joined = played.iter().filter(|conversation| conversation.joined_midway).count();
    assert!(
        only.is_some() || (played.len() > 100 && joined > 50),
        "{} played, {joined} joined midway",
        played.len()
    );
}

fn agent(recording: &AcpRecording) -> String {
    recording.name.replace('/', "-")
}

/// The rows of a recording, without a server.
fn expected_rows(recording: &AcpRecording) -> Vec<String> {
    let mut controller = MessageController::default();
    for played in Player::play(recording) {
        if let Played::Event(AgentEvent::Session(event)) = played {
            controller.handle_server_event(event);
        }
    }
    controller.handle_server_event(Event::Unknown);
    rows::render(controller.rows())
}

/// The rows that a recording has, too. The outcomes of questions are the server's.
fn recorded_rows(rows: &[UiMessage]) -> Vec<String> {
    let rows: Vec<UiMessage> = rows.iter().filter(|row| row.mark != Some(Mark::Answered)).cloned().collect();
    rows::render(&rows)
}

async fn play(server: &TestServer, recording: &AcpRecording, folder: &std::path::Path) -> PlayedConversation {
    let mut client = Client::connect(server).await;
    let session = client.new_session_of(&agent(recording), folder).await;
    let mut joined: Option<Client> = None;
    let mut is_stopped = false;
    for record in recording.records.iter().filter(|record| record["dir"] == "in") {
        // A stop answers what the agent still asks.
        if is_stopped && record["line"].get("method").is_none() {
            continue;
        }
        is_stopped = record["line"]["method"] == "session/cancel";
        send_input(&mut client, &session, &record["line"]).await;
        if joined.is_none() && client.view(&session).seq > 0 {
            let mut other = Client::connect(server).await;
            other.open(&session).await;
            joined = Some(other);
        }
    }
    let expected = expected_rows(recording);
    client
        .until(&session, &format!("the rows of {}: {expected:#?}", recording.name), |view| {
            !view.meta.state.is_active()
                && !view.controller.is_running()
                && recorded_rows(view.controller.rows()) == expected
        })
        .await;
    let mut late = Client::connect(server).await;
    late.open(&session).await;
    let joined_midway = joined.is_some();
    for mut other in joined.into_iter().chain([late]) {
        synchronise(&mut other, &mut client, &session).await;
        assert_same(other.view(&session), client.view(&session));
    }
    let rows = rows::render(client.rows(&session));
    PlayedConversation { name: recording.name.clone(), session, rows, joined_midway }
}

/// Does what the recorded user did.
async fn send_input(client: &mut Client, session: &str, line: &Value) {
    let params = &line["params"];
    let text = |key: &str| params[key].as_str().unwrap_or_default().to_owned();
    let command = match line["method"].as_str() {
        Some("session/set_mode") => SessionCommand::SetMode { mode: text("modeId") },
        Some("session/set_model") => {
            SessionCommand::SetModel { provider: String::new(), model_id: text("modelId") }
        }
        Some("session/set_config_option") => {
            let value = params["value"].as_str().map_or_else(|| params["value"].to_string(), str::to_owned);
            SessionCommand::SetOption { option_id: text("configId"), value }
        }
        Some("session/prompt") => {
            client.until(session, "the end of the run", |view| !view.meta.state.is_active()).await;
            let blocks = params["prompt"].as_array().unwrap();
            let texts = blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>();
            let image = |block: &Value| Image {
                mime_type: block["mimeType"].as_str().unwrap().to_owned(),
                data: block["data"].as_str().unwrap().to_owned(),
                ..Image::default()
            };
            let images = blocks.iter().filter(|block| block["type"] == "image").map(image);
            SessionCommand::Prompt {
                client_id: format!("{session}-{}", line["id"]),
                message: texts.join("\n"),
                images: images.collect(),
                streaming_behavior: Default::default(),
            }
        }
        Some("session/cancel") => {
            client.until(session, "something to stop", |view| view.controller.is_running()).await;
            SessionCommand::Abort
        }
        Some(_) => return,
        None => {
            // A refused file access, or the answer to a request that a stop has closed already.
            let result = &line["result"];
            let answer = match (result["outcome"]["optionId"].as_str(), result["action"].as_str()) {
                (Some(option), _) => Answer::Choose(option.to_owned()),
                (None, Some("accept")) => Answer::Form(
                    result["content"]
                        .as_object()
                        .unwrap()
                        .iter()
                        .map(|(key, value)| (key.clone(), value.clone()))
                        .collect(),
                ),
                _ => return,
            };
            client.until(session, "the question", |view| !view.meta.asks.is_empty()).await;
            SessionCommand::answer(&client.view(session).meta.asks[0], answer)
        }
    };
    let name = command.name();
    if let Err(error) = client.ask(session, command).await {
        panic!("{name} in {session}: {}", error.message);
    }
}
