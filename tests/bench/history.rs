//! The conversations that are there before: as long as asked for, and of the mix that agents make.

use std::path::Path;

use serde_json::{Value, json};

use crate::answer::part;

/// Writes a session of so many turns to where the demo agent looks for it: a prompt, a thought, two calls with a
/// kilobyte of result each, and 1.3 KB of Markdown.
pub fn write(agent_folder: &Path, cwd: &Path, id: &str, turns: usize) {
    let project = cwd.to_string_lossy().trim_start_matches('/').replace('/', "-");
    let folder = agent_folder.join(format!("sessions/--{project}--"));
    std::fs::create_dir_all(&folder).unwrap();
    let mut session = Session { text: String::new(), entries: 0 };
    let header = json!({"type": "session", "version": 3, "id": id, "timestamp": "2026-01-01T00:00:00.000Z", "cwd": cwd});
    session.text.push_str(&format!("{header}\n"));
    let result = "src/session.rs:120: let start = events.partition_point(|event| event.number <= number);\n"
        .repeat(12);
    let answer = [1, 3, 5].map(part).concat();
    for turn in 0..turns {
        session.add(json!({"role": "user", "content": [{"type": "text", "text": format!("Question {turn}: where is it decided what is kept?")}]}));
        let ids = [format!("a-{turn}"), format!("b-{turn}")];
        let call = |id: &String| json!({"type": "toolCall", "id": id, "name": "bash", "arguments": {"command": format!("grep -rn 'fn after_{turn}' src")}});
        session.add(json!({"role": "assistant", "stopReason": "toolUse", "content": [
            {"type": "thinking", "thinking": "It must be where events are numbered. Two places come into question, and both can be looked at."},
            call(&ids[0]), call(&ids[1]),
        ]}));
        for id in &ids {
            session.add(json!({"role": "toolResult", "toolCallId": id, "toolName": "bash", "isError": false, "content": [{"type": "text", "text": result}]}));
        }
        session.add(
            json!({"role": "assistant", "stopReason": "stop", "content": [{"type": "text", "text": answer}]}),
        );
    }
    std::fs::write(folder.join(format!("2026-01-01T00-00-00-000Z_{id}.jsonl")), session.text).unwrap();
}

struct Session {
    text: String,
    entries: u64,
}

impl Session {
    fn add(&mut self, mut message: Value) {
        let number = self.entries;
        self.entries += 1;
        message["timestamp"] = json!(1_767_225_600_000 + number * 1_000);
        let parent = number.checked_sub(1).map(|parent| format!("e{parent}"));
        let entry = json!({"type": "message", "id": format!("e{number}"), "parentId": parent, "timestamp": "2026-01-01T00:00:00.000Z", "message": message});
        self.text.push_str(&format!("{entry}\n"));
    }
}
