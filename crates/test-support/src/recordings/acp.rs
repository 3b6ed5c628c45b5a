//! Conversations recorded from real agents that speak the Agent Client Protocol, played into a connection: the recorded
//! client's actions become requests, and the agent's lines are received with the ids that the connection used.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pilothouse_agents::framing::Line;
use pilothouse_agents::{AgentError, AgentEvent, Connection, Open, Output, Reply, Request, RequestId, acp};
use pilothouse_core::conversation::ask::{Answer, Ask};
use pilothouse_core::conversation::queue::Lane;
use pilothouse_core::conversation::ui_message::Image;
use serde_json::Value;

/// One recorded conversation.
pub struct AcpRecording {
    /// The agent and the scenario: `gemini/edit-diff`.
    pub name: String,
    /// The recorded lines, each `{"dir": "in" | "out", "t": milliseconds, "line": object}`.
    pub records: Vec<Value>,
}

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/acp")
}

/// All recordings, sorted by name.
pub fn recordings() -> Vec<AcpRecording> {
    let mut all = Vec::new();
    for agent in entries(&folder()).filter(|path| path.is_dir()) {
        for file in entries(&agent) {
            let text = std::fs::read_to_string(&file).unwrap();
            let part = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
            let agent = agent.file_name().unwrap().to_string_lossy().into_owned();
            all.push(AcpRecording {
                name: format!("{agent}/{}", part(&file)),
                records: text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
            });
        }
    }
    all.sort_by(|left, right| left.name.cmp(&right.name));
    all
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path())
}

impl AcpRecording {
    /// The name of the agent.
    pub fn agent(&self) -> &str {
        self.name.split('/').next().unwrap()
    }

    /// How the recorded client opened its session.
    pub fn open(&self) -> Open {
        let params = |method: &str| {
            let request = self.records.iter().find(|record| record["line"]["method"] == method)?;
            let text = |key: &str| request["line"]["params"][key].as_str().unwrap_or_default().to_owned();
            Some((text("sessionId"), text("cwd")))
        };
        if let Some((_, folder)) = params("session/new") {
            return Open::New { folder };
        }
        match (params("session/resume"), params("session/load")) {
            (Some((session_id, folder)), _) => Open::Stored { session_id, folder },
            (None, Some((session_id, folder))) => Open::Import { session_id, folder },
            (None, None) => Open::Nothing,
        }
    }
}

/// A step of a played recording, as the session sees it.
#[derive(Debug)]
pub enum Played {
    Event(AgentEvent),
    /// A request of the recorded client and its reply.
    Reply(Request, Result<Reply, AgentError>),
    /// A line that the connection wrote.
    Write(Value),
}

/// A connection that a recording is played into.
pub struct Player {
    pub connection: Connection,
    /// The ids of our requests, by the ids of the recorded ones.
    ids: HashMap<String, Value>,
    /// Requests that the connection wrote and that the recording has not reached, with their ids.
    written: Vec<(String, Value)>,
    /// The open asks, by the recorded ids of the agent's requests.
    asks: HashMap<String, Ask>,
    requests: HashMap<u64, Request>,
    played: Vec<Played>,
    last_request: u64,
}

impl Player {
    pub fn new(recording: &AcpRecording) -> Self {
        let mut connection = Connection::Acp(Box::new(acp::Connection::new(Vec::new(), acp::capabilities())));
        connection.open(recording.open());
        let mut player = Self {
            connection,
            ids: HashMap::new(),
            written: Vec::new(),
            asks: HashMap::new(),
            requests: HashMap::new(),
            played: Vec::new(),
            last_request: 0,
        };
        player.poll();
        player
    }

    /// Plays a whole recording and returns what happened.
    pub fn play(recording: &AcpRecording) -> Vec<Played> {
        let mut player = Self::new(recording);
        for record in &recording.records {
            player.step(record);
        }
        player.finish();
        std::mem::take(&mut player.played)
    }

    /// The steps since the last call.
    pub fn take(&mut self) -> Vec<Played> {
        std::mem::take(&mut self.played)
    }

    /// Plays one record.
    pub fn step(&mut self, record: &Value) {
        let line = &record["line"];
        if record["dir"] == "in" { self.client(line) } else { self.agent(line) }
    }

    /// Lets the time pass that ends a replay and work in the background.
    pub fn finish(&mut self) {
        if self.connection.silence_timeout().is_some_and(|time| time < Duration::from_secs(60)) {
            self.connection.silence();
        }
        self.poll();
    }

    /// An action of the recorded client.
    fn client(&mut self, line: &Value) {
        let params = &line["params"];
        let text = |key: &str| params[key].as_str().unwrap_or_default().to_owned();
        let Some(method) = line["method"].as_str() else { return self.answer(line) };
        let request = match method {
            "session/prompt" | "_session/steering" => {
                self.finish();
                // A malformed prompt, which we never send.
                let Some(blocks) = params["prompt"].as_array() else { return };
                let texts = blocks.iter().filter_map(|block| block["text"].as_str());
                let image = |block: &&Value| block["type"] == "image";
                let images = blocks.iter().filter(image).map(|block| Image {
                    mime_type: block["mimeType"].as_str().unwrap().to_owned(),
                    data: block["data"].as_str().unwrap().to_owned(),
                    ..Image::default()
                });
                Request::Prompt {
                    text: texts.collect::<Vec<_>>().join("\n"),
                    images: images.collect(),
                    lane: Lane::Steer,
                    context: Vec::new(),
                }
            }
            "session/cancel" => Request::Abort,
            "session/set_mode" => Request::SetMode { mode: text("modeId") },
            "session/set_model" => Request::SetModel { provider: String::new(), model_id: text("modelId") },
            "session/set_config_option" => {
                let value = match &params["value"] {
                    Value::String(value) => value.clone(),
                    other => other.to_string(),
                };
                Request::SetOption { option_id: text("configId"), value }
            }
            "session/list" => {
                Request::Sessions { folder: params["cwd"].as_str().map(str::to_owned), cursor: None }
            }
            "session/delete" => Request::DeleteSession { session_id: text("sessionId") },
            // Sent by the connection itself, or never.
            _ => {
                self.claim(method, line);
                return;
            }
        };
        // Requests for another session than the one that is open.
        let of_other = method == "session/prompt" && self.written.is_empty() && self.is_other_session(params);
        if of_other {
            return;
        }
        self.last_request += 1;
        self.requests.insert(self.last_request, request.clone());
        self.connection.request(RequestId(self.last_request), request);
        self.poll();
        let method = if method == "session/set_mode"
            && self.written.iter().any(|(name, _)| name == "session/set_config_option")
        {
            "session/set_config_option"
        } else {
            method
        };
        self.claim(method, line);
    }

    fn is_other_session(&self, params: &Value) -> bool {
        let opened = self.played_session();
        opened.is_some_and(|opened| params["sessionId"] != *opened)
    }

    fn played_session(&self) -> Option<&String> {
        self.ids.get("session").and_then(|id| match id {
            Value::String(id) => Some(id),
            _ => None,
        })
    }

    /// Maps the id of a recorded request to that of the same request of ours.
    fn claim(&mut self, method: &str, line: &Value) {
        if let Some(position) = self.written.iter().position(|(written, _)| written == method) {
            let (_, id) = self.written.remove(position);
            self.ids.insert(line["id"].to_string(), id);
        }
    }

    /// The recorded client's answer to a request of the agent.
    fn answer(&mut self, line: &Value) {
        let Some(ask) = self.asks.remove(&line["id"].to_string()) else { return };
        let result = &line["result"];
        let answer = match (result["outcome"]["optionId"].as_str(), result["action"].as_str()) {
            (Some(option), _) => Answer::Choose(option.to_owned()),
            (None, Some("accept")) => Answer::Form(
                result["content"]
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(key, value)| (key.clone(), value.clone()))
                    .collect(),
            ),
            (None, Some("decline")) => Answer::Confirm(false),
            _ => Answer::Cancel,
        };
        self.last_request += 1;
        let request = Request::Answer { ask_id: ask.id, answer };
        self.requests.insert(self.last_request, request.clone());
        self.connection.request(RequestId(self.last_request), request);
        self.poll();
    }

    /// A line of the agent.
    fn agent(&mut self, line: &Value) {
        let mut line = line.clone();
        if line.get("method").is_none() {
            // The answer to a request that we did not send.
            let Some(id) = self.ids.remove(&line["id"].to_string()) else { return };
            line["id"] = id;
            if let Some(session) = line["result"]["sessionId"].as_str() {
                self.ids.insert("session".to_owned(), session.into());
            }
        }
        self.connection.receive(Line::Complete(line.to_string().into_bytes()));
        let before = self.played.len();
        self.poll();
        let opened = self.played[before..].iter().find_map(|played| match played {
            Played::Event(AgentEvent::AskOpened(ask)) => Some(ask.as_ref().clone()),
            _ => None,
        });
        if let Some(ask) = opened {
            self.asks.insert(line["id"].to_string(), ask);
        }
    }

    fn poll(&mut self) {
        while let Some(output) = self.connection.poll() {
            match output {
                Output::Write(line) => {
                    let line: Value = serde_json::from_str(&line).unwrap();
                    if let (Some(method), Some(id)) = (line["method"].as_str(), line.get("id")) {
                        self.written.push((method.to_owned(), id.clone()));
                    }
                    self.played.push(Played::Write(line));
                }
                Output::Event(event) => self.played.push(Played::Event(event)),
                Output::Reply(RequestId(id), reply) => {
                    let request =
                        self.requests.remove(&id).expect("a reply to a request that is not pending");
                    self.played.push(Played::Reply(request, reply));
                }
            }
        }
    }
}
