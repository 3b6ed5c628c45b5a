use serde_json::json;

use super::*;
use crate::message::{Content, StopReason};

fn line(event: &Event) -> String {
    serde_json::to_string(event).unwrap()
}

#[test]
fn events_have_pi_s_names_and_order() {
    assert_eq!(line(&Event::AgentStart), r#"{"type":"agent_start"}"#);
    assert_eq!(line(&Event::AgentSettled { aborted: true }), r#"{"type":"agent_settled","aborted":true}"#);
    assert_eq!(
        line(&Event::QueueUpdate { steering: vec!["a".to_owned()], follow_up: vec![] }),
        r#"{"type":"queue_update","steering":["a"],"followUp":[]}"#
    );
    assert_eq!(
        line(&Event::AutoRetryEnd { success: false, attempt: 3, final_error: Some("no") }),
        r#"{"type":"auto_retry_end","success":false,"attempt":3,"finalError":"no"}"#
    );
}

#[test]
fn a_delta_carries_its_block() {
    let usage = Usage::default();
    assert_eq!(
        line(&Event::MessageUpdate {
            usage: &usage,
            assistant_message_event: Growth::TextDelta { content_index: 1, delta: "hi" }
        }),
        concat!(
            r#"{"type":"message_update","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"#,
            r#""cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"#,
            r#""assistantMessageEvent":{"type":"text_delta","contentIndex":1,"delta":"hi"}}"#
        )
    );
}

#[test]
fn a_tool_call_starts_with_its_id_and_name() {
    let delta = Growth::ToolCallStart { content_index: 2, id: "call_1", tool_name: "bash" };
    assert_eq!(
        serde_json::to_string(&delta).unwrap(),
        r#"{"type":"toolcall_start","contentIndex":2,"id":"call_1","toolName":"bash"}"#
    );
}

#[test]
fn messages_are_spelled_as_pi_stores_them() {
    let user = Message::User { content: vec![Content::text("Hello")], timestamp: 1 };
    assert_eq!(
        serde_json::to_string(&user).unwrap(),
        r#"{"role":"user","content":[{"type":"text","text":"Hello"}],"timestamp":1}"#
    );
    let result = Message::ToolResult {
        tool_call_id: "call_1".to_owned(),
        tool_name: "ls".to_owned(),
        content: vec![Content::text("src/")],
        details: None,
        is_error: false,
        duration_ms: 2,
        timestamp: 3,
    };
    assert_eq!(
        serde_json::to_string(&result).unwrap(),
        concat!(
            r#"{"role":"toolResult","toolCallId":"call_1","toolName":"ls","content":[{"type":"text","text":"src/"}],"#,
            r#""isError":false,"durationMs":2,"timestamp":3}"#
        )
    );
    assert_eq!(serde_json::to_string(&StopReason::ToolUse).unwrap(), r#""toolUse""#);
    let call = Content::ToolCall(ToolCall {
        id: "call_1".to_owned(),
        name: "ls".to_owned(),
        arguments: json!({"path": "."}),
        arguments_error: None,
    });
    assert_eq!(
        serde_json::to_string(&call).unwrap(),
        r#"{"type":"toolCall","id":"call_1","name":"ls","arguments":{"path":"."}}"#
    );
}

#[test]
fn a_response_keeps_the_asker_s_id() {
    let id = json!(7);
    let response = Response {
        id: Some(&id),
        r#type: "response",
        command: Some("get_state"),
        success: true,
        data: None,
        error: None,
    };
    assert_eq!(
        serde_json::to_string(&response).unwrap(),
        r#"{"id":7,"type":"response","command":"get_state","success":true}"#
    );
}
