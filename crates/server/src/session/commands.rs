//! Commands of clients, and the answers to questions: checked, stored, then carried out.

use pilothouse_agents::Request;
use pilothouse_core::SessionState;
use pilothouse_core::conversation::ask::{Answer, Ask, ClosedBy};
use pilothouse_core::conversation::ui_message::Image;
use pilothouse_core::limits::{PAGE_ROWS, TITLE_BYTES};
use pilothouse_core::protocol::event::Event;
use pilothouse_core::protocol::{CommandError, ErrorCode, SessionCommand, SessionReply};
use pilothouse_core::session::machine::StateEvent;
use tokio::time::Instant;

use super::effect::Pending;
use super::parts::asks::{after_closing, waiting_for};
use super::parts::journal::ask_record;
use super::parts::prompts::{KnownId, check_client_id};
use super::parts::shell::Shell;
use super::parts::steering::{Change, ChangeKind};
use super::turns::new_prompt;
use super::{Session, closing, probes, probing, queries};
use crate::client::Responder;

impl Session {
    pub(super) async fn command(&mut self, responder: Responder, command: SessionCommand) {
        match command {
            SessionCommand::Prompt { client_id, message, images, streaming_behavior } => {
                match self.with_image_data(images).await {
                    Ok(images) => {
                        let prompt = new_prompt(client_id, message, images, streaming_behavior);
                        self.prompt(responder, prompt).await;
                    }
                    Err(error) => responder.respond(Err(error)),
                }
            }
            SessionCommand::ResumeSession => self.resume(responder).await,
            SessionCommand::Retry => self.retry(responder).await,
            SessionCommand::EditQueued { item_id, revision, edit } => {
                self.edit_queued(responder, item_id, revision, edit).await;
            }
            SessionCommand::RemoveQueued { item_id, revision } => {
                let kind = ChangeKind::Remove { item_id, revision };
                self.change_queue(Change { kind, responder }).await;
            }
            SessionCommand::Abort => self.stop(responder).await,
            SessionCommand::ClearQueue => self.restore_queue(responder, false).await,
            SessionCommand::GivenBack { request } => {
                let restored = self.steering.restored(&request).map(SessionReply::Restored);
                let draft = || SessionReply::Draft { draft: self.hub.draft(&self.origin.id) };
                responder.respond(Ok(restored.unwrap_or_else(draft)));
            }
            SessionCommand::GetCommands => self.ask_agent(responder, Request::Commands).await,
            SessionCommand::GetAvailableModels => self.ask_agent(responder, Request::Models).await,
            SessionCommand::SetModel { provider, model_id } => {
                self.ask_agent(responder, Request::SetModel { provider, model_id }).await;
            }
            SessionCommand::SetMode { mode } => self.ask_agent(responder, Request::SetMode { mode }).await,
            SessionCommand::SetThinkingLevel { level } => {
                self.ask_agent(responder, Request::SetThinkingLevel { level }).await;
            }
            SessionCommand::Compact { instructions } => self.compact(responder, instructions).await,
            SessionCommand::RenameSession { title } => self.rename(responder, &title).await,
            SessionCommand::Fork { row } => self.fork(responder, row).await,
            SessionCommand::Bash { client_id, command, exclude_from_context } => {
                let result = self.run_shell(&client_id, &command, exclude_from_context).await;
                responder.respond(result.map(|()| SessionReply::Done));
            }
            SessionCommand::AbortBash => {
                self.request(Request::AbortShell, Pending::Ignored);
                responder.respond(Ok(SessionReply::Done));
            }
            SessionCommand::Answer { ask_id, answer } => {
                let result = self.answer(&ask_id, answer).await;
                responder.respond(result.map(|()| SessionReply::Done));
            }
            SessionCommand::TakeOver => {
                self.file.set_taken_over(true);
                responder.respond(Ok(SessionReply::Done));
            }
            SessionCommand::GetMessages { before, limit } => {
                let limit = limit.unwrap_or(PAGE_ROWS).min(PAGE_ROWS);
                let controller = &self.log.view().controller;
                if before > 0 && before <= controller.first() {
                    let range = (before, limit, controller.total());
                    return queries::older_rows(responder, self.file.history().cloned(), range);
                }
                responder.respond(Ok(SessionReply::Messages(self.log.view().page_before(before, limit))));
            }
            SessionCommand::FindFiles { query } => queries::find_files(responder, &self.origin, query),
            SessionCommand::FindRow { entry } => {
                queries::find_row(responder, self.origin.clone(), self.hub.store().clone(), entry);
            }
            SessionCommand::FindRows { query } => {
                let controller = &self.log.view().controller;
                let rows = (controller.first(), controller.rows().to_vec());
                let history = self.file.history().filter(|_| rows.0 > 0).cloned();
                queries::find_rows(responder, &query, rows, history);
            }
        }
    }

    /// Sends a request to the agent, which is started if necessary.
    pub(super) async fn ask_agent(&mut self, responder: Responder, request: Request) {
        if let Err(error) = self.check_writable().await {
            return responder.respond(Err(error));
        }
        match self.ensure_process().await {
            Ok(()) => self.request(request, Pending::Client(responder)),
            Err(error) => responder.respond(Err(error)),
        }
    }

    /// Compacts the conversation. That would end a run in progress, so it is refused while the agent works.
    pub(super) async fn compact(&mut self, responder: Responder, instructions: Option<String>) {
        if self.log.state().is_active() {
            let text = "The agent is working. Stop it first or wait until it's done.";
            return responder.respond(Err(CommandError::new(ErrorCode::Busy, text)));
        }
        if self.log.meta().compacting {
            let text = "The conversation is already being compacted.";
            return responder.respond(Err(CommandError::new(ErrorCode::Busy, text)));
        }
        let instructions = instructions.filter(|text| !text.trim().is_empty());
        self.ask_agent(responder, Request::Compact { instructions }).await;
    }

    /// Renames the session. The agent stores the name in its file, so that other programs show it, too. If no process
    /// runs, a probe does it.
    pub(super) async fn rename(&mut self, responder: Responder, title: &str) {
        let name = title.split_whitespace().collect::<Vec<_>>().join(" ");
        if name.is_empty() || name.len() > TITLE_BYTES {
            let text = format!("A title must have between 1 and {TITLE_BYTES} bytes.");
            return responder.respond(Err(CommandError::invalid(text)));
        }
        if let Err(error) = self.check_writable().await {
            return responder.respond(Err(error));
        }
        if self.agent.is_running() {
            let request = Request::Rename { name: name.clone() };
            return self.request(request, Pending::Rename { responder, name });
        }
        if self.origin.file.is_none() {
            let text = "You can rename a session after its first message.";
            return responder.respond(Err(CommandError::invalid(text)));
        }
        if self.agent.is_probing() {
            return responder.respond(Err(probing()));
        }
        // The session's own process does not start in the meantime, so that only the probe writes the file.
        self.agent.set_probing(true);
        probes::rename(responder, self.hub.clone(), self.origin.clone(), self.launch().await, name);
    }

    /// Forks the session with a separate process. That process may rewrite an old session file, so the session's own
    /// process does not start in the meantime.
    pub(super) async fn fork(&mut self, responder: Responder, row: usize) {
        if self.agent.is_probing() {
            return responder.respond(Err(probing()));
        }
        let is_exclusive = !self.agent.is_running();
        self.agent.set_probing(is_exclusive);
        let launch = self.launch().await;
        probes::fork(responder, self.hub.clone(), self.origin.clone(), launch, (row, is_exclusive));
    }

    pub(super) async fn run_shell(
        &mut self,
        client_id: &str,
        command: &str,
        exclude_from_context: bool,
    ) -> Result<(), CommandError> {
        Shell::check(command)?;
        check_client_id(client_id)?;
        if self.prompts.known(client_id) != KnownId::New {
            return Ok(());
        }
        self.check_writable().await?;
        self.ensure_process().await?;
        // The id is stored before the command runs: one that is sent again after a kill does not run twice.
        self.journal.commit(vec![self.journal.remember_id(client_id)]).await?;
        self.prompts.remember(client_id);
        let effects = self.shell.start(client_id, command, exclude_from_context);
        self.perform(effects);
        // Its row is on disk before the command is acknowledged.
        self.journal.write_note();
        self.journal.commit(Vec::new()).await
    }

    /// Adds the data of images that are given by name. Returns an error if one no longer exists.
    pub(super) async fn with_image_data(&self, images: Vec<Image>) -> Result<Vec<Image>, CommandError> {
        let images = self.restore_images(images).await;
        if images.iter().any(|image| image.data.is_empty() && !image.blob.is_empty()) {
            let text = "One of the images no longer exists. Attach it again.";
            return Err(CommandError::new(ErrorCode::Gone, text));
        }
        Ok(images)
    }

    /// Adds the data of images that are given by name. Some are read from the session file, on a blocking thread.
    pub(super) async fn restore_images(&self, mut images: Vec<Image>) -> Vec<Image> {
        if images.iter().all(|image| !image.data.is_empty() || image.blob.is_empty()) {
            return images;
        }
        let blobs = self.origin.blobs.clone();
        let restored = tokio::task::spawn_blocking(move || {
            let named = images.iter_mut().filter(|image| image.data.is_empty());
            named.for_each(|image| blobs.restore_data(image));
            images
        });
        restored.await.unwrap_or_default()
    }

    /// Returns an error if another program is writing the session's file, or if the session is closing.
    pub(super) async fn check_writable(&mut self) -> Result<(), CommandError> {
        if self.shutdown.is_some() {
            return Err(closing());
        }
        if self.file.is_read() && !self.is_agent_working() {
            self.check_external_writer().await;
        }
        if self.log.meta().external_writer && !self.file.is_taken_over() {
            let text = "Another program is working in this session. Take it over first.";
            return Err(CommandError::new(ErrorCode::ExternalWriter, text));
        }
        Ok(())
    }
}

impl Session {
    pub(super) fn open_ask(&mut self, ask: Ask) {
        let ask = self.asks.open(ask, Instant::now());
        // A command of an extension may ask without a request to a model; the agent is working nevertheless.
        if self.agent.is_ready() && self.log.state() == SessionState::Creating {
            self.transition(StateEvent::RequestStarted, "");
        }
        let waiting = waiting_for(&ask);
        self.journal.submit(vec![self.journal.save_asks(self.asks.to_vec())]);
        self.publish(Event::AskOpened { ask });
        self.transition(waiting, "");
        self.update_summary();
    }

    /// Accepts the first answer to a question. It is stored before it is sent to the agent.
    pub(super) async fn answer(&mut self, ask_id: &str, answer: Answer) -> Result<(), CommandError> {
        let ask = self.asks.answered(ask_id, &answer)?;
        if !self.agent.accepts_input() {
            let text = "The agent can't accept answers right now. Try again in a moment.";
            return Err(CommandError::new(ErrorCode::Busy, text));
        }
        let by = if ask.is_declined_by(&answer) { ClosedBy::Declined } else { ClosedBy::Answer };
        let record = ask_record(ask.answered_text(&answer));
        let writes = vec![
            self.journal.add_extra(vec![record.clone()]),
            self.journal.save_asks(self.asks.without(ask_id)),
        ];
        self.journal.commit(writes).await?;
        self.request(Request::Answer { ask_id: ask_id.to_owned(), answer }, Pending::Ignored);
        self.publish(record);
        self.close_ask(ask_id, by);
        Ok(())
    }

    /// Records how an unanswered question ended.
    pub(super) fn record_ask(&mut self, words: String) {
        let record = ask_record(words);
        self.journal.submit(vec![self.journal.add_extra(vec![record.clone()])]);
        self.publish(record);
    }

    pub(super) fn close_ask(&mut self, ask_id: &str, by: ClosedBy) {
        self.asks.close(ask_id);
        self.journal.submit(vec![self.journal.save_asks(self.asks.to_vec())]);
        self.publish(Event::AskClosed { ask_id: ask_id.to_owned(), by });
        if let Some(event) = after_closing(self.log.state(), by) {
            self.transition(event, "");
        }
        // Another question may be open.
        if let Some(event) = self.asks.waiting_state() {
            self.transition(event, "");
        }
        self.update_summary();
    }
}
