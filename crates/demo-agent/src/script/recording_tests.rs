use super::*;

const RECORD: &str = r#"
{"dir":"in","t":5,"line":{"id":"req-1","type":"get_state"}}
{"dir":"out","t":100,"line":{"id":"req-1","type":"response","command":"get_state","success":true}}
{"dir":"in","t":101,"line":{"id":"req-2","type":"prompt","message":"Hello"}}
{"dir":"out","t":150,"line":{"type":"z","a":1.50,"b":"\"line\":"}}
{"dir":"in","t":160,"line":{"$raw":"not json"}}
{"dir":"out","t":170,"line":{"type":"agent_settled","aborted":false}}
"#;

#[test]
fn questions_stand_aside() {
    let recording = Recording::parse(RECORD, false).unwrap();
    assert_eq!(recording.questions.len(), 1);
    assert_eq!(recording.questions[0].before, 0);
    assert_eq!(recording.cues.len(), 3);
    assert_eq!(recording.awaited_from(0).collect::<Vec<_>>(), [(0, "prompt")]);
    assert_eq!(recording.awaited_from(1).count(), 0);
}

#[test]
fn a_strict_recording_waits_for_all() {
    let recording = Recording::parse(RECORD, true).unwrap();
    assert!(recording.questions.is_empty());
    assert_eq!(recording.awaited_from(0).map(|(_, kind)| kind).collect::<Vec<_>>(), ["get_state", "prompt"]);
}

#[test]
fn lines_keep_their_bytes_and_spacing() {
    let recording = Recording::parse(RECORD, false).unwrap();
    let Cue::Send { after, line } = &recording.cues[1] else { panic!("{:?}", recording.cues) };
    assert_eq!(line.raw, r#"{"type":"z","a":1.50,"b":"\"line\":"}"#);
    assert_eq!(*after, Duration::from_millis(49));
}

#[test]
fn what_is_no_recording_is_refused() {
    assert!(Recording::parse("{\"type\":\"session\"}", false).is_err());
    assert!(Recording::parse("hello", false).is_err());
}

#[test]
fn messages_stand_for_each_other() {
    assert!(same_kind("steer", "prompt"));
    assert!(same_kind("abort", "abort"));
    assert!(!same_kind("abort", "prompt"));
}

#[test]
fn a_replaced_field_leaves_the_rest_alone() {
    let raw = r#"{"id":"req-1","type":"response","data":{"cost":0.00045999999999999996,"id":"x"}}"#;
    let mut line = Line { raw: raw.to_owned(), object: Value::Null };
    line.replace("id", &serde_json::json!(7));
    line.replace("missing", &Value::Null);
    assert_eq!(line.raw, r#"{"id":7,"type":"response","data":{"cost":0.00045999999999999996,"id":"x"}}"#);
}
