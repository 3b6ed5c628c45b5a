//! What was sent to the agent and waits for its response, and the start of the agent itself.

use std::time::Duration;

use pilothouse_agents::pi::{PiCommand, Response};
use pilothouse_core::conversation::ui_message::BashResult;
use pilothouse_core::limits::STOP_STEP_SECONDS;
use pilothouse_core::protocol::event::Event;
use serde_json::Value;
use tokio::time::Instant;

use super::Session;
use crate::agent::catalogue::Stored;
use crate::agent::process::{Launch, Process};
use crate::client::Client;

/// A page that waits for the response to a command of its.
#[derive(Debug)]
pub(super) struct Waiter {
    pub page: Client,
    pub request: String,
    pub command: &'static str,
}

impl Waiter {
    pub(super) fn respond(self, outcome: Result<Value, String>) {
        self.page.respond(self.request, self.command, outcome);
    }
}

/// Who waits for a response of the agent's.
#[derive(Debug)]
pub(super) enum Pending {
    State,
    Statistics,
    ThinkingLevels,
    /// Nobody: a failure is logged.
    Silent,
    Prompt {
        client_id: String,
        waiting: Vec<Waiter>,
    },
    /// Whether a prompt has led to a run: pi before 1.0 does not tell when it takes one.
    Began {
        client_id: String,
    },
    /// Nobody waits for it: the message was acknowledged when it was scheduled.
    Given {
        id: String,
    },
    QueueCleared,
    Renamed {
        waiter: Waiter,
        name: String,
    },
    Bash {
        client_id: String,
        result: BashResult,
    },
    Page(Waiter),
}

impl Session {
    /// Sends a command under a number of its own.
    pub(super) fn request(&mut self, command: PiCommand, pending: Pending) {
        self.next_request += 1;
        let id = self.next_request.to_string();
        let sent = self.process.as_ref().is_some_and(|process| process.send(command.encode(&id)));
        if sent {
            self.pending.insert(id, (command.name(), pending));
        } else {
            self.fail(pending, "The agent does not take commands any more.");
        }
    }

    /// Who waits for this response. Before 1.0 pi does not name the request when it does not know the command.
    pub(super) fn pending_of(&mut self, response: &Response) -> Option<Pending> {
        let unknown = response.error.strip_prefix("Unknown command: ").filter(|_| response.id.is_empty());
        let id = match unknown {
            Some(name) => {
                self.pending.iter().find(|(_, (command, _))| *command == name).map(|(id, _)| id.clone())?
            }
            None => response.id.clone(),
        };
        self.pending.remove(&id).map(|(_, pending)| pending)
    }

    /// An answer to a question has no response. False if the agent does not take it.
    pub(super) fn tell_agent(&self, command: &PiCommand) -> bool {
        self.process.as_ref().is_some_and(|process| process.send(command.encode("")))
    }

    /// Starts the agent unless it runs.
    pub(super) fn ensure_process(&mut self) -> Result<(), String> {
        if self.process.is_some() {
            return if self.ending {
                Err("The agent is being stopped. Try again in a moment.".into())
            } else {
                Ok(())
            };
        }
        if self.visiting {
            return Err("The session is being renamed. Try again in a moment.".into());
        }
        if !self.origin.cwd.is_dir() {
            return Err(format!("The folder {} does not exist any more.", self.origin.cwd.display()));
        }
        let launch = self.launch();
        let process =
            Process::start(&launch, self.process_sender.clone()).map_err(|error| format!("{error:#}"))?;
        tracing::info!(session = %self.origin.id, agent = %self.origin.agent.name, "agent started");
        self.process = Some(process);
        self.agents_copy.offer_again();
        self.ready = false;
        self.ending = false;
        self.waiting = None;
        self.request(PiCommand::GetState, Pending::State);
        self.request(PiCommand::GetAvailableThinkingLevels, Pending::ThinkingLevels);
        Ok(())
    }

    pub(super) fn launch(&self) -> Launch {
        let stored = match self.origin.file.as_deref().filter(|file| file.is_file()) {
            Some(file) => Stored::In(file),
            None => Stored::Nowhere { old: self.hub.is_old(&self.origin.agent.name) },
        };
        // A mark of its own: with a process ends all that carries its mark, and nothing of a later one.
        let mark = format!("{}-{}", self.origin.mark, uuid::Uuid::now_v7().simple());
        self.origin.agent.launch(&self.origin.id, &self.origin.cwd, mark, stored)
    }

    /// Everything that waited for a process that is gone.
    pub(super) fn fail_all_pending(&mut self, why: &str) {
        for (_, (_, pending)) in std::mem::take(&mut self.pending) {
            self.fail(pending, why);
        }
    }

    pub(super) fn fail(&mut self, pending: Pending, why: &str) {
        match pending {
            Pending::Prompt { client_id, waiting } => self.prompt_refused(&client_id, waiting, why),
            Pending::Bash { client_id, result } => {
                let output = if result.output.is_empty() { why.to_owned() } else { result.output };
                let result = BashResult { cancelled: true, running: false, output, ..result };
                self.emit(Event::BashEnd { id: client_id, result });
            }
            Pending::Given { id } => self.not_given(&id, why),
            Pending::QueueCleared => self.queue_not_cleared(why),
            Pending::Page(waiter) | Pending::Renamed { waiter, .. } => waiter.respond(Err(why.to_owned())),
            Pending::State
            | Pending::Statistics
            | Pending::ThinkingLevels
            | Pending::Began { .. }
            | Pending::Silent => {
                tracing::debug!(session = %self.origin.id, why, "request failed");
            }
        }
    }

    /// What became of a prompt is remembered, so that one that is sent again gets the same answer.
    pub(super) fn prompt_done(
        &mut self,
        client_id: &str,
        waiting: Vec<Waiter>,
        outcome: &Result<Value, String>,
    ) {
        if let Some((_, known)) = self.client_ids.iter_mut().find(|(known, _)| known == client_id) {
            *known = Some(outcome.clone());
        }
        self.keep_outcome(client_id, outcome);
        if outcome.is_ok() {
            self.refused = None;
            self.leave_unsent();
        }
        waiting.into_iter().for_each(|waiter| waiter.respond(outcome.clone()));
    }

    /// Gives the agent a moment to follow a stop by itself.
    pub(super) fn expect_stop(&mut self) {
        self.stop_deadline = Some(Instant::now() + Duration::from_secs(STOP_STEP_SECONDS));
    }
}
