//! An agent that says word for word what a story wants: the demo agent, playing a script in pi's dialect.

use std::path::Path;

use serde_json::{Value, json};

use pilothouse_test_support::browser::Size;
use pilothouse_test_support::server::{ServerSetup, built_binary};

use crate::stage::{Stage, project, story_with};

#[derive(Default)]
pub struct Script {
    records: String,
    requests: usize,
    messages: u64,
    /// Milliseconds, so far and between two lines.
    time: u64,
    beat: u64,
}

impl Script {
    /// With so many milliseconds before each line, where the server's agents play at a realistic pace.
    pub fn at_pace(beat: u64) -> Self {
        Self { beat, ..Self::default() }
    }

    /// Goes on once a command of this kind has come.
    pub fn hear(&mut self, kind: &str) {
        self.requests += 1;
        let line = json!({"id": format!("req-{}", self.requests), "type": kind});
        self.record("in", &line);
    }

    pub fn say(&mut self, line: Value) {
        self.time += self.beat;
        self.record("out", &line);
    }

    fn record(&mut self, direction: &str, line: &Value) {
        let time = self.time;
        self.records.push_str(&format!("{{\"dir\":\"{direction}\",\"t\":{time},\"line\":{line}}}\n"));
    }

    /// Answers what was heard last.
    pub fn answer(&mut self, kind: &str, data: Value) {
        let id = format!("req-{}", self.requests);
        self.say(json!({"id": id, "type": "response", "command": kind, "success": true, "data": data}));
    }

    /// A question that the server may put whenever it likes, with its answer.
    pub fn know(&mut self, kind: &str, data: Value) {
        self.hear(kind);
        self.answer(kind, data);
    }

    /// A run that a prompt starts.
    pub fn run(&mut self, work: impl FnOnce(&mut Self)) {
        self.hear("prompt");
        self.answer("prompt", json!({"disposition": "started"}));
        self.say(json!({"type": "agent_start"}));
        work(self);
        self.say(json!({"type": "agent_end", "willRetry": false, "messages": []}));
        self.say(json!({"type": "agent_settled", "aborted": false}));
    }

    /// A message from its start to its end, with what is said in between.
    pub fn message(&mut self, mut message: Value, between: impl FnOnce(&mut Self)) {
        self.messages += 1;
        message["timestamp"] = json!(1_800_000_000_000_u64 + self.messages);
        let mut start = message.clone();
        if message["role"] == "assistant" {
            start["content"] = json!([]);
            start["stopReason"] = json!("pending");
        }
        self.say(json!({"type": "message_start", "message": start}));
        between(self);
        self.say(json!({"type": "message_end", "message": message}));
    }

    /// A text of a message as a model says it: in pieces of a few letters.
    pub fn stream(&mut self, part: &str, index: usize, text: &str) {
        let mut update = |mut event: Value| {
            event["contentIndex"] = json!(index);
            self.say(json!({"type": "message_update", "assistantMessageEvent": event}));
        };
        update(json!({"type": format!("{part}_start")}));
        let letters: Vec<char> = text.chars().collect();
        for piece in letters.chunks(5) {
            update(json!({"type": format!("{part}_delta"), "delta": piece.iter().collect::<String>()}));
        }
        update(json!({"type": format!("{part}_end"), "content": text}));
    }

    /// What an extension shows or asks.
    pub fn extension(&mut self, method: &str, mut request: Value) {
        self.messages += 1;
        request["type"] = json!("extension_ui_request");
        request["id"] = json!(format!("extension-{}", self.messages));
        request["method"] = json!(method);
        self.say(request);
    }

    /// A program that plays it, and otherwise is the demo.
    fn write(&self, folder: &Path) -> String {
        let (script, program) = (folder.join("script.jsonl"), folder.join("agent.sh"));
        std::fs::write(&script, &self.records).unwrap();
        let text = format!(
            "case \"$*\" in\n*--version*) echo 1.5.0; exit;;\n*--no-session*) exec '{binary}' demo-agent;;\nesac\n\
             for word; do :; done; id=${{word##*_}}; id=${{id%.jsonl}}\n\
             exec '{binary}' demo-agent --session-id \"$id\" --script '{script}'\n",
            binary = built_binary().display(),
            script = script.display(),
        );
        std::fs::write(&program, text).unwrap();
        format!("scripted=pi:sh '{}'", program.display())
    }
}

impl Script {
    /// A server that offers an agent which plays it.
    pub fn offered(&self, setup: ServerSetup, folder: &Path) -> ServerSetup {
        setup.agent(&self.write(folder)).env("PI_CODING_AGENT_DIR", folder)
    }
}

/// A story with a session of an agent that plays the script.
pub async fn scripted_story(name: &str, script: &Script, tell: impl AsyncFnOnce(&mut Stage)) {
    let folder = tempfile::tempdir().unwrap();
    let setup = script.offered(ServerSetup::new(&built_binary()), folder.path());
    story_with(name, Size::Wide, project(), setup, tell).await;
}
