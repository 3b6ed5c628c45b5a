//! Compaction: the older part of a conversation gives way to a summary.
//!
//! The summary is put together from what the user asked; the file keeps every entry.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};

use crate::{
    agent::Agent,
    pace::Cancel,
    protocol::{Event, Usage},
    session::{Body, context},
};

const TAKES: Duration = Duration::from_millis(2500);
const TOO_SMALL: &str = "Nothing to compact (session too small)";
const ABORTED: &str = "Compaction cancelled";

pub(crate) struct Plan {
    summary: String,
    first_kept_entry_id: String,
    tokens_before: u64,
}

/// What a compaction would do; `None` if there is not enough conversation since the last one.
pub(crate) fn plan(entries: &[Value]) -> Option<Plan> {
    // What the last compaction kept counts as conversation since then.
    let since = context::newest(entries, "compaction").map_or(0, |compaction| {
        let kept = entries.iter().position(|entry| entry["id"] == compaction["firstKeptEntryId"]);
        kept.unwrap_or(entries.len())
    });
    let asked: Vec<&Value> = entries[since..]
        .iter()
        .filter(|entry| entry.pointer("/message/role").is_some_and(|role| role == "user"))
        .collect();
    let (kept, replaced) = asked.split_last().filter(|(_, replaced)| !replaced.is_empty())?;
    let earlier = context::newest(entries, "compaction").and_then(|entry| entry["summary"].as_str());
    Some(Plan {
        summary: summarise(earlier, replaced),
        first_kept_entry_id: kept["id"].as_str()?.to_owned(),
        tokens_before: context::tokens(&context::messages(entries)),
    })
}

fn summarise(earlier: Option<&str>, replaced: &[&Value]) -> String {
    let mut summary = String::from("## Goal\nSee what Pilothouse can do.\n\n## Progress\n");
    if earlier.is_some() {
        summary.push_str("- An earlier part of the conversation was compacted before\n");
    }
    for entry in replaced {
        let text = context::text_of(&entry["message"]);
        let first_line = text.lines().next().unwrap_or_default();
        let shown: String = first_line.chars().take(80).collect();
        summary.push_str(&format!("- The user asked: {shown}\n"));
    }
    summary.push_str("\n## Next\nGo on with the latest message.");
    summary
}

/// Compacts, with the events around it. The error is the one for the asker's response.
pub(crate) async fn compact(agent: &Arc<Agent>, reason: &str, cancel: &Cancel) -> Result<Value, String> {
    agent.output.emit(&Event::CompactionStart { reason });
    let planned = agent.with(|state| plan(state.session.entries()));
    let outcome = match planned {
        None => Err(TOO_SMALL),
        Some(_) if !agent.pace.wait(TAKES, cancel).await => Err(ABORTED),
        Some(plan) => Ok(store(agent, &plan)),
    };
    let aborted = outcome == Err(ABORTED);
    agent.output.emit(&Event::CompactionEnd {
        reason,
        result: outcome.as_ref().ok(),
        aborted,
        will_retry: false,
        error_message: outcome
            .as_ref()
            .err()
            .filter(|_| !aborted)
            .map(|error| format!("Compaction failed: {error}")),
    });
    outcome.map_err(str::to_owned)
}

fn store(agent: &Agent, plan: &Plan) -> Value {
    let usage = Usage::new(plan.tokens_before, context::tokens_of_text(&plan.summary));
    let details = json!({"readFiles": [], "modifiedFiles": []});
    let tokens_after = agent.with(|state| {
        state.session.append(&Body::Compaction {
            summary: &plan.summary,
            first_kept_entry_id: &plan.first_kept_entry_id,
            tokens_before: plan.tokens_before,
            details: &details,
            usage: &usage,
            from_hook: false,
        });
        context::tokens(&context::messages(state.session.entries()))
    });
    json!({
        "summary": plan.summary,
        "firstKeptEntryId": plan.first_kept_entry_id,
        "tokensBefore": plan.tokens_before,
        "estimatedTokensAfter": tokens_after,
        "usage": usage,
        "details": details,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(id: &str, text: &str) -> Value {
        json!({"type": "message", "id": id, "message": {"role": "user", "content": [{"type": "text", "text": text}]}})
    }

    #[test]
    fn one_question_is_too_little() {
        assert!(plan(&[]).is_none());
        assert!(plan(&[user("a", "one")]).is_none());
    }

    #[test]
    fn the_latest_question_is_kept() {
        let mut entries = vec![user("a", "one\nmore"), user("b", "two")];
        let planned = plan(&entries).unwrap();
        assert_eq!(planned.first_kept_entry_id, "b");
        assert!(planned.summary.contains("- The user asked: one\n"), "{}", planned.summary);
        assert!(!planned.summary.contains("two"));

        entries.push(json!({"type": "compaction", "id": "c", "summary": "", "firstKeptEntryId": "b"}));
        assert!(plan(&entries).is_none(), "again too early");
    }
}
