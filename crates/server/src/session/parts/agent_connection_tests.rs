//! Requests, replies and deadlines of the agent, with a channel in place of its process.

use pilothouse_agents::framing::Line;
use pilothouse_core::conversation::queue::Lane;
use pilothouse_core::limits::STOP_SECONDS;
use pilothouse_core::protocol::Capabilities;
use pilothouse_core::protocol::event::Event;
use serde_json::{Value, json};

use super::*;
use crate::agent::catalogue::Agent;

/// An agent whose input arrives in a channel, and which has answered the two commands of `open`.
fn attached() -> (AgentConnection, mpsc::Receiver<String>) {
    let mut agent = AgentConnection::new();
    let (process, input) = Process::without_program(agent.sender.clone());
    let connection = Agent::parse("test=pi:test").unwrap().connection(Capabilities::default());
    agent.attach(process, connection, Open::New { folder: "/".to_owned() });
    agent.receive(vec![response(1), response(2)]);
    received(&mut agent);
    assert!(agent.set_ready());
    (agent, input)
}

fn line(value: &Value) -> Line {
    Line::Complete(value.to_string().into_bytes())
}

fn response(id: u64) -> Line {
    line(&json!({"type": "response", "id": id.to_string(), "success": true}))
}

fn delta(text: &str) -> Line {
    let event = json!({"type": "text_delta", "contentIndex": 0, "delta": text});
    line(&json!({"type": "message_update", "assistantMessageEvent": event}))
}

fn received(agent: &mut AgentConnection) -> Vec<FromAgent> {
    std::iter::from_fn(|| agent.next()).collect()
}

#[tokio::test]
async fn a_reply_comes_back_with_what_it_is_for() {
    let (mut agent, mut input) = attached();
    agent.request(Request::Abort, Pending::Offered { id: "a".to_owned() });
    assert!(agent.is_delivering() && agent.has_pending());
    // `open` sends the first two commands.
    let mut types = Vec::new();
    while let Ok(line) = input.try_recv() {
        types.push(serde_json::from_str::<Value>(&line).unwrap()["type"].clone());
    }
    assert_eq!(types, ["get_state", "get_available_thinking_levels", "abort"]);
    agent.receive(vec![response(3)]);
    let replies = received(&mut agent);
    assert!(
        matches!(&replies[..], [FromAgent::Reply(Pending::Offered { id }, Ok(Reply::Done))] if id == "a"),
        "{replies:?}"
    );
    assert!(!agent.has_pending());
}

#[tokio::test]
async fn the_agent_gets_a_prompt_after_the_events_before_it_are_processed() {
    let mut agent = AgentConnection::new();
    let (process, mut input) = Process::without_program(agent.sender.clone());
    let connection = Agent::parse("test=acp:test").unwrap().connection(Capabilities::default());
    agent.attach(process, connection, Open::New { folder: "/".to_owned() });
    let result = |id: u64, result: Value| line(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    agent.receive(vec![result(1, json!({"protocolVersion": 1}))]);
    received(&mut agent);
    agent.receive(vec![result(2, json!({"sessionId": "s"}))]);
    received(&mut agent);
    while input.try_recv().is_ok() {}
    let prompt =
        Request::Prompt { text: "Go".to_owned(), images: Vec::new(), lane: Lane::Steer, context: Vec::new() };
    agent.request(prompt, Pending::Ignored);
    let is_message_end =
        |from: &FromAgent| matches!(from, FromAgent::Event(AgentEvent::Session(Event::MessageEnd { .. })));
    while !is_message_end(&agent.next().unwrap()) {
        input.try_recv().unwrap_err();
    }
    received(&mut agent);
    assert!(input.try_recv().unwrap().contains("session/prompt"));
}

#[tokio::test]
async fn deltas_that_arrive_together_are_joined_in_their_order() {
    let (mut agent, _input) = attached();
    let title = line(&json!({"type": "session_info_changed", "name": "T"}));
    agent.receive(vec![delta("a"), delta("b"), title, delta("c")]);
    let texts: Vec<String> = received(&mut agent)
        .into_iter()
        .map(|from| match from {
            FromAgent::Event(AgentEvent::Session(Event::MessageUpdate { update })) => format!("{update:?}"),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(texts.len(), 3, "{texts:?}");
    assert!(texts[0].contains("\"ab\"") && texts[2].contains("\"c\""), "{texts:?}");
}

#[tokio::test]
async fn the_end_of_the_process_fails_what_is_pending() {
    let (mut agent, _input) = attached();
    agent.request(Request::Models, Pending::Ignored);
    assert!(!agent.ended(), "we did not end it");
    assert!(!agent.is_running());
    let replies = received(&mut agent);
    assert!(
        matches!(&replies[..], [FromAgent::Reply(Pending::Ignored, Err(AgentError::Closed))]),
        "{replies:?}"
    );
    agent.request(Request::Models, Pending::Ignored);
    assert_eq!(received(&mut agent).len(), 1, "a request without a process fails at once");
}

#[tokio::test]
async fn an_agent_that_does_not_read_gets_no_further_requests() {
    let (mut agent, input) = attached();
    while agent.accepts_input() {
        agent.request(Request::Abort, Pending::Ignored);
    }
    agent.request(Request::Abort, Pending::Ignored);
    let replies = received(&mut agent);
    assert!(
        matches!(&replies[..], [FromAgent::Reply(Pending::Ignored, Err(AgentError::NotReading))]),
        "{replies:?}"
    );
    drop(input);
}

#[tokio::test]
async fn a_stop_that_is_not_followed_ends_the_process() {
    let (mut agent, _input) = attached();
    let now = Instant::now();
    agent.expect_stop(now, STOP_SECONDS);
    assert!(agent.is_stopping() && !agent.is_ending());
    let deadline = agent.next_deadline().unwrap();
    assert_eq!(deadline, now + Duration::from_secs(STOP_SECONDS));
    agent.pass_deadlines(deadline);
    assert!(agent.is_ending(), "the process is being ended");
    assert!(agent.ended(), "by us");
}

#[tokio::test]
async fn an_idle_process_is_ended_and_one_with_a_pending_request_is_not() {
    let (mut agent, _input) = attached();
    let (now, idle) = (Instant::now(), Some(Duration::from_secs(60)));
    agent.request(Request::Models, Pending::Ignored);
    agent.update_idle(true, idle, now);
    assert_eq!(agent.next_deadline(), None);
    agent.receive(vec![response(3)]);
    agent.update_idle(true, idle, now);
    let deadline = agent.next_deadline().unwrap();
    agent.update_idle(true, idle, now + Duration::from_secs(30));
    assert_eq!(agent.next_deadline(), Some(deadline), "the time is not extended");
    agent.update_idle(false, idle, now);
    assert_eq!(agent.next_deadline(), None, "work ends it");
    agent.update_idle(true, None, now);
    assert_eq!(agent.next_deadline(), None, "it may be switched off");
    agent.update_idle(true, idle, now);
    agent.pass_deadlines(deadline);
    assert!(agent.is_ending());
}

#[tokio::test]
async fn an_agent_that_does_not_get_ready_fails_after_a_while_unless_it_waits_for_a_login() {
    let starting = || {
        let mut agent = AgentConnection::new();
        let (process, input) = Process::without_program(agent.sender.clone());
        let connection = Agent::parse("test=acp:test").unwrap().connection(Capabilities::default());
        agent.attach(process, connection, Open::New { folder: "/".to_owned() });
        (agent, input)
    };
    let (mut agent, _input) = starting();
    let deadline = agent.next_deadline().unwrap();
    agent.pass_deadlines(deadline);
    let events = received(&mut agent);
    assert!(
        matches!(&events[..], [FromAgent::Event(AgentEvent::OpenFailed { reason })] if reason.contains("didn't start")),
        "{events:?}"
    );
    let (mut agent, _input) = starting();
    agent.await_login();
    assert_eq!(agent.next_deadline(), None);
}

#[tokio::test]
async fn the_silence_of_the_agent_counts_from_the_answer_to_its_question() {
    let mut agent = AgentConnection::new();
    let (process, _input) = Process::without_program(agent.sender.clone());
    let connection = Agent::parse("test=acp:test").unwrap().connection(Capabilities::default());
    agent.attach(process, connection, Open::New { folder: "/".to_owned() });
    agent.receive(vec![
        line(&json!({"id": 1, "result": {"protocolVersion": 1}})),
        line(&json!({"id": 2, "result": {"sessionId": "s"}})),
        line(&json!({"method": "session/update", "params": {"sessionId": "s", "update": {
            "sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "In the background."}}}})),
        line(&json!({"id": 0, "method": "session/request_permission", "params": {"sessionId": "s",
            "toolCall": {"toolCallId": "c"}, "options": []}})),
    ]);
    let ask_id = received(&mut agent).into_iter().find_map(|message| match message {
        FromAgent::Event(AgentEvent::AskOpened(ask)) => Some(ask.id),
        _ => None,
    });
    assert!(agent.silence_at.is_none());
    let answer = pilothouse_core::conversation::ask::Answer::Cancel;
    agent.request(
        Request::Answer { ask_id: ask_id.unwrap(), answer },
        Pending::Offered { id: "a".to_owned() },
    );
    assert!(agent.silence_at.is_some());
}

#[tokio::test]
async fn prompts_wait_until_what_a_stopped_run_left_behind_has_ended() {
    let (mut agent, _input) = attached();
    agent.run_began();
    agent.run_ended(Leftovers::All);
    assert!(!agent.is_stopping(), "a run that ends by itself leaves everything alone");
    agent.run_began();
    agent.expect_stop(Instant::now(), STOP_SECONDS);
    agent.run_ended(Leftovers::All);
    assert!(agent.is_stopping());
    assert!(matches!(agent.process_event().await, Some(ProcessEvent::Cleared)));
    agent.cleared();
    assert!(!agent.is_stopping());
    // Without a run there is nothing to look for.
    agent.expect_stop(Instant::now(), STOP_SECONDS);
    agent.run_ended(Leftovers::All);
    assert!(!agent.is_stopping());
}

#[tokio::test]
async fn an_agent_that_does_not_answer_the_stop_of_a_command_has_a_limited_time() {
    let (mut agent, _input) = attached();
    let now = Instant::now();
    agent.expect_shell_stop(process::now(), now);
    assert!(agent.is_stopping());
    agent.pass_deadlines(now);
    let deadline = agent.next_deadline().unwrap();
    assert_eq!(deadline, now + Duration::from_secs(STOP_SECONDS));
    agent.pass_deadlines(deadline);
    assert!(matches!(agent.process_event().await, Some(ProcessEvent::Cleared)));
    agent.expect_shell_stop(process::now(), now);
    assert!(agent.is_stopping(), "one clearing at a time");
}
