//! Random conversations, reproducible by seed: with tool results that come late, twice or never, repeated and empty ids,
//! errors, retries, summaries and side branches.

use serde_json::{Value, json};

pub(super) struct Conversation {
    random: u64,
    entries: Vec<Value>,
    leaf: Option<String>,
    /// The ids and tool names of calls without a result so far.
    open_calls: Vec<(String, String)>,
}

impl Conversation {
    pub(super) const fn new(seed: u64) -> Self {
        Self {
            random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            entries: Vec::new(),
            leaf: None,
            open_calls: Vec::new(),
        }
    }

    pub(super) fn file(mut self, entries: usize) -> Vec<u8> {
        while self.entries.len() < entries {
            self.step();
        }
        file(&self.entries)
    }

    /// A conversation that often goes back to an earlier entry. Returns the entries and the ids of those without a next one.
    pub(super) fn tree(mut self, count: usize) -> (Vec<Value>, Vec<String>) {
        while self.entries.len() < count {
            self.step();
            if self.random_below(40) == 0 {
                let length = self.entries.len() as u64;
                let back = usize::try_from(self.random_below(length + 1)).unwrap();
                self.leaf = self.entries.get(back).map(|entry| entry["id"].as_str().unwrap().to_owned());
            }
        }
        self.message(json!({"role": "user", "content": [{"type": "text", "text": "The last question"}]}));
        let is_leaf = |id: &&Value| !self.entries.iter().any(|other| other["parentId"] == **id);
        let leaves = self.entries.iter().map(|entry| &entry["id"]).filter(is_leaf);
        let leaves = leaves.map(|id| id.as_str().unwrap().to_owned()).collect();
        (self.entries, leaves)
    }

    fn random_below(&mut self, limit: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % limit
    }

    fn step(&mut self) {
        match self.random_below(20) {
            0..=4 => {
                let text = format!("Question {}", self.entries.len());
                self.message(json!({"role": "user", "content": [{"type": "text", "text": text}]}));
            }
            5..=9 => self.reply(),
            10..=15 => self.result(),
            16 => self.message(
                json!({"role": "assistant", "content": [], "stopReason": "error", "errorMessage": "503"}),
            ),
            17 => {
                self.message(json!({"role": "bashExecution", "command": "ls", "output": "a", "exitCode": 0}))
            }
            18 => self.entry(json!({"type": "compaction", "summary": "What was said."})),
            _ => {
                // A side branch that is abandoned.
                let leaf = self.leaf.clone();
                self.reply();
                self.leaf = leaf;
            }
        }
    }

    fn reply(&mut self) {
        let mut content = Vec::new();
        for part in 0..self.random_below(4) {
            match self.random_below(3) {
                0 => content.push(json!({"type": "thinking", "thinking": format!("Hm {part}")})),
                1 => content
                    .push(json!({"type": "text", "text": format!("Answer {} {part}", self.entries.len())})),
                _ => {
                    // Some ids are repeated and some are empty.
                    let id = match self.random_below(12) {
                        0 => String::new(),
                        id => format!(
                            "call{}",
                            if id < 4 { id } else { 10_000 + self.entries.len() as u64 * 4 + part }
                        ),
                    };
                    let name = ["bash", "read"][usize::from(self.random_below(2) == 0)].to_owned();
                    content
                        .push(json!({"type": "toolCall", "id": id, "name": name, "arguments": {"n": part}}));
                    self.open_calls.push((id, name));
                }
            }
        }
        let reason = ["stop", "toolUse", "aborted", "length"][usize::try_from(self.random_below(4)).unwrap()];
        self.message(json!({"role": "assistant", "content": content, "stopReason": reason}));
    }

    fn result(&mut self) {
        if self.open_calls.is_empty() || self.random_below(10) == 0 {
            return;
        }
        let position = usize::try_from(self.random_below(self.open_calls.len() as u64)).unwrap();
        let (id, name) = if self.random_below(8) == 0 {
            self.open_calls[position].clone()
        } else {
            self.open_calls.remove(position)
        };
        if self.random_below(12) == 0 {
            return;
        }
        let text = format!("Result {}", self.entries.len());
        let failed = self.random_below(9) == 0;
        self.message(json!({"role": "toolResult", "toolCallId": id, "toolName": name, "isError": failed,
            "content": [{"type": "text", "text": text}]}));
    }

    fn message(&mut self, message: Value) {
        self.entry(json!({"type": "message", "message": message}));
    }

    fn entry(&mut self, mut entry: Value) {
        let number = self.entries.len();
        let id = format!("e{number}");
        entry["id"] = json!(id);
        entry["parentId"] = json!(self.leaf);
        entry["timestamp"] = json!(time(number as u64));
        self.leaf = Some(id);
        self.entries.push(entry);
    }
}

pub(super) fn user_message(id: &str, parent: Option<&str>, second: u64, text: &str) -> Value {
    json!({"type": "message", "id": id, "parentId": parent, "timestamp": time(second),
        "message": {"role": "user", "content": text}})
}

/// The timestamp of a second after the beginning of 2026.
fn time(second: u64) -> String {
    let (minutes, hours) = (second / 60 % 60, second / 3_600);
    assert!(hours < 24);
    format!("2026-01-01T{hours:02}:{minutes:02}:{:02}.000Z", second % 60)
}

pub(super) fn line(entry: &Value) -> Vec<u8> {
    format!("{entry}\n").into_bytes()
}

pub(super) fn file(entries: &[Value]) -> Vec<u8> {
    let header =
        json!({"type": "session", "version": 3, "id": "s1", "timestamp": time(0), "cwd": "/project"});
    std::iter::once(&header).chain(entries).flat_map(line).collect()
}
