//! What pages ask of a session, and who does it. Bad input gets a sentence and changes nothing.

use std::sync::PoisonError;

use pilothouse_agents::pi::PiCommand;
use pilothouse_core::conversation::ask::{Answer, ClosedBy};
use pilothouse_core::limits::PAGE_ROWS;
use pilothouse_core::protocol::{Command, MessagesPage};
use pilothouse_core::session::machine::StateEvent;
use serde_json::{Value, json};

use super::Session;
use super::queue_changes::{Change, What};
use super::requests::{Pending, Waiter};
use crate::client::Client;

impl Session {
    pub(super) fn command(&mut self, page: &Client, request: String, command: Command) {
        let waiter = Waiter { page: page.clone(), request, command: command.name() };
        match command {
            Command::Prompt { client_id, message, images, streaming_behavior } => {
                match self.with_data(images) {
                    Ok(images) => {
                        let prompt = self.new_prompt(client_id, message, images, streaming_behavior);
                        self.prompt(waiter, prompt);
                    }
                    Err(why) => waiter.respond(Err(why)),
                }
            }
            Command::ResumeSession => self.resume(waiter),
            Command::Retry => self.retry(waiter),
            Command::EditQueued { item_id, revision, edit } => {
                self.change_queue(Change { what: What::Edit { item_id, revision, edit }, waiter });
            }
            Command::RemoveQueued { item_id, revision } => {
                self.change_queue(Change { what: What::Remove { item_id, revision }, waiter });
            }
            Command::Abort => self.abort(waiter),
            Command::ClearQueue => self.clear_queue(waiter, false),
            Command::GivenBack { request } => {
                let known = self.given_back.iter().find(|(of, _)| *of == request);
                let draft = || json!({ "draft": self.hub.draft(&self.origin.id) });
                waiter.respond(Ok(known.map_or_else(draft, |(_, answer)| answer.clone())));
            }
            Command::GetCommands => self.ask_agent(waiter, PiCommand::GetCommands),
            Command::GetAvailableModels => self.ask_agent(waiter, PiCommand::GetAvailableModels),
            Command::SetModel { provider, model_id } => {
                self.ask_agent(waiter, PiCommand::SetModel { provider, model_id });
            }
            Command::SetMode { mode } => self.ask_agent(waiter, PiCommand::SetMode { mode }),
            Command::SetThinkingLevel { level } => {
                self.ask_agent(waiter, PiCommand::SetThinkingLevel { level });
            }
            Command::Compact { instructions } => self.compact(waiter, instructions),
            Command::RenameSession { title } => self.rename(waiter, &title),
            Command::Fork { row } => self.fork(waiter, row),
            Command::FindFiles { query } => self.find_files(waiter, query),
            Command::FindRow { entry } => self.find_row(waiter, entry),
            Command::FindRows { query } => self.find_rows(waiter, &query),
            Command::GetMessages { before, limit } => {
                let limit = limit.unwrap_or(PAGE_ROWS).min(PAGE_ROWS);
                if before > 0 && before <= self.view.controller.first() {
                    return self.older_rows(waiter, before, limit);
                }
                let page = serde_json::to_value(self.view.page_before(before, limit));
                waiter.respond(page.map_err(|error| error.to_string()));
            }
            Command::Bash { client_id, command, exclude_from_context } => {
                let outcome = self.bash(client_id, command, exclude_from_context);
                waiter.respond(outcome);
            }
            Command::AbortBash => {
                self.request(PiCommand::AbortBash, Pending::Silent);
                waiter.respond(Ok(Value::Null));
            }
            Command::Answer { ask_id, answer } => {
                let outcome = self.answer(&ask_id, answer);
                waiter.respond(outcome);
            }
            Command::TakeOver => waiter.respond(Ok(self.take_over())),
            Command::GetState => waiter.respond(Ok(json!({
                "state": self.view.state, "reason": self.view.reason, "seq": self.view.seq,
                "model": self.view.model, "thinking_level": self.view.thinking_level,
            }))),
            Command::GetContextUsage => waiter.respond(Ok(json!({ "usage": self.view.context_usage }))),
            _ => {
                let name = waiter.command;
                waiter.respond(Err(format!("'{name}' is not a command for a session.")));
            }
        }
    }

    /// Rows that are not in memory any more are read from the agent's file, and nobody waits for that but the page.
    fn older_rows(&self, waiter: Waiter, before: usize, limit: usize) {
        let (history, total) = (self.history.clone(), self.view.controller.total());
        tokio::task::spawn_blocking(move || {
            let page = history.and_then(|history| {
                let history = history.lock().unwrap_or_else(PoisonError::into_inner);
                history.rows(before, limit)
            });
            let page = page.map(|page| MessagesPage { total, ..page });
            waiter.respond(match page {
                Some(page) => serde_json::to_value(page).map_err(|error| error.to_string()),
                None => {
                    Err("The session's file has changed. Reload the page to see it as it is now.".to_owned())
                }
            });
        });
    }

    /// Stop: the queue is cleared and given back, dialogs are closed, then the run is aborted. pi keeps its queue
    /// over an abort, and does not answer one while a dialog is open.
    fn abort(&mut self, waiter: Waiter) {
        self.clear_queue(waiter, true);
        for ask in self.view.asks.clone() {
            self.tell_agent(&PiCommand::AnswerDialog { ask_id: ask.id.clone(), answer: Answer::Cancel });
            self.close_ask(&ask.id, ClosedBy::Stopped);
        }
        let works = self.machine.state().is_active()
            || self.view.compacting
            || self.view.retry.is_some()
            || self.view.controller.is_running();
        if works && self.process.is_some() {
            self.abort_run();
        }
        self.step(StateEvent::CancelSession, "");
    }

    pub(super) fn ask_agent(&mut self, waiter: Waiter, command: PiCommand) {
        if let Err(why) = self.may_write() {
            return waiter.respond(Err(why));
        }
        match self.ensure_process() {
            Ok(()) => self.request(command, Pending::Page(waiter)),
            Err(why) => waiter.respond(Err(why)),
        }
    }
}
