//! Requests and replies of a connection, without a process.

use pilothouse_core::conversation::ask::Answer;
use pilothouse_core::conversation::queue::Lane;
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn connection() -> Connection {
    Connection::new(super::super::capabilities(super::super::Generation::Current))
}

fn outputs(connection: &mut Connection) -> Vec<Output> {
    std::iter::from_fn(|| connection.poll()).collect()
}

/// The commands that were written, as JSON.
fn written(outputs: &[Output]) -> Vec<Value> {
    let lines = outputs.iter().filter_map(|output| match output {
        Output::Write(line) => Some(serde_json::from_str(line).unwrap()),
        _ => None,
    });
    lines.collect()
}

fn receive(connection: &mut Connection, line: &Value) -> Vec<Output> {
    connection.receive(Line::Complete(line.to_string().into_bytes()));
    outputs(connection)
}

fn respond(connection: &mut Connection, id: u64, data: Value) -> Vec<Output> {
    let response = json!({"type": "response", "id": id.to_string(), "success": true, "data": data});
    receive(connection, &response)
}

fn refuse(connection: &mut Connection, id: &str, error: &str) -> Vec<Output> {
    let response = json!({"type": "response", "id": id, "success": false, "error": error});
    receive(connection, &response)
}

fn reply(request: u64, reply: Reply) -> Output {
    Output::Reply(RequestId(request), Ok(reply))
}

fn prompt() -> Request {
    Request::Prompt { text: "Hello".to_owned(), images: Vec::new(), lane: Lane::Steer, context: Vec::new() }
}

/// A connection whose process has answered the two commands of `open`.
fn opened() -> Connection {
    let mut connection = connection();
    connection.open(Open::New { folder: "/".to_owned() });
    respond(&mut connection, 1, json!({"isStreaming": false}));
    respond(&mut connection, 2, json!({"levels": ["low", "high"]}));
    outputs(&mut connection);
    connection
}

#[test]
fn opening_reads_the_settings_and_the_first_response_means_ready() {
    let mut connection = connection();
    connection.open(Open::New { folder: "/".to_owned() });
    let names: Vec<Value> =
        written(&outputs(&mut connection)).iter().map(|line| line["type"].clone()).collect();
    assert_eq!(names, ["get_state", "get_available_thinking_levels"]);
    let state = json!({
        "model": {"provider": "p", "id": "m", "name": "Model"}, "thinkingLevel": "low", "mode": "ask",
        "modes": [{"id": "ask", "name": "Ask"}], "sessionFile": "/s.jsonl",
    });
    let events = respond(&mut connection, 1, state.clone());
    let settings = Settings {
        model: Some(ModelInfo {
            provider: "p".to_owned(),
            id: "m".to_owned(),
            name: "Model".to_owned(),
            reasoning: false,
        }),
        thinking_level: "low".to_owned(),
        mode: "ask".to_owned(),
        session_file: Some("/s.jsonl".to_owned()),
    };
    assert!(
        matches!(&events[..], [
            Output::Event(AgentEvent::Session(Event::CapabilitiesChanged { capabilities })),
            Output::Event(AgentEvent::Settings(reported)),
            Output::Event(AgentEvent::Ready),
        ] if capabilities.modes[0].id == "ask" && *reported == settings),
        "{events:?}"
    );
    let levels = respond(&mut connection, 2, json!({"levels": ["low", "high"]}));
    assert!(
        matches!(&levels[..], [Output::Event(AgentEvent::Session(Event::CapabilitiesChanged { capabilities }))]
            if capabilities.thinking_levels == ["low", "high"] && capabilities.modes.len() == 1),
        "{levels:?}"
    );
    // Reading the settings again does not make the agent ready again.
    connection.request(RequestId(9), Request::SetMode { mode: "ask".to_owned() });
    respond(&mut connection, 3, json!(null));
    assert!(!respond(&mut connection, 4, state).contains(&Output::Event(AgentEvent::Ready)));
}

#[test]
fn a_prompt_reports_what_happened_to_it() {
    for (name, disposition) in [
        ("started", Disposition::Started),
        ("queued", Disposition::Queued),
        ("handled", Disposition::Handled),
        ("something new", Disposition::Started),
    ] {
        let mut connection = opened();
        connection.request(RequestId(7), prompt());
        outputs(&mut connection);
        let replies = respond(&mut connection, 3, json!({"disposition": name}));
        assert_eq!(replies, [reply(7, Reply::Prompt(disposition))], "{name}");
    }
}

#[test]
fn before_1_0_the_state_shows_whether_a_prompt_started_a_run() {
    for (streaming, disposition) in [(true, Disposition::Started), (false, Disposition::Handled)] {
        let mut connection = opened();
        connection.request(RequestId(7), prompt());
        outputs(&mut connection);
        let asked = respond(&mut connection, 3, json!(null));
        assert_eq!(written(&asked)[0]["type"], "get_state");
        let replies = respond(&mut connection, 4, json!({"isStreaming": streaming}));
        assert_eq!(replies, [reply(7, Reply::Prompt(disposition))]);
    }
    // A run that begins first decides it, and the state that arrives later is ignored.
    let mut connection = opened();
    connection.request(RequestId(7), prompt());
    respond(&mut connection, 3, json!(null));
    let begun = receive(&mut connection, &json!({"type": "agent_start"}));
    assert!(begun.contains(&reply(7, Reply::Prompt(Disposition::Started))), "{begun:?}");
    assert_eq!(respond(&mut connection, 4, json!({"isStreaming": false})), []);
}

#[test]
fn the_end_of_a_run_reads_the_context_usage() {
    let mut connection = opened();
    receive(&mut connection, &json!({"type": "agent_start"}));
    let ended = receive(&mut connection, &json!({"type": "agent_settled", "aborted": false}));
    assert_eq!(written(&ended)[0]["type"], "get_session_stats");
    let usage = respond(
        &mut connection,
        3,
        json!({"contextUsage": {"tokens": 10, "contextWindow": 100, "percent": 10.0}, "cost": 0.5}),
    );
    let expected = ContextUsage {
        tokens: Some(10),
        context_window: 100,
        percent: Some(10.0),
        cost: Some(0.5),
        ..ContextUsage::default()
    };
    assert_eq!(usage, [Output::Event(AgentEvent::Session(Event::ContextUsage { usage: expected }))]);
    // During a run a compaction does not end it.
    receive(&mut connection, &json!({"type": "agent_start"}));
    let compacted = receive(&mut connection, &json!({"type": "compaction_end", "aborted": false}));
    assert_eq!(written(&compacted), [] as [Value; 0]);
}

#[test]
fn an_unknown_command_without_an_id_fails_the_request_that_sent_it() {
    let mut connection = opened();
    connection.request(RequestId(7), Request::ClearQueue);
    connection.request(RequestId(8), Request::Abort);
    outputs(&mut connection);
    let replies = refuse(&mut connection, "", "Unknown command: clear_queue");
    assert_eq!(replies, [Output::Reply(RequestId(7), Err(AgentError::Unsupported))]);
    let replies = refuse(&mut connection, "4", "no run");
    assert_eq!(replies, [Output::Reply(RequestId(8), Err(AgentError::Refused("no run".to_owned())))]);
}

#[test]
fn a_cleared_queue_returns_its_texts_and_a_shell_command_its_output() {
    let mut connection = opened();
    connection.request(RequestId(7), Request::ClearQueue);
    connection
        .request(RequestId(8), Request::Shell { command: "make".to_owned(), exclude_from_context: true });
    outputs(&mut connection);
    let cleared = ClearedQueue { steering: vec!["a".to_owned()], follow_up: Vec::new() };
    assert_eq!(
        respond(&mut connection, 3, json!({"steering": ["a"], "followUp": []})),
        [reply(7, Reply::QueueCleared(cleared))]
    );
    let output = receive(&mut connection, &json!({"type": "bash_execution_update", "id": "4", "delta": "x"}));
    let delta = AgentEvent::ShellOutput { request: RequestId(8), delta: "x".to_owned() };
    assert_eq!(output, [Output::Event(delta)]);
    let outcome =
        ShellOutcome { output: "xy".to_owned(), exit_code: Some(2), cancelled: false, truncated: true };
    assert_eq!(
        respond(&mut connection, 4, json!({"output": "xy", "exitCode": 2, "truncated": true})),
        [reply(8, Reply::Shell(outcome))]
    );
    // Output after the end belongs to no command.
    assert_eq!(
        receive(&mut connection, &json!({"type": "bash_execution_update", "id": "4", "delta": "z"})),
        []
    );
}

#[test]
fn a_fork_returns_the_new_session_or_says_why_there_is_none() {
    let mut connection = opened();
    connection.request(RequestId(7), Request::Fork { entry_id: Some("e".to_owned()) });
    outputs(&mut connection);
    assert_eq!(written(&respond(&mut connection, 3, json!({"text": "Hello"})))[0]["type"], "get_state");
    let forked = ForkedSession { session_id: "new".to_owned(), text: "Hello".to_owned() };
    assert_eq!(respond(&mut connection, 4, json!({"sessionId": "new"})), [reply(7, Reply::Forked(forked))]);

    connection.request(RequestId(8), Request::Fork { entry_id: Some("e".to_owned()) });
    outputs(&mut connection);
    let refused = respond(&mut connection, 5, json!({"cancelled": true}));
    assert!(
        matches!(&refused[..], [Output::Reply(RequestId(8), Err(AgentError::Refused(why)))]
            if why.contains("cancelled the fork")),
        "{refused:?}"
    );
}

#[test]
fn a_fork_without_an_entry_has_the_whole_conversation() {
    let mut connection = opened();
    connection.request(RequestId(7), Request::Fork { entry_id: None });
    assert_eq!(written(&outputs(&mut connection))[0]["type"], "clone");
    assert_eq!(written(&respond(&mut connection, 3, json!({"cancelled": false})))[0]["type"], "get_state");
    let forked = ForkedSession { session_id: "new".to_owned(), text: String::new() };
    assert_eq!(respond(&mut connection, 4, json!({"sessionId": "new"})), [reply(7, Reply::Forked(forked))]);
    connection.request(RequestId(8), Request::Fork { entry_id: None });
    outputs(&mut connection);
    let refused = respond(&mut connection, 5, json!({"cancelled": true}));
    assert!(
        matches!(&refused[..], [Output::Reply(RequestId(8), Err(AgentError::Refused(_)))]),
        "{refused:?}"
    );
}

#[test]
fn a_line_that_is_too_long_is_reported_to_the_user() {
    let mut connection = opened();
    connection.receive(Line::TooLong { bytes: 99 });
    let outputs = outputs(&mut connection);
    assert!(
        matches!(&outputs[..], [Output::Event(AgentEvent::Session(Event::Notice { text, .. }))]
            if text.contains("99 bytes")),
        "{outputs:?}"
    );
}

/// A step of a random conversation.
#[derive(Clone, Debug)]
enum Step {
    Request(Request),
    /// A response to the n-th newest command, or to one that does not exist.
    Respond {
        back: u64,
        success: bool,
        data: Value,
        error: String,
        nameless: bool,
    },
    Line(Value),
    Garbage(Vec<u8>),
    TooLong,
}

fn any_request() -> impl Strategy<Value = Request> {
    let text = || "[a-z]{0,6}".prop_map(|text| text);
    prop_oneof![
        text().prop_map(|text| Request::Prompt {
            text,
            images: Vec::new(),
            lane: Lane::FollowUp,
            context: Vec::new()
        }),
        Just(Request::ClearQueue),
        Just(Request::Abort),
        text().prop_map(|command| Request::Shell { command, exclude_from_context: false }),
        Just(Request::AbortShell),
        text().prop_map(|ask_id| Request::Answer { ask_id, answer: Answer::Cancel }),
        Just(Request::Models),
        Just(Request::SetModel { provider: "p".to_owned(), model_id: "m".to_owned() }),
        Just(Request::SetThinkingLevel { level: "low".to_owned() }),
        Just(Request::SetMode { mode: "ask".to_owned() }),
        Just(Request::Commands),
        Just(Request::Compact { instructions: None }),
        text().prop_map(|id| Request::Fork { entry_id: Some(id).filter(|id| !id.is_empty()) }),
        text().prop_map(|name| Request::Rename { name }),
    ]
}

fn any_data() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        Just(json!([])),
        Just(json!({"disposition": "started"})),
        Just(json!({"disposition": 7})),
        Just(json!({"isStreaming": false, "sessionId": "x", "text": "t"})),
        Just(json!({"steering": ["a", 1], "followUp": "b", "models": [1, {}], "levels": {}})),
        Just(json!({"output": "o", "exitCode": 1_u64 << 40})),
    ]
}

fn any_step() -> impl Strategy<Value = Step> {
    let error = prop_oneof![
        Just(String::new()),
        Just("no".to_owned()),
        Just("Unknown command: clear_queue".to_owned()),
        Just("Unknown command: prompt".to_owned()),
    ];
    let respond = (0_u64..12, any::<bool>(), any_data(), error, any::<bool>());
    let line = prop_oneof![
        Just(json!({"type": "agent_start"})),
        Just(json!({"type": "agent_end"})),
        Just(json!({"type": "agent_settled", "aborted": true})),
        Just(json!({"type": "compaction_end"})),
        Just(json!({"type": "queue_update", "steering": [1, 2]})),
        Just(json!({"type": "bash_execution_update", "id": "3", "delta": "x"})),
        Just(json!({"type": "extension_ui_request", "method": "confirm", "id": "q"})),
        Just(json!({"type": 7})),
    ];
    prop_oneof![
        3 => any_request().prop_map(Step::Request),
        4 => respond.prop_map(|(back, success, data, error, nameless)| {
            Step::Respond { back, success, data, error, nameless }
        }),
        2 => line.prop_map(Step::Line),
        1 => prop::collection::vec(any::<u8>(), 0..12).prop_map(Step::Garbage),
        1 => Just(Step::TooLong),
    ]
}

proptest! {
    /// Holds for any output of the agent, whenever its process ends.
    #[test]
    fn every_request_gets_exactly_one_reply(
        steps in prop::collection::vec(any_step(), 0..40),
        late in prop::collection::vec(any_request(), 0..3),
    ) {
        let mut connection = connection();
        connection.open(Open::New { folder: "/".to_owned() });
        let (mut requested, mut replied, mut sent) = (0_u64, Vec::new(), 0_u64);
        let mut collect = |connection: &mut Connection, requested: u64| {
            for output in std::iter::from_fn(|| connection.poll()) {
                match output {
                    Output::Write(line) => {
                        assert_eq!(line.matches('\n').count(), 1, "one line: {line}");
                        assert!(serde_json::from_str::<Value>(&line).unwrap().is_object());
                        sent += 1;
                    }
                    Output::Reply(request, _) => {
                        assert!(request.0 < requested, "a reply to a request that was never made");
                        replied.push(request);
                    }
                    Output::Event(_) => {}
                }
            }
            sent
        };
        let mut written = collect(&mut connection, requested);
        for step in steps {
            match step {
                Step::Request(request) => {
                    connection.request(RequestId(requested), request);
                    requested += 1;
                }
                Step::Respond { back, success, data, error, nameless } => {
                    let id = if nameless { String::new() } else { written.saturating_sub(back).to_string() };
                    let response = json!({
                        "type": "response", "id": id, "success": success, "data": data, "error": error,
                    });
                    connection.receive(Line::Complete(response.to_string().into_bytes()));
                }
                Step::Line(line) => connection.receive(Line::Complete(line.to_string().into_bytes())),
                Step::Garbage(bytes) => connection.receive(Line::Complete(bytes)),
                Step::TooLong => connection.receive(Line::TooLong { bytes: 1 }),
            }
            written = collect(&mut connection, requested);
        }
        connection.closed();
        for request in late {
            connection.request(RequestId(requested), request);
            requested += 1;
        }
        collect(&mut connection, requested);
        replied.sort_unstable();
        prop_assert_eq!(replied, (0..requested).map(RequestId).collect::<Vec<_>>());
    }
}
