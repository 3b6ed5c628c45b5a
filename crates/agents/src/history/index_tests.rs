use serde_json::{Value, json};

use super::super::digest::SessionDigest;
use super::super::entry::SessionHistory;
use super::*;

fn file(entries: &[Value]) -> Vec<u8> {
    let header = json!({"type": "session", "id": "s1", "cwd": "/p", "parentSession": "/old.jsonl",
        "timestamp": "1970-01-01T00:00:01Z"});
    let lines: Vec<String> = std::iter::once(&header).chain(entries).map(Value::to_string).collect();
    lines.join("\n").into_bytes()
}

fn entry(id: &str, parent: Value) -> Value {
    json!({"type": "label", "id": id, "parentId": parent})
}

fn index(bytes: &[u8]) -> SessionIndex {
    let mut index = SessionIndex::default();
    index.feed(bytes);
    index.flush();
    index
}

fn active(entries: &[Value]) -> Vec<u32> {
    index(&file(entries)).active()
}

#[test]
fn the_active_branch_is_the_path_to_the_last_entry() {
    let tree =
        [entry("a", Value::Null), entry("b", json!("a")), entry("c", json!("b")), entry("d", json!("a"))];
    assert_eq!(active(&tree), [0, 3]);
    assert_eq!(active(&tree[..3]), [0, 1, 2]);
}

#[test]
fn invalid_parents_lose_no_earlier_entries() {
    for wrong in [json!("lost"), json!(7), json!(["a"]), json!({"id": "a"}), json!(true), json!("b")] {
        assert_eq!(active(&[entry("a", Value::Null), entry("b", wrong.clone())]), [0, 1], "{wrong}");
    }
    let tree = [entry("a", json!("b")), entry("b", json!("a")), entry("a", json!("b"))];
    assert_eq!(active(&tree), [0, 1, 2], "a duplicate id, and a cycle");
    let root = [entry("a", Value::Null), entry("b", Value::Null)];
    assert_eq!(active(&root), [1], "a second root starts another branch");
}

#[test]
fn entries_without_an_id_keep_their_position() {
    let without_id = json!({"type": "label"});
    let wrong = json!({"type": "label", "id": 7});
    let tree = [without_id, entry("a", Value::Null), wrong, entry("b", json!("a")), entry("c", json!("a"))];
    assert_eq!(active(&tree), [0, 1, 2, 4]);
}

#[test]
fn facts_of_the_file_and_of_its_entries() {
    let message = |id: &str, parent: Value, time: &str, message: Value| json!({"type": "message", "id": id, "parentId": parent, "timestamp": time, "message": message});
    let user =
        json!({"role": "user", "content": [{"type": "text", "text": "  Hello\nyou"}], "timestamp": 5_000});
    let reply = json!({"role": "assistant", "content": [], "stopReason": "stop", "timestamp": "odd"});
    let entries = [
        message("a", Value::Null, "1970-01-01T00:00:02Z", user),
        message("b", json!("a"), "1970-01-01T00:00:09.5Z", reply),
        json!({"type": "session_info", "id": "c", "name": "First"}),
        json!({"type": "session_info", "id": "d", "name": ["wrong"]}),
        json!({"type": "session", "id": "another header", "cwd": "/x"}),
    ];
    let unnamed = index(&file(&entries[..2]));
    assert_eq!(unnamed.facts().title(), "Hello");
    assert_eq!((unnamed.facts().last_message_time, unnamed.facts().created), (Some(9_500), Some(1_000)));
    let first = unnamed.entry(0).unwrap();
    assert_eq!((first.time, first.message_time), (2_000, 5_000));
    let named = index(&file(&entries[..3]));
    assert_eq!((named.facts().title().as_str(), named.facts().cwd.as_str()), ("First", "/p"));
    assert_eq!(named.facts().parent_session.as_deref(), Some("/old.jsonl"));
    let all = index(&file(&entries));
    assert_eq!((all.facts().name.as_deref(), all.entries().len()), (None, 4), "a name can be removed");
    assert_eq!((all.number_of("c"), all.number_of("another header")), (Some(2), None));
}

#[test]
fn a_file_without_a_header_in_front_has_no_entries() {
    let mut bytes = b"{\"type\":\"message\",\"id\":\"a\"}\n".to_vec();
    bytes.extend(file(&[entry("a", Value::Null)]));
    let index = index(&bytes);
    assert!(!index.facts().is_session() && index.entries().is_empty());
}

#[test]
fn growth_is_distinguished_from_a_switch_of_branches() {
    let tree =
        [entry("a", Value::Null), entry("b", json!("a")), entry("c", json!("b")), entry("d", json!("a"))];
    let grown = index(&file(&tree[..3]));
    assert_eq!(grown.growth(2, Some(1)), Growth::Continued(vec![2]));
    assert_eq!(grown.growth(3, Some(2)), Growth::Continued(Vec::new()));
    assert_eq!(grown.growth(0, None), Growth::Continued(vec![0, 1, 2]));
    assert_eq!(index(&file(&tree)).growth(3, Some(2)), Growth::Moved);
    let without_id = [tree[0].clone(), json!({"type": "label"})];
    assert_eq!(index(&file(&without_id)).growth(1, Some(0)), Growth::Continued(vec![1]));
}

mod properties {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    fn line() -> impl Strategy<Value = String> {
        let id = || select(vec!["\"a\"", "\"b\"", "\"c\"", "\"d\"", "null", "1", "\"\""]);
        let message = select(vec![
            r#""user","content":"Hello""#,
            r#""assistant","content":[],"stopReason":"stop","timestamp":7"#,
            r#""assistant","content":[],"stopReason":"error","errorMessage":"This operation was aborted""#,
            r#""assistant","content":[],"stopReason":{"odd":[1]}"#,
            r#""toolResult","content":[],"timestamp":"2026-01-01T00:00:00Z""#,
            r#""system","content":"hidden""#,
            r"7",
        ]);
        prop_oneof![
            6 => (id(), id(), message).prop_map(|(id, parent, message)| format!(
                r#"{{"type":"message","id":{id},"parentId":{parent},"message":{{"role":{message}}}}}"#
            )),
            2 => (id(), id()).prop_map(|(id, parent)| format!(r#"{{"type":"label","id":{id},"parentId":{parent}}}"#)),
            1 => id().prop_map(|name| format!(r#"{{"type":"session_info","id":"n","parentId":"a","name":{name}}}"#)),
            1 => select(vec!["", "junk", "{\"type\":", "\0", "[]", r#"{"type":"message","id":"e","message":[1]}"#])
                .prop_map(str::to_owned),
        ]
    }

    fn text() -> impl Strategy<Value = String> {
        let header = r#"{"type":"session","id":"s","cwd":"/p"}"#;
        prop::collection::vec(line(), 0..20).prop_map(move |lines| format!("{header}\n{}", lines.join("\n")))
    }

    fn contents(index: &SessionIndex) -> (Vec<IndexEntry>, Vec<u32>, FileFacts, usize) {
        (index.entries().to_vec(), index.active(), index.facts().clone(), index.skipped_lines())
    }

    proptest! {
        #[test]
        fn the_chunk_size_does_not_change_the_index(text in text(), size in 1_usize..40) {
            let mut chunked = SessionIndex::default();
            text.as_bytes().chunks(size).for_each(|chunk| chunked.feed(chunk));
            chunked.flush();
            prop_assert_eq!(contents(&chunked), contents(&index(text.as_bytes())));
        }

        #[test]
        fn the_active_branch_consists_of_existing_entries_and_contains_the_leaf(text in text()) {
            let index = index(text.as_bytes());
            let active = index.active();
            prop_assert!(active.is_sorted() && active.iter().all(|number| index.entry(*number).is_some()));
            if let Some(leaf) = index.leaf() {
                prop_assert!(active.contains(&leaf));
            }
        }

        #[test]
        fn a_digest_agrees_with_the_whole_history(text in text(), cut in any::<prop::sample::Index>()) {
            let whole = SessionHistory::parse(text.as_bytes()).unwrap();
            let mut digest = SessionDigest::default();
            digest.feed(text.as_bytes());
            digest.suspend();
            prop_assert_eq!((digest.resting_state(), digest.facts().title()), (whole.resting_state(), whole.title()));

            // Suspended in the middle and continued.
            let cut = cut.index(text.len() + 1);
            let mut again = SessionDigest::default();
            again.feed(&text.as_bytes()[..cut]);
            let from = usize::try_from(again.suspend()).unwrap();
            again.feed(&text.as_bytes()[from..]);
            again.suspend();
            if !again.needs_full_read() {
                prop_assert_eq!((again.resting_state(), again.facts()), (whole.resting_state(), digest.facts()));
            }
        }
    }
}
