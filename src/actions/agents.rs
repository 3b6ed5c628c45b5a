//! Finding, adding and removing agents, and continuing sessions that only an agent knows.

use std::sync::Arc;

use leptos::prelude::*;
use pilothouse_core::protocol::{AgentSession, AgentSessions, HubCommand};

use super::Actions;
use crate::net::read_answer;
use crate::store::client::Confirmation;

impl Actions {
    /// Sends a command about agents, whose effect arrives as a frame. The callback receives why it failed, if it did.
    pub fn change_agents(&self, command: HubCommand, callback: impl FnOnce(Option<String>) + 'static) {
        self.request_hub(command, move |outcome| callback(outcome.err().map(|error| error.message)));
    }

    /// Removes an agent that the user has added, after the user has confirmed it.
    pub fn remove_agent(&self, name: String, title: &str) {
        let actions = *self;
        self.client.confirmation.set(Some(Confirmation {
            title: "Remove agent?".to_owned(),
            text: format!("“{title}” can no longer be chosen for new sessions. Its sessions are kept."),
            confirm_label: "Remove",
            destructive: true,
            alternatives: Vec::new(),
            action: Arc::new(move || {
                let error = actions.client.error;
                actions.change_agents(HubCommand::RemoveAgent { name: name.clone() }, move |problem| {
                    error.set(problem);
                });
            }),
        }));
    }

    /// Lists sessions that only the agent knows; `cursor` continues an earlier list.
    pub fn list_agent_sessions(
        &self,
        agent: String,
        cursor: Option<String>,
        callback: impl FnOnce(Result<AgentSessions, String>) + 'static,
    ) {
        let command = HubCommand::ListAgentSessions { agent, cursor };
        self.request_hub(command, move |outcome| callback(read_answer(outcome)));
    }

    /// Continues a session that only its agent knows. The callback receives its id here.
    pub fn import_session(
        &self,
        agent: String,
        session: AgentSession,
        callback: impl FnOnce(Result<String, String>) + 'static,
    ) {
        let AgentSession { id, cwd, title, .. } = session;
        let command = HubCommand::ImportSession { agent, agent_session_id: id, cwd, title };
        self.request_new_session(command, Box::new(callback));
    }

    /// Sends a command that creates a session. The callback receives its id.
    pub(super) fn request_new_session(
        &self,
        command: HubCommand,
        callback: Box<dyn FnOnce(Result<String, String>)>,
    ) {
        self.request_hub(command, move |outcome| {
            callback(outcome.map_err(|error| error.message).and_then(|data| {
                let id = data.get("session_id").and_then(|id| id.as_str()).map(str::to_owned);
                id.ok_or_else(|| {
                    "The server's response has no session ID. Reload the page and try again.".to_owned()
                })
            }));
        });
    }
}
