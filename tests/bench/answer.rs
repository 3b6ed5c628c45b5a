//! The long answer that streams in small pieces, once at a fixed rate and once as fast as possible.

use serde_json::{Value, json};

use pilothouse_test_support::scripted_agent::Script;

/// Characters of one delta.
const DELTA: usize = 12;
pub const PER_SECOND: usize = 200;

/// The prompts for the answer at that rate, and for the answer at once.
pub const PACED: &str = "Tell it in pieces.";
pub const BURST: &str = "Tell it at once.";

/// The last words of the answer.
pub const END: &str = "That is all.";

/// The answer, in pieces of the same length. All characters are ASCII, so that it can be cut anywhere.
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
    // Closes a code block that may be open.
    pieces.chain([format!("\n```\n\n{END}")]).collect()
}

/// A paragraph with, in turn, a heading, code, a list, a table or a quote.
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

/// The script by which the agent gives both answers, the paced one first.
pub fn script(count: usize) -> Script {
    let deltas = deltas(count);
    // Answers must be newer than their prompts; an hour is more than the clocks of one machine differ.
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as u64;
    let stamp = now + 3_600_000;
    let mut script = Script::default();
    answer(&mut script, PACED, &deltas, (1_000 / PER_SECOND) as u64, stamp + 1_000);
    answer(&mut script, BURST, &deltas, 0, stamp + 2_000);
    script
}

fn answer(script: &mut Script, prompt: &str, deltas: &[String], pause: u64, stamp: u64) {
    let user = json!({"role": "user", "content": [{"type": "text", "text": prompt}], "timestamp": stamp});
    let assistant = |content: Value, reason: &str| json!({"role": "assistant", "content": content, "stopReason": reason, "timestamp": stamp + 1});
    let text = deltas.concat();
    script.run(|script| {
        script.send(json!({"type": "turn_start"}));
        script.send(json!({"type": "message_start", "message": user}));
        script.send(json!({"type": "message_end", "message": user}));
        script.send(json!({"type": "message_start", "message": assistant(json!([]), "pending")}));
        update(script, &json!({"type": "text_start", "contentIndex": 0}));
        for delta in deltas {
            script.pause(pause);
            update(script, &json!({"type": "text_delta", "contentIndex": 0, "delta": delta}));
        }
        update(script, &json!({"type": "text_end", "contentIndex": 0, "content": text}));
        let whole = assistant(json!([{"type": "text", "text": text}]), "stop");
        script.send(json!({"type": "message_end", "message": whole}));
        script.send(json!({"type": "turn_end", "message": whole, "toolResults": []}));
    });
}

fn update(script: &mut Script, event: &Value) {
    script.send(json!({"type": "message_update", "assistantMessageEvent": event}));
}
