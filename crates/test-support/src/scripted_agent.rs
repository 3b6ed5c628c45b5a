//! The demo agent in the place of pi, playing a script in pi's protocol.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::server::ServerSetup;

/// The version of pi that scripted agents report.
pub const PI_VERSION: &str = "1.5.0";

/// Writes a program that replaces pi, to be run with `sh`, and returns its path.
///
/// Without a session it reports the version or acts as the demo agent. For a session it runs `session`, a shell script
/// that has the id of the session in `$id`.
pub fn write_stand_in(folder: &Path, binary: &Path, version: &str, session: &str) -> PathBuf {
    let binary = binary.display();
    let program = folder.join("agent.sh");
    let text = format!(
        r#"case "$*" in
    *--version*) echo '{version}'; exit;;
    *--no-session*) exec '{binary}' demo-agent;;
esac
for word; do :; done; id=${{word##*_}}; id=${{id%.jsonl}}
{session}
"#
    );
    std::fs::write(&program, text).unwrap();
    program
}

/// A script under construction: the commands that the agent waits for, and the lines that it sends.
#[derive(Default)]
pub struct Script {
    records: String,
    requests: usize,
    messages: u64,
    /// Milliseconds since the start.
    time: u64,
    /// Milliseconds before each line.
    beat: u64,
}

impl Script {
    /// A script with a pause of this many milliseconds before each line. The pause applies only at a realistic pace.
    pub fn at_pace(beat: u64) -> Self {
        Self { beat, ..Self::default() }
    }

    /// Waits for a command of this kind.
    pub fn expect_command(&mut self, kind: &str) {
        self.requests += 1;
        let line = json!({"id": format!("req-{}", self.requests), "type": kind});
        self.record("in", &line);
    }

    /// Adds a pause of this many milliseconds before the next line.
    pub fn pause(&mut self, milliseconds: u64) {
        self.time += milliseconds;
    }

    /// Sends a line.
    pub fn send(&mut self, line: Value) {
        self.time += self.beat;
        self.record("out", &line);
    }

    fn record(&mut self, direction: &str, line: &Value) {
        let time = self.time;
        self.records.push_str(&format!("{{\"dir\":\"{direction}\",\"t\":{time},\"line\":{line}}}\n"));
    }

    /// Sends the response to the command that was waited for last.
    pub fn respond(&mut self, kind: &str, data: Value) {
        let id = format!("req-{}", self.requests);
        self.send(json!({"id": id, "type": "response", "command": kind, "success": true, "data": data}));
    }

    /// Answers a query that the server may send at any time.
    pub fn respond_anytime(&mut self, kind: &str, data: Value) {
        self.expect_command(kind);
        self.respond(kind, data);
    }

    /// Waits for a prompt and plays a run.
    pub fn run(&mut self, work: impl FnOnce(&mut Self)) {
        self.expect_command("prompt");
        self.respond("prompt", json!({"disposition": "started"}));
        self.send(json!({"type": "agent_start"}));
        work(self);
        self.send(json!({"type": "agent_end", "willRetry": false, "messages": []}));
        self.send(json!({"type": "agent_settled", "aborted": false}));
    }

    /// Sends a message from start to end, with the given lines in between.
    pub fn message(&mut self, mut message: Value, between: impl FnOnce(&mut Self)) {
        self.messages += 1;
        message["timestamp"] = json!(1_800_000_000_000_u64 + self.messages);
        let mut start = message.clone();
        if message["role"] == "assistant" {
            start["content"] = json!([]);
            start["stopReason"] = json!("pending");
        }
        self.send(json!({"type": "message_start", "message": start}));
        between(self);
        self.send(json!({"type": "message_end", "message": message}));
    }

    /// Streams a part of a message in pieces of a few characters.
    pub fn stream(&mut self, part: &str, index: usize, text: &str) {
        let mut update = |mut event: Value| {
            event["contentIndex"] = json!(index);
            self.send(json!({"type": "message_update", "assistantMessageEvent": event}));
        };
        update(json!({"type": format!("{part}_start")}));
        let letters: Vec<char> = text.chars().collect();
        for piece in letters.chunks(5) {
            update(json!({"type": format!("{part}_delta"), "delta": piece.iter().collect::<String>()}));
        }
        update(json!({"type": format!("{part}_end"), "content": text}));
    }

    /// Sends a UI request of an extension.
    pub fn extension(&mut self, method: &str, mut request: Value) {
        self.messages += 1;
        request["type"] = json!("extension_ui_request");
        request["id"] = json!(format!("extension-{}", self.messages));
        request["method"] = json!(method);
        self.send(request);
    }

    /// The script in the format of the recordings.
    pub fn records(&self) -> &str {
        &self.records
    }

    /// Adds an agent named `scripted` to a server, which plays this script in every session.
    pub fn offer(&self, setup: ServerSetup, folder: &Path) -> ServerSetup {
        let script = folder.join("script.jsonl");
        std::fs::write(&script, &self.records).unwrap();
        let play = format!(
            r#"exec '{}' demo-agent --session-id "$id" --script '{}'"#,
            setup.binary().display(),
            script.display()
        );
        let program = write_stand_in(folder, setup.binary(), PI_VERSION, &play);
        setup.agent(&format!("scripted=pi:sh '{}'", program.display())).env("PI_CODING_AGENT_DIR", folder)
    }
}
