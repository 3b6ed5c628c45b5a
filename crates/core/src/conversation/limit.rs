//! Cuts what is too long, and says how much is not shown. Every cut can be repeated: what was cut once is not cut again,
//! and a text that arrives in pieces ends with the same result as the whole.

use serde_json::Value;

use crate::conversation::message::{CallInfo, Content, Message, Part, ToolCall};
use crate::conversation::ui_message::BashResult;
use crate::limits::{
    CALL_LOCATIONS, ID_BYTES, LEADING_BLANK_BYTES, LINE_BYTES, MESSAGE_BYTES, MESSAGE_PARTS, NAME_BYTES,
    NOTICE_BYTES, ROW_IMAGES, ROW_TEXT_BYTES, ROW_VALUE_BYTES,
};
use crate::protocol::event::ToolOutput;

/// The longest mark.
const MARK_BYTES: usize = 32;

/// The least length to which the texts of a value are cut.
const LEAST_TEXT_BYTES: usize = 256;

/// The memory of a value, a list or an object in addition to its texts, in bytes.
const NODE_BYTES: usize = 16;

/// The text in place of the parts of a message that are too many.
pub const REST_OF_MESSAGE: &str = "… The rest of this message is not shown.";

/// The mark of a cut.
pub fn mark(bytes: u64) -> String {
    format!("… {} not shown", size(bytes))
}

/// A size such as `12.3 MB`.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        // Without floating-point numbers, whose formatting would add to the size of the page.
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10),
    }
}

fn bytes(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// Cuts a text at its end. Returns the number of bytes that are left out.
pub fn cut(text: &mut String, limit: usize) -> u64 {
    let end = text.floor_char_boundary(limit);
    let left_out = text.len() - end;
    if left_out > 0 {
        text.truncate(end);
        // A text that was collected in pieces may have reserved as much again.
        text.shrink_to_fit();
    }
    bytes(left_out)
}

/// Cuts the text of a row.
pub fn cut_row(text: &mut String) -> u64 {
    cut(text, ROW_TEXT_BYTES)
}

/// Cuts a text at its end and puts the mark there. The result is not longer than the limit.
pub fn shorten(text: &mut String, limit: usize) {
    if text.len() > limit {
        let all = text.len();
        let kept = text.floor_char_boundary(limit.saturating_sub(MARK_BYTES));
        text.truncate(kept);
        text.shrink_to_fit();
        text.push_str(&mark(bytes(all - kept)));
    }
}

/// Shortens an id that is too long. Different ids stay different: a number that depends on all of the id takes the place of
/// the rest.
pub fn shorten_id(id: &mut String) {
    if id.len() > ID_BYTES {
        // FNV-1a.
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325, step);
        id.truncate(id.floor_char_boundary(ID_BYTES - 17));
        id.push_str(&format!("-{hash:016x}"));
    }
}

/// The text of a block of a message: cut at its end, and after some blank space at its beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockText {
    pub text: String,
    pub left_out: u64,
}

impl BlockText {
    /// The whole text at once. `left_out` are the bytes that were left out before.
    pub fn of(mut text: String, left_out: u64) -> Self {
        let blank = text.len() - text.trim_start().len();
        if blank > LEADING_BLANK_BYTES {
            text.drain(text.ceil_char_boundary(LEADING_BLANK_BYTES)..blank);
        }
        let left_out = left_out.saturating_add(cut_row(&mut text));
        Self { text, left_out }
    }

    /// Appends the next piece.
    pub fn append(&mut self, piece: &str) {
        append(&mut self.text, &mut self.left_out, piece);
    }
}

impl From<String> for BlockText {
    /// A text that is short enough.
    fn from(text: String) -> Self {
        Self { text, left_out: 0 }
    }
}

/// Appends the next piece of a block. Takes no longer than the piece is long.
pub fn append(text: &mut String, left_out: &mut u64, mut piece: &str) {
    if text.len() < 2 * LEADING_BLANK_BYTES && text.trim_start().is_empty() {
        let words = piece.trim_start();
        let blank = &piece[..piece.len() - words.len()];
        let room = LEADING_BLANK_BYTES.saturating_sub(text.len());
        text.push_str(&blank[..blank.ceil_char_boundary(room)]);
        piece = words;
    }
    if *left_out > 0 {
        *left_out = left_out.saturating_add(bytes(piece.len()));
        return;
    }
    let end = piece.floor_char_boundary(ROW_TEXT_BYTES.saturating_sub(text.len()));
    text.push_str(&piece[..end]);
    *left_out = bytes(piece.len() - end);
}

/// Cuts the longest texts of a value until it is not larger than the limit. A value of too many parts is replaced by a mark.
/// Returns how much is left out.
pub fn cut_value(value: &mut Value, limit: usize) -> u64 {
    let all = size_with(value, usize::MAX);
    if all <= limit {
        return 0;
    }
    let mut longest = limit;
    while longest > LEAST_TEXT_BYTES && size_with(value, longest) > limit {
        longest /= 2;
    }
    if size_with(value, longest) > limit {
        let mark = Value::String(mark(bytes(all)));
        *value = Value::Object([("…".to_owned(), mark)].into_iter().collect());
    } else {
        cut_texts(value, longest);
    }
    bytes(all.saturating_sub(size_with(value, usize::MAX)).max(1))
}

/// Cuts the arguments or the details of a tool call.
pub fn cut_row_value(value: &mut Value) {
    cut_value(value, ROW_VALUE_BYTES);
}

/// The size of a value if its texts are not longer than this.
fn size_with(value: &Value, longest: usize) -> usize {
    let parts = match value {
        Value::String(text) => text.len().min(longest),
        Value::Array(items) => items.iter().map(|item| size_with(item, longest)).sum(),
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| key.len() + size_with(value, longest)).sum::<usize>()
        }
        _ => 0,
    };
    parts + NODE_BYTES
}

fn cut_texts(value: &mut Value, longest: usize) {
    match value {
        Value::String(text) => shorten(text, longest),
        Value::Array(items) => items.iter_mut().for_each(|item| cut_texts(item, longest)),
        Value::Object(fields) => fields.values_mut().for_each(|value| cut_texts(value, longest)),
        _ => {}
    }
}

/// Cuts the parts of a message, one by one and together. `is_reply` if its parts are blocks that are streamed.
pub fn cut_content(content: &mut Content, is_reply: bool) {
    let (mut parts, mut size, mut images) = (0, 0, 0);
    let mut kept: Vec<Part> = Vec::new();
    for mut part in std::mem::take(&mut content.0) {
        if let (Part::LeftOut { bytes }, Some(last)) = (&part, kept.last_mut()) {
            match last {
                Part::LeftOut { bytes: before } => *before = before.saturating_add(*bytes),
                _ => kept.push(part),
            }
            continue;
        }
        let left_out = cut_part(&mut part, is_reply);
        parts += 1;
        size += size_of(&part);
        images += usize::from(matches!(part, Part::Image(_)));
        if parts >= MESSAGE_PARTS || size > MESSAGE_BYTES || images > ROW_IMAGES {
            kept.push(Part::Text { text: REST_OF_MESSAGE.to_owned() });
            break;
        }
        kept.push(part);
        if left_out > 0 {
            kept.push(Part::LeftOut { bytes: left_out });
        }
    }
    content.0 = kept;
}

fn cut_part(part: &mut Part, is_reply: bool) -> u64 {
    match part {
        Part::Text { text } | Part::Thinking { thinking: text } if is_reply => {
            let block = BlockText::of(std::mem::take(text), 0);
            *text = block.text;
            return block.left_out;
        }
        Part::Text { text } | Part::Thinking { thinking: text } => return cut_row(text),
        Part::ToolCall(call) => cut_call(call),
        Part::Unknown(value) => cut_row_value(value),
        Part::Image(_) | Part::LeftOut { .. } => {}
    }
    0
}

fn size_of(part: &Part) -> usize {
    match part {
        Part::Text { text } | Part::Thinking { thinking: text } => text.len(),
        Part::ToolCall(call) => size_with(&call.arguments, usize::MAX),
        Part::Unknown(value) => size_with(value, usize::MAX),
        // The data of an image is not part of its row.
        Part::Image(_) | Part::LeftOut { .. } => 0,
    }
}

/// Cuts the arguments of a call, and what describes it.
pub fn cut_call(call: &mut ToolCall) {
    shorten_id(&mut call.id);
    shorten(&mut call.name, NAME_BYTES);
    cut_row_value(&mut call.arguments);
    if let Some(error) = &mut call.arguments_error {
        shorten(error, LINE_BYTES);
    }
    cut_call_info(&mut call.info);
}

pub fn cut_call_info(info: &mut CallInfo) {
    shorten(&mut info.title, LINE_BYTES);
    shorten(&mut info.own_name, NAME_BYTES);
    shorten_id(&mut info.parent);
    info.locations.truncate(CALL_LOCATIONS);
    info.locations.iter_mut().for_each(|location| shorten(&mut location.path, LINE_BYTES));
}

/// Cuts what a tool has returned.
pub fn cut_output(output: &mut ToolOutput) {
    output.left_out = output.left_out.saturating_add(cut_row(&mut output.text));
    output.images.truncate(ROW_IMAGES);
    output.details.iter_mut().for_each(cut_row_value);
}

/// Cuts a shell command and its output.
pub fn cut_bash(result: &mut BashResult) {
    result.left_out = result.left_out.saturating_add(cut_row(&mut result.output));
    shorten(&mut result.command, ROW_TEXT_BYTES);
}

/// Cuts everything in a message that rows show.
pub fn cut_message(message: &mut Message) {
    match message {
        Message::User { content, client_id, .. } => {
            cut_content(content, false);
            client_id.iter_mut().for_each(shorten_id);
        }
        Message::Assistant { content, error_message, .. } => {
            cut_content(content, true);
            error_message.iter_mut().for_each(|text| shorten(text, NOTICE_BYTES));
        }
        Message::ToolResult { tool_call_id, tool_name, content, details, call, .. } => {
            shorten_id(tool_call_id);
            shorten(tool_name, NAME_BYTES);
            cut_content(content, false);
            details.iter_mut().for_each(cut_row_value);
            call.iter_mut().for_each(|call| cut_call(call));
        }
        Message::BashExecution { result } => cut_bash(result),
        Message::Custom { content, .. } => cut_content(content, false),
        Message::Answered { words: text }
        | Message::CompactionSummary { summary: text }
        | Message::BranchSummary { summary: text } => shorten(text, ROW_TEXT_BYTES),
        Message::Hidden => {}
    }
}

#[cfg(test)]
#[path = "limit_tests.rs"]
mod tests;
