//! Session files in the agents' own format, written as if somebody had talked for long: histories that no demo would
//! tell.

use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

use crate::stage::Stage;

const TIME: &str = "2026-01-01T00:00:00.000Z";
const FIRST_MESSAGE: u64 = 1_767_225_600_000;

pub struct SessionFile {
    id: String,
    text: String,
    entries: u64,
}

impl SessionFile {
    /// `number` tells sessions apart, also by their id.
    pub fn new(number: usize, cwd: &str) -> Self {
        let id = id(number);
        let head = json!({"type": "session", "version": 3, "id": id, "timestamp": TIME, "cwd": cwd});
        Self { id, text: format!("{head}\n"), entries: 0 }
    }

    pub fn title(&mut self, name: &str) {
        self.entry(json!({"type": "session_info", "name": name}));
    }

    pub fn user(&mut self, text: &str) {
        self.message(json!({"role": "user", "content": [{"type": "text", "text": text}]}));
    }

    pub fn assistant(&mut self, content: Value) {
        self.message(json!({"role": "assistant", "stopReason": "stop", "content": content}));
    }

    pub fn message(&mut self, mut message: Value) {
        message["timestamp"] = json!(FIRST_MESSAGE + self.entries);
        self.entry(json!({"type": "message", "message": message}));
    }

    pub fn entry(&mut self, mut entry: Value) {
        entry["id"] = json!(format!("e{}", self.entries));
        entry["parentId"] = json!(self.entries.checked_sub(1).map(|before| format!("e{before}")));
        entry["timestamp"] = json!(TIME);
        self.entries += 1;
        self.text.push_str(&format!("{entry}\n"));
    }

    /// Puts it where the demo keeps its sessions, and tells its id.
    pub fn write(self, stage: &Stage) -> String {
        let folder = stage.server.data.join("demo/sessions/--harbour--");
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join(format!("2026-01-01T00-00-00-000Z_{}.jsonl", self.id));
        std::fs::write(file, self.text).unwrap();
        self.id
    }
}

/// Another program goes on with a session: it says something and gets an answer.
pub fn go_on_elsewhere(file: &Path) {
    let text = std::fs::read_to_string(file).unwrap();
    let leaf: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    // Later than anything of our own.
    let time = 4_000_000_000_000_u64;
    let entry = |id: &str, parent: &Value, message: Value| json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2096-10-02T07:06:40.000Z", "message": message});
    let said = json!({"role": "user", "content": "And how high is the tide?", "timestamp": time});
    let answer = json!({"role": "assistant", "stopReason": "stop", "timestamp": time + 1,
        "content": [{"type": "text", "text": "It stands at 3.2 metres and rises."}]});
    let lines = [entry("elsewhere1", &leaf["id"], said), entry("elsewhere2", &json!("elsewhere1"), answer)];
    let mut file = std::fs::File::options().append(true).open(file).unwrap();
    for line in lines {
        writeln!(file, "{line}").unwrap();
    }
}

pub fn id(number: usize) -> String {
    format!("01a1e500-0000-7000-8000-{number:012}")
}
