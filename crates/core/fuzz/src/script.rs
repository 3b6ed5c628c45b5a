//! Reads a conversation from text, one step per line: a letter for the kind of step, then one character for each
//! operand. Operands are optional. `x10` means "the call `a` of the tool `bash` starts".
//!
//! Any bytes are a valid script. Operands come from small sets, so that ids collide, repeat and are missing. The
//! fuzzer is good at removing and repeating lines, and a finding can be read and shortened by hand.

use pilothouse_core::conversation::ask::{Ask, AskKind, ClosedBy};
use pilothouse_core::conversation::message::{Content, Message, Part, StopReason, ToolCall};
use pilothouse_core::conversation::ui_message::{BashResult, Image};
use pilothouse_core::limits::ROW_TEXT_BYTES;
use pilothouse_core::protocol::event::{Event, ToolOutput, Update};
use serde_json::json;

/// The maximum number of steps. It is small enough that the reducer forgets no open call.
const STEPS: usize = 200;

const IDS: [&str; 5] = ["", "a", "b", "c", "r1"];
const TOOLS: [&str; 3] = ["bash", "read", ""];
const TEXTS: [&str; 8] = ["", " ", "one", "\n", "two\n", "ü€", "**three**", "\u{2028}"];
const INDICES: [usize; 5] = [0, 1, 2, 7, usize::MAX];
const STOPS: [StopReason; 6] = [
    StopReason::Stop,
    StopReason::ToolUse,
    StopReason::Error,
    StopReason::Aborted,
    StopReason::Length,
    StopReason::Pending,
];

#[derive(Debug)]
pub enum Step {
    /// An event, which all views apply.
    Event(Event),
    /// A page opens the session and gets a snapshot without the first `without` rows.
    Open { without: usize },
    /// That page loads older rows.
    Older { limit: usize },
    /// The user acts in a page.
    Local(LocalAction),
    /// A page gets a snapshot with corrupted values at these places.
    Corrupted { places: Vec<u8> },
}

/// An action of the user in a page.
#[derive(Debug)]
pub enum LocalAction {
    Prompt { id: &'static str, text: String },
    Refused { id: &'static str },
    Scheduled { id: &'static str },
    Failed { id: &'static str, text: String },
    Shell { id: &'static str, text: String },
}

pub fn steps(script: &[u8]) -> impl Iterator<Item = Step> {
    script.split(|byte| *byte == b'\n').filter_map(step).take(STEPS)
}

fn step(line: &[u8]) -> Option<Step> {
    let (verb, rest) = line.split_first()?;
    let mut operands = Operands(rest);
    Some(match verb {
        b'o' => Step::Open { without: operands.number() },
        b'O' => Step::Older { limit: operands.number() },
        b'j' => Step::Corrupted { places: rest.to_vec() },
        b'l' => Step::Local(LocalAction::Prompt { id: operands.id(), text: operands.text() }),
        b'R' => Step::Local(LocalAction::Refused { id: operands.id() }),
        b'f' => Step::Local(LocalAction::Scheduled { id: operands.id() }),
        b'E' => Step::Local(LocalAction::Failed { id: operands.id(), text: operands.text() }),
        b'p' => Step::Local(LocalAction::Shell { id: operands.id(), text: operands.text() }),
        verb => Step::Event(event(*verb, &mut operands)?),
    })
}

fn event(verb: u8, operands: &mut Operands) -> Option<Event> {
    Some(match verb {
        b'a' => Event::AgentStart,
        b'z' => Event::AgentEnd { will_retry: operands.flag() },
        b'Z' => Event::AgentSettled { aborted: operands.flag() },
        b'e' => Event::ProcessExit {
            code: Some(i32::from(operands.flag())),
            signal: None,
            expected: operands.flag(),
            stderr: Vec::new(),
            shell_lives: false,
        },
        b'u' => Event::MessageStart { message: user(operands) },
        b'U' => Event::MessageEnd { message: user(operands) },
        b'm' => Event::MessageStart { message: assistant(operands) },
        b'M' => Event::MessageEnd { message: assistant(operands) },
        b'r' => Event::MessageEnd { message: tool_result(operands) },
        b'S' => Event::MessageEnd {
            message: Message::Custom { content: content(operands.text()), display: operands.flag() },
        },
        b'h' => Event::MessageEnd { message: Message::BashExecution { result: bash(operands) } },
        b't' | b'T' | b'k' | b'K' | b'c' | b'C' | b'i' => {
            Event::MessageUpdate { update: update(verb, operands) }
        }
        b'x' => Event::ToolExecutionStart {
            tool_call_id: operands.id().into(),
            tool_name: operands.tool().into(),
            args: json!({ "command": operands.text() }),
        },
        b'y' => Event::ToolExecutionUpdate {
            tool_call_id: operands.id().into(),
            tool_name: operands.tool().into(),
            partial_result: ToolOutput { text: operands.text(), ..ToolOutput::default() },
        },
        b'Y' => Event::ToolExecutionDelta { tool_call_id: operands.id().into(), delta: operands.text() },
        b'X' => Event::ToolExecutionEnd {
            tool_call_id: operands.id().into(),
            tool_name: operands.tool().into(),
            result: ToolOutput { text: operands.text(), ..ToolOutput::default() },
            is_error: operands.flag(),
            duration_ms: None,
        },
        b'b' => Event::BashStart {
            id: operands.id().into(),
            command: operands.text(),
            exclude_from_context: operands.flag(),
        },
        b'd' => Event::BashExecutionUpdate { id: operands.id().into(), delta: operands.text() },
        b'B' => Event::BashEnd { id: operands.id().into(), result: bash(operands) },
        b's' => {
            let (summary, aborted) = (Some(operands.text()), operands.flag());
            Event::CompactionEnd { summary, aborted, error: None }
        }
        b'n' => Event::TitleChanged { title: operands.text() },
        b'q' => Event::AskOpened { ask: Box::new(ask(operands)) },
        b'Q' => Event::AskClosed { ask_id: operands.id().into(), by: ClosedBy::Answer },
        _ => return None,
    })
}

fn update(verb: u8, operands: &mut Operands) -> Update {
    let content_index = operands.index();
    match verb {
        b't' => Update::TextDelta { content_index, delta: operands.text() },
        b'T' => Update::TextEnd { content_index, content: operands.text() },
        b'i' => Update::LeftOut { content_index, bytes: operands.number() as u64 },
        b'k' => Update::ThinkingDelta { content_index, delta: operands.text() },
        b'K' => Update::ThinkingEnd { content_index, content: operands.text() },
        b'c' => Update::ToolcallStart {
            content_index,
            id: operands.id().into(),
            tool_name: operands.tool().into(),
        },
        _ => Update::ToolcallEnd { content_index, tool_call: call(operands) },
    }
}

fn user(operands: &mut Operands) -> Message {
    let client_id = Some(operands.id()).filter(|id| !id.is_empty()).map(String::from);
    let mut content = content(operands.text());
    if operands.flag() {
        content.0.push(Part::Image(Image { blob: "picture".into(), ..Image::default() }));
    }
    Message::User { content, client_id, timestamp: None }
}

/// Reads a stop reason and the parts: `t` or `k` with a text, `c` with an id and a tool, others are unknown parts.
fn assistant(operands: &mut Operands) -> Message {
    let stop_reason = operands.one_of(&STOPS);
    let error_message = (stop_reason == StopReason::Error).then(|| "it failed".to_owned());
    let mut parts = Vec::new();
    while let Some(kind) = operands.next() {
        parts.push(match kind {
            b't' => Part::Text { text: operands.text() },
            b'k' => Part::Thinking { thinking: operands.text() },
            b'i' => Part::LeftOut { bytes: operands.number() as u64 },
            b'c' => Part::ToolCall(call(operands)),
            _ => Part::Unknown(json!({ "type": "unknown" })),
        });
    }
    Message::Assistant { content: Content(parts), stop_reason, error_message, timestamp: None }
}

fn tool_result(operands: &mut Operands) -> Message {
    Message::ToolResult {
        tool_call_id: operands.id().into(),
        tool_name: operands.tool().into(),
        content: content(operands.text()),
        details: None,
        is_error: operands.flag(),
        duration_ms: None,
        call: None,
    }
}

fn call(operands: &mut Operands) -> ToolCall {
    let (id, name) = (operands.id().into(), operands.tool().into());
    ToolCall { id, name, arguments: json!({}), ..ToolCall::default() }
}

fn bash(operands: &mut Operands) -> BashResult {
    BashResult { command: "ls".into(), output: operands.text(), ..BashResult::default() }
}

fn ask(operands: &mut Operands) -> Ask {
    Ask {
        id: operands.id().into(),
        kind: AskKind::Confirm,
        approval: operands.flag(),
        title: "May I?".into(),
        ..Ask::default()
    }
}

fn content(text: String) -> Content {
    Content(vec![Part::Text { text }])
}

/// The characters after the letter. A missing one counts as `0`.
struct Operands<'a>(&'a [u8]);

impl Operands<'_> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self) -> usize {
        usize::from(self.next().unwrap_or(b'0').wrapping_sub(b'0'))
    }

    fn one_of<T: Copy>(&mut self, set: &[T]) -> T {
        set[self.number() % set.len()]
    }

    fn id(&mut self) -> &'static str {
        self.one_of(&IDS)
    }

    fn tool(&mut self) -> &'static str {
        self.one_of(&TOOLS)
    }

    fn index(&mut self) -> usize {
        self.one_of(&INDICES)
    }

    fn flag(&mut self) -> bool {
        self.number() % 2 == 1
    }

    /// One of the texts; `L` to `N` are long ones, two of which are more than a row shows.
    fn text(&mut self) -> String {
        if let Some((letter @ b'L'..=b'N', rest)) = self.0.split_first() {
            self.0 = rest;
            let letters = ["x", "€", " "][usize::from(letter - b'L')];
            return letters.repeat(ROW_TEXT_BYTES * 2 / 3 / letters.len());
        }
        self.one_of(&TEXTS).to_owned()
    }
}
