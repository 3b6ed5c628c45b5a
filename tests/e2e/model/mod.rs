//! The model server of the real agents: sends a story's replies in order, and records the requests. A reply waits at its gates, so
//! that a story can act in the middle of it.

mod api;
mod http;
pub mod reply;

use std::collections::{HashSet, VecDeque};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};

use serde_json::{Value, json};

use pilothouse_test_support::wait;

use self::api::Api;
use self::http::Connection;
use self::reply::{Reply, Step, says};

pub struct Model {
    pub port: u16,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    opened: Condvar,
}

#[derive(Default)]
struct State {
    script: VecDeque<Reply>,
    requests: Vec<Value>,
    open_gates: HashSet<String>,
    /// The gate at which summaries wait.
    summary_gate: Option<String>,
    ended: bool,
}

impl Model {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::<Shared>::default();
        let own = shared.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if own.state.lock().unwrap().ended {
                    return;
                }
                let shared = own.clone();
                std::thread::spawn(move || shared.serve(stream));
            }
        });
        Self { port, shared }
    }

    /// Adds replies to the script.
    pub fn will<const COUNT: usize>(&self, replies: [Reply; COUNT]) {
        self.shared.state.lock().unwrap().script.extend(replies);
    }

    /// Opens a gate: a reply that waits there continues, and one that arrives later does not wait.
    pub fn open(&self, gate: &str) {
        self.shared.state.lock().unwrap().open_gates.insert(gate.to_owned());
        self.shared.opened.notify_all();
    }

    /// Makes summaries wait at a gate.
    pub fn summaries_wait_at(&self, gate: &str) {
        self.shared.state.lock().unwrap().summary_gate = Some(gate.to_owned());
    }

    /// The requests, the newest last, without requests for summaries.
    pub fn requests(&self) -> Vec<Value> {
        self.shared.state.lock().unwrap().requests.clone()
    }

    /// The text of the last message in the last request.
    pub fn last_heard(&self) -> String {
        let requests = self.requests();
        let messages = requests.last().and_then(|request| request["messages"].as_array());
        messages.and_then(|messages| messages.last()).map(text_of).unwrap_or_default()
    }

    /// Waits until there were so many requests.
    pub async fn until_asked(&self, times: usize) {
        let what = format!("request {times} to the model");
        wait::until_true(&what, || self.requests().len() >= times).await;
    }

    pub fn has_said_everything(&self) -> bool {
        self.shared.state.lock().unwrap().script.is_empty()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.shared.state.lock().unwrap().ended = true;
        self.shared.opened.notify_all();
        // Wakes the accepting thread, so that it stops.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

impl Shared {
    fn serve(&self, stream: TcpStream) {
        let Some((connection, path, request)) = Connection::accept(stream) else { return };
        let Some(api) = Api::at(&path) else {
            return connection.refuse(404, &json!({"error": {"message": format!("nothing at {path}")}}));
        };
        let reply = self.reply_to(request);
        self.play(api, &reply, connection);
    }

    /// Returns the next reply. A request without tools is for a summary or a title and not part of the script.
    fn reply_to(&self, request: Value) -> Reply {
        let mut state = self.state.lock().unwrap();
        if request["tools"].as_array().is_none_or(Vec::is_empty) {
            let reply = Reply::default();
            let reply = match &state.summary_gate {
                Some(gate) => reply.gate(gate),
                None => reply,
            };
            return reply.text("A summary of the conversation so far.");
        }
        state.requests.push(request);
        state.script.pop_front().unwrap_or_else(|| says("There is no more in the script."))
    }

    fn play(&self, api: Api, reply: &Reply, mut connection: Connection) {
        if let Some(Step::Refuse(status, why)) = reply.steps.first() {
            return api.refuse(connection, *status, why);
        }
        let mut encoder = api.encoder();
        encoder.begin(&mut connection, reply);
        for step in &reply.steps {
            match step {
                Step::Gate(name) if self.wait_for(name) => {}
                Step::Gate(_) | Step::Cut | Step::Refuse(..) => return connection.cut(),
                step => encoder.step(&mut connection, step),
            }
        }
        encoder.end(&mut connection, reply);
        connection.end();
    }

    /// Waits at a gate. Returns false if the story ended before the gate was opened.
    fn wait_for(&self, gate: &str) -> bool {
        let closed = |state: &mut State| !state.ended && !state.open_gates.contains(gate);
        let state = self.opened.wait_while(self.state.lock().unwrap(), closed).unwrap();
        !state.ended
    }
}

/// The text of a message, from a string or from parts.
pub fn text_of(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}
