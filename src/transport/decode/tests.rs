//! Whatever the server can write is read back as it was.

use super::*;
use pilothouse_core::SessionView;
use pilothouse_core::ask::{Ask, AskKind, ClosedBy};
use pilothouse_core::event::{ContextUsage, Event, ModelInfo, NoticeLevel, ToolOutput, Update};
use pilothouse_core::message::{Content, Message, Part, StopReason, ToolCall};
use pilothouse_core::queue::{Lane, Scheduled};
use pilothouse_core::wire::{Capabilities, RetryNote};
use pilothouse_core::{BashResult, Image, SessionState};
use serde_json::json;

fn check(frame: ServerFrame) {
    let text = serde_json::to_string(&frame).unwrap();
    assert_eq!(server_frame(&text), Some(frame), "{text}");
}

fn content() -> Content {
    Content(vec![
        Part::Text { text: "a\nü".into() },
        Part::Thinking { thinking: "hm".into() },
        Part::ToolCall(tool_call()),
        Part::Image(image()),
        Part::Unknown,
    ])
}

fn image() -> Image {
    Image { mime_type: "image/png".into(), data: "AA".into(), blob: "b1".into() }
}

fn tool_call() -> ToolCall {
    let arguments = json!({"path": "x", "deep": [1, {"y": null}]});
    ToolCall { id: "1".into(), name: "read".into(), arguments, arguments_error: Some("cut".into()) }
}

fn output() -> ToolOutput {
    ToolOutput { text: "out".into(), images: vec![image()], details: Some(json!({"diff": "-"})) }
}

fn bash() -> BashResult {
    BashResult {
        command: "ls".into(),
        output: "x".into(),
        exit_code: Some(-1),
        cancelled: true,
        truncated: true,
        exclude_from_context: true,
        running: true,
    }
}

fn ask(kind: AskKind) -> Ask {
    Ask {
        id: "q".into(),
        kind,
        approval: true,
        title: "May I?".into(),
        message: "rm".into(),
        options: vec!["yes".into(), "no".into()],
        placeholder: "p".into(),
        prefill: "f".into(),
        timeout_ms: Some(5),
    }
}

fn messages() -> Vec<Message> {
    let reasons = [
        StopReason::Stop,
        StopReason::Length,
        StopReason::ToolUse,
        StopReason::Error,
        StopReason::Aborted,
        StopReason::Pending,
    ];
    let mut messages: Vec<Message> = reasons
        .into_iter()
        .map(|stop_reason| Message::Assistant {
            content: content(),
            stop_reason,
            error_message: Some("e".into()),
        })
        .collect();
    messages.extend([
        Message::User { content: content(), client_id: Some("c".into()) },
        Message::User { content: Content::default(), client_id: None },
        Message::ToolResult {
            tool_call_id: "1".into(),
            tool_name: "read".into(),
            content: content(),
            details: Some(json!(1)),
            is_error: true,
            duration_ms: Some(3),
        },
        Message::BashExecution { result: bash() },
        Message::Custom { content: content(), display: true },
        Message::CompactionSummary { summary: "s".into() },
        Message::BranchSummary { summary: "s".into() },
        Message::Hidden,
    ]);
    messages
}

fn updates() -> Vec<Update> {
    vec![
        Update::TextDelta { content_index: 3, delta: "d".into() },
        Update::TextEnd { content_index: 3, content: "c".into() },
        Update::ThinkingDelta { content_index: 3, delta: "d".into() },
        Update::ThinkingEnd { content_index: 3, content: "c".into() },
        Update::ToolcallStart { content_index: 3, id: "i".into(), tool_name: "t".into() },
        Update::ToolcallEnd { content_index: 3, tool_call: tool_call() },
        Update::Unknown,
    ]
}

fn events() -> Vec<Event> {
    let (tool_call_id, tool_name) = ("1".to_owned(), "read".to_owned());
    let mut events = vec![
        Event::AgentStart,
        Event::AgentEnd { will_retry: true },
        Event::AgentSettled { aborted: true },
        Event::TurnStart,
        Event::TurnEnd,
        Event::ToolExecutionStart {
            tool_call_id: tool_call_id.clone(),
            tool_name: tool_name.clone(),
            args: json!({"a": [1.5]}),
        },
        Event::ToolExecutionUpdate {
            tool_call_id: tool_call_id.clone(),
            tool_name: tool_name.clone(),
            partial_result: output(),
        },
        Event::ToolExecutionEnd {
            tool_call_id,
            tool_name,
            result: output(),
            is_error: true,
            duration_ms: Some(9),
        },
        Event::CompactionStart { reason: "full".into() },
        Event::CompactionEnd { summary: Some("s".into()), aborted: true, error: Some("e".into()) },
        Event::AutoRetryStart { attempt: 1, max_attempts: 3, delay_ms: 2000, error_message: "429".into() },
        Event::AutoRetryEnd { success: true },
        Event::ModelChanged { model: Some(model()) },
        Event::ModelChanged { model: None },
        Event::ThinkingLevelChanged { level: "high".into() },
        Event::TitleChanged { title: "t".into() },
        Event::QueueUpdate { items: queue() },
        Event::BashStart { id: "b".into(), command: "ls".into(), exclude_from_context: true },
        Event::BashExecutionUpdate { id: "b".into(), delta: "d".into() },
        Event::BashEnd { id: "b".into(), result: bash() },
        Event::ProcessExit { code: Some(-2), signal: Some(9), expected: true, stderr: vec!["e".into()] },
        Event::ContextUsage { usage: usage() },
        Event::CapabilitiesChanged { capabilities: capabilities() },
        Event::Unknown,
    ];
    let levels = [NoticeLevel::Info, NoticeLevel::Warning, NoticeLevel::Error];
    events.extend(levels.map(|level| Event::Notice { level, text: "n".into() }));
    let kinds = [AskKind::Select, AskKind::Confirm, AskKind::Input, AskKind::Editor];
    events.extend(kinds.map(|kind| Event::AskOpened { ask: ask(kind) }));
    let ends = [ClosedBy::Answer, ClosedBy::Declined, ClosedBy::Expired, ClosedBy::Stopped];
    events.extend(ends.map(|by| Event::AskClosed { ask_id: "q".into(), by }));
    events.extend(states().map(|state| Event::SessionState { state, reason: "r".into() }));
    for message in messages() {
        events.push(Event::MessageStart { message: message.clone() });
        events.push(Event::MessageEnd { message });
    }
    events.extend(updates().into_iter().map(|update| Event::MessageUpdate { update }));
    events
}

/// A new event does not compile here until somebody has thought of reading it.
fn number(event: &Event) -> usize {
    match event {
        Event::AgentStart => 0,
        Event::AgentEnd { .. } => 1,
        Event::AgentSettled { .. } => 2,
        Event::TurnStart => 3,
        Event::TurnEnd => 4,
        Event::MessageStart { .. } => 5,
        Event::MessageUpdate { .. } => 6,
        Event::MessageEnd { .. } => 7,
        Event::ToolExecutionStart { .. } => 8,
        Event::ToolExecutionUpdate { .. } => 9,
        Event::ToolExecutionEnd { .. } => 10,
        Event::CompactionStart { .. } => 11,
        Event::CompactionEnd { .. } => 12,
        Event::AutoRetryStart { .. } => 13,
        Event::AutoRetryEnd { .. } => 14,
        Event::ModelChanged { .. } => 15,
        Event::ThinkingLevelChanged { .. } => 16,
        Event::TitleChanged { .. } => 17,
        Event::Notice { .. } => 18,
        Event::QueueUpdate { .. } => 19,
        Event::BashStart { .. } => 20,
        Event::BashExecutionUpdate { .. } => 21,
        Event::BashEnd { .. } => 22,
        Event::SessionState { .. } => 23,
        Event::AskOpened { .. } => 24,
        Event::AskClosed { .. } => 25,
        Event::ProcessExit { .. } => 26,
        Event::ContextUsage { .. } => 27,
        Event::CapabilitiesChanged { .. } => 28,
        Event::Unknown => 29,
    }
}

fn states() -> [SessionState; 9] {
    [
        SessionState::Idle,
        SessionState::Creating,
        SessionState::Streaming,
        SessionState::WaitingApproval,
        SessionState::WaitingInput,
        SessionState::Completed,
        SessionState::Paused,
        SessionState::Error,
        SessionState::Stopped,
    ]
}

fn capabilities() -> Capabilities {
    Capabilities {
        images: true,
        bash: true,
        steering: true,
        models: true,
        thinking_levels: vec!["low".into()],
    }
}

fn model() -> ModelInfo {
    ModelInfo { provider: "p".into(), id: "m".into(), name: "Model".into(), reasoning: true }
}

fn usage() -> ContextUsage {
    ContextUsage { tokens: Some(5), context_window: 100, percent: Some(5.0), cost: Some(0.25) }
}

fn queue() -> Vec<Scheduled> {
    let item = |lane| Scheduled { id: "s".into(), lane, text: "later".into(), images: vec![image()] };
    vec![item(Lane::Steer), item(Lane::FollowUp)]
}

#[test]
fn every_event_is_read_as_it_was_written() {
    let events = events();
    let mut seen: Vec<usize> = events.iter().map(number).collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen, (0..30).collect::<Vec<_>>(), "a sample of each");
    for event in events {
        check(ServerFrame::Event { session_id: "s".into(), seq: 7, event });
    }
}

#[test]
fn a_snapshot_is_read_as_it_was_written() {
    let mut view = SessionView {
        session_id: "s".into(),
        epoch: "e".into(),
        agent: "demo".into(),
        cwd: "/x".into(),
        title: "T".into(),
        state: SessionState::WaitingApproval,
        reason: "r".into(),
        queue: queue(),
        asks: vec![ask(AskKind::Confirm)],
        context_usage: Some(usage()),
        model: Some(model()),
        thinking_level: "low".into(),
        retry: Some(RetryNote { attempt: 1, max_attempts: 2, delay_ms: 3, error_message: "e".into() }),
        compacting: true,
        capabilities: capabilities(),
        ..SessionView::default()
    };
    check(ServerFrame::Snapshot(Box::new(view.snapshot())));
    // Rows of every kind and phase, and a reducer in the middle of its work.
    for event in events() {
        view.apply(event);
        check(ServerFrame::Snapshot(Box::new(view.snapshot())));
    }
    view.controller.create_user_message("c2", "optimistic".into(), vec![image()]);
    view.controller.mark_refused("c2");
    check(ServerFrame::Snapshot(Box::new(view.snapshot())));
    let page = view.page_before(usize::MAX, usize::MAX);
    assert_eq!(messages_page(serde_json::to_value(&page).unwrap()), page);
}

#[test]
fn the_other_frames_are_read_as_they_were_written() {
    let agent = AgentInfo { name: "a".into(), dialect: "pi".into(), demo: true, problem: Some("p".into()) };
    let summaries = states().map(|state| SessionSummary {
        id: "s".into(),
        agent: "a".into(),
        cwd: "/".into(),
        title: "t".into(),
        state,
        modified: 1_800_000_000_000,
    });
    check(ServerFrame::Welcome(Welcome {
        version: PROTOCOL_VERSION,
        server_version: "1".into(),
        agents: vec![agent],
        default_cwd: "/".into(),
        sessions: summaries.to_vec(),
    }));
    check(ServerFrame::SessionsChanged { changed: summaries.to_vec(), removed: vec!["x".into()] });
    check(ServerFrame::Response {
        id: "c1".into(),
        command: "prompt".into(),
        success: true,
        data: json!({"disposition": "queued"}),
        error: None,
    });
    let listing = DirectoryListing {
        path: "/".into(),
        parent: Some("/x".into()),
        folders: vec!["a".into()],
        truncated: true,
    };
    assert_eq!(directory_listing(serde_json::to_value(&listing).unwrap()), listing);
}

#[test]
fn what_is_no_frame_is_none() {
    for text in ["", "null", "[]", "{}", "{\"type\":\"new_in_two_years\"}", "{\"type\":3}", "{"] {
        assert_eq!(server_frame(text), None, "{text}");
    }
}
