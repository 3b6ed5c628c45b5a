//! Replies of the model, as steps in the order in which they are sent.

use serde_json::{Value, json};

#[derive(Clone, Default)]
pub struct Reply {
    pub steps: Vec<Step>,
    calls: usize,
    /// The number of prompt tokens that the model reports.
    pub tokens: u64,
}

#[derive(Clone)]
pub enum Step {
    Delta(Value),
    /// Waits until the story opens the gate of this name.
    Gate(String),
    /// Closes the connection.
    Cut,
    /// Refuses with a status and a message.
    Refuse(u16, String),
}

/// A reply of text.
pub fn says(text: &str) -> Reply {
    Reply::default().text(text)
}

/// A reply that calls a tool.
pub fn calls(tool: &str, arguments: Value) -> Reply {
    Reply::default().call(tool, arguments)
}

pub fn refuses(status: u16, why: &str) -> Reply {
    Reply { steps: vec![Step::Refuse(status, why.to_owned())], ..Reply::default() }
}

impl Reply {
    /// Adds text in pieces of a few characters, as a model sends it.
    pub fn text(self, text: &str) -> Self {
        self.pieces("content", text)
    }

    pub fn thinking(self, text: &str) -> Self {
        self.pieces("reasoning_content", text)
    }

    /// Adds a call, with arguments in two pieces. Several calls of one reply run in parallel.
    pub fn call(mut self, tool: &str, arguments: Value) -> Self {
        let arguments = arguments.to_string();
        let (first, second) = arguments.split_at(arguments.floor_char_boundary(arguments.len() / 2));
        let index = self.calls;
        self.calls += 1;
        let id = format!("call_{index}_{}", self.steps.len());
        let start = json!({"index": index, "id": id, "type": "function",
            "function": {"name": tool, "arguments": first}});
        let rest = json!({"index": index, "function": {"arguments": second}});
        for call in [start, rest] {
            self.steps.push(Step::Delta(json!({"tool_calls": [call]})));
        }
        self
    }

    pub fn gate(mut self, name: &str) -> Self {
        self.steps.push(Step::Gate(name.to_owned()));
        self
    }

    pub fn cut(mut self) -> Self {
        self.steps.push(Step::Cut);
        self
    }

    /// Sets the number of prompt tokens.
    pub const fn using(mut self, tokens: u64) -> Self {
        self.tokens = tokens;
        self
    }

    pub const fn finish_reason(&self) -> &'static str {
        if self.calls > 0 { "tool_calls" } else { "stop" }
    }

    fn pieces(mut self, field: &str, text: &str) -> Self {
        let characters: Vec<char> = text.chars().collect();
        for piece in characters.chunks(7) {
            self.steps.push(Step::Delta(json!({ field: piece.iter().collect::<String>() })));
        }
        self
    }
}
