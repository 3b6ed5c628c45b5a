use super::*;
use crate::framing::{Line, LineBuffer};
use serde_json::json;

fn one(line: Value) -> Incoming {
    let mut all = decode(line.to_string().as_bytes());
    assert_eq!(all.len(), 1);
    all.remove(0)
}

#[test]
fn a_line_that_is_not_an_object_is_unreadable() {
    for line in ["", "null", "[]", "{", "\u{0}", "12"] {
        assert_eq!(decode(line.as_bytes()), [Incoming::Unreadable]);
    }
    assert_eq!(decode(b"\xff\xfe"), [Incoming::Unreadable]);
}

/// What comes out of the agent's pipe, read in these pieces.
fn read(pieces: &[&[u8]]) -> Vec<Incoming> {
    let mut buffer = LineBuffer::default();
    let mut lines: Vec<Line> = pieces.iter().flat_map(|piece| buffer.push(piece)).collect();
    lines.extend(buffer.finish());
    let decoded = lines.into_iter().flat_map(|line| match line {
        Line::Complete(line) => decode(&line),
        Line::TooLong { bytes } => panic!("{bytes} bytes in a line"),
    });
    decoded.collect()
}

#[test]
fn case_22_a_record_ends_with_its_line_feed_and_a_bad_one_does_not_stop_the_next() {
    let title = |text: &str| Incoming::Event(Event::TitleChanged { title: text.into() });
    let record = |text: &str| json!({"type": "session_info_changed", "name": text}).to_string();
    let separators = "a\u{2028}b\u{2029}c\u{85}d";
    let stream = [
        record(separators) + "\n",
        record("with a carriage return") + "\r\n",
        "{\"type\": \"session_info_changed\", \"na\n".to_owned(),
        "no record at all\r\n".to_owned(),
        record("after the bad ones") + "\n",
        record("without an end"),
    ]
    .concat()
    .into_bytes();
    assert!(String::from_utf8_lossy(&stream).contains(separators), "written as it is, not escaped");
    let expected = [
        title(separators),
        title("with a carriage return"),
        Incoming::Unreadable,
        Incoming::Unreadable,
        title("after the bad ones"),
        title("without an end"),
    ];
    assert_eq!(read(&[&stream]), expected);
    // Cut anywhere, also inside a character: half a record waits for its rest.
    for cut in 0..=stream.len() {
        assert_eq!(read(&[&stream[..cut], &stream[cut..]]), expected, "cut at {cut}");
    }
    let mut buffer = LineBuffer::default();
    assert_eq!(buffer.push(&stream[..stream.iter().position(|byte| *byte == b'\n').unwrap()]), []);
}

#[test]
fn an_unknown_type_is_kept_as_it_came() {
    let raw = |name: &str, data| Incoming::Event(Event::Raw { name: name.into(), data });
    assert_eq!(one(json!({"type": "entirely_new", "x": 1})), raw("entirely_new", json!({"x": 1})));
    assert_eq!(one(json!({"x": 1})), raw("", json!({"x": 1})));
    let large = "y".repeat(RAW_EVENT_BYTES);
    let bytes = json!({"x": large}).to_string().len();
    assert_eq!(one(json!({"type": "large", "x": large})), raw("large", json!({"bytes": bytes})));
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
fn a_question_keeps_its_options_and_timeout() {
    let Incoming::Ask(ask) = one(json!({
        "type": "extension_ui_request", "id": "q", "method": "select", "title": "Pick", "options": ["a", "b"], "timeout": 400
    })) else {
        panic!("no question")
    };
    assert_eq!((ask.kind, ask.options.len(), ask.timeout_ms), (AskKind::Select, 2, Some(400)));
}
