//! Compaction: replaces the older part of the conversation with a summary.
//!
//! The summary lists the user's prompts. The session file keeps every entry.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};

use crate::{
    agent::Agent,
    pace::Cancel,
    protocol::{Event, Usage},
    session::{EntryBody, context},
};

const COMPACTION_TIME: Duration = Duration::from_millis(2500);
const TOO_SMALL: &str = "Nothing to compact (session too small)";
const ABORTED: &str = "Compaction cancelled";

pub(crate) struct CompactionPlan {
    summary: String,
    first_kept_entry_id: String,
    tokens_before: u64,
}

/// Plans a compaction. Returns `None` if there is too little conversation since the last one.
pub(crate) fn plan(entries: &[Value]) -> Option<CompactionPlan> {
    // The messages that the last compaction kept count as conversation since then.
    let since = context::newest(entries, "compaction").map_or(0, |compaction| {
        let kept = entries.iter().position(|entry| entry["id"] == compaction["firstKeptEntryId"]);
        kept.unwrap_or(entries.len())
    });
    let prompts: Vec<&Value> = entries[since..]
        .iter()
        .filter(|entry| entry.pointer("/message/role").is_some_and(|role| role == "user"))
        .collect();
    let (kept, replaced) = prompts.split_last().filter(|(_, replaced)| !replaced.is_empty())?;
    let earlier = context::newest(entries, "compaction").and_then(|entry| entry["summary"].as_str());
    Some(CompactionPlan {
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
    summary.push_str("\n## Next\nContinue with the latest message.");
    summary
}

/// Compacts the conversation and emits the start and end events. Returns the data or the error of the response.
pub(crate) async fn compact(agent: &Arc<Agent>, reason: &str, cancel: &Cancel) -> Result<Value, String> {
    agent.output.emit(&Event::CompactionStart { reason });
    let planned = agent.with(|state| plan(state.session.entries()));
    let outcome = match planned {
        None => Err(TOO_SMALL),
        Some(_) if !agent.pace.wait(COMPACTION_TIME, cancel).await => Err(ABORTED),
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

fn store(agent: &Agent, plan: &CompactionPlan) -> Value {
    let usage = Usage::new(plan.tokens_before, context::tokens_of_text(&plan.summary));
    let details = json!({"readFiles": [], "modifiedFiles": []});
    let tokens_after = agent.with(|state| {
        state.session.append(&EntryBody::Compaction {
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
    fn one_prompt_is_too_little_to_compact() {
        assert!(plan(&[]).is_none());
        assert!(plan(&[user("a", "one")]).is_none());
    }

    #[test]
    fn the_latest_prompt_is_kept() {
        let mut entries = vec![user("a", "one\nmore"), user("b", "two")];
        let planned = plan(&entries).unwrap();
        assert_eq!(planned.first_kept_entry_id, "b");
        assert!(planned.summary.contains("- The user asked: one\n"), "{}", planned.summary);
        assert!(!planned.summary.contains("two"));

        entries.push(json!({"type": "compaction", "id": "c", "summary": "", "firstKeptEntryId": "b"}));
        assert!(plan(&entries).is_none(), "compacting again is too early");
    }
}
