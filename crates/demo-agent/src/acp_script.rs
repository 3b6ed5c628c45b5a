//! `--mode acp --script`: replays a conversation that was recorded from an agent with the Agent Client Protocol.
//!
//! The player waits for the recorded requests in their order and then sends the lines that followed them, with the ids
//! of the actual requests. Requests that the recording does not have get an empty answer if they only open or close the
//! session, else an error.

use std::{collections::HashMap, fs, time::Duration};

use anyhow::Context;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::{Arguments, stdio::Output};

struct AcpPlayer {
    steps: Vec<Step>,
    position: usize,
    /// Received messages whose steps are still ahead.
    early: Vec<Value>,
    /// The actual ids of requests, by the recorded ones.
    ids: HashMap<String, Value>,
    output: Output,
}

enum Step {
    Await(Value),
    Send(Duration, Value),
}

/// Plays the script until stdin closes.
pub(crate) async fn play(
    arguments: &Arguments,
    output: Output,
    mut lines: mpsc::Receiver<Vec<u8>>,
) -> anyhow::Result<()> {
    let path = arguments.script.as_deref().context("--mode acp needs a --script")?;
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut player =
        AcpPlayer { steps: steps(&text)?, position: 0, early: Vec::new(), ids: HashMap::new(), output };
    loop {
        player.match_early();
        match player.steps.get(player.position) {
            Some(Step::Send(delay, _)) => {
                if let Some(pause) = arguments.pace.scale(*delay) {
                    tokio::time::sleep(pause).await;
                }
                player.send_next();
                player.output.wait_for_room().await;
            }
            Some(Step::Await(_)) | None => match lines.recv().await {
                Some(line) => player.receive(&line),
                None => return Ok(()),
            },
        }
    }
}

fn steps(text: &str) -> anyhow::Result<Vec<Step>> {
    let mut steps = Vec::new();
    let mut time = 0;
    for record in text.lines().filter(|record| !record.trim().is_empty()) {
        let record: Value = serde_json::from_str(record).context("not a recording")?;
        let at = record["t"].as_u64().unwrap_or(time);
        let delay = Duration::from_millis(at.saturating_sub(time));
        time = at;
        let line = record["line"].clone();
        steps.push(if record["dir"] == "in" { Step::Await(line) } else { Step::Send(delay, line) });
    }
    Ok(steps)
}

impl AcpPlayer {
    /// Passes steps that await messages which have already arrived.
    fn match_early(&mut self) {
        while let Some(Step::Await(awaited)) = self.steps.get(self.position) {
            let Some(index) = self.early.iter().position(|message| is_equivalent(awaited, message)) else {
                return;
            };
            let actual = self.early.remove(index);
            if let Some(id) = actual.get("id").filter(|_| actual.get("method").is_some()) {
                self.ids.insert(awaited["id"].to_string(), id.clone());
            }
            self.position += 1;
        }
    }

    fn send_next(&mut self) {
        let Some(Step::Send(_, line)) = self.steps.get(self.position) else { return };
        let mut line = line.clone();
        self.position += 1;
        if line.get("method").is_none() {
            // The answer to a recorded request that was not sent.
            let Some(id) = self.ids.remove(&line["id"].to_string()) else { return };
            line["id"] = id;
        }
        self.output.send(&line);
    }

    fn receive(&mut self, line: &[u8]) {
        let Ok(message) = serde_json::from_slice::<Value>(line) else { return };
        let is_ahead = self.steps[self.position..].iter().any(|step| match step {
            Step::Await(awaited) => is_equivalent(awaited, &message),
            Step::Send(..) => false,
        });
        if is_ahead {
            self.early.push(message);
        } else if let (Some(method), Some(id)) = (message["method"].as_str(), message.get("id")) {
            let answer = match method {
                "session/close" | "session/resume" | "session/load" | "session/delete" => {
                    json!({"jsonrpc": "2.0", "id": id, "result": {}})
                }
                _ => json!({
                    "jsonrpc": "2.0", "id": id,
                    "error": {"code": -32601, "message": format!("{method} was not recorded")},
                }),
            };
            self.output.send(&answer);
        }
    }
}

/// Whether a message is the one that was recorded: the same method, or the answer to the same request.
fn is_equivalent(recorded: &Value, message: &Value) -> bool {
    match (recorded["method"].as_str(), message["method"].as_str()) {
        (None, None) => recorded["id"] == message["id"],
        // There are two ways to change the mode.
        (Some("session/set_mode"), Some("session/set_config_option")) => true,
        (Some(recorded), Some(method)) => recorded == method,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_matched_by_method_and_answers_by_id() {
        let prompt = json!({"id": 2, "method": "session/prompt"});
        assert!(is_equivalent(&prompt, &json!({"id": 9, "method": "session/prompt", "params": {}})));
        assert!(!is_equivalent(&prompt, &json!({"method": "session/cancel"})));
        assert!(is_equivalent(&json!({"id": 0, "result": {}}), &json!({"id": 0, "result": {"outcome": {}}})));
        assert!(!is_equivalent(&json!({"id": 0, "result": {}}), &json!({"id": 1, "result": {}})));
    }

    #[test]
    fn a_recording_becomes_steps_with_pauses() {
        let text = r#"{"dir":"in","t":5,"line":{"id":0,"method":"initialize"}}
{"dir":"out","t":25,"line":{"id":0,"result":{}}}"#;
        let steps = steps(text).unwrap();
        assert!(matches!(&steps[1], Step::Send(delay, _) if *delay == Duration::from_millis(20)));
        assert!(super::steps("junk").is_err());
    }
}
