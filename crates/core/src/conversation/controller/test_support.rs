//! Helpers for the reducer's tests: short constructors for events and messages, and rows in the notation of the
//! numbered cases.

use serde_json::{Value, json};

use super::{MessageController, Report};
use crate::conversation::message::{Content, Message, Part, StopReason, ToolCall};
use crate::conversation::ui_message::{BashResult, Kind, Mark};
use crate::protocol::event::{Event, ToolOutput, Update};

/// The rows in the notation of the cases: `U(text)`, `A(text)`, `T(id, phase, result)` …
pub fn notation(controller: &MessageController) -> Vec<String> {
    let rows = controller.rows().iter().map(|row| {
        let mark = match row.mark {
            Some(Mark::Interrupted) => " interrupted",
            Some(Mark::Cancelled) => " cancelled",
            Some(Mark::Sending) => " sending",
            Some(Mark::Refused) => " refused",
            Some(Mark::Answered | Mark::Compacted | Mark::LeftBranch) | None => "",
        };
        let images = "+image".repeat(row.images.len());
        let body = match (&row.tool_step, &row.bash_result) {
            (Some(step), _) => {
                let result = step.result.as_ref().map(|result| format!(", {result}")).unwrap_or_default();
                format!("T({}, {}{result})", step.call_id, step.phase.name())
            }
            (_, Some(bash)) => format!("B({})", bash.command),
            _ => {
                let letter = match row.kind {
                    Kind::User => "U",
                    Kind::Assistant => "A",
                    Kind::Thinking => "K",
                    Kind::Error => "E",
                    _ => "S",
                };
                format!("{letter}({})", row.text)
            }
        };
        format!("{body}{images}{mark}")
    });
    rows.collect()
}

pub fn fold(events: impl IntoIterator<Item = Event>) -> MessageController {
    let mut controller = MessageController::default();
    controller.apply_all(events);
    controller
}

pub fn history(messages: impl IntoIterator<Item = Message>) -> MessageController {
    MessageController::load_messages_from_history(messages)
}

impl MessageController {
    /// Applies events and checks the invariants after each of them.
    pub fn apply_all(&mut self, events: impl IntoIterator<Item = Event>) -> Report {
        let mut report = Report::new();
        for event in events {
            report.extend(self.handle_server_event(event));
            assert_eq!(self.broken_invariant(), None, "{self:#?}");
        }
        report
    }

    /// A controller restored from a snapshot of all rows, which passes through JSON as on the wire.
    pub fn restored(&self) -> Self {
        self.restored_with(usize::MAX)
    }

    /// The same with only the last rows, as a page gets them.
    pub fn restored_with(&self, limit: usize) -> Self {
        let mut snapshot = self.snapshot(limit);
        let json = serde_json::to_string(&(&snapshot.rows, &snapshot.fold)).unwrap();
        (snapshot.rows, snapshot.fold) = serde_json::from_str(&json).unwrap();
        Self::restore(snapshot)
    }
}

pub fn text(index: usize, delta: &str) -> Event {
    Event::MessageUpdate { update: Update::TextDelta { content_index: index, delta: delta.into() } }
}

pub fn thinking(index: usize, delta: &str) -> Event {
    Event::MessageUpdate { update: Update::ThinkingDelta { content_index: index, delta: delta.into() } }
}

pub fn text_end(index: usize, content: &str) -> Event {
    Event::MessageUpdate { update: Update::TextEnd { content_index: index, content: content.into() } }
}

/// A complete call in the open message.
pub fn call(index: usize, id: &str) -> Event {
    Event::MessageUpdate { update: Update::ToolcallEnd { content_index: index, tool_call: tool_call(id) } }
}

pub fn tool_call(id: &str) -> ToolCall {
    ToolCall {
        id: id.into(),
        name: "bash".into(),
        arguments: json!({ "command": id }),
        ..ToolCall::default()
    }
}

pub fn begin(id: &str) -> Event {
    begin_with(id, json!({ "command": id }))
}

pub fn begin_with(id: &str, args: Value) -> Event {
    Event::ToolExecutionStart { tool_call_id: id.into(), tool_name: "bash".into(), args }
}

pub fn progress(id: &str, output: &str) -> Event {
    Event::ToolExecutionUpdate {
        tool_call_id: id.into(),
        tool_name: "bash".into(),
        partial_result: output_of(output),
    }
}

pub fn end(id: &str, output: &str) -> Event {
    end_with(id, output, false)
}

pub fn fail(id: &str, output: &str) -> Event {
    end_with(id, output, true)
}

fn end_with(id: &str, output: &str, is_error: bool) -> Event {
    Event::ToolExecutionEnd {
        tool_call_id: id.into(),
        tool_name: "bash".into(),
        result: output_of(output),
        is_error,
        duration_ms: None,
    }
}

fn output_of(text: &str) -> ToolOutput {
    ToolOutput { text: text.into(), ..ToolOutput::default() }
}

pub fn result(id: &str, output: &str) -> Message {
    Message::ToolResult {
        tool_call_id: id.into(),
        tool_name: "bash".into(),
        content: Content(vec![said(output)]),
        details: None,
        is_error: false,
        duration_ms: None,
        call: None,
    }
}

pub fn started() -> Event {
    Event::MessageStart { message: assistant(vec![], StopReason::Pending) }
}

pub fn assistant(parts: Vec<Part>, stop_reason: StopReason) -> Message {
    Message::Assistant { content: Content(parts), stop_reason, error_message: None, timestamp: None }
}

/// An assistant message that ended normally.
pub fn answer(text: &str) -> Message {
    assistant(vec![said(text)], StopReason::Stop)
}

pub fn failed(error: &str) -> Message {
    Message::Assistant {
        content: Content::default(),
        stop_reason: StopReason::Error,
        error_message: Some(error.into()),
        timestamp: None,
    }
}

pub fn said(text: &str) -> Part {
    Part::Text { text: text.into() }
}

pub fn thought(text: &str) -> Part {
    Part::Thinking { thinking: text.into() }
}

pub fn user(text: &str) -> Message {
    Message::User { content: Content(vec![said(text)]), client_id: None, timestamp: None }
}

pub fn user_of(client_id: &str, text: &str) -> Message {
    Message::User { content: Content(vec![said(text)]), client_id: Some(client_id.into()), timestamp: None }
}

pub fn starts(message: Message) -> Event {
    Event::MessageStart { message }
}

pub fn ended(message: Message) -> Event {
    Event::MessageEnd { message }
}

pub fn settled() -> Event {
    Event::AgentSettled { aborted: false }
}

pub fn stopped() -> Event {
    Event::AgentSettled { aborted: true }
}

pub fn died() -> Event {
    Event::ProcessExit { code: Some(1), signal: None, expected: false, stderr: vec![], shell_lives: false }
}

pub fn bash_start(id: &str, command: &str) -> Event {
    Event::BashStart { id: id.into(), command: command.into(), exclude_from_context: false }
}

pub fn bash_end(id: &str, command: &str) -> Event {
    Event::BashEnd { id: id.into(), result: bash(command) }
}

pub fn bash(command: &str) -> BashResult {
    BashResult { command: command.into(), output: "out".into(), exit_code: Some(0), ..BashResult::default() }
}
