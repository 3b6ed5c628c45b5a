//! Commands that change settings of the session: model, thinking level, mode, name and switches.

use serde_json::json;

use super::Command;
use crate::{
    agent::{
        Agent, State,
        models::{self, Model},
    },
    protocol::Event,
    session::EntryBody,
};

pub(super) fn is_setting(kind: &str) -> bool {
    matches!(
        kind,
        "set_model"
            | "cycle_model"
            | "set_thinking_level"
            | "cycle_thinking_level"
            | "set_mode"
            | "set_session_name"
            | "set_steering_mode"
            | "set_follow_up_mode"
            | "set_auto_retry"
            | "set_auto_compaction"
    )
}

pub(super) fn change(agent: &Agent, command: &Command) {
    agent.with(|state| match command.kind.as_str() {
        "set_model" => set_model(agent, state, command),
        "cycle_model" => {
            set_current_model(state, state.model.next());
            let data = json!({
                "model": state.model.describe(),
                "thinkingLevel": state.thinking_level,
                "isScoped": false,
            });
            command.succeed(agent, Some(data));
        }
        "set_thinking_level" => {
            let level = models::thinking_level(command.text("level").unwrap_or_default());
            set_thinking_level(agent, state, level);
            command.succeed(agent, None);
        }
        "cycle_thinking_level" => {
            let level = models::next_thinking_level(state.thinking_level);
            set_thinking_level(agent, state, level);
            command.succeed(agent, Some(json!({"level": level})));
        }
        "set_mode" => match models::find_mode(command.text("mode").unwrap_or_default()) {
            Some(mode) => {
                state.mode = mode.id;
                command.succeed(agent, None);
            }
            None => command.fail(agent, "Mode not found"),
        },
        "set_session_name" => set_session_name(agent, state, command),
        _ => {
            set_switch(state, command);
            command.succeed(agent, None);
        }
    });
}

fn set_model(agent: &Agent, state: &mut State, command: &Command) {
    let provider = command.text("provider").unwrap_or("undefined");
    let id = command.text("modelId").unwrap_or("undefined");
    match Model::find(provider, id) {
        Some(model) => {
            set_current_model(state, model);
            command.succeed(agent, Some(model.describe()));
        }
        None => command.fail(agent, format!("Model not found: {provider}/{id}")),
    }
}

fn set_current_model(state: &mut State, model: &'static Model) {
    state.model = model;
    state.store_model();
}

fn set_thinking_level(agent: &Agent, state: &mut State, level: &'static str) {
    if state.thinking_level != level {
        state.thinking_level = level;
        state.store_thinking_level();
        agent.output.emit(&Event::ThinkingLevelChanged { level });
    }
}

fn set_session_name(agent: &Agent, state: &mut State, command: &Command) {
    let Some(name) = command.text("name").map(str::trim) else {
        return command.fail(agent, "Cannot read properties of undefined (reading 'trim')");
    };
    if name.is_empty() {
        return command.fail(agent, "Session name cannot be empty");
    }
    state.session.append(&EntryBody::SessionInfo { name });
    agent.output.emit(&Event::SessionInfoChanged { name });
    command.succeed(agent, None);
}

fn set_switch(state: &mut State, command: &Command) {
    let all = command.text("mode") == Some("all");
    let enabled = command.fields["enabled"] == true;
    match command.kind.as_str() {
        "set_steering_mode" => state.queues.all_steering = all,
        "set_follow_up_mode" => state.queues.all_follow_up = all,
        "set_auto_retry" => state.auto_retry = enabled,
        _ => state.auto_compaction = enabled,
    }
}
