//! Every event is read as it was written.

use super::*;
use crate::conversation::ask::form::{FieldKind, FieldOption, FormField};
use crate::conversation::ask::{AskKind, Choice, ChoiceKind};
use crate::conversation::message::{CallInfo, Content, Location, Part, StopReason};
use crate::conversation::plan::PlanState;
use crate::conversation::queue::Lane;
use crate::conversation::ui_message::{Image, ToolStep};
use crate::protocol::{Branch, BranchPoint, LoginKind, LoginMethod, OptionChoice, ServerFrame};
use serde_json::json;

fn every_event() -> Vec<Event> {
    let call = ToolCall {
        id: "c".into(),
        name: "read".into(),
        arguments: json!({"path": "x"}),
        arguments_error: Some("cut".into()),
        info: CallInfo {
            title: "Read x".into(),
            locations: vec![Location { path: "x".into(), line: Some(3) }],
            parent: "p".into(),
            own_name: "r".into(),
        },
    };
    let image = Image { mime_type: "image/png".into(), data: String::new(), blob: "b".into() };
    let parts = vec![
        Part::Text { text: "t\u{2028}".into() },
        Part::Thinking { thinking: "k".into() },
        Part::ToolCall(call.clone()),
        Part::Image(image.clone()),
        Part::LeftOut { bytes: 7 },
        Part::Unknown(json!({ "type": "resource", "uri": "u" })),
    ];
    let content = Content(parts);
    let bash = BashResult {
        command: "ls".into(),
        exit_code: Some(-1),
        truncated: true,
        left_out: 9,
        ..BashResult::default()
    };
    let output = ToolOutput {
        text: "out".into(),
        images: vec![image.clone()],
        details: Some(json!({"diff": "+"})),
        left_out: 3,
    };
    let ask = Ask {
        id: "q".into(),
        kind: AskKind::Select,
        approval: true,
        title: "T".into(),
        message: "M".into(),
        options: vec!["a".into()],
        placeholder: "p".into(),
        prefill: "f".into(),
        timeout_ms: Some(5),
        choices: vec![Choice { id: "1".into(), name: "Allow".into(), kind: ChoiceKind::AllowOnce }],
        fields: vec![FormField {
            name: "n".into(),
            kind: FieldKind::Choice,
            options: vec![FieldOption { value: "v".into(), title: "t".into(), description: "d".into() }],
            default: json!("v"),
            minimum: Some(0.5),
            format: "email".into(),
            ..FormField::default()
        }],
        tool: Some(Box::new(ToolStep { call_id: "c".into(), ..ToolStep::default() })),
        url: "https://example.org".into(),
        shown: "h".into(),
        left_out: 4,
    };
    let scheduled = Scheduled {
        id: "s".into(),
        lane: Lane::FollowUp,
        text: "x".into(),
        images: vec![image.clone()],
        revision: 3,
        under_edit: true,
    };
    let model = ModelInfo { provider: "p".into(), id: "i".into(), name: "n".into(), reasoning: true };
    let messages = [
        Message::User { content: content.clone(), client_id: Some("c1".into()), timestamp: Some(1) },
        Message::Assistant {
            content: content.clone(),
            stop_reason: StopReason::ToolUse,
            error_message: Some("e".into()),
            timestamp: Some(2),
        },
        Message::ToolResult {
            tool_call_id: "c".into(),
            tool_name: "read".into(),
            content: content.clone(),
            details: Some(json!([1])),
            is_error: true,
            duration_ms: Some(3),
            call: Some(Box::new(call.clone())),
        },
        Message::BashExecution { result: bash.clone() },
        Message::Custom { content, display: true },
        Message::Answered { words: "w".into() },
        Message::CompactionSummary { summary: "s".into() },
        Message::BranchSummary { summary: "s".into() },
        Message::Hidden,
    ];
    let updates = [
        Update::TextDelta { content_index: 2, delta: "d".into() },
        Update::TextEnd { content_index: 2, content: "c".into() },
        Update::ThinkingDelta { content_index: 0, delta: "d".into() },
        Update::ThinkingEnd { content_index: 0, content: "c".into() },
        Update::ToolcallStart { content_index: 1, id: "c".into(), tool_name: "read".into() },
        Update::ToolcallEnd { content_index: 1, tool_call: call.clone() },
        Update::Image { content_index: 3, image: image.clone() },
        Update::LeftOut { content_index: 2, bytes: 8 },
        Update::Unknown,
    ];
    let mut events: Vec<Event> = updates.into_iter().map(|update| Event::MessageUpdate { update }).collect();
    for message in messages {
        events.push(Event::MessageStart { message: message.clone() });
        events.push(Event::MessageEnd { message });
    }
    events.extend([
        Event::AgentStart,
        Event::AgentEnd { will_retry: true },
        Event::AgentSettled { aborted: true },
        Event::TurnStart,
        Event::TurnEnd,
        Event::ToolExecutionStart {
            tool_call_id: "c".into(),
            tool_name: "read".into(),
            args: json!({"a": [1, null]}),
        },
        Event::ToolExecutionUpdate {
            tool_call_id: "c".into(),
            tool_name: "read".into(),
            partial_result: output.clone(),
        },
        Event::ToolExecutionDelta { tool_call_id: "c".into(), delta: "more".into() },
        Event::ToolExecutionEnd {
            tool_call_id: "c".into(),
            tool_name: "read".into(),
            result: output,
            is_error: true,
            duration_ms: Some(9),
        },
        Event::ToolCallChanged { tool_call: call },
        Event::OptionsChanged {
            options: vec![AgentOption {
                id: "o".into(),
                name: "O".into(),
                description: "d".into(),
                value: "v".into(),
                choices: vec![OptionChoice { value: "v".into(), name: "V".into(), description: "d".into() }],
            }],
        },
        Event::PlanChanged {
            steps: PlanState::ALL.map(|state| PlanStep { text: "s".into(), state }).to_vec(),
        },
        Event::LoginChanged {
            login: Some(Login {
                message: "m".into(),
                methods: [LoginKind::Agent, LoginKind::Environment, LoginKind::Terminal]
                    .map(|kind| LoginMethod {
                        kind,
                        variables: vec!["KEY".into()],
                        command: "x login".into(),
                        ..LoginMethod::default()
                    })
                    .to_vec(),
            }),
        },
        Event::LoginChanged { login: None },
        Event::AutoApproveChanged { level: AutoApprove::Edits, folder: AutoApprove::Off },
        Event::AutoApproveChanged { level: AutoApprove::Off, folder: AutoApprove::Reading },
        Event::CompactionStart { reason: "manual".into() },
        Event::CompactionEnd { summary: Some("s".into()), aborted: true, error: Some("e".into()) },
        Event::AutoRetryStart { attempt: 1, max_attempts: 3, delay_ms: 2000, error_message: "500".into() },
        Event::AutoRetryEnd { success: true },
        Event::ModelChanged { model: Some(model) },
        Event::ModelChanged { model: None },
        Event::ThinkingLevelChanged { level: "high".into() },
        Event::ModeChanged { mode: "ask".into() },
        Event::TitleChanged { title: "T".into() },
        Event::Notice { level: NoticeLevel::Warning, text: "n".into() },
        Event::StatusChanged { key: "k".into(), text: Some("t".into()) },
        Event::StatusChanged { key: "k".into(), text: None },
        Event::WidgetChanged { key: "k".into(), lines: vec!["l".into()] },
        Event::WidgetChanged { key: "k".into(), lines: Vec::new() },
        Event::EditorText { text: "t".into() },
        Event::WindowTitle { title: "t".into() },
        Event::Raw { name: "entirely_new".into(), data: json!({"x": 1}) },
        Event::Elsewhere { active: true, program: None },
        Event::Elsewhere {
            active: true,
            program: Some(ExternalProgram {
                program: "pi in a terminal".into(),
                process_id: Some(1234),
                activity: "running bash: cargo test".into(),
                since: 1_800_000_000_000,
            }),
        },
        Event::BranchesChanged {
            branches: Branches {
                points: vec![BranchPoint {
                    row: 2,
                    branches: vec![Branch {
                        leaf: "l".into(),
                        time: 7,
                        messages: 3,
                        preview: "p".into(),
                        current: true,
                    }],
                    more: 4,
                }],
                earlier: 5,
            },
        },
        Event::BranchLeft { leaf: "l".into() },
        Event::QueueUpdate { items: vec![scheduled] },
        Event::BashStart { id: "b".into(), command: "ls".into(), exclude_from_context: true },
        Event::BashExecutionUpdate { id: "b".into(), delta: "x".into() },
        Event::BashEnd { id: "b".into(), result: bash },
        Event::SessionState { state: SessionState::WaitingApproval, reason: "r".into() },
        Event::AskOpened { ask: Box::new(ask) },
        Event::AskClosed { ask_id: "q".into(), by: ClosedBy::Expired },
        Event::ProcessExit {
            code: Some(3),
            signal: Some(9),
            expected: true,
            stderr: vec!["s".into()],
            shell_lives: true,
        },
        Event::ContextUsage {
            usage: ContextUsage {
                tokens: None,
                context_window: 9,
                percent: Some(0.5),
                cost: Some(1.25),
                currency: "EUR".into(),
            },
        },
        Event::CapabilitiesChanged {
            capabilities: Capabilities {
                images: true,
                thinking_levels: vec!["off".into()],
                ..Capabilities::default()
            },
        },
        Event::Unknown,
    ]);
    events
}

#[test]
fn every_event_reads_as_it_was_written() {
    for event in every_event() {
        let frame = ServerFrame::Event { session_id: "s".into(), seq: 7, event };
        let text = serde_json::to_string(&frame).unwrap();
        assert_eq!(ServerFrame::parse(&text), Some(frame), "{text}");
    }
}

#[test]
fn an_unreadable_event_is_unknown_and_an_unreadable_frame_is_dropped() {
    for event in
        ["{}", "null", "[]", "{\"type\":\"new\"}", "{\"type\":\"ask_opened\",\"ask\":5}", "{\"type\":7}"]
    {
        let text = format!("{{\"type\":\"event\",\"session_id\":\"s\",\"seq\":1,\"event\":{event}}}");
        let Some(ServerFrame::Event { event, .. }) = ServerFrame::parse(&text) else { panic!("{text}") };
        assert_eq!(event, Event::Unknown);
    }
    for text in ["", "{", "null", "{\"type\":\"later\"}", "{\"type\":\"snapshot\"}"] {
        assert_eq!(ServerFrame::parse(text), None, "{text}");
    }
}

#[test]
fn a_void_event_changes_nothing() {
    let mut void = 0;
    for event in every_event().into_iter().filter(Event::is_void) {
        let mut controller = crate::MessageController::default();
        controller.handle_server_event(Event::MessageStart {
            message: Message::Assistant {
                content: Content::default(),
                stop_reason: StopReason::Pending,
                error_message: None,
                timestamp: None,
            },
        });
        let before = controller.clone();
        assert_eq!(controller.handle_server_event(event), []);
        assert_eq!(controller, before);
        void += 1;
    }
    assert_eq!(void, 10);
}
