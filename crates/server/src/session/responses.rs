//! What the agent answers, and what follows from it for those who asked.

use std::path::PathBuf;

use pilothouse_agents::pi::decode::{context_usage, model};
use pilothouse_agents::pi::{PiCommand, Response};
use pilothouse_core::conversation::queue::{Lane, QueueCounts};
use pilothouse_core::conversation::ui_message::BashResult;
use pilothouse_core::protocol::event::Event;
use pilothouse_core::protocol::{AgentMode, Capabilities};
use pilothouse_core::session::machine::StateEvent;
use serde_json::{Value, json};

use super::Session;
use super::requests::{Pending, Waiter};

impl Session {
    pub(super) fn response(&mut self, response: Response) {
        let Some(pending) = self.pending_of(&response) else { return };
        if !response.success {
            let why = if response.error.is_empty() { "The agent refused." } else { response.error.as_str() };
            let was_prompt = matches!(pending, Pending::Prompt { .. });
            self.fail(pending, why);
            if was_prompt {
                self.end_unstarted_run(StateEvent::Failed, why);
            }
            return self.clear_agents_queue();
        }
        match pending {
            Pending::State => self.agent_is_ready(&response.data),
            Pending::Statistics => {
                if let Some(usage) = context_usage(&response.data) {
                    self.emit(Event::ContextUsage { usage });
                }
            }
            Pending::ThinkingLevels => {
                let levels = response.data.get("levels").cloned().unwrap_or_default();
                self.view.capabilities.thinking_levels = serde_json::from_value(levels).unwrap_or_default();
                self.emit(Event::CapabilitiesChanged { capabilities: self.view.capabilities.clone() });
            }
            Pending::Silent => {}
            Pending::Prompt { client_id, waiting } => {
                let told = response.data.get("disposition").and_then(Value::as_str);
                self.prompt_taken(&client_id, waiting, told.unwrap_or("started"));
                if told.is_none() && !self.view.controller.is_running() {
                    self.request(PiCommand::GetState, Pending::Began { client_id });
                }
            }
            Pending::Began { client_id } => {
                let waits = self.starting.iter().any(|starting| starting.client_id == client_id);
                let rests = response.data.get("isStreaming") == Some(&Value::Bool(false));
                if waits && rests && !self.view.controller.is_running() {
                    self.prompt_taken(&client_id, Vec::new(), "handled");
                }
            }
            Pending::Bash { client_id, result } => {
                let result = bash_result(result, &response.data);
                self.keep_shell(&client_id, &result);
                self.emit(Event::BashEnd { id: client_id, result });
            }
            Pending::Given { id } => {
                if response.data.get("disposition").and_then(Value::as_str) == Some("handled") {
                    // A command of the agent's own: there will be no user message.
                    self.agents_copy.taken_up(&id);
                    self.forget_scheduled(&id);
                    self.forget_prompt(&id);
                    self.end_unstarted_run(StateEvent::Completed, "");
                }
                self.clear_agents_queue();
            }
            Pending::QueueCleared => {
                let steering = self.given_back_of(Lane::Steer, response.data.get("steering"));
                let follow_up = self.given_back_of(Lane::FollowUp, response.data.get("followUp"));
                self.queue_cleared(QueueCounts { steering, follow_up });
            }
            Pending::Renamed { waiter, name } => {
                if self.view.title != name {
                    self.emit(Event::TitleChanged { title: name });
                    self.tell_hub();
                }
                waiter.respond(Ok(Value::Null));
            }
            Pending::Page(waiter) => {
                match waiter.command {
                    "set_model" => {
                        self.emit(Event::ModelChanged { model: model(&response.data) });
                        self.request(PiCommand::GetAvailableThinkingLevels, Pending::ThinkingLevels);
                        self.request(PiCommand::GetSessionStats, Pending::Statistics);
                    }
                    // Some agents tell the new level or mode themselves, some do not.
                    "set_thinking_level" | "set_mode" => self.request(PiCommand::GetState, Pending::State),
                    _ => {}
                }
                waiter.respond(Ok(response.data));
            }
        }
    }

    fn prompt_taken(&mut self, client_id: &str, waiting: Vec<Waiter>, disposition: &str) {
        if disposition == "handled" {
            // A command of the agent's own: there will be no user message and no run.
            self.starting.retain(|starting| starting.client_id != client_id);
            self.forget_scheduled(client_id);
            self.end_unstarted_run(StateEvent::Completed, "");
        } else if disposition == "queued" {
            self.was_queued(client_id);
        }
        self.prompt_done(client_id, waiting, &Ok(json!({ "disposition": disposition })));
    }

    fn agent_is_ready(&mut self, data: &Value) {
        let first = !std::mem::replace(&mut self.ready, true);
        let model = data.get("model").and_then(model);
        if self.view.model != model {
            self.emit(Event::ModelChanged { model });
        }
        let text = |key: &str| data.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        if self.origin.file.is_none() {
            self.origin.file = Some(PathBuf::from(text("sessionFile"))).filter(|file| file.is_absolute());
        }
        if self.view.thinking_level != text("thinkingLevel") {
            self.emit(Event::ThinkingLevelChanged { level: text("thinkingLevel") });
        }
        let modes = data.get("modes").cloned().and_then(|modes| serde_json::from_value(modes).ok());
        let modes: Vec<AgentMode> = modes.unwrap_or_default();
        if self.view.capabilities.modes != modes {
            let capabilities = Capabilities { modes, ..self.view.capabilities.clone() };
            self.emit(Event::CapabilitiesChanged { capabilities });
        }
        let known = self.view.capabilities.modes.iter().any(|mode| mode.id == self.view.mode);
        if first && known && self.view.mode != text("mode") {
            // A process that was ended while it rested begins as agents do; the person has chosen otherwise.
            self.request(PiCommand::SetMode { mode: self.view.mode.clone() }, Pending::Silent);
        } else if self.view.mode != text("mode") {
            self.emit(Event::ModeChanged { mode: text("mode") });
        }
        if first {
            self.step(StateEvent::SessionCreated, "");
        }
    }
}

fn bash_result(started: BashResult, data: &Value) -> BashResult {
    let text = |key: &str| data.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let flag = |key: &str| data.get(key).and_then(Value::as_bool).unwrap_or_default();
    BashResult {
        output: text("output"),
        exit_code: data.get("exitCode").and_then(Value::as_i64).and_then(|code| i32::try_from(code).ok()),
        cancelled: flag("cancelled"),
        truncated: flag("truncated"),
        running: false,
        ..started
    }
}
