//! Replies of the model, as steps in the order in which they are sent. `api` encodes them for an agent.

use serde_json::Value;

#[derive(Clone, Default)]
pub struct Reply {
    pub steps: Vec<Step>,
    calls: usize,
    /// The number of prompt tokens that the model reports.
    pub tokens: u64,
}

#[derive(Clone)]
pub enum Step {
    Text(String),
    Thinking(String),
    /// The start of a tool call. `number` counts the calls of the reply.
    Call {
        number: usize,
        id: String,
        tool: String,
    },
    /// A piece of a call's arguments, which are JSON.
    Arguments {
        number: usize,
        json: String,
    },
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
    pub fn text(mut self, text: &str) -> Self {
        self.steps.extend(pieces(text).map(Step::Text));
        self
    }

    pub fn thinking(mut self, text: &str) -> Self {
        self.steps.extend(pieces(text).map(Step::Thinking));
        self
    }

    /// Adds a call, with arguments in two pieces. Several calls of one reply run in parallel.
    pub fn call(mut self, tool: &str, arguments: Value) -> Self {
        let arguments = arguments.to_string();
        let (first, second) = arguments.split_at(arguments.floor_char_boundary(arguments.len() / 2));
        let number = self.calls;
        self.calls += 1;
        // Agents require ids that are unique in the conversation.
        let id = format!("call_{number}_{}", uuid());
        self.steps.push(Step::Call { number, id, tool: tool.to_owned() });
        for json in [first, second] {
            self.steps.push(Step::Arguments { number, json: json.to_owned() });
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

    pub const fn has_calls(&self) -> bool {
        self.calls > 0
    }
}

fn pieces(text: &str) -> impl Iterator<Item = String> {
    let characters: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = characters.chunks(7).map(|piece| piece.iter().collect()).collect();
    pieces.into_iter()
}

/// A number that is used once.
fn uuid() -> usize {
    static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(1);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}
