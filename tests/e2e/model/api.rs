//! The interfaces by which agents ask a model: chat completions (pi, opencode) and messages (Claude).

use serde_json::{Value, json};

use super::http::Connection;
use super::reply::{Reply, Step};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Api {
    ChatCompletions,
    Messages,
}

impl Api {
    /// The interface at this path, without its query.
    pub fn at(path: &str) -> Option<Self> {
        match path.split('?').next()? {
            "/v1/chat/completions" => Some(Self::ChatCompletions),
            "/v1/messages" => Some(Self::Messages),
            _ => None,
        }
    }

    pub fn refuse(self, connection: Connection, status: u16, why: &str) {
        let error = match self {
            Self::ChatCompletions => json!({"error": {"message": why, "type": "refused", "code": status}}),
            Self::Messages => {
                json!({"type": "error", "error": {"type": "invalid_request_error", "message": why}})
            }
        };
        connection.refuse(status, &error);
    }

    pub fn encoder(self) -> Encoder {
        Encoder { api: self, block: None, blocks: 0 }
    }
}

/// Encodes the steps of one reply.
pub struct Encoder {
    api: Api,
    /// The open block of a message: the number of a call, or a kind of text.
    block: Option<BlockKind>,
    blocks: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    Text,
    Thinking,
    Call(usize),
}

impl Encoder {
    pub fn begin(&mut self, connection: &mut Connection, reply: &Reply) {
        connection.begin_events();
        if self.api == Api::Messages {
            let usage = json!({"input_tokens": reply.tokens.max(100), "output_tokens": 1});
            let message = json!({"id": "msg_reply", "type": "message", "role": "assistant", "content": [],
                "model": "claude-example", "stop_reason": null, "stop_sequence": null, "usage": usage});
            event(connection, json!({"type": "message_start", "message": message}));
        }
    }

    pub fn step(&mut self, connection: &mut Connection, step: &Step) {
        match self.api {
            Api::ChatCompletions => {
                let delta = match step {
                    Step::Text(text) => json!({ "content": text }),
                    Step::Thinking(text) => json!({ "reasoning_content": text }),
                    Step::Call { number, id, tool } => json!({"tool_calls": [{"index": number, "id": id,
                        "type": "function", "function": {"name": tool, "arguments": ""}}]}),
                    Step::Arguments { number, json } => {
                        json!({"tool_calls": [{"index": number, "function": {"arguments": json}}]})
                    }
                    Step::Gate(_) | Step::Cut | Step::Refuse(..) => return,
                };
                connection.event(&chunk(json!([{"index": 0, "delta": delta}]), None));
            }
            Api::Messages => {
                let (kind, start, delta) = match step {
                    Step::Text(text) => (
                        BlockKind::Text,
                        json!({"type": "text", "text": ""}),
                        json!({"type": "text_delta", "text": text}),
                    ),
                    Step::Thinking(text) => (
                        BlockKind::Thinking,
                        json!({"type": "thinking", "thinking": "", "signature": ""}),
                        json!({"type": "thinking_delta", "thinking": text}),
                    ),
                    Step::Call { number, id, tool } => (
                        BlockKind::Call(*number),
                        json!({"type": "tool_use", "id": format!("toolu_{id}"), "name": tool, "input": {}}),
                        json!({"type": "input_json_delta", "partial_json": ""}),
                    ),
                    Step::Arguments { number, json } => (
                        BlockKind::Call(*number),
                        Value::Null,
                        json!({"type": "input_json_delta", "partial_json": json}),
                    ),
                    Step::Gate(_) | Step::Cut | Step::Refuse(..) => return,
                };
                if self.block != Some(kind) {
                    self.end_block(connection);
                    self.block = Some(kind);
                    let index = self.blocks;
                    event(
                        connection,
                        json!({"type": "content_block_start", "index": index, "content_block": start}),
                    );
                }
                let index = self.blocks;
                event(connection, json!({"type": "content_block_delta", "index": index, "delta": delta}));
            }
        }
    }

    fn end_block(&mut self, connection: &mut Connection) {
        if let Some(kind) = self.block.take() {
            let index = self.blocks;
            if kind == BlockKind::Thinking {
                let delta = json!({"type": "signature_delta", "signature": "c2lnbmVk"});
                event(connection, json!({"type": "content_block_delta", "index": index, "delta": delta}));
            }
            event(connection, json!({"type": "content_block_stop", "index": index}));
            self.blocks += 1;
        }
    }

    pub fn end(&mut self, connection: &mut Connection, reply: &Reply) {
        let tokens = reply.tokens.max(100);
        match self.api {
            Api::ChatCompletions => {
                let reason = if reply.has_calls() { "tool_calls" } else { "stop" };
                let finish = json!([{"index": 0, "delta": {}, "finish_reason": reason}]);
                connection.event(&chunk(finish, None));
                let usage =
                    json!({"prompt_tokens": tokens, "completion_tokens": 20, "total_tokens": tokens + 20});
                connection.event(&chunk(json!([]), Some(usage)));
                connection.event("[DONE]");
            }
            Api::Messages => {
                self.end_block(connection);
                let reason = if reply.has_calls() { "tool_use" } else { "end_turn" };
                event(
                    connection,
                    json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null},
                        "usage": {"output_tokens": 20}}),
                );
                event(connection, json!({"type": "message_stop"}));
            }
        }
    }
}

/// Sends an event that is named by its type.
fn event(connection: &mut Connection, data: Value) {
    let name = data["type"].as_str().unwrap_or_default().to_owned();
    connection.named_event(&name, &data.to_string());
}

fn chunk(choices: Value, usage: Option<Value>) -> String {
    let mut chunk = json!({"id": "reply", "object": "chat.completion.chunk", "created": 1,
        "model": "example-large", "choices": choices});
    if let Some(usage) = usage {
        chunk["usage"] = usage;
    }
    chunk.to_string()
}
