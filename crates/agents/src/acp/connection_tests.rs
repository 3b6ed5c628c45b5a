//! Opening a session, and the updates that the recordings do not have.

use pilothouse_core::conversation::message::{Message, Part};
use pilothouse_core::{Kind, Mark, MessageController, Phase, UiMessage};

use super::*;

/// A connection, and what it wrote and reported.
struct Agent {
    connection: Connection,
    written: Vec<Value>,
    events: Vec<AgentEvent>,
    replies: Vec<(RequestId, Result<Reply, AgentError>)>,
}

impl Agent {
    fn opening(open: Open) -> Self {
        let mut connection = Connection::new(vec!["agent".to_owned()], crate::acp::capabilities());
        connection.open(open);
        let mut agent = Self { connection, written: Vec::new(), events: Vec::new(), replies: Vec::new() };
        agent.poll();
        agent
    }

    /// An agent with these capabilities and an open session.
    fn ready(capabilities: Value) -> Self {
        let mut agent = Self::opening(Open::New { folder: "/ship".to_owned() });
        agent.initialized(capabilities);
        agent.answer("session/new", json!({ "sessionId": "s" }));
        agent
    }

    fn initialized(&mut self, capabilities: Value) {
        self.answer("initialize", json!({"protocolVersion": 1, "agentCapabilities": capabilities}));
    }

    fn line(&mut self, line: Value) {
        self.connection.receive(Line::Complete(line.to_string().into_bytes()));
        self.poll();
    }

    fn update(&mut self, update: Value) {
        self.line(json!({"method": "session/update", "params": {"sessionId": "s", "update": update}}));
    }

    /// The id of the last request with this method.
    fn id_of(&self, method: &str) -> Value {
        let request = self.written.iter().rfind(|line| line["method"] == method);
        request.unwrap_or_else(|| panic!("{method} was not sent: {:?}", self.methods()))["id"].clone()
    }

    fn answer(&mut self, method: &str, result: Value) {
        let id = self.id_of(method);
        self.line(json!({"id": id, "result": result}));
    }

    fn refuse(&mut self, method: &str, code: i64, message: &str) {
        let id = self.id_of(method);
        self.line(json!({"id": id, "error": {"code": code, "message": message}}));
    }

    fn request(&mut self, request: Request) {
        let id = RequestId(self.replies.len() as u64 + 100);
        self.connection.request(id, request);
        self.poll();
    }

    fn prompt(&mut self, text: &str) {
        let (text, images, context) = (text.to_owned(), Vec::new(), Vec::new());
        self.request(Request::Prompt { text, images, lane: Lane::Steer, context });
    }

    fn poll(&mut self) {
        while let Some(output) = self.connection.poll() {
            match output {
                Output::Write(line) => self.written.push(serde_json::from_str(&line).unwrap()),
                Output::Event(event) => self.events.push(event),
                Output::Reply(id, reply) => self.replies.push((id, reply)),
            }
        }
    }

    fn methods(&self) -> Vec<&str> {
        self.written.iter().filter_map(|line| line["method"].as_str()).collect()
    }

    fn rows(&self) -> Vec<UiMessage> {
        let mut controller = MessageController::default();
        for event in &self.events {
            if let AgentEvent::Session(event) = event {
                controller.handle_server_event(event.clone());
            }
        }
        controller.rows().to_vec()
    }

    fn has(&self, is: impl Fn(&AgentEvent) -> bool) -> bool {
        self.events.iter().any(is)
    }
}

fn chunk(text: &str) -> Value {
    json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}})
}

#[test]
fn a_stored_session_is_resumed_then_loaded_then_begun_anew() {
    let stored = || Open::Stored { session_id: "old".to_owned(), folder: "/ship".to_owned() };
    let mut agent = Agent::opening(stored());
    agent.initialized(json!({"loadSession": true, "sessionCapabilities": {"resume": {}}}));
    agent.refuse("session/resume", -32002, "unknown");
    agent.update(chunk("replayed"));
    agent.refuse("session/load", -32603, "gone");
    agent.answer("session/new", json!({ "sessionId": "new" }));
    assert_eq!(agent.methods(), ["initialize", "session/resume", "session/load", "session/new"]);
    assert!(agent.has(|event| *event == AgentEvent::MemoryLost { reason: "gone".to_owned() }));
    assert!(agent.has(|event| *event == AgentEvent::SessionStarted { agent_session_id: "new".to_owned() }));
    assert!(agent.rows().is_empty(), "a replay of what is recorded is muted");

    let mut agent = Agent::opening(stored());
    agent.initialized(json!({}));
    agent.answer("session/new", json!({ "sessionId": "new" }));
    assert!(agent.has(|event| *event == AgentEvent::MemoryLost { reason: String::new() }));
}

#[test]
fn a_muted_replay_ends_with_silence_and_the_prompt_waits_for_it() {
    let mut agent = Agent::opening(Open::Stored { session_id: "s".to_owned(), folder: "/".to_owned() });
    agent.initialized(json!({ "loadSession": true }));
    agent.prompt("hello");
    agent.answer("session/load", json!({}));
    agent.update(chunk("late"));
    assert_eq!(agent.connection.silence_timeout(), Some(REPLAY_SILENCE));
    assert!(!agent.methods().contains(&"session/prompt"));
    agent.connection.silence();
    agent.poll();
    assert!(agent.methods().contains(&"session/prompt"));
    agent.update(chunk("now"));
    let texts: Vec<String> = agent.rows().into_iter().map(|row| row.text).collect();
    assert_eq!(texts, ["hello", "now"]);
}

#[test]
fn reasons_for_the_end_of_a_turn_are_said() {
    let ended = |reason: &str| {
        let mut agent = Agent::ready(json!({}));
        agent.prompt("go");
        agent.update(chunk("half"));
        agent.answer("session/prompt", json!({ "stopReason": reason }));
        let row = agent.rows().pop().unwrap();
        (row.kind, row.text)
    };
    assert_eq!(ended("end_turn"), (Kind::Assistant, "half".to_owned()));
    assert!(matches!(ended("max_tokens"), (Kind::System, text) if text.contains("token limit")));
    assert!(matches!(ended("max_turn_requests"), (Kind::Error, text) if text.contains("limit of requests")));
    assert!(matches!(ended("refusal"), (Kind::Error, text) if text.contains("refused")));
    assert!(matches!(ended("cancelled"), (Kind::System, text) if text == "The agent cancelled the turn."));
    assert!(matches!(ended("moon_phase"), (Kind::System, text) if text.contains("moon_phase")));
}

#[test]
fn a_sub_agent_is_a_row_with_nested_calls() {
    let mut agent = Agent::ready(json!({}));
    agent.prompt("delegate");
    agent.update(json!({"sessionUpdate": "subagent_update", "sessionId": "child", "title": "Scout", "description": "Look around"}));
    let child = |update: Value| json!({"method": "session/update", "params": {"sessionId": "child", "update": update}});
    agent.line(child(chunk("I see land")));
    agent.line(child(json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "Read map", "kind": "read", "status": "completed"})));
    agent.line(
        json!({"method": "session/update", "params": {"sessionId": "stranger", "update": chunk("nonsense")}}),
    );
    agent.update(
        json!({"sessionUpdate": "subagent_update", "sessionId": "child", "state": {"state": "idle"}}),
    );
    agent.answer("session/prompt", json!({ "stopReason": "end_turn" }));
    let rows = agent.rows();
    let steps: Vec<_> = rows.iter().filter_map(|row| row.tool_step.as_ref()).collect();
    assert_eq!(steps.len(), 2, "{rows:?}");
    assert_eq!((steps[0].tool_name.as_str(), steps[0].result.as_deref()), ("task", Some("I see land")));
    assert_eq!(steps[1].info.parent, steps[0].call_id);
    assert!(steps.iter().all(|step| step.phase == Phase::Done));
    assert!(!rows.iter().any(|row| row.text.contains("nonsense")));
}

#[test]
fn images_notices_and_compactions_of_the_agent_are_shown() {
    let mut agent = Agent::ready(json!({}));
    agent.prompt("draw");
    agent.update(chunk("Here:"));
    agent.update(json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "image", "data": "QUJD", "mimeType": "image/png"}}));
    for _ in 0..2 {
        agent.update(json!({"sessionUpdate": "compaction_update", "compactionId": "k", "status": "completed", "summary": "Short."}));
    }
    agent.update(
        json!({"sessionUpdate": "notice", "severity": "warning", "title": "Careful", "description": "Low tide"}),
    );
    agent.answer("session/prompt", json!({ "stopReason": "end_turn" }));
    let rows = agent.rows();
    assert_eq!(rows[2].images[0].mime_type, "image/png");
    assert_eq!(
        rows.iter().filter(|row| row.mark == Some(Mark::Compacted)).count(),
        1,
        "reported twice, shown once"
    );
    let notice = Event::Notice { level: NoticeLevel::Warning, text: "Careful: Low tide".to_owned() };
    assert!(agent.has(|event| *event == AgentEvent::Session(notice.clone())));
    // The recorded message has the image, too.
    let recorded = agent.events.iter().any(|event| match event {
        AgentEvent::Session(Event::MessageEnd { message: Message::Assistant { content, .. } }) => {
            content.0.iter().any(|part| matches!(part, Part::Image(_)))
        }
        _ => false,
    });
    assert!(recorded);
}

#[test]
fn work_in_the_background_is_a_run_that_ends_with_silence() {
    let mut agent = Agent::ready(json!({}));
    agent.prompt("start it");
    agent.answer("session/prompt", json!({ "stopReason": "end_turn" }));
    assert_eq!(agent.connection.silence_timeout(), None);
    agent.update(chunk("It is done, by the way."));
    assert_eq!(agent.connection.silence_timeout(), Some(BACKGROUND_SILENCE));
    agent.connection.silence();
    agent.poll();
    let settled = agent
        .events
        .iter()
        .filter(|event| matches!(event, AgentEvent::Session(Event::AgentSettled { aborted: false })));
    assert_eq!(settled.count(), 2);
    assert_eq!(agent.connection.silence_timeout(), None);
}

#[test]
fn a_request_that_the_agent_withdraws_is_closed_and_answered_once() {
    let mut agent = Agent::ready(json!({}));
    agent.prompt("ask");
    agent.line(json!({"id": "q", "method": "session/request_permission", "params": {"sessionId": "s",
        "toolCall": {"toolCallId": "c", "title": "T"}, "options": []}}));
    agent.line(json!({"method": "$/cancel_request", "params": {"requestId": "q"}}));
    agent.line(json!({"id": 5, "method": "elicitation/create", "params": {"mode": "url", "url": "https://x", "elicitationId": "e"}}));
    agent.line(json!({"method": "elicitation/complete", "params": {"elicitationId": "e"}}));
    let closed = agent.events.iter().filter(|event| matches!(event, AgentEvent::AskClosed { .. })).count();
    assert_eq!(closed, 2);
    let responses = |id: Value| {
        agent.written.iter().filter(|line| line.get("method").is_none() && line["id"] == id).count()
    };
    assert_eq!((responses(json!("q")), responses(json!(5))), (1, 1));
}

#[test]
fn a_stop_cancels_closes_every_request_and_waits_for_the_answer() {
    let mut agent = Agent::ready(json!({}));
    agent.prompt("work");
    agent.update(
        json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "T", "status": "in_progress"}),
    );
    agent.line(json!({"id": 7, "method": "session/request_permission", "params": {"sessionId": "s",
        "toolCall": {"toolCallId": "c"}, "options": [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]}}));
    agent.request(Request::Abort);
    assert!(agent.methods().contains(&"session/cancel"));
    let answer = agent.written.iter().find(|line| line["id"] == 7).unwrap();
    assert_eq!(answer["result"]["outcome"]["outcome"], "cancelled");
    assert!(!agent.has(|event| matches!(event, AgentEvent::Session(Event::AgentSettled { .. }))));
    // A request while the agent stops is answered at once.
    agent.line(json!({"id": 8, "method": "session/request_permission", "params": {"sessionId": "s",
        "toolCall": {"toolCallId": "d"}, "options": []}}));
    assert!(agent.written.iter().any(|line| line["id"] == 8));
    agent.answer("session/prompt", json!({ "stopReason": "cancelled" }));
    assert!(agent.has(|event| matches!(event, AgentEvent::Session(Event::AgentSettled { aborted: true }))));
    let step = agent.rows().into_iter().find_map(|row| row.tool_step).unwrap();
    assert_eq!((step.phase, step.result.as_deref()), (Phase::Error, Some("Operation aborted")));
}

#[test]
fn usage_comes_from_updates_else_from_the_answer_to_a_prompt() {
    let usages = |agent: &Agent| -> Vec<ContextUsage> {
        let usage = agent.events.iter().filter_map(|event| match event {
            AgentEvent::Session(Event::ContextUsage { usage }) => Some(usage.clone()),
            _ => None,
        });
        usage.collect()
    };
    let mut agent = Agent::ready(json!({}));
    agent.prompt("go");
    agent.update(json!({"sessionUpdate": "usage_update", "used": 50, "size": 200, "cost": {"amount": 0.5, "currency": "EUR"}}));
    agent.answer("session/prompt", json!({"stopReason": "end_turn", "usage": {"totalTokens": 999}}));
    assert_eq!(
        usages(&agent),
        [ContextUsage {
            tokens: Some(50),
            context_window: 200,
            percent: Some(25.0),
            cost: Some(0.5),
            currency: "EUR".to_owned()
        }]
    );
    let mut agent = Agent::ready(json!({}));
    agent.prompt("go");
    agent.answer("session/prompt", json!({"stopReason": "end_turn", "_meta": {"quota": {"token_count": {"input_tokens": 7, "output_tokens": 3}}}}));
    assert_eq!(usages(&agent)[0].tokens, Some(10));
    // Qwen reports it with a chunk.
    let mut agent = Agent::ready(json!({}));
    agent.prompt("go");
    let mut with_usage = chunk("");
    with_usage["_meta"] = json!({"usage": {"inputTokens": 7, "outputTokens": 5, "totalTokens": 12}});
    agent.update(with_usage);
    assert_eq!(usages(&agent)[0].tokens, Some(12));
}

#[test]
fn modes_models_and_options_are_taken_from_wherever_they_are() {
    let session = json!({"sessionId": "s",
    "modes": {"currentModeId": "a", "availableModes": [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}]},
    "models": {"currentModelId": "m1", "availableModels": [{"modelId": "m1", "name": "M1"}, {"modelId": "m2", "name": "M2"}]},
    "configOptions": [
        {"id": "effort", "name": "Effort", "category": "thought_level", "type": "select", "currentValue": "low",
         "options": [{"value": "low", "name": "Low"}, {"value": "high", "name": "High"}]},
        {"id": "fast", "name": "Fast", "type": "boolean", "currentValue": false},
        {"id": "odd", "name": "Odd", "type": "hologram"},
    ]});
    let mut agent = Agent::opening(Open::New { folder: "/".to_owned() });
    agent.initialized(json!({}));
    agent.answer("session/new", session);
    let capabilities = agent.connection.capabilities.clone();
    assert_eq!((capabilities.modes.len(), capabilities.models), (2, true));
    assert_eq!(capabilities.thinking_levels, ["low", "high"]);
    agent.request(Request::SetModel { provider: String::new(), model_id: "m2".to_owned() });
    agent.answer("session/set_model", json!({}));
    agent.request(Request::SetMode { mode: "b".to_owned() });
    agent.answer("session/set_mode", json!({}));
    agent.request(Request::SetOption { option_id: "fast".to_owned(), value: "true".to_owned() });
    let sent = agent.written.last().unwrap();
    assert_eq!((&sent["params"]["configId"], &sent["params"]["value"]), (&json!("fast"), &json!(true)));
    agent.request(Request::SetThinkingLevel { level: "none such".to_owned() });
    assert_eq!(agent.replies.last().unwrap().1, Err(AgentError::Unsupported));
    let settings = agent.events.iter().rev().find_map(|event| match event {
        AgentEvent::Settings(settings) => Some(settings.clone()),
        _ => None,
    });
    let settings = settings.unwrap();
    assert_eq!((settings.mode.as_str(), settings.model.unwrap().name.as_str()), ("b", "M2"));
}

#[test]
fn messages_with_unusual_ids_are_understood() {
    let mut agent = Agent::ready(json!({}));
    agent.prompt("one");
    let mut note = json!({"id": null, "method": "session/update", "params": {"sessionId": "s"}});
    note["params"]["update"] = chunk("with a null id");
    agent.line(note.clone());
    note["id"] = json!("n");
    note["params"]["update"] = chunk(", with an id");
    agent.line(note);
    assert!(agent.written.iter().any(|line| line["id"] == "n" && line.get("result").is_some()));
    // An omitted result, and an id as a floating-point number.
    let id = agent.id_of("session/prompt").as_u64().unwrap() as f64;
    agent.line(json!({ "id": id }));
    assert!(agent.connection.turn.is_none());
    assert_eq!(agent.rows()[1].text, "with a null id, with an id");
    agent.line(json!({"id": null, "method": "fs/read_text_file"}));
    assert_eq!(agent.written.last().unwrap()["error"]["code"], -32_601);
    let count = agent.written.len();
    agent.line(json!({"id": null, "method": "unknown"}));
    assert_eq!(agent.written.len(), count);
}

#[test]
fn an_error_without_an_id_fails_the_turn() {
    let failed = json!({"id": null, "error": {"code": -32700, "message": "Parse error"}});
    let mut agent = Agent::ready(json!({}));
    agent.line(failed.clone());
    let notice = Event::Notice { level: NoticeLevel::Warning, text: "Parse error".to_owned() };
    assert!(agent.has(|event| *event == AgentEvent::Session(notice.clone())));
    agent.prompt("one");
    agent.line(failed);
    let row = agent.rows().pop().unwrap();
    assert_eq!((row.kind, row.text.as_str()), (Kind::Error, "Parse error"));
    agent.prompt("two");
    assert_eq!(agent.replies.last().unwrap().1, Ok(Reply::Prompt(Disposition::Started)));
}

#[test]
fn a_role_is_given_once_and_a_confirmed_value_is_applied() {
    let choices = json!([{"value": "low", "name": "Low"}, {"value": "high", "name": "High"}]);
    let option = |id: &str| json!({"id": id, "name": id, "category": "thought_level", "type": "select", "currentValue": "low", "options": choices});
    let fast = json!({"id": "fast", "name": "Fast", "type": "boolean", "currentValue": false});
    let mut agent = Agent::opening(Open::New { folder: "/".to_owned() });
    agent.initialized(json!({}));
    agent.answer(
        "session/new",
        json!({"sessionId": "s", "configOptions": [option("effort"), option("budget"), fast]}),
    );
    let shown = |agent: &Agent| {
        let last = agent.events.iter().rev().find_map(|event| match event {
            AgentEvent::Session(Event::OptionsChanged { options }) => Some(options.clone()),
            _ => None,
        });
        last.unwrap().into_iter().map(|option| (option.id, option.value)).collect::<Vec<_>>()
    };
    let pair = |id: &str, value: &str| (id.to_owned(), value.to_owned());
    assert_eq!(shown(&agent), [pair("budget", "low"), pair("fast", "false")]);
    for (option_id, value) in [pair("budget", "high"), pair("fast", "true")] {
        agent.request(Request::SetOption { option_id, value });
        agent.answer("session/set_config_option", json!({}));
    }
    assert_eq!(shown(&agent), [pair("budget", "high"), pair("fast", "true")]);
    agent.request(Request::SetThinkingLevel { level: "high".to_owned() });
    agent.answer("session/set_config_option", Value::Null);
    assert_eq!(agent.connection.settings.thinking_level(), "high");
}

#[test]
fn an_import_that_needs_a_login_ends_its_run() {
    let mut agent = Agent::opening(Open::Import { session_id: "s".to_owned(), folder: "/".to_owned() });
    agent.initialized(json!({ "loadSession": true }));
    agent.refuse("session/load", 401, "Who are you?");
    let count = |agent: &Agent, is: fn(&Event) -> bool| {
        agent.events.iter().filter(|event| matches!(event, AgentEvent::Session(event) if is(event))).count()
    };
    let settled = |event: &Event| matches!(event, Event::AgentSettled { .. });
    let started = |event: &Event| matches!(event, Event::AgentStart);
    assert_eq!((count(&agent, started), count(&agent, settled)), (1, 1));
    assert!(agent.has(|event| matches!(event, AgentEvent::Session(Event::LoginChanged { login: Some(_) }))));
    // The user tries again after a login in a terminal.
    agent.request(Request::Commands);
    agent.answer("session/load", json!({}));
    agent.update(chunk("replayed"));
    agent.connection.silence();
    agent.poll();
    assert_eq!((count(&agent, started), count(&agent, settled)), (2, 2));
    assert!(agent.rows().iter().any(|row| row.text == "replayed"));
}

#[test]
fn a_numeric_call_id_is_an_id() {
    let mut agent = Agent::ready(json!({}));
    agent.prompt("two calls");
    for id in [7, 8] {
        agent.update(
            json!({"sessionUpdate": "tool_call", "toolCallId": id, "title": "T", "status": "in_progress"}),
        );
    }
    agent.line(json!({"id": 0, "method": "session/request_permission", "params": {"sessionId": "s", "toolCall": {"toolCallId": 7}, "options": []}}));
    agent.update(json!({"sessionUpdate": "tool_call_update", "toolCallId": 7, "status": "failed"}));
    agent.answer("session/prompt", json!({ "stopReason": "end_turn" }));
    let rows = agent.rows();
    let steps: Vec<_> = rows.iter().filter_map(|row| row.tool_step.as_ref()).collect();
    let calls: Vec<_> = steps.iter().map(|step| (step.call_id.as_str(), step.phase)).collect();
    assert_eq!(calls, [("7", Phase::Error), ("8", Phase::Done)]);
}

/// A permission request for the call `c`.
fn permission(id: u64) -> Value {
    json!({"id": id, "method": "session/request_permission", "params": {"sessionId": "s",
    "toolCall": {"toolCallId": "c", "title": "T", "kind": "edit"}, "options": [
        {"optionId": "y", "name": "Allow", "kind": "allow_once"},
        {"optionId": "n", "name": "Reject", "kind": "reject_once"},
    ]}})
}

impl Agent {
    /// Answers the newest ask that was opened.
    fn answer_ask(&mut self, answer: Answer) {
        let ask_id = self.events.iter().rev().find_map(|event| match event {
            AgentEvent::AskOpened(ask) => Some(ask.id.clone()),
            _ => None,
        });
        self.request(Request::Answer { ask_id: ask_id.unwrap(), answer });
    }

    /// The phase and the result of the only call.
    fn call(&self) -> (Phase, String) {
        let rows = self.rows();
        let steps: Vec<_> = rows.iter().filter_map(|row| row.tool_step.as_ref()).collect();
        assert_eq!(steps.len(), 1, "{rows:?}");
        (steps[0].phase, steps[0].result.clone().unwrap_or_default())
    }
}

#[test]
fn an_answered_question_does_not_reject_its_call() {
    let url = json!({"mode": "url", "url": "https://x", "elicitationId": "e", "toolCallId": "c"});
    let form = json!({"mode": "form", "message": "?", "toolCallId": "c"});
    for (params, answer) in [
        (form, Answer::Form(Default::default())),
        (url.clone(), Answer::Confirm(true)),
        (url, Answer::Cancel),
    ] {
        let mut agent = Agent::ready(json!({}));
        agent.prompt("ask");
        agent.update(json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "T"}));
        agent.line(json!({"id": 5, "method": "elicitation/create", "params": params}));
        if answer == Answer::Cancel {
            agent.line(json!({"method": "elicitation/complete", "params": {"elicitationId": "e"}}));
        } else {
            agent.answer_ask(answer);
        }
        agent.update(chunk("Thanks."));
        agent.answer("session/prompt", json!({ "stopReason": "end_turn" }));
        assert_eq!(agent.call(), (Phase::Done, String::new()));
    }
}

#[test]
fn a_rejected_call_that_goes_on_is_not_rejected() {
    let progress = json!({"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "in_progress"});
    for approve_later in [true, false] {
        let mut agent = Agent::ready(json!({}));
        agent.prompt("edit");
        agent.line(permission(1));
        agent.answer_ask(Answer::Choose("n".to_owned()));
        if approve_later {
            agent.line(permission(2));
            agent.answer_ask(Answer::Choose("y".to_owned()));
        } else {
            agent.update(progress.clone());
        }
        agent.update(chunk("Going on."));
        agent.answer("session/prompt", json!({ "stopReason": "end_turn" }));
        assert_eq!(agent.call(), (Phase::Done, String::new()));
    }
}

#[test]
fn a_call_that_asks_when_the_user_stops_is_stopped_rather_than_rejected() {
    let mut agent = Agent::ready(json!({}));
    agent.prompt("edit");
    agent.line(permission(1));
    agent.request(Request::Abort);
    agent.update(chunk("Stopping."));
    agent.answer("session/prompt", json!({ "stopReason": "cancelled" }));
    assert_eq!(agent.call(), (Phase::Error, "Operation aborted".to_owned()));
}

/// The summaries of the compactions that have ended; none for those that were aborted.
fn compactions(agent: &Agent) -> Vec<Option<String>> {
    let ends = agent.events.iter().filter_map(|event| match event {
        AgentEvent::Session(Event::CompactionEnd { summary, .. }) => Some(summary.clone()),
        _ => None,
    });
    ends.collect()
}

fn compaction(id: &str, status: &str) -> Value {
    json!({"sessionUpdate": "compaction_update", "compactionId": id, "status": status})
}

fn is_compacting(agent: &Agent) -> bool {
    agent.events.iter().fold(false, |compacting, event| match event {
        AgentEvent::Session(Event::CompactionStart { .. }) => true,
        AgentEvent::Session(Event::CompactionEnd { .. } | Event::AgentSettled { .. }) => false,
        _ => compacting,
    })
}

#[test]
fn the_summary_of_a_compaction_comes_whole_or_in_parts() {
    let mut agent = Agent::ready(json!({}));
    let mut done = compaction("k", "completed");
    done["summary"] = json!([{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}]);
    for update in [compaction("k", "in_progress"), done.clone(), done.clone(), compaction("k", "in_progress")]
    {
        agent.update(update);
    }
    assert_eq!(compactions(&agent), [Some("One.\n\nTwo.".to_owned())], "updates of an ended one are ignored");
    assert!(!is_compacting(&agent));
    agent.update(compaction("l", "in_progress"));
    for text in ["Three", " four."] {
        let content = json!({"type": "text", "text": text});
        agent.update(
            json!({"sessionUpdate": "compaction_summary_chunk", "compactionId": "l", "content": content}),
        );
    }
    agent.update(compaction("l", "completed"));
    assert_eq!(compactions(&agent)[1].as_deref(), Some("Three four."));
    // One that takes the place of another has none of its summary.
    agent.update(
        json!({"sessionUpdate": "compaction_summary_chunk", "compactionId": "m", "content": "Five."}),
    );
    agent.update(compaction("n", "in_progress"));
    agent.update(compaction("n", "completed"));
    assert_eq!(compactions(&agent)[2].as_deref(), Some("The agent compacted the conversation."));
    // Without an id each one is new.
    done["compactionId"] = Value::Null;
    agent.update(done.clone());
    agent.update(done);
    assert_eq!(compactions(&agent).len(), 5);
}

#[test]
fn an_unfinished_compaction_ends_with_the_turn_or_with_silence() {
    let mut agent = Agent::ready(json!({}));
    agent.update(compaction("k", "in_progress"));
    assert!(is_compacting(&agent));
    assert_eq!(agent.connection.silence_timeout(), Some(COMPACTION_SILENCE));
    agent.connection.silence();
    agent.poll();
    assert_eq!((compactions(&agent), is_compacting(&agent)), (vec![None], false));
    assert_eq!(agent.connection.silence_timeout(), None);
    agent.prompt("go");
    agent.update(compaction("l", "in_progress"));
    assert_eq!(agent.connection.silence_timeout(), None);
    agent.answer("session/prompt", json!({ "stopReason": "end_turn" }));
    assert_eq!(compactions(&agent).len(), 2);
    assert!(!is_compacting(&agent));
}

#[test]
fn unexpected_content_leaves_something_to_see() {
    let mut agent = Agent::ready(json!({}));
    agent.prompt("say");
    let hologram = json!({"type": "hologram", "depth": 3});
    let contents = [
        json!("A text, "),
        json!([{"type": "text", "text": "a list, "}, "and "]),
        hologram.clone(),
        json!({"type": "audio", "data": "QUJD", "mimeType": "audio/wav"}),
    ];
    for content in contents {
        agent.update(json!({"sessionUpdate": "agent_message_chunk", "content": content}));
    }
    agent.update(json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "T", "status": "completed", "content": [
        {"type": "content", "content": {"type": "audio", "data": "QUJD", "mimeType": "audio/wav"}},
        {"type": "content", "content": {"type": "resource", "resource": {"uri": "file:///a", "blob": "QUJD"}}},
    ]}));
    agent.answer("session/prompt", json!({ "stopReason": "end_turn" }));
    assert_eq!(agent.rows()[1].text, "A text, a list, and [hologram][audio]");
    assert_eq!(agent.call().1, "[audio]\n\n[file:///a](file:///a)");
    let raw = Event::Raw { name: "content".to_owned(), data: hologram };
    assert!(agent.has(|event| *event == AgentEvent::Session(raw.clone())));
    agent.update(json!({"sessionUpdate": "agent_message_chunk", "content": 5}));
    assert!(agent.has(|event| *event == AgentEvent::UnreadableLine));
}

#[test]
fn stopped_work_in_the_background_ends_as_aborted_after_a_short_silence() {
    let mut agent = Agent::ready(json!({}));
    agent.update(
        json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "T", "status": "in_progress"}),
    );
    assert_eq!(agent.connection.silence_timeout(), Some(BACKGROUND_CALL_SILENCE));
    agent.request(Request::Abort);
    agent.line(permission(1));
    assert!(!agent.has(|event| matches!(event, AgentEvent::AskOpened(_))), "it is cancelled at once");
    assert_eq!(agent.connection.silence_timeout(), Some(BACKGROUND_SILENCE));
    agent.connection.silence();
    agent.poll();
    assert_eq!(agent.call(), (Phase::Error, "Operation aborted".to_owned()));
    assert!(agent.has(|event| matches!(event, AgentEvent::Session(Event::AgentSettled { aborted: true }))));
    // The next run is not affected.
    agent.update(chunk("Something else."));
    agent.connection.silence();
    agent.poll();
    let last = agent
        .events
        .iter()
        .rev()
        .find(|event| matches!(event, AgentEvent::Session(Event::AgentSettled { .. })));
    assert_eq!(last, Some(&AgentEvent::Session(Event::AgentSettled { aborted: false })));
}

#[test]
fn a_call_without_a_status_keeps_its_output() {
    let content = json!([{"type": "content", "content": {"type": "text", "text": "in the content"}}]);
    let result = |fields: Value| {
        let mut agent = Agent::ready(json!({}));
        agent.prompt("run");
        let mut call = json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "T"});
        call.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        agent.update(call);
        agent.answer("session/prompt", json!({ "stopReason": "end_turn" }));
        agent.call()
    };
    assert_eq!(result(json!({ "content": content })), (Phase::Done, "in the content".to_owned()));
    assert_eq!(result(json!({"rawOutput": "raw"})), (Phase::Done, "raw".to_owned()));
    assert_eq!(result(json!({"rawOutput": "raw", "status": "pending"})), (Phase::Done, "raw".to_owned()));
    let described = json!({"content": content, "status": "pending"});
    assert_eq!(result(described), (Phase::Done, String::new()), "a description");
}

#[test]
fn a_turn_that_ends_with_a_rejection_has_no_note() {
    let mut agent = Agent::ready(json!({}));
    agent.prompt("edit");
    agent.line(permission(1));
    agent.answer_ask(Answer::Choose("n".to_owned()));
    agent.answer("session/prompt", json!({ "stopReason": "cancelled" }));
    assert_eq!(agent.call(), (Phase::Error, "Rejected.".to_owned()));
    assert!(!agent.rows().iter().any(|row| row.kind == Kind::System));
}

#[test]
fn chunks_without_an_id_are_one_note_among_messages_with_ids() {
    let mut agent = Agent::ready(json!({}));
    let named = |text: &str, id: &str| {
        let mut update = chunk(text);
        update["messageId"] = id.into();
        update
    };
    agent.prompt("go");
    for update in [named("One.", "m1"), chunk("The model "), chunk("is busy."), named("Two.", "m2")] {
        agent.update(update);
    }
    // Thoughts without an id begin a message that goes on without one.
    agent.update(
        json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "T", "status": "completed"}),
    );
    agent.update(json!({"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": "Hm."}}));
    agent.update(chunk("Three"));
    agent.update(chunk("."));
    agent.answer("session/prompt", json!({ "stopReason": "end_turn" }));
    let rows: Vec<(Kind, String)> = agent.rows().into_iter().map(|row| (row.kind, row.text)).collect();
    let expected = [
        (Kind::Assistant, "One."),
        (Kind::System, "The model is busy."),
        (Kind::Assistant, "Two."),
        (Kind::Tool, ""),
        (Kind::Thinking, "Hm."),
        (Kind::Assistant, "Three."),
    ];
    assert_eq!(rows[1..], expected.map(|(kind, text)| (kind, text.to_owned())));
}

#[test]
fn updates_before_the_session_is_open_are_shown() {
    let mut agent = Agent::opening(Open::New { folder: "/ship".to_owned() });
    agent.initialized(json!({}));
    agent.update(chunk("Welcome."));
    agent.update(json!({"sessionUpdate": "notice", "severity": "info", "title": "Hello"}));
    agent.answer("session/new", json!({ "sessionId": "s" }));
    assert_eq!(agent.rows()[0].text, "Welcome.");
    assert!(agent.has(|event| matches!(event, AgentEvent::Session(Event::Notice { .. }))));
}

#[test]
fn settings_of_another_session_do_not_change_ours() {
    let modes =
        json!({"currentModeId": "a", "availableModes": [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}]});
    let other = json!({"method": "session/update", "params": {"sessionId": "other",
        "update": {"sessionUpdate": "current_mode_update", "currentModeId": "b"}}});
    let mut agent = Agent::opening(Open::Stored { session_id: "s".to_owned(), folder: "/".to_owned() });
    agent.initialized(json!({ "loadSession": true }));
    agent.line(other.clone());
    agent.answer("session/load", json!({ "modes": modes }));
    agent.line(other.clone());
    agent.connection.silence();
    agent.poll();
    agent.line(other);
    assert_eq!(agent.connection.settings.mode(), "a");
    let kept = |event: &AgentEvent| matches!(event, AgentEvent::Session(Event::Raw { name, .. }) if name == OTHER_SESSION);
    assert!(agent.has(kept), "it is kept as it is");
    // A resumed session is not replayed, so that nothing is muted.
    let mut agent = Agent::opening(Open::Stored { session_id: "s".to_owned(), folder: "/".to_owned() });
    agent.initialized(json!({"sessionCapabilities": {"resume": {}}}));
    agent.update(chunk("Still at it."));
    agent.answer("session/resume", json!({}));
    assert_eq!(agent.rows()[0].text, "Still at it.");
}

/// An agent with a sub-agent in the session `child`, in a turn.
fn delegating() -> Agent {
    let mut agent = Agent::ready(json!({}));
    agent.prompt("delegate");
    agent.update(json!({"sessionUpdate": "subagent_update", "sessionId": "child", "title": "Scout", "description": "Look around"}));
    agent
}

fn of(session: &str, update: Value) -> Value {
    json!({"method": "session/update", "params": {"sessionId": session, "update": update}})
}

fn state(session: &str, state: &str) -> Value {
    json!({"sessionUpdate": "subagent_update", "sessionId": session, "state": {"state": state}})
}

impl Agent {
    fn steps(&mut self) -> Vec<pilothouse_core::conversation::ui_message::ToolStep> {
        self.answer("session/prompt", json!({ "stopReason": "end_turn" }));
        self.rows().into_iter().filter_map(|row| row.tool_step).collect()
    }
}

#[test]
fn a_sub_agent_keeps_its_description_and_may_work_again() {
    use pilothouse_core::render::tool_view::ToolView;
    let mut agent = delegating();
    agent.update(state("child", "running"));
    agent.line(of("child", chunk("Land.")));
    agent.update(state("child", "idle"));
    agent.update(json!({"sessionUpdate": "subagent_update", "sessionId": "child", "title": "Explorer"}));
    agent.update(state("child", "running"));
    agent.line(of("child", chunk("Water.")));
    let steps = agent.steps();
    let shown: Vec<_> = steps.iter().map(|step| (step.info.title.as_str(), step.result.as_deref())).collect();
    assert_eq!(shown, [("Scout", Some("Land.")), ("Explorer", Some("Water."))]);
    for step in &steps {
        assert_eq!(ToolView::of(step), ToolView::Delegate { task: "Look around".to_owned() });
    }
}

#[test]
fn calls_of_a_sub_agent_are_its_own() {
    let call = |status: &str| json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "T", "kind": "read", "status": status});
    let mut agent = delegating();
    agent.update(call("in_progress"));
    // Its permission comes before its call, which has the same id as one of the agent.
    let mut ask = permission(3);
    ask["params"]["sessionId"] = "child".into();
    agent.line(ask);
    agent.answer_ask(Answer::Choose("y".to_owned()));
    agent.line(of("child", call("completed")));
    agent.line(of(
        "child",
        json!({"sessionUpdate": "subagent_update", "sessionId": "grandchild", "title": "Helper"}),
    ));
    agent.line(of("grandchild", json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "image", "data": "QUJD", "mimeType": "image/png"}})));
    // A request of a session that is not known has no row.
    let mut stranger = permission(4);
    stranger["params"]["sessionId"] = "stranger".into();
    agent.line(stranger);
    agent.answer_ask(Answer::Choose("n".to_owned()));
    let steps = agent.steps();
    let shown: Vec<_> =
        steps.iter().map(|step| (step.call_id.as_str(), step.info.parent.as_str(), step.phase)).collect();
    assert_eq!(
        shown,
        [
            ("subagent-child", "", Phase::Done),
            ("c", "", Phase::Done),
            ("child/c", "subagent-child", Phase::Done),
            ("subagent-grandchild", "subagent-child", Phase::Done),
        ]
    );
    assert_eq!(agent.rows().iter().map(|row| row.images.len()).sum::<usize>(), 1);
}
