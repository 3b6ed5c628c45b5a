//! Builds conversations of any length for the benches, with the mix of rows that agents produce.
#![allow(dead_code, reason = "each bench uses a part of it")]

use pilothouse_core::conversation::message::{Content, Message, Part, StopReason, ToolCall};
use pilothouse_core::protocol::event::{Event, ToolOutput, Update};
use pilothouse_core::{Kind, MessageController, UiMessage};
use serde_json::json;

const PARAGRAPH: &str =
    "The reducer folds **events** into rows, one after the other, and says which it touched.\n\n";

/// A conversation of exactly `count` rows, all of them finished.
pub fn of_rows(count: usize) -> MessageController {
    let mut controller = MessageController::default();
    for number in 0.. {
        if controller.total() >= count {
            break;
        }
        for message in row(number) {
            controller.handle_server_event(Event::MessageEnd { message });
        }
    }
    controller
}

/// The messages of the next row: a prompt, thinking, two calls with a kilobyte of result, an answer.
fn row(number: usize) -> Vec<Message> {
    match number % 5 {
        0 => vec![user("Please look into it.")],
        1 => vec![assistant(vec![Part::Thinking { thinking: PARAGRAPH.into() }])],
        2 | 3 => {
            let id = format!("call-{number}");
            vec![assistant(vec![call(&id)]), result(&id)]
        }
        _ => vec![assistant(vec![Part::Text { text: PARAGRAPH.repeat(15) }])],
    }
}

/// The events of one turn: a prompt, streamed thinking and text, two parallel calls with growing output, and a
/// final text. Each turn has its own ids.
pub fn turn(number: usize) -> Vec<Event> {
    let ids = [format!("a-{number}"), format!("b-{number}")];
    let mut events = vec![
        Event::AgentStart,
        Event::MessageStart { message: user("Please look into it.") },
        Event::MessageEnd { message: user("Please look into it.") },
        Event::MessageStart { message: assistant(Vec::new()) },
    ];
    let thought = "Where would that be? ";
    events.extend((0..8).map(|_| update(Update::ThinkingDelta { content_index: 0, delta: thought.into() })));
    events.extend((0..24).map(|_| delta(1, "I shall look at ")));
    let mut parts = vec![
        Part::Thinking { thinking: thought.repeat(8) },
        Part::Text { text: "I shall look at ".repeat(24) },
    ];
    for (index, id) in ids.iter().enumerate() {
        let (content_index, tool_name) = (2 + index, "bash".to_owned());
        events.push(update(Update::ToolcallStart { content_index, id: id.clone(), tool_name }));
        events.push(update(Update::ToolcallEnd { content_index, tool_call: tool_call(id) }));
        parts.push(call(id));
    }
    events.push(Event::MessageEnd { message: assistant(parts) });
    events.extend(ids.iter().map(|id| Event::ToolExecutionStart {
        tool_call_id: id.clone(),
        tool_name: "bash".into(),
        args: json!({ "command": "ls -l" }),
    }));
    for lines in 1..=8 {
        events.extend(ids.iter().map(|id| Event::ToolExecutionUpdate {
            tool_call_id: id.clone(),
            tool_name: "bash".into(),
            partial_result: output(lines),
        }));
    }
    events.extend(ids.iter().rev().map(|id| Event::ToolExecutionEnd {
        tool_call_id: id.clone(),
        tool_name: "bash".into(),
        result: output(8),
        is_error: false,
        duration_ms: Some(20),
    }));
    events.extend(ids.iter().map(|id| Event::MessageEnd { message: result(id) }));
    events.push(Event::MessageStart { message: assistant(Vec::new()) });
    events.extend((0..32).map(|_| delta(0, "That is all of it. ")));
    let text = "That is all of it. ".repeat(32);
    events.push(Event::MessageEnd { message: assistant(vec![Part::Text { text }]) });
    events.push(Event::AgentSettled { aborted: false });
    events
}

pub fn delta(content_index: usize, delta: &str) -> Event {
    update(Update::TextDelta { content_index, delta: delta.into() })
}

pub fn update(update: Update) -> Event {
    Event::MessageUpdate { update }
}

pub fn answer(text: &str) -> UiMessage {
    UiMessage { id: "last".into(), kind: Kind::Assistant, text: text.into(), ..UiMessage::default() }
}

fn user(text: &str) -> Message {
    Message::User {
        content: Content(vec![Part::Text { text: text.into() }]),
        client_id: None,
        timestamp: None,
    }
}

fn assistant(parts: Vec<Part>) -> Message {
    Message::Assistant {
        content: Content(parts),
        stop_reason: StopReason::Stop,
        error_message: None,
        timestamp: None,
    }
}

fn call(id: &str) -> Part {
    Part::ToolCall(tool_call(id))
}

fn tool_call(id: &str) -> ToolCall {
    ToolCall {
        id: id.into(),
        name: "bash".into(),
        arguments: json!({ "command": "ls -l" }),
        ..ToolCall::default()
    }
}

fn result(id: &str) -> Message {
    Message::ToolResult {
        tool_call_id: id.into(),
        tool_name: "bash".into(),
        content: Content(vec![Part::Text { text: output(16).text }]),
        details: None,
        is_error: false,
        duration_ms: Some(20),
        call: None,
    }
}

fn output(lines: usize) -> ToolOutput {
    let text = "-rw-r--r-- 1 me me 4096 somewhere/in/the/project/file.rs\n".repeat(lines);
    ToolOutput { text, ..ToolOutput::default() }
}

/// The end of an assistant message without content.
pub fn empty_end() -> Event {
    Event::MessageEnd { message: assistant(Vec::new()) }
}
