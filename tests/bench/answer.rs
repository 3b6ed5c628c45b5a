//! The long answer that is shown as it comes: in small pieces, once at a fixed rate and once as fast as it goes.

use serde_json::{Value, json};

/// Letters of one delta.
const DELTA: usize = 12;
pub const PER_SECOND: usize = 200;

/// What the person sends to get the answer at that rate, and all at once.
pub const PACED: &str = "Tell it in pieces.";
pub const BURST: &str = "Tell it at once.";

/// Its last words.
pub const END: &str = "That is all.";

/// The answer, in pieces of the same length. All letters are of one byte, so that it can be cut anywhere.
pub fn deltas(count: usize) -> Vec<String> {
    let mut text = String::new();
    for number in 0.. {
        if text.len() >= count * DELTA {
            break;
        }
        text.push_str(&part(number));
    }
    let pieces = text.as_bytes().chunks(DELTA).take(count - 1);
    let pieces = pieces.map(|piece| String::from_utf8_lossy(piece).into_owned());
    // Whatever was begun last is over before.
    pieces.chain([format!("\n```\n\n{END}")]).collect()
}

/// One paragraph, and in turn a heading, code, a list or a table with it.
pub fn part(number: usize) -> String {
    let paragraph = format!(
        "Step {number} reads the **state** of the session, compares it with `revision` {number} and keeps what both \
         have. What is left over is written *beside* it, so that nothing is lost when the other side comes back; see \
         [the notes](https://example.org/notes/{number}) for the order of these.\n\n"
    );
    match number % 5 {
        0 => format!("## Part {number}\n\n{paragraph}"),
        1 => format!(
            "{paragraph}```rust\n/// The events after number {number}, oldest first.\nfn after(events: &[Event], number: u64) -> \
             &[Event] {{\n    let start = events.partition_point(|event| event.number <= number);\n    \
             &events[start..]\n}}\n\nconst KEPT: usize = {number};\n```\n\n"
        ),
        2 => format!(
            "{paragraph}- first the **header**, {number} bytes\n- then the `body`\n  - as it came\n  - and as it is \
             shown\n- at last the sum\n\n"
        ),
        3 => format!(
            "{paragraph}| part | rows | time |\n|---|---:|---:|\n| fold | {number} | 12 |\n| draw | 60 | {number} |\n\n"
        ),
        _ => format!("> Nothing of this is decided before step {number} is over.\n\n{paragraph}"),
    }
}

/// The script by which the demo agent gives both answers, the paced one first.
pub fn script(count: usize) -> String {
    let deltas = deltas(count);
    // What an agent says is newer than what it was asked; an hour is more than the clocks of one machine differ.
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as u64;
    let mut script = Script { time: 0, stamp: now + 3_600_000, text: String::new() };
    script.answer(PACED, &deltas, (1_000 / PER_SECOND) as u64);
    script.answer(BURST, &deltas, 0);
    script.text
}

struct Script {
    time: u64,
    stamp: u64,
    text: String,
}

impl Script {
    fn record(&mut self, direction: &str, line: &Value) {
        let record = format!("{{\"dir\":\"{direction}\",\"t\":{},\"line\":{line}}}\n", self.time);
        self.text.push_str(&record);
    }

    fn out(&mut self, line: &Value) {
        self.record("out", line);
    }

    fn answer(&mut self, prompt: &str, deltas: &[String], pause: u64) {
        self.stamp += 1_000;
        let user =
            json!({"role": "user", "content": [{"type": "text", "text": prompt}], "timestamp": self.stamp});
        let assistant = |content: Value, reason: &str, stamp: u64| json!({"role": "assistant", "content": content, "stopReason": reason, "timestamp": stamp});
        let said = deltas.concat();
        self.record("in", &json!({"id": prompt, "type": "prompt", "message": prompt}));
        self.out(&json!({"id": prompt, "type": "response", "command": "prompt", "success": true, "data": {"disposition": "started"}}));
        self.out(&json!({"type": "agent_start"}));
        self.out(&json!({"type": "turn_start"}));
        self.out(&json!({"type": "message_start", "message": user}));
        self.out(&json!({"type": "message_end", "message": user}));
        self.out(
            &json!({"type": "message_start", "message": assistant(json!([]), "pending", self.stamp + 1)}),
        );
        self.update(&json!({"type": "text_start", "contentIndex": 0}));
        for delta in deltas {
            self.time += pause;
            self.update(&json!({"type": "text_delta", "contentIndex": 0, "delta": delta}));
        }
        self.update(&json!({"type": "text_end", "contentIndex": 0, "content": said}));
        let whole = assistant(json!([{"type": "text", "text": said}]), "stop", self.stamp + 1);
        self.out(&json!({"type": "message_end", "message": whole}));
        self.out(&json!({"type": "turn_end", "message": whole, "toolResults": []}));
        self.out(&json!({"type": "agent_end", "messages": [], "willRetry": false}));
        self.out(&json!({"type": "agent_settled", "aborted": false}));
    }

    fn update(&mut self, event: &Value) {
        self.out(&json!({"type": "message_update", "assistantMessageEvent": event}));
    }
}
