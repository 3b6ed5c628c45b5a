use super::*;

fn entry(id: &str, role: &str, text: &str) -> Value {
    json!({"type": "message", "id": id, "message": {"role": role, "content": [{"type": "text", "text": text}]}})
}

fn texts(messages: &[Value]) -> Vec<String> {
    messages.iter().map(text_of).collect()
}

#[test]
fn a_dropped_attempt_is_out_of_the_context_but_in_the_counts() {
    let entries = [
        entry("a", "user", "Hello"),
        entry("b", "assistant", "half"),
        json!({"type": "context_edit", "id": "c", "targetId": "b", "replacement": null}),
        entry("d", "assistant", "whole"),
    ];
    assert_eq!(texts(&messages(&entries)), ["Hello", "whole"]);
    assert_eq!(counts(&entries)["assistantMessages"], 2);
}

#[test]
fn a_compaction_stands_for_what_came_before() {
    let mut entries = vec![
        entry("a", "user", "one"),
        entry("b", "assistant", "answer one"),
        entry("c", "user", "two"),
        entry("d", "assistant", "answer two"),
        json!({"type": "compaction", "id": "e", "summary": "so far", "firstKeptEntryId": "c", "tokensBefore": 9,
            "timestamp": "2026-11-16T02:18:55.328Z"}),
    ];
    let kept = messages(&entries);
    assert_eq!(kept[0]["summary"], "so far");
    assert_eq!(kept[0]["timestamp"], 1_794_795_535_328_i64);
    assert_eq!(texts(&kept[1..]), ["two", "answer two"]);
    assert_eq!(usage(&entries)["tokens"], Value::Null, "unknown until the next reply");

    entries.push(entry("f", "assistant", "three"));
    assert!(usage(&entries)["tokens"].as_u64().is_some());
}

#[test]
fn four_characters_are_a_token() {
    assert_eq!(tokens(&[entry("a", "user", "12345678")["message"].clone()]), 2);
    let private = json!({"role": "bashExecution", "output": "12345678", "excludeFromContext": true});
    assert_eq!(tokens(&[private]), 0);
    assert_eq!(usage(&[]), json!({"tokens": 0, "contextWindow": 200_000, "percent": 0.0}));
}
