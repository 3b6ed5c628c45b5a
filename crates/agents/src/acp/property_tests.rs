//! Random sequences of what an agent may send and a user may do, valid and hostile.

use std::collections::BTreeMap;

use pilothouse_core::MessageController;
use pilothouse_core::conversation::ask::Answer;
use pilothouse_core::conversation::message::Message;
use pilothouse_core::conversation::queue::Lane;
use pilothouse_core::protocol::event::Event;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::Connection;
use crate::connection::{Open, Output};
use crate::event::AgentEvent;
use crate::framing::Line;
use crate::request::{Request, RequestId};

/// One step of a random conversation.
#[derive(Clone, Debug)]
enum Step {
    Prompt,
    Abort,
    /// Answers the oldest open ask.
    Answer(Answer),
    /// A line of the agent. `$prompt` in place of an id is the id of the last prompt.
    Line(Value),
    Garbage(Vec<u8>),
    Silence,
}

/// How a random conversation is opened.
#[derive(Clone, Copy, Debug)]
enum Opening {
    New,
    /// `session/load` of a conversation that is recorded: its replay is muted.
    Load,
    Import,
}

fn id() -> impl Strategy<Value = Value> {
    select(vec![json!("a"), json!("b"), json!("c"), json!(""), json!(7), Value::Null])
}

fn status() -> impl Strategy<Value = &'static str> {
    select(vec!["pending", "in_progress", "completed", "failed", "later"])
}

fn update() -> impl Strategy<Value = Value> {
    let text = select(vec!["x", " ", "", "[MODE_UPDATE] y", "**Head**\nz"]);
    let message = select(vec![json!("m1"), json!("m2"), Value::Null, json!(7)]);
    let content = select(vec![
        json!([]),
        json!([{"type": "content", "content": {"type": "text", "text": "out"}}]),
        json!([{"type": "diff", "path": "/a", "newText": "n"}]),
        json!([{"type": "hologram"}]),
        json!([{"type": "content", "content": {"type": "audio", "data": "QUJD", "mimeType": "audio/wav"}}]),
        json!("plain"),
    ]);
    let block = select(vec![
        json!("plain"),
        json!(["a", {"type": "text", "text": "b"}]),
        json!({"type": "hologram"}),
        json!({"type": "image", "data": "QUJD", "mimeType": "image/png"}),
        json!(5),
    ]);
    let compaction = select(vec![json!("k"), json!("l"), Value::Null]);
    let compaction_status = select(vec!["in_progress", "completed", "failed", "cancelled", "later"]);
    prop_oneof![
        3 => (select(vec!["agent_message_chunk", "agent_thought_chunk", "user_message_chunk"]), text, message).prop_map(
            |(kind, text, message)| json!({"sessionUpdate": kind, "content": {"type": "text", "text": text}, "messageId": message})
        ),
        4 => (select(vec!["tool_call", "tool_call_update"]), id(), status(), content).prop_map(
            |(kind, id, status, content)| json!({"sessionUpdate": kind, "toolCallId": id, "title": "T", "kind": "execute", "status": status, "content": content})
        ),
        1 => select(vec!["tool_call", "tool_call_update"]).prop_map(|kind| json!({"sessionUpdate": kind, "title": 5})),
        1 => Just(json!({"sessionUpdate": "plan", "entries": [{"content": "s", "status": "completed"}, 7]})),
        1 => Just(json!({"sessionUpdate": "usage_update", "used": 1, "size": 0})),
        1 => block.prop_map(|block| json!({"sessionUpdate": "agent_message_chunk", "content": block})),
        2 => (compaction.clone(), compaction_status).prop_map(
            |(id, status)| json!({"sessionUpdate": "compaction_update", "compactionId": id, "status": status})
        ),
        1 => compaction.prop_map(|id| {
            json!({"sessionUpdate": "compaction_summary_chunk", "compactionId": id, "content": {"type": "text", "text": "sum"}})
        }),
        2 => (select(vec!["child", "grandchild"]), select(vec!["idle", "running", ""])).prop_map(
            |(session, state)| json!({"sessionUpdate": "subagent_update", "sessionId": session, "title": "Child", "state": {"state": state}})
        ),
        1 => Just(json!({"sessionUpdate": "from_the_future", "x": 1})),
        1 => Just(json!(null)),
    ]
}

fn line() -> impl Strategy<Value = Value> {
    let session = select(vec!["s", "s", "s", "child", "grandchild", "other"]);
    let asking = select(vec!["s", "child", "other"]);
    let options = json!([
        {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
        {"optionId": "no", "name": "Reject", "kind": "reject_once"},
    ]);
    prop_oneof![
        8 => (session, update()).prop_map(
            |(session, update)| json!({"method": "session/update", "params": {"sessionId": session, "update": update}})
        ),
        3 => (0..5u32, id(), any::<bool>(), asking).prop_map(move |(request, id, bare, session)| {
            let call = if bare { json!({"toolCallId": id}) } else { json!({"toolCallId": id, "title": "T", "kind": "edit"}) };
            json!({"id": request, "method": "session/request_permission", "params": {"sessionId": session, "toolCall": call, "options": options}})
        }),
        1 => (10..13u32, id()).prop_map(|(request, id)| {
            json!({"id": request, "method": "elicitation/create", "params": {"mode": "form", "message": "?", "toolCallId": id}})
        }),
        1 => (10..13u32, id()).prop_map(|(request, id)| {
            json!({"id": request, "method": "elicitation/create", "params": {"mode": "url", "url": "https://x", "elicitationId": "e", "toolCallId": id}})
        }),
        1 => Just(json!({"method": "elicitation/complete", "params": {"elicitationId": "e"}})),
        1 => (select(vec!["session/request_permission", "fs/read_text_file"])).prop_map(
            |method| json!({"id": null, "method": method, "params": {"sessionId": "s"}})
        ),
        1 => select(vec!["session/update", "unknown"]).prop_map(
            |method| json!({"method": method, "params": {"update": {"sessionUpdate": "agent_message_chunk", "content": "x"}}})
        ),
        1 => Just(json!({"id": null, "error": {"code": -32700, "message": "Parse error"}})),
        1 => Just(json!({"id": "$prompt"})),
        1 => (20..23u32).prop_map(|id| json!({"id": id, "method": "fs/write_text_file", "params": {"path": "/etc/passwd"}})),
        1 => (0..5u32).prop_map(|id| json!({"method": "$/cancel_request", "params": {"requestId": id}})),
        3 => select(vec!["end_turn", "cancelled", "max_tokens", "refusal", "new_reason"])
            .prop_map(|reason| json!({"id": "$prompt", "result": {"stopReason": reason}})),
        1 => Just(json!({"id": "$prompt", "error": {"code": -32603, "message": "failed"}})),
        1 => Just(json!({"id": 999, "result": {}})),
        1 => Just(json!({"jsonrpc": "1.0"})),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => Just(Step::Prompt),
        1 => Just(Step::Abort),
        3 => select(vec![
            Answer::Choose("yes".into()),
            Answer::Choose("no".into()),
            Answer::Confirm(true),
            Answer::Form(Default::default()),
            Answer::Cancel,
        ]).prop_map(Step::Answer),
        20 => line().prop_map(Step::Line),
        1 => prop::collection::vec(any::<u8>(), 0..20).prop_map(Step::Garbage),
        1 => Just(Step::Silence),
    ]
}

/// A connection in a random conversation, and everything that must hold of it.
struct Checked {
    connection: Connection,
    live: MessageController,
    recorded: Vec<Message>,
    /// The replies per request.
    replies: BTreeMap<u64, usize>,
    last_request: u64,
    asks: Vec<String>,
    /// The requests of the agent, and the responses to them.
    asked: usize,
    answered: usize,
    prompt: Value,
    is_compacting: bool,
}

impl Checked {
    fn new(opening: Opening) -> Self {
        let mut checked = Self {
            connection: Connection::new(Vec::new(), super::capabilities()),
            live: MessageController::default(),
            recorded: Vec::new(),
            replies: BTreeMap::new(),
            last_request: 0,
            asks: Vec::new(),
            asked: 0,
            answered: 0,
            prompt: Value::Null,
            is_compacting: false,
        };
        let (session_id, folder) = ("s".to_owned(), "/".to_owned());
        checked.connection.open(match opening {
            Opening::New => Open::New { folder },
            Opening::Load => Open::Stored { session_id, folder },
            Opening::Import => Open::Import { session_id, folder },
        });
        checked.line(
            &json!({"id": 1, "result": {"protocolVersion": 1, "agentCapabilities": {"loadSession": true}}}),
        );
        checked
    }

    /// The agent's answer to the request that opens the session.
    fn opened(&mut self) {
        self.line(&json!({"id": 2, "result": {"sessionId": "s"}}));
    }

    fn request(&mut self, request: Request) {
        self.last_request += 1;
        self.replies.insert(self.last_request, 0);
        self.connection.request(RequestId(self.last_request), request);
        self.poll();
    }

    fn line(&mut self, line: &Value) {
        let mut line = line.clone();
        if line["id"] == "$prompt" {
            line["id"] = self.prompt.clone();
        } else if let (Some(method), Some(id)) = (line["method"].as_str(), line.get("id"))
            && (!id.is_null() || method != "session/update")
        {
            self.asked += 1;
        }
        self.connection.receive(Line::Complete(line.to_string().into_bytes()));
        self.poll();
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Prompt => self.request(Request::Prompt {
                text: "p".into(),
                images: Vec::new(),
                lane: Lane::Steer,
                context: Vec::new(),
            }),
            Step::Abort => self.request(Request::Abort),
            Step::Answer(answer) => {
                if !self.asks.is_empty() {
                    let ask_id = self.asks.remove(0);
                    self.request(Request::Answer { ask_id, answer });
                }
            }
            Step::Line(line) => self.line(&line),
            Step::Garbage(bytes) => {
                self.connection.receive(Line::Complete(bytes));
                self.poll();
            }
            Step::Silence => {
                self.silence();
            }
        }
    }

    /// Lets the time pass, if it is waited for. Returns whether it was.
    fn silence(&mut self) -> bool {
        let waits = self.connection.silence_timeout().is_some();
        if waits {
            self.connection.silence();
            self.poll();
        }
        waits
    }

    /// Lets everything end that the agent began.
    fn rest(&mut self) {
        // The end of a replay sends the prompts that waited for it.
        self.silence();
        for ask_id in std::mem::take(&mut self.asks) {
            self.request(Request::Answer { ask_id, answer: Answer::Cancel });
        }
        // Ignored without a turn.
        self.line(&json!({"id": "$prompt", "result": {"stopReason": "end_turn"}}));
        assert!(!self.silence() || !self.silence(), "the silence of the agent ends nothing");
        assert!(!self.live.is_running(), "a run goes on");
        assert!(!self.is_compacting, "a compaction goes on");
        assert!(!self.live.has_open_call(), "a row still runs");
        assert_eq!(self.answered, self.asked, "a request of the agent has no answer");
    }

    fn poll(&mut self) {
        while let Some(output) = self.connection.poll() {
            match output {
                Output::Write(line) => self.written(&serde_json::from_str(&line).unwrap()),
                Output::Reply(RequestId(id), _) => *self.replies.get_mut(&id).unwrap() += 1,
                Output::Event(AgentEvent::AskOpened(ask)) => self.asks.push(ask.id),
                Output::Event(AgentEvent::AskClosed { ask_id }) => self.asks.retain(|open| *open != ask_id),
                Output::Event(AgentEvent::Session(event)) => self.event(event),
                Output::Event(_) => {}
            }
        }
    }

    fn written(&mut self, line: &Value) {
        if line["method"] == "session/prompt" {
            self.prompt = line["id"].clone();
        }
        if line.get("method").is_none() {
            self.answered += 1;
        }
    }

    fn event(&mut self, event: Event) {
        match &event {
            Event::CompactionStart { .. } => self.is_compacting = true,
            Event::CompactionEnd { .. } | Event::AgentSettled { .. } => self.is_compacting = false,
            _ => {}
        }
        match &event {
            Event::MessageEnd { message } => self.recorded.push(message.clone()),
            Event::CompactionEnd { summary: Some(summary), .. } => {
                self.recorded.push(Message::CompactionSummary { summary: summary.clone() });
            }
            _ => {}
        }
        let settled = matches!(event, Event::AgentSettled { .. });
        self.live.handle_server_event(event);
        assert_eq!(self.live.broken_invariant(), None);
        if settled {
            assert!(!self.live.has_open_call(), "a row still runs after the end of a turn");
            let stored = MessageController::load_messages_from_history(self.recorded.iter().cloned());
            let comparable = |controller: &MessageController| {
                let rows = controller.rows().iter().cloned();
                rows.map(|mut row| {
                    row.id.clear();
                    row
                })
                .collect::<Vec<_>>()
            };
            assert_eq!(comparable(&self.live), comparable(&stored));
        }
    }

    /// The end of the process.
    fn close(&mut self) {
        self.connection.closed();
        self.poll();
        assert!(self.replies.values().all(|replies| *replies == 1), "{:?}", self.replies);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_sequence_breaks_the_conversation(
        opening in select(vec![Opening::New, Opening::New, Opening::Load, Opening::Import]),
        before in prop::collection::vec(step(), 0..8),
        steps in prop::collection::vec(step(), 0..60),
        is_killed in any::<bool>(),
    ) {
        let mut checked = Checked::new(opening);
        let count = before.len();
        for (index, step) in before.into_iter().chain(steps).enumerate() {
            if index == count {
                checked.opened();
            }
            checked.step(step);
            prop_assert!(checked.answered <= checked.asked, "an agent's request was answered twice");
            prop_assert_eq!(checked.answered + checked.asks.len(), checked.asked, "an agent's request is lost");
        }
        if !is_killed {
            checked.opened();
            checked.rest();
        }
        checked.close();
    }

    #[test]
    fn no_bytes_panic(lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..10)) {
        let mut connection = Connection::new(Vec::new(), super::capabilities());
        connection.open(Open::New { folder: "/".into() });
        for line in lines {
            connection.receive(Line::Complete(line));
        }
        connection.closed();
    }
}
