//! Streams one reply: a message that starts empty, grows by deltas and ends whole, or cut short by an abort.
//!
//! As in pi's recordings, several blocks are open at once and all end when the stream ends.

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
    protocol::{AssistantMessage, Content, Event, Growth, Message, StopReason, ToolCall, Usage},
    scenes::Block,
    session::{self, context},
    tools::NumberedCall,
};

/// Until the first word.
const FIRST_TOKEN: Duration = Duration::from_millis(450);
/// About forty deltas in a second.
const BETWEEN_DELTAS: Duration = Duration::from_millis(25);
/// How often a held text looks for its file. Not scaled: it is a test that waits.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// How the stream ends when nobody aborts it.
#[derive(Clone, Debug)]
pub(crate) enum Ending {
    Whole,
    /// The connection breaks: no block is ended, the message carries the error.
    Broken(String),
}

/// A reply while it streams.
pub(crate) struct Stream<'a> {
    agent: &'a Arc<Agent>,
    cancel: &'a Cancel,
    message: AssistantMessage,
    /// Arguments as text so far, per block.
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

    /// A message that is an error from the start.
    pub(crate) fn fail_at_once(mut self, error: &str) -> Message {
        self.message.stop_reason = StopReason::Error;
        self.message.error_message = Some(error.to_owned());
        let agent = self.agent;
        let message = self.closed();
        agent.output.emit(&Event::MessageStart { message: &message });
        message
    }

    /// Streams all blocks; returns the message as it ended, which has not been announced yet.
    pub(crate) async fn play(mut self, blocks: &[Block], calls: &[NumberedCall], ending: &Ending) -> Message {
        let first = Message::Assistant(self.message.clone());
        self.agent.output.emit(&Event::MessageStart { message: &first });
        let context_tokens =
            self.agent.with(|state| context::tokens(&context::messages(state.session.entries())));
        let replies = self.agent.with(|state| context::count_role(state.session.entries(), "assistant"));
        self.message.response_id = Some(format!("demo-{:04}", replies + 1));
        let went_through =
            self.agent.pace.wait(FIRST_TOKEN, self.cancel).await && self.stream_blocks(blocks, calls).await;
        match ending {
            _ if !went_through => {
                self.message.stop_reason = StopReason::Aborted;
                self.message.error_message = Some("Request was aborted".to_owned());
                self.end_blocks();
            }
            Ending::Whole => {
                self.message.usage = Usage::new(context_tokens, self.own_tokens());
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
        self.closed()
    }

    fn closed(mut self) -> Message {
        self.message.duration_ms = u64::try_from(self.started.elapsed().as_millis()).ok();
        self.message.thinking_level = Some(self.agent.with(|state| state.thinking_level));
        Message::Assistant(self.message)
    }

    /// Tells whether the stream reached its end.
    async fn stream_blocks(&mut self, blocks: &[Block], calls: &[NumberedCall]) -> bool {
        let mut calls = calls.iter();
        for block in blocks {
            let went_through = match block {
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
            if !went_through {
                return false;
            }
        }
        true
    }

    async fn stream_thinking(&mut self, text: &str) -> bool {
        let content_index =
            self.open(Content::Thinking { thinking: String::new(), thinking_signature: "reasoning_content" });
        self.update(Growth::ThinkingStart { content_index });
        for delta in chunks(text) {
            if let Some(Content::Thinking { thinking, .. }) = self.message.content.last_mut() {
                thinking.push_str(delta);
            }
            self.update(Growth::ThinkingDelta { content_index, delta });
            if !self.breathe().await {
                return false;
            }
        }
        true
    }

    fn start_text(&mut self) -> bool {
        let content_index = self.open(Content::text(""));
        self.update(Growth::TextStart { content_index });
        true
    }

    async fn stream_text(&mut self, piece: &str) -> bool {
        let content_index = self.message.content.len() - 1;
        for delta in chunks(piece) {
            if let Some(Content::Text { text }) = self.message.content.last_mut() {
                text.push_str(delta);
            }
            self.update(Growth::TextDelta { content_index, delta });
            if !self.breathe().await {
                return false;
            }
        }
        true
    }

    async fn hold_until(&self, file: &Path) -> bool {
        while !file.exists() {
            tokio::select! {
                () = self.cancel.cancelled() => return false,
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        }
        true
    }

    async fn stream_call(&mut self, numbered: &NumberedCall) -> bool {
        let tool = &numbered.call.tool;
        let content_index = self.open(Content::ToolCall(ToolCall {
            id: numbered.id.clone(),
            name: tool.name().to_owned(),
            arguments: json!({}),
            arguments_error: None,
        }));
        self.update(Growth::ToolCallStart { content_index, id: &numbered.id, tool_name: tool.name() });
        self.update(Growth::ToolCallDelta { content_index, delta: "" });
        let arguments = tool.arguments_text();
        for delta in chunks(&arguments) {
            self.raw_arguments[content_index].push_str(delta);
            self.update(Growth::ToolCallDelta { content_index, delta });
            if !self.breathe().await {
                return false;
            }
        }
        true
    }

    fn open(&mut self, content: Content) -> usize {
        self.message.content.push(content);
        self.raw_arguments.push(String::new());
        self.message.content.len() - 1
    }

    /// Ends every open block, in order; arguments count only now.
    fn end_blocks(&mut self) {
        for (content_index, raw) in self.raw_arguments.iter().enumerate() {
            if let Content::ToolCall(call) = &mut self.message.content[content_index] {
                (call.arguments, call.arguments_error) = parse_arguments(raw);
            }
        }
        for (content_index, content) in self.message.content.iter().enumerate() {
            self.update(match content {
                Content::Thinking { thinking, .. } => {
                    Growth::ThinkingEnd { content_index, content: thinking }
                }
                Content::Text { text } => Growth::TextEnd { content_index, content: text },
                Content::ToolCall(tool_call) => Growth::ToolCallEnd { content_index, tool_call },
                Content::Image { .. } => continue,
            });
        }
    }

    fn own_tokens(&self) -> u64 {
        let text = |content: &Content| match content {
            Content::Text { text } => context::tokens_of_text(text),
            Content::Thinking { thinking, .. } => context::tokens_of_text(thinking),
            Content::ToolCall(_) | Content::Image { .. } => 0,
        };
        let arguments = self.raw_arguments.iter().map(|raw| context::tokens_of_text(raw));
        self.message.content.iter().map(text).chain(arguments).sum()
    }

    fn update(&self, growth: Growth) {
        self.agent
            .output
            .emit(&Event::MessageUpdate { usage: &self.message.usage, assistant_message_event: growth });
    }

    /// The pause between two deltas; false when it was aborted.
    async fn breathe(&self) -> bool {
        self.agent.output.keep_pace().await;
        self.agent.pace.wait(BETWEEN_DELTAS, self.cancel).await
    }
}

/// Arguments that were cut off are empty, with the reason beside them.
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

/// Pieces whose concatenation is the text. The same text always gives the same pieces.
fn chunks(text: &str) -> impl Iterator<Item = &str> {
    // About a hundred pieces, within what a model's deltas look like.
    let target = (text.len() / 100).clamp(12, 48);
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, after) = rest.split_at(cut(rest, target));
        rest = after;
        Some(piece)
    })
}

/// The end of the next piece: after a space near the target, else at a character.
fn cut(text: &str, target: usize) -> usize {
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
    fn pieces_make_up_the_text() {
        for text in ["", "short", "A sentence with several words, and a few more.", &"⚓ähoi ".repeat(3000)]
        {
            let pieces: Vec<&str> = chunks(text).collect();
            assert_eq!(pieces.concat(), text);
            assert!(pieces.iter().all(|piece| !piece.is_empty()));
        }
    }

    #[test]
    fn pieces_end_at_words() {
        let pieces: Vec<&str> = chunks("Hello there, this is the demo.").collect();
        assert_eq!(pieces, ["Hello there, ", "this is the ", "demo."]);
    }
}
