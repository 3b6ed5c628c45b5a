//! The stored conversations: of any length, with the mix of messages that agents produce.

use std::path::Path;

use serde_json::{Value, json};

use pilothouse_test_support::session_file::SessionFile;

use crate::answer::part;

const FIRST_MESSAGE: u64 = 1_767_225_600_000;

/// Writes a session to the folder in which the demo agent looks for it. Each turn has a prompt, a thought, two calls
/// with a kilobyte of result each, and 1.3 KB of Markdown.
pub fn write(agent_folder: &Path, cwd: &Path, id: &str, turns: usize) {
    let project = cwd.to_string_lossy().trim_start_matches('/').replace('/', "-");
    let folder = agent_folder.join(format!("sessions/--{project}--"));
    let mut file = SessionFile::new(id, &cwd.to_string_lossy());
    let mut time = FIRST_MESSAGE;
    let mut add = |mut message: Value| {
        message["timestamp"] = json!(time);
        time += 1_000;
        file.message(message);
    };
    let result = "src/session.rs:120: let start = events.partition_point(|event| event.number <= number);\n"
        .repeat(12);
    let answer = [1, 3, 5].map(part).concat();
    for turn in 0..turns {
        add(
            json!({"role": "user", "content": [{"type": "text", "text": format!("Question {turn}: where is it decided what is kept?")}]}),
        );
        let ids = [format!("a-{turn}"), format!("b-{turn}")];
        let call = |id: &String| json!({"type": "toolCall", "id": id, "name": "bash", "arguments": {"command": format!("grep -rn 'fn after_{turn}' src")}});
        add(json!({"role": "assistant", "stopReason": "toolUse", "content": [
            {"type": "thinking", "thinking": "It must be where events are numbered. Two places come into question, and both can be looked at."},
            call(&ids[0]), call(&ids[1]),
        ]}));
        for id in &ids {
            add(
                json!({"role": "toolResult", "toolCallId": id, "toolName": "bash", "isError": false, "content": [{"type": "text", "text": result}]}),
            );
        }
        add(
            json!({"role": "assistant", "stopReason": "stop", "content": [{"type": "text", "text": answer}]}),
        );
    }
    file.write(&folder);
}
