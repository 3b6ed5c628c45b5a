//! The conversation as derived from the session's entries: the model's context, its size, and statistics.
//!
//! Pure functions over entries.

use serde_json::{Value, json};

use crate::agent::models::CONTEXT_WINDOW;

/// The messages in the model's context. The summary of the newest compaction replaces older messages; failed
/// attempts that a `context_edit` removed are left out.
pub(crate) fn messages(entries: &[Value]) -> Vec<Value> {
    let removed: Vec<&Value> = entries
        .iter()
        .filter(|entry| entry["type"] == "context_edit")
        .filter_map(|entry| entry.get("targetId"))
        .collect();
    let message = |entry: &Value| {
        let kept = entry.get("id").is_none_or(|id| !removed.contains(&id));
        entry.get("message").filter(|_| kept).cloned()
    };
    let Some(index) = entries.iter().rposition(|entry| entry["type"] == "compaction") else {
        return entries.iter().filter_map(message).collect();
    };
    let compaction = &entries[index];
    let first_kept = entries.iter().position(|entry| entry["id"] == compaction["firstKeptEntryId"]);
    let summary = json!({
        "role": "compactionSummary",
        "summary": compaction["summary"],
        "tokensBefore": compaction["tokensBefore"],
        "timestamp": iso_to_milliseconds(&compaction["timestamp"]),
    });
    let before = entries[first_kept.unwrap_or(index).min(index)..index].iter();
    let after = entries[index + 1..].iter();
    std::iter::once(summary).chain(before.chain(after).filter_map(message)).collect()
}

/// Estimates the tokens of a text at four characters each, which is accurate enough for a usage display.
pub(crate) fn tokens_of_text(text: &str) -> u64 {
    (text.chars().count() as u64).div_ceil(4)
}

pub(crate) fn tokens(messages: &[Value]) -> u64 {
    messages.iter().map(tokens_of_message).sum()
}

fn tokens_of_message(message: &Value) -> u64 {
    if message["excludeFromContext"] == true {
        return 0;
    }
    let parts = message["content"].as_array().into_iter().flatten().map(|part| match part["type"].as_str() {
        Some("text") => tokens_of(&part["text"]),
        Some("thinking") => tokens_of(&part["thinking"]),
        Some("toolCall") => tokens_of_text(&part["arguments"].to_string()),
        Some("image") => 800,
        _ => 0,
    });
    let own = ["summary", "command", "output"].into_iter().map(|field| tokens_of(&message[field]));
    parts.chain(own).sum()
}

fn tokens_of(text: &Value) -> u64 {
    text.as_str().map_or(0, tokens_of_text)
}

/// The `contextUsage` of `get_session_stats`. As in pi, it is unknown between a compaction and the next reply.
pub(crate) fn usage(entries: &[Value]) -> Value {
    let last = |matches: fn(&Value) -> bool| entries.iter().rposition(matches);
    let compacted = last(|entry| entry["type"] == "compaction");
    let replied = last(|entry| entry.pointer("/message/role").is_some_and(|role| role == "assistant"));
    if compacted.is_some() && compacted > replied {
        return json!({"tokens": null, "contextWindow": CONTEXT_WINDOW, "percent": null});
    }
    let tokens = tokens(&messages(entries));
    let percent = tokens as f64 * 100.0 / CONTEXT_WINDOW as f64;
    json!({"tokens": tokens, "contextWindow": CONTEXT_WINDOW, "percent": percent})
}

/// The counts of `get_session_stats`, over the whole session and not only the model's context.
pub(crate) fn counts(entries: &[Value]) -> Value {
    let all: Vec<&Value> = entries.iter().filter_map(|entry| entry.get("message")).collect();
    let with_role = |role: &str| all.iter().filter(|message| message["role"] == role).count();
    let sum = |field: &str| -> u64 {
        let used =
            all.iter().map(|message| &message["usage"]).chain(entries.iter().map(|entry| &entry["usage"]));
        used.filter_map(|usage| usage[field].as_u64()).sum()
    };
    let calls: usize = all.iter().map(|message| calls_in(message)).sum();
    json!({
        "userMessages": with_role("user"),
        "assistantMessages": with_role("assistant"),
        "toolCalls": calls,
        "toolResults": with_role("toolResult"),
        "totalMessages": all.len(),
        "tokens": {
            "input": sum("input"),
            "output": sum("output"),
            "cacheRead": sum("cacheRead"),
            "cacheWrite": sum("cacheWrite"),
            "total": sum("totalTokens"),
        },
        "cost": 0,
    })
}

fn calls_in(message: &Value) -> usize {
    let parts = message["content"].as_array().into_iter().flatten();
    parts.filter(|part| part["type"] == "toolCall").count()
}

/// The number of messages with this role in the whole session.
pub(crate) fn count_role(entries: &[Value], role: &str) -> usize {
    entries.iter().filter(|entry| entry.pointer("/message/role").is_some_and(|other| other == role)).count()
}

pub(crate) fn count_calls(entries: &[Value]) -> usize {
    entries.iter().filter_map(|entry| entry.get("message")).map(calls_in).sum()
}

/// The concatenated text parts of a message.
pub(crate) fn text_of(message: &Value) -> String {
    let parts = message["content"].as_array().into_iter().flatten();
    parts.filter_map(|part| part["text"].as_str()).collect()
}

/// The newest entry of a type.
pub(crate) fn newest<'a>(entries: &'a [Value], kind: &str) -> Option<&'a Value> {
    entries.iter().rev().find(|entry| entry["type"] == kind)
}

fn iso_to_milliseconds(timestamp: &Value) -> i64 {
    let time = timestamp.as_str().and_then(|text| text.parse::<jiff::Timestamp>().ok());
    time.map_or(0, jiff::Timestamp::as_millisecond)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str, role: &str, text: &str) -> Value {
        json!({"type": "message", "id": id, "message": {"role": role, "content": [{"type": "text", "text": text}]}})
    }

    fn texts(messages: &[Value]) -> Vec<String> {
        messages.iter().map(text_of).collect()
    }

    #[test]
    fn a_removed_attempt_is_counted_but_not_in_the_context() {
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
    fn a_compaction_replaces_older_messages() {
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
        assert_eq!(usage(&entries)["tokens"], Value::Null, "usage is unknown until the next reply");

        entries.push(entry("f", "assistant", "three"));
        assert!(usage(&entries)["tokens"].as_u64().is_some());
    }

    #[test]
    fn four_characters_count_as_one_token() {
        assert_eq!(tokens(&[entry("a", "user", "12345678")["message"].clone()]), 2);
        let private = json!({"role": "bashExecution", "output": "12345678", "excludeFromContext": true});
        assert_eq!(tokens(&[private]), 0);
        assert_eq!(usage(&[]), json!({"tokens": 0, "contextWindow": 200_000, "percent": 0.0}));
    }
}
