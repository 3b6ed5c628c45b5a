use super::*;
use crate::framing::{Line, LineBuffer};
use serde_json::json;

fn decode_value(line: &Value) -> Vec<Incoming> {
    decode(line.to_string().as_bytes())
}

/// Decodes an object as one event.
fn decode_event(line: &Value) -> Event {
    match decode_value(line).as_slice() {
        [Incoming::Event(event)] => event.clone(),
        other => panic!("{line} is not one event: {other:?}"),
    }
}

#[test]
fn a_line_that_is_not_an_object_is_unreadable() {
    for line in ["", "null", "[]", "{", "\u{0}", "12"] {
        assert_eq!(decode(line.as_bytes()), [Incoming::Unreadable], "{line:?}");
    }
    assert_eq!(decode(b"\xff\xfe"), [Incoming::Unreadable]);
}

/// Decodes the lines of an output that arrives in these pieces.
fn decode_pieces(pieces: &[&[u8]]) -> Vec<Incoming> {
    let mut buffer = LineBuffer::default();
    let mut lines: Vec<Line> = pieces.iter().flat_map(|piece| buffer.push(piece)).collect();
    lines.extend(buffer.finish());
    let decoded = lines.into_iter().flat_map(|line| match line {
        Line::Complete(line) => decode(&line),
        Line::TooLong { bytes } => panic!("a line of {bytes} bytes is too long"),
    });
    decoded.collect()
}

#[test]
fn case_22_a_record_ends_with_its_line_feed_and_an_invalid_one_does_not_affect_the_next() {
    let title = |text: &str| Incoming::Event(Event::TitleChanged { title: text.into() });
    let record = |text: &str| json!({"type": "session_info_changed", "name": text}).to_string();
    let separators = "a\u{2028}b\u{2029}c\u{85}d";
    let stream = [
        record(separators) + "\n",
        record("with a carriage return") + "\r\n",
        "{\"type\": \"session_info_changed\", \"na\n".to_owned(),
        "not a record\r\n".to_owned(),
        record("after the invalid ones") + "\n",
        record("without an end"),
    ]
    .concat()
    .into_bytes();
    assert!(String::from_utf8_lossy(&stream).contains(separators), "the separators are escaped");
    let expected = [
        title(separators),
        title("with a carriage return"),
        Incoming::Unreadable,
        Incoming::Unreadable,
        title("after the invalid ones"),
        title("without an end"),
    ];
    assert_eq!(decode_pieces(&[&stream]), expected);
    // The stream may be divided anywhere, even within a character.
    for cut in 0..=stream.len() {
        assert_eq!(decode_pieces(&[&stream[..cut], &stream[cut..]]), expected, "divided at {cut}");
    }
    // A record without its line feed stays in the buffer.
    let first_end = stream.iter().position(|byte| *byte == b'\n').unwrap();
    assert_eq!(LineBuffer::default().push(&stream[..first_end]), []);
}

#[test]
fn an_unknown_type_is_kept_and_large_data_is_replaced_by_its_size() {
    let raw = |name: &str, data| Event::Raw { name: name.into(), data };
    assert_eq!(decode_event(&json!({"type": "entirely_new", "x": 1})), raw("entirely_new", json!({"x": 1})));
    assert_eq!(decode_event(&json!({"x": 1})), raw("", json!({"x": 1})));
    let large = "y".repeat(RAW_EVENT_BYTES);
    let bytes = json!({"x": large}).to_string().len();
    assert_eq!(decode_event(&json!({"type": "large", "x": large})), raw("large", json!({"bytes": bytes})));
}

#[test]
fn before_1_0_the_end_of_the_agent_also_settles() {
    assert_eq!(
        decode_value(&json!({"type": "agent_end", "messages": []})),
        [
            Incoming::Event(Event::AgentEnd { will_retry: false }),
            Incoming::Event(Event::AgentSettled { aborted: false })
        ]
    );
    for will_retry in [true, false] {
        assert_eq!(
            decode_event(&json!({"type": "agent_end", "willRetry": will_retry})),
            Event::AgentEnd { will_retry }
        );
    }
    assert_eq!(
        decode_event(&json!({"type": "agent_settled", "aborted": true})),
        Event::AgentSettled { aborted: true }
    );
}

#[test]
fn before_1_0_the_start_of_a_tool_call_is_named_by_the_partial_message() {
    let call = json!({"type": "toolCall", "id": "call-1", "name": "bash", "arguments": {}});
    let partial = json!({"content": [{"type": "text", "text": "Listing"}, call]});
    let start = |id: &str, tool_name: &str| Event::MessageUpdate {
        update: Update::ToolcallStart { content_index: 1, id: id.into(), tool_name: tool_name.into() },
    };
    let old = json!({"type": "toolcall_start", "contentIndex": 1, "partial": partial});
    assert_eq!(
        decode_event(&json!({"type": "message_update", "assistantMessageEvent": old})),
        start("call-1", "bash")
    );
    let new = json!({"type": "toolcall_start", "contentIndex": 1, "id": "call-2", "toolName": "read",
        "partial": partial});
    assert_eq!(
        decode_event(&json!({"type": "message_update", "assistantMessageEvent": new})),
        start("call-2", "read")
    );
}

#[test]
fn responses_queue_lengths_and_shell_output_keep_their_fields() {
    assert_eq!(
        decode_value(&json!({
            "type": "response", "id": "7", "command": "prompt", "success": true, "data": {"disposition": "queued"}
        })),
        [Incoming::Response(Response {
            id: "7".into(),
            command: "prompt".into(),
            success: true,
            data: json!({"disposition": "queued"}),
            error: String::new(),
        })]
    );
    assert_eq!(
        decode_value(&json!({
            "type": "response", "id": "8", "command": "fork", "success": false, "error": "No such entry"
        })),
        [Incoming::Response(Response {
            id: "8".into(),
            command: "fork".into(),
            success: false,
            data: Value::Null,
            error: "No such entry".into(),
        })]
    );
    assert_eq!(
        decode_value(&json!({"type": "queue_update", "steering": ["a", "b"], "followUp": ["c"]})),
        [Incoming::QueueLength(QueueCounts { steering: 2, follow_up: 1 })]
    );
    assert_eq!(
        decode_value(&json!({"type": "bash_execution_update", "id": "9", "delta": "one\n"})),
        [Incoming::ShellOutput { request_id: "9".into(), delta: "one\n".into() }]
    );
}

#[test]
fn tool_events_keep_their_fields() {
    let call = |kind: &str| json!({"type": kind, "toolCallId": "call-1", "toolName": "bash"});
    let (tool_call_id, tool_name) = (|| "call-1".to_owned(), || "bash".to_owned());
    let output = |text: &str| ToolOutput::from_value(json!({"content": [{"type": "text", "text": text}]}));

    let mut start = call("tool_execution_start");
    start["args"] = json!({"command": "ls"});
    assert_eq!(
        decode_event(&start),
        Event::ToolExecutionStart {
            tool_call_id: tool_call_id(),
            tool_name: tool_name(),
            args: json!({"command": "ls"}),
        }
    );
    let mut update = call("tool_execution_update");
    update["partialResult"] = json!({"content": [{"type": "text", "text": "READ"}]});
    assert_eq!(
        decode_event(&update),
        Event::ToolExecutionUpdate {
            tool_call_id: tool_call_id(),
            tool_name: tool_name(),
            partial_result: output("READ"),
        }
    );
    let mut end = call("tool_execution_end");
    end["result"] = json!({"content": [{"type": "text", "text": "README.md"}]});
    end["isError"] = json!(true);
    end["durationMs"] = json!(12);
    assert_eq!(
        decode_event(&end),
        Event::ToolExecutionEnd {
            tool_call_id: tool_call_id(),
            tool_name: tool_name(),
            result: output("README.md"),
            is_error: true,
            duration_ms: Some(12),
        }
    );
}

#[test]
fn a_question_keeps_its_fields() {
    let question = |method: &str, mut fields: Value| {
        fields["type"] = json!("extension_ui_request");
        fields["id"] = json!("q");
        fields["method"] = json!(method);
        decode_value(&fields)
    };
    let ask = |kind, title: &str| Ask { id: "q".into(), kind, title: title.into(), ..Ask::default() };
    assert_eq!(
        question("select", json!({"title": "Pick", "options": ["a", "b"], "timeout": 400})),
        [Incoming::Ask(Ask {
            options: vec!["a".into(), "b".into()],
            timeout_ms: Some(400),
            ..ask(AskKind::Select, "Pick")
        })]
    );
    assert_eq!(
        question("confirm", json!({"title": "Sure?", "message": "It cannot be undone."})),
        [Incoming::Ask(Ask { message: "It cannot be undone.".into(), ..ask(AskKind::Confirm, "Sure?") })]
    );
    assert_eq!(
        question("input", json!({"title": "Name", "placeholder": "Ada"})),
        [Incoming::Ask(Ask { placeholder: "Ada".into(), ..ask(AskKind::Input, "Name") })]
    );
    assert_eq!(
        question("editor", json!({"title": "Note", "prefill": "Dear"})),
        [Incoming::Ask(Ask { prefill: "Dear".into(), ..ask(AskKind::Editor, "Note") })]
    );
}

#[test]
fn other_requests_of_extensions_are_events() {
    let request = |method: &str, mut fields: Value| {
        fields["type"] = json!("extension_ui_request");
        fields["method"] = json!(method);
        decode_event(&fields)
    };
    for (name, level) in
        [("error", NoticeLevel::Error), ("warning", NoticeLevel::Warning), ("info", NoticeLevel::Info)]
    {
        assert_eq!(
            request("notify", json!({"message": "Saved", "notifyType": name})),
            Event::Notice { level, text: "Saved".into() }
        );
    }
    assert_eq!(
        request("setStatus", json!({"statusKey": "k", "statusText": "Busy"})),
        Event::StatusChanged { key: "k".into(), text: Some("Busy".into()) }
    );
    assert_eq!(
        request("setStatus", json!({"statusKey": "k"})),
        Event::StatusChanged { key: "k".into(), text: None }
    );
    assert_eq!(
        request("setWidget", json!({"widgetKey": "k", "widgetLines": ["a", "b"]})),
        Event::WidgetChanged { key: "k".into(), lines: vec!["a".into(), "b".into()] }
    );
    assert_eq!(request("setTitle", json!({"title": "T"})), Event::WindowTitle { title: "T".into() });
    assert_eq!(
        request("set_editor_text", json!({"text": "draft"})),
        Event::EditorText { text: "draft".into() }
    );
    assert_eq!(
        request("entirelyNew", json!({"x": 1})),
        Event::Raw { name: "extension_ui_request:entirelyNew".into(), data: json!({"x": 1}) }
    );
}
