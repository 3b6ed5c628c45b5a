//! Streams one reply: the message starts empty, grows by deltas, and ends complete, aborted or broken.
//!
//! As in recordings of pi, blocks stay open until the end of the stream, and then all end together.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    agent::{
        Agent,
        models::{API, PROVIDER},
    },
    pace::Cancel,
    protocol::{AssistantMessage, Content, Event, Message, StopReason, StreamEvent, ToolCall, Usage},
    scenes::Block,
    session::{self, context},
    tools::NumberedCall,
};

/// The delay before the first delta.
const FIRST_DELTA: Duration = Duration::from_millis(450);
/// The delay between deltas: about forty per second.
const BETWEEN_DELTAS: Duration = Duration::from_millis(25);
/// How often a held text checks for its file. Not scaled by the pace, because a test waits for it.
const FILE_CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// The way a stream ends unless it is aborted.
#[derive(Clone, Debug)]
pub(crate) enum Ending {
    Complete,
    /// The connection breaks: the blocks get no end event, and the message has the error.
    Broken(String),
}

/// A reply while it streams.
pub(crate) struct Stream<'a> {
    agent: &'a Arc<Agent>,
    cancel: &'a Cancel,
    message: AssistantMessage,
    /// The JSON text of the tool arguments so far, per block; empty for other blocks.
    raw_arguments: Vec<String>,
    started: Instant,
}

impl<'a> Stream<'a> {
    pub(crate) fn new(agent: &'a Arc<Agent>, cancel: &'a Cancel) -> Self {
        let message = agent.with(|state| AssistantMessage {
            content: Vec::new(),
            api: API,
            provider: PROVIDER,
            model: state.model.id,
            usage: Usage::default(),
            stop_reason: StopReason::Pending,
            timestamp: session::milliseconds(),
            response_id: None,
            raw_stop_reason: None,
            error_message: None,
            duration_ms: None,
            thinking_level: None,
        });
        Self { agent, cancel, message, raw_arguments: Vec::new(), started: Instant::now() }
    }

    /// Starts a message that is already an error.
    pub(crate) fn fail_at_once(mut self, error: &str) -> Message {
        self.message.stop_reason = StopReason::Error;
        self.message.error_message = Some(error.to_owned());
        let agent = self.agent;
        let message = self.into_message();
        agent.output.emit(&Event::MessageStart { message: &message });
        message
    }

    /// Streams all blocks. Returns the final message, whose end the caller announces.
    pub(crate) async fn play(mut self, blocks: &[Block], calls: &[NumberedCall], ending: &Ending) -> Message {
        let first = Message::Assistant(self.message.clone());
        self.agent.output.emit(&Event::MessageStart { message: &first });
        let context_tokens =
            self.agent.with(|state| context::tokens(&context::messages(state.session.entries())));
        let replies = self.agent.with(|state| context::count_role(state.session.entries(), "assistant"));
        self.message.response_id = Some(format!("demo-{:04}", replies + 1));
        let completed =
            self.agent.pace.wait(FIRST_DELTA, self.cancel).await && self.stream_blocks(blocks, calls).await;
        match ending {
            _ if !completed => {
                self.message.stop_reason = StopReason::Aborted;
                self.message.error_message = Some("Request was aborted".to_owned());
                self.end_blocks();
            }
            Ending::Complete => {
                self.message.usage = Usage::new(context_tokens, self.output_tokens());
                let (reason, raw) = match calls {
                    [] => (StopReason::Stop, "stop"),
                    _ => (StopReason::ToolUse, "tool_calls"),
                };
                self.message.stop_reason = reason;
                self.message.raw_stop_reason = Some(raw);
                self.end_blocks();
            }
            Ending::Broken(error) => {
                self.message.stop_reason = StopReason::Error;
                self.message.error_message = Some(error.clone());
            }
        }
        self.into_message()
    }

    fn into_message(mut self) -> Message {
        self.message.duration_ms = u64::try_from(self.started.elapsed().as_millis()).ok();
        self.message.thinking_level = Some(self.agent.with(|state| state.thinking_level));
        Message::Assistant(self.message)
    }

    /// Streams the blocks one after another. Returns false if aborted.
    async fn stream_blocks(&mut self, blocks: &[Block], calls: &[NumberedCall]) -> bool {
        let mut calls = calls.iter();
        for block in blocks {
            let completed = match block {
                Block::Thinking(text) => self.stream_thinking(text).await,
                Block::Text(text) => self.start_text() && self.stream_text(text).await,
                Block::HeldText { before, file, after } => {
                    self.start_text()
                        && self.stream_text(before).await
                        && self.hold_until(file).await
                        && self.stream_text(after).await
                }
                Block::Call(_) => match calls.next() {
                    Some(call) => self.stream_call(call).await,
                    None => true,
                },
            };
            if !completed {
                return false;
            }
        }
        true
    }

    async fn stream_thinking(&mut self, text: &str) -> bool {
        let content_index = self.open_block(Content::Thinking {
            thinking: String::new(),
            thinking_signature: "reasoning_content",
        });
        self.emit(StreamEvent::ThinkingStart { content_index });
        for delta in chunks(text) {
            if let Some(Content::Thinking { thinking, .. }) = self.message.content.last_mut() {
                thinking.push_str(delta);
            }
            self.emit(StreamEvent::ThinkingDelta { content_index, delta });
            if !self.pause().await {
                return false;
            }
        }
        true
    }

    fn start_text(&mut self) -> bool {
        let content_index = self.open_block(Content::text(""));
        self.emit(StreamEvent::TextStart { content_index });
        true
    }

    async fn stream_text(&mut self, part: &str) -> bool {
        let content_index = self.message.content.len() - 1;
        for delta in chunks(part) {
            if let Some(Content::Text { text }) = self.message.content.last_mut() {
                text.push_str(delta);
            }
            self.emit(StreamEvent::TextDelta { content_index, delta });
            if !self.pause().await {
                return false;
            }
        }
        true
    }

    async fn hold_until(&self, file: &Path) -> bool {
        while !file.exists() {
            tokio::select! {
                () = self.cancel.cancelled() => return false,
                () = tokio::time::sleep(FILE_CHECK_INTERVAL) => {}
            }
        }
        true
    }

    async fn stream_call(&mut self, numbered: &NumberedCall) -> bool {
        let tool = &numbered.call.tool;
        let content_index = self.open_block(Content::ToolCall(ToolCall {
            id: numbered.id.clone(),
            name: tool.name().to_owned(),
            arguments: json!({}),
            arguments_error: None,
        }));
        self.emit(StreamEvent::ToolCallStart { content_index, id: &numbered.id, tool_name: tool.name() });
        self.emit(StreamEvent::ToolCallDelta { content_index, delta: "" });
        let arguments = tool.arguments_text();
        for delta in chunks(&arguments) {
            self.raw_arguments[content_index].push_str(delta);
            self.emit(StreamEvent::ToolCallDelta { content_index, delta });
            if !self.pause().await {
                return false;
            }
        }
        true
    }

    fn open_block(&mut self, content: Content) -> usize {
        self.message.content.push(content);
        self.raw_arguments.push(String::new());
        self.message.content.len() - 1
    }

    /// Ends every open block in order. Tool arguments are parsed only now, as a whole.
    fn end_blocks(&mut self) {
        for (content_index, raw) in self.raw_arguments.iter().enumerate() {
            if let Content::ToolCall(call) = &mut self.message.content[content_index] {
                (call.arguments, call.arguments_error) = parse_arguments(raw);
            }
        }
        for (content_index, content) in self.message.content.iter().enumerate() {
            self.emit(match content {
                Content::Thinking { thinking, .. } => {
                    StreamEvent::ThinkingEnd { content_index, content: thinking }
                }
                Content::Text { text } => StreamEvent::TextEnd { content_index, content: text },
                Content::ToolCall(tool_call) => StreamEvent::ToolCallEnd { content_index, tool_call },
                Content::Image { .. } => continue,
            });
        }
    }

    fn output_tokens(&self) -> u64 {
        let text = |content: &Content| match content {
            Content::Text { text } => context::tokens_of_text(text),
            Content::Thinking { thinking, .. } => context::tokens_of_text(thinking),
            Content::ToolCall(_) | Content::Image { .. } => 0,
        };
        let arguments = self.raw_arguments.iter().map(|raw| context::tokens_of_text(raw));
        self.message.content.iter().map(text).chain(arguments).sum()
    }

    fn emit(&self, event: StreamEvent) {
        self.agent
            .output
            .emit(&Event::MessageUpdate { usage: &self.message.usage, assistant_message_event: event });
    }

    /// Pauses between two deltas. Returns false if aborted.
    async fn pause(&self) -> bool {
        self.agent.output.wait_for_room().await;
        self.agent.pace.wait(BETWEEN_DELTAS, self.cancel).await
    }
}

/// Parses tool arguments. Arguments that were cut off become an empty object and an error.
fn parse_arguments(raw: &str) -> (Value, Option<String>) {
    match serde_json::from_str(raw) {
        Ok(arguments) => (arguments, None),
        Err(_) => (
            json!({}),
            Some(format!(
                "Unterminated string in JSON at position {length} (line 1 column {})\n\nReceived arguments:\n{raw}",
                raw.len() + 1,
                length = raw.len(),
            )),
        ),
    }
}

/// Splits text into deltas of a few words each. The same text always yields the same deltas.
fn chunks(text: &str) -> impl Iterator<Item = &str> {
    // About a hundred deltas, each about as long as a real model's.
    let target = (text.len() / 100).clamp(12, 48);
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (chunk, after) = rest.split_at(chunk_end(rest, target));
        rest = after;
        Some(chunk)
    })
}

/// The end of the next delta: after a space near the target length, otherwise at a character boundary.
fn chunk_end(text: &str, target: usize) -> usize {
    if text.len() <= target {
        return text.len();
    }
    let limit = text.ceil_char_boundary(target);
    let before = text[..limit].rfind(' ').map(|space| space + 1).filter(|end| *end > target / 2);
    let reach = text.ceil_char_boundary((limit + target).min(text.len()));
    let after = || text[limit..reach].find(' ').map(|space| limit + space + 1);
    before.or_else(after).unwrap_or(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_concatenate_to_the_text() {
        for text in ["", "short", "A sentence with several words, and a few more.", &"⚓ähoi ".repeat(3000)]
        {
            let chunks: Vec<&str> = chunks(text).collect();
            assert_eq!(chunks.concat(), text);
            assert!(chunks.iter().all(|chunk| !chunk.is_empty()));
        }
    }

    #[test]
    fn chunks_end_at_words() {
        let chunks: Vec<&str> = chunks("Hello there, this is the demo.").collect();
        assert_eq!(chunks, ["Hello there, ", "this is the ", "demo."]);
    }
}
