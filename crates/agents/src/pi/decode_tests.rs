use super::*;
use serde_json::json;

fn one(line: Value) -> Incoming {
    let mut all = decode(line.to_string().as_bytes());
    assert_eq!(all.len(), 1);
    all.remove(0)
}

#[test]
fn a_line_that_is_no_object_is_junk_and_nothing_worse() {
    for line in ["", "null", "[]", "{", "\u{0}", "12"] {
        assert_eq!(decode(line.as_bytes()), [Incoming::Junk]);
    }
    assert_eq!(decode(b"\xff\xfe"), [Incoming::Junk]);
}

#[test]
fn an_unknown_type_is_an_unknown_event() {
    assert_eq!(one(json!({"type": "entirely_new", "x": 1})), Incoming::Event(Event::Unknown));
    assert_eq!(one(json!({"x": 1})), Incoming::Event(Event::Unknown));
}

#[test]
fn an_old_agent_end_also_settles() {
    assert_eq!(decode(br#"{"type":"agent_end","messages":[]}"#).len(), 2);
    assert_eq!(
        one(json!({"type": "agent_end", "willRetry": true})),
        Incoming::Event(Event::AgentEnd { will_retry: true })
    );
}

#[test]
fn a_stop_in_mid_tool_is_told_from_a_failure() {
    let reply = |error: &str| {
        message(json!({"role": "assistant", "content": [], "stopReason": "error", "errorMessage": error}))
    };
    let stop_reason = |message| match message {
        Message::Assistant { stop_reason, .. } => stop_reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(stop_reason(reply("This operation was aborted")), StopReason::Aborted);
    assert_eq!(stop_reason(reply("429: slow down")), StopReason::Error);
}

#[test]
fn a_question_keeps_its_options_and_timeout() {
    let Incoming::Ask(ask) = one(json!({
        "type": "extension_ui_request", "id": "q", "method": "select", "title": "Pick", "options": ["a", "b"], "timeout": 400
    })) else {
        panic!("no question")
    };
    assert_eq!((ask.kind, ask.options.len(), ask.timeout_ms), (AskKind::Select, 2, Some(400)));
}
