//! Queries about the agent and the session. They change nothing and are answered at once.

use serde_json::{Value, json};

use super::Command;
use crate::{
    agent::{
        Agent, State, WorkKind,
        models::{MODELS, MODES, THINKING_LEVELS},
    },
    scenes::COMMANDS,
    session::context,
};

pub(super) fn is_query(kind: &str) -> bool {
    matches!(
        kind,
        "get_state"
            | "get_messages"
            | "get_entries"
            | "get_session_stats"
            | "get_last_assistant_text"
            | "get_fork_messages"
            | "get_available_models"
            | "get_available_thinking_levels"
            | "get_commands"
    )
}

pub(super) fn answer(agent: &Agent, command: &Command) {
    let answer = agent.with(|state| {
        Ok(match command.kind.as_str() {
            "get_state" => describe_state(state),
            "get_messages" => json!({"messages": context::messages(state.session.entries())}),
            "get_entries" => return entries(state, command.text("since")),
            "get_session_stats" => stats(state),
            "get_last_assistant_text" => last_assistant_text(state),
            "get_fork_messages" => fork_messages(state),
            "get_available_models" => {
                json!({"models": MODELS.iter().map(|model| model.describe()).collect::<Vec<_>>()})
            }
            "get_available_thinking_levels" => json!({"levels": THINKING_LEVELS}),
            _ => slash_commands(),
        })
    });
    match answer {
        Ok(data) => command.succeed(agent, Some(data)),
        Err(error) => command.fail(agent, error),
    }
}

fn describe_state(state: &State) -> Value {
    let mode = |all: bool| if all { "all" } else { "one-at-a-time" };
    let entries = state.session.entries();
    let mut described = json!({
        "model": state.model.describe(),
        "thinkingLevel": state.thinking_level,
        "mode": state.mode,
        "modes": MODES,
        "isStreaming": state.is_busy_with(WorkKind::Run),
        "isCompacting": state.is_busy_with(WorkKind::Compaction),
        "steeringMode": mode(state.queues.all_steering),
        "followUpMode": mode(state.queues.all_follow_up),
        "sessionFile": state.session.path(),
        "sessionId": state.session.id(),
        "autoCompactionEnabled": state.auto_compaction,
        "messageCount": context::messages(entries).len(),
        "pendingMessageCount": state.queues.len(),
    });
    if let Some(info) = context::newest(entries, "session_info") {
        described["sessionName"] = info["name"].clone();
    }
    described
}

fn entries(state: &State, since: Option<&str>) -> Result<Value, String> {
    let all = state.session.entries();
    let first = match since {
        None => 0,
        Some(id) => {
            let index = all.iter().position(|entry| entry["id"] == id);
            index.ok_or_else(|| format!("Entry not found: {id}"))? + 1
        }
    };
    Ok(json!({"entries": all[first..], "leafId": state.session.leaf()}))
}

fn stats(state: &State) -> Value {
    let entries = state.session.entries();
    let mut stats = context::counts(entries);
    stats["sessionFile"] = json!(state.session.path());
    stats["sessionId"] = json!(state.session.id());
    stats["contextUsage"] = context::usage(entries);
    stats
}

fn last_assistant_text(state: &State) -> Value {
    let messages = context::messages(state.session.entries());
    let last = messages.iter().rfind(|message| message["role"] == "assistant");
    match last.map(context::text_of) {
        Some(text) if !text.is_empty() => json!({"text": text}),
        _ => json!({}),
    }
}

fn fork_messages(state: &State) -> Value {
    let entries = state.session.entries().iter();
    let users = entries.filter(|entry| entry.pointer("/message/role").is_some_and(|role| role == "user"));
    let messages: Vec<Value> = users
        .map(|entry| json!({"entryId": entry["id"], "text": context::text_of(&entry["message"])}))
        .collect();
    json!({"messages": messages})
}

fn slash_commands() -> Value {
    let listed = COMMANDS.iter().filter(|command| command.listed);
    let commands: Vec<Value> = listed
        .map(|command| {
            json!({
                "name": command.name,
                "description": command.description,
                "source": "prompt",
                "sourceInfo": {
                    "path": "builtin:demo",
                    "source": "builtin",
                    "scope": "temporary",
                    "origin": "top-level",
                },
            })
        })
        .collect();
    json!({"commands": commands})
}
