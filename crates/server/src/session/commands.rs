//! Commands of clients, and the answers to questions: checked, stored, then carried out.

use std::path::{Path, PathBuf};
use std::time::Duration;

use pilothouse_agents::Request;
use pilothouse_core::SessionState;
use pilothouse_core::conversation::ask::auto_approve::AutoApprove;
use pilothouse_core::conversation::ask::{Answer, Ask, ClosedBy};
use pilothouse_core::conversation::ui_message::{Image, ToolStep};
use pilothouse_core::limits::{PAGE_ROWS, TITLE_BYTES};
use pilothouse_core::protocol::event::{Event, NoticeLevel};
use pilothouse_core::protocol::{ApprovalEntry, CommandError, ErrorCode, SessionCommand, SessionReply};
use pilothouse_core::render::diff::diffs_of;
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
use crate::audit;
use crate::client::{ClientDevice, Responder};
use crate::clock::now_ms;

/// Whether all files of a tool call are inside the folder after links are resolved. A path that does not exist yet is
/// resolved by its nearest folder that does. Reads the disk.
fn is_inside_after_links(tool: &ToolStep, folder: &Path) -> bool {
    let resolve = |path: &Path| -> Option<PathBuf> {
        let path = folder.join(path);
        // A link whose target does not exist leads to wherever the target would be created.
        let exists = |known: &&Path| known.symlink_metadata().is_ok();
        let known = path.ancestors().find(exists)?;
        Some(known.canonicalize().ok()?.join(path.strip_prefix(known).ok()?))
    };
    let Some(real_folder) = resolve(folder) else { return false };
    let changed = diffs_of(tool).into_iter().flat_map(|diff| std::iter::once(diff.path).chain(diff.old_path));
    let mut paths = tool.paths().map(str::to_owned).chain(changed).filter(|path| !path.is_empty());
    paths.all(|path| resolve(Path::new(&path)).is_some_and(|real| real.starts_with(&real_folder)))
}

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
            SessionCommand::SetOption { option_id, value } => {
                self.ask_agent(responder, Request::SetOption { option_id, value }).await;
            }
            SessionCommand::LogIn { method } => self.ask_agent(responder, Request::LogIn { method }).await,
            SessionCommand::SetAutoApprove { level, remember } => {
                let result = self.set_auto_approve(level, remember).await;
                responder.respond(result.map(|()| SessionReply::Done));
            }
            SessionCommand::SetThinkingLevel { level } => {
                self.ask_agent(responder, Request::SetThinkingLevel { level }).await;
            }
            SessionCommand::Compact { instructions } => self.compact(responder, instructions).await,
            SessionCommand::RenameSession { title } => self.rename(responder, &title).await,
            SessionCommand::Fork { row } => self.fork(responder, row).await,
            SessionCommand::ForkBranch { leaf } => self.fork_branch(responder, leaf),
            SessionCommand::Bash { client_id, command, exclude_from_context } => {
                let result = self.run_shell(&client_id, &command, exclude_from_context).await;
                responder.respond(result.map(|()| SessionReply::Done));
            }
            SessionCommand::AbortBash => {
                if self.origin.agent.has_shell() {
                    self.request(Request::AbortShell, Pending::Ignored);
                    // What the command left behind can't be told from what a run in progress has started.
                    if !self.log.is_running()
                        && let Some(began) = self.shell.remote_began()
                    {
                        self.agent.expect_shell_stop(began, Instant::now());
                    }
                }
                self.shell.stop_local();
                responder.respond(Ok(SessionReply::Done));
            }
            SessionCommand::Answer { ask_id, answer, shown } => {
                let result = self.answer(&ask_id, answer, &shown, responder.client.device()).await;
                responder.respond(result.map(|()| SessionReply::Done));
            }
            SessionCommand::TakeOver => {
                self.take_over().await;
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
            SessionCommand::GetBranch { leaf, before, limit } => {
                let limit = limit.unwrap_or(PAGE_ROWS).min(PAGE_ROWS);
                self.branch_rows(responder, leaf, (before, limit));
            }
            SessionCommand::FindFiles { query } => {
                queries::find_files(responder, &self.origin, self.hub.allowed_roots().clone(), query);
            }
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
        if self.recorder.is_some() {
            return responder.respond(self.rename_recorded(name).await.map(|()| SessionReply::Done));
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

    /// Renames a session that is recorded here. An agent that runs is told, in case it shows the name elsewhere.
    async fn rename_recorded(&mut self, name: String) -> Result<(), CommandError> {
        if self.origin.file.is_none() {
            return Err(CommandError::invalid("You can rename a session after its first message."));
        }
        self.check_loaded()?;
        self.append_or_undo(|recorder| recorder.rename(&name, now_ms())).await?;
        if self.agent.is_running() {
            self.request(Request::Rename { name: name.clone() }, Pending::Ignored);
        }
        self.set_title(name);
        Ok(())
    }

    /// Decides which approvals are answered automatically. Open ones that the new level covers are answered at once.
    async fn set_auto_approve(
        &mut self,
        level: AutoApprove,
        remember: Option<bool>,
    ) -> Result<(), CommandError> {
        let folder_level = remember.map(|remember| if remember { level } else { AutoApprove::Off });
        self.hub.set_auto_approve(&self.origin.id, level, folder_level)?.result().await?;
        let folder = folder_level.unwrap_or(self.log.meta().folder_auto_approve);
        self.publish(Event::AutoApproveChanged { level, folder });
        self.update_summary();
        for ask in self.asks.to_vec() {
            self.auto_approve(&ask).await;
        }
        Ok(())
    }

    /// Forks the session with a separate process. That process may rewrite an old session file, so the session's own
    /// process does not start in the meantime.
    pub(super) async fn fork(&mut self, responder: Responder, row: Option<usize>) {
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
        self.check_loaded()?;
        if self.origin.agent.has_shell() {
            self.ensure_process().await?;
        }
        // The id is stored before the command runs: one that is sent again after a kill does not run twice.
        self.journal.commit(vec![self.journal.remember_id(client_id)]).await?;
        self.prompts.remember(client_id);
        if self.origin.agent.has_shell() {
            let effects = self.shell.start(client_id, command, exclude_from_context);
            self.perform(effects);
        } else {
            let mark = format!("{}-shell-{}", self.origin.mark, uuid::Uuid::now_v7().simple());
            let folder = &self.origin.cwd;
            let start =
                self.shell.start_here((client_id, command), exclude_from_context, folder, mark).await?;
            self.publish(start);
        }
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
        if self.recorder.is_none() && self.file.is_read() && !self.is_agent_working() {
            self.check_external_writer().await;
        }
        self.look_for_programs(Duration::ZERO).await;
        if self.log.meta().external_writer {
            let text = "Another program is working in this session. Take it over first.";
            return Err(CommandError::new(ErrorCode::ExternalWriter, text));
        }
        Ok(())
    }
}

impl Session {
    pub(super) async fn open_ask(&mut self, ask: Ask) {
        let ask_id = ask.id.clone();
        let Some(ask) = self.asks.open(ask, &self.origin.cwd, Instant::now()) else {
            self.asks.dismiss(ask_id);
            if self.asks.is_first_refusal() {
                let text = Ask::TOO_MANY.to_owned();
                self.publish(Event::Notice { level: NoticeLevel::Warning, text });
            }
            return;
        };
        // A command of an extension may ask without a request to a model; the agent is working nevertheless.
        if self.agent.is_ready() && self.log.state() == SessionState::Creating {
            self.transition(StateEvent::RequestStarted, "");
        }
        let waiting = waiting_for(&ask);
        self.are_asks_unsaved = true;
        self.publish(Event::AskOpened { ask: Box::new(ask.clone()) });
        self.transition(waiting, "");
        self.update_summary();
        self.auto_approve(&ask).await;
    }

    /// Dismisses a question that did not fit in. Returns false if there is none, or if the agent does not read its input.
    pub(super) fn dismiss_next_ask(&mut self) -> bool {
        if self.agent.accepts_input()
            && let Some(ask_id) = self.asks.next_dismissed()
        {
            self.request(Request::Answer { ask_id, answer: Answer::Cancel }, Pending::Ignored);
            return true;
        }
        self.asks.dismiss_later(Instant::now());
        false
    }

    /// Approves a request without asking, if the user allowed that. Links are resolved, because one may lead out of the
    /// folder.
    async fn auto_approve(&mut self, ask: &Ask) {
        let level = self.log.meta().auto_approve;
        if !level.is_on() || !ask.approval {
            return;
        }
        let folder = self.origin.cwd.clone();
        let Some(answer) = level.answer(ask, &folder.to_string_lossy()) else { return };
        if level != AutoApprove::Everything
            && let Some(tool) = ask.tool.clone()
        {
            let inside = tokio::task::spawn_blocking(move || is_inside_after_links(&tool, &folder));
            if !inside.await.unwrap_or_default() {
                return;
            }
        }
        let words = ask.auto_approved_text();
        let by = ClientDevice { id: String::new(), name: format!("Auto-approve: {}", level.label()) };
        if let Err(error) = self.answer_with(&ask.id, answer, words, &by).await {
            tracing::warn!(session = %self.origin.id, error = error.message, "an approval was not given automatically");
        }
    }

    /// Accepts the first answer to a question.
    pub(super) async fn answer(
        &mut self,
        ask_id: &str,
        answer: Answer,
        shown: &str,
        device: &ClientDevice,
    ) -> Result<(), CommandError> {
        self.asks.check_shown(ask_id, shown)?;
        let words = self.asks.answered(ask_id, &answer)?.answered_text(&answer);
        self.answer_with(ask_id, answer, words, device).await
    }

    /// Answers a question. The answer is stored, in these words, before it is sent to the agent.
    async fn answer_with(
        &mut self,
        ask_id: &str,
        answer: Answer,
        words: String,
        device: &ClientDevice,
    ) -> Result<(), CommandError> {
        let ask = self.asks.answered(ask_id, &answer)?;
        if !self.agent.accepts_input() {
            let text = "The agent can't accept answers right now. Try again in a moment.";
            return Err(CommandError::new(ErrorCode::Busy, text));
        }
        let by = if ask.is_declined_by(&answer) { ClosedBy::Declined } else { ClosedBy::Answer };
        let record = ask_record(words);
        if !ask.approval {
            self.store_answer(ask_id, &record).await?;
        } else {
            let entry = self.approval_entry(&ask, &answer, device);
            self.hub.audit_log().append(entry.clone()).await?;
            if let Err(error) = self.store_answer(ask_id, &record).await {
                let answer = format!("{} (not sent)", entry.answer);
                let correction = ApprovalEntry { answer, approved: false, ..entry };
                if let Err(error) = self.hub.audit_log().append(correction).await {
                    tracing::error!(error = error.message, "the audit log has an answer that was not sent");
                }
                return Err(error);
            }
        }
        self.request(Request::Answer { ask_id: ask_id.to_owned(), answer }, Pending::Ignored);
        self.publish(record);
        self.close_ask(ask_id, by);
        Ok(())
    }

    async fn store_answer(&mut self, ask_id: &str, record: &Event) -> Result<(), CommandError> {
        if self.recorder.is_some() {
            self.end_message_in_progress().await;
            self.journal.commit(vec![self.journal.save_asks(self.asks.without(ask_id))]).await?;
            if let Err(error) = self.append_or_undo(|recorder| recorder.record(record, now_ms())).await {
                self.journal.submit(vec![self.journal.save_asks(self.asks.to_vec())]);
                return Err(error);
            }
        } else {
            let writes = vec![
                self.journal.add_extra(vec![record.clone()]),
                self.journal.save_asks(self.asks.without(ask_id)),
            ];
            self.journal.commit(writes).await?;
        }
        Ok(())
    }

    fn approval_entry(&self, ask: &Ask, answer: &Answer, device: &ClientDevice) -> ApprovalEntry {
        ApprovalEntry {
            at: now_ms(),
            device: device.name.clone(),
            device_id: device.id.clone(),
            session: self.origin.id.clone(),
            answer: ask.name_of(answer),
            approved: ask.may_be_approved_by(answer),
            hash: ask.shown.clone(),
            shown: audit::displayed_text(ask, &self.origin.cwd),
        }
    }

    pub(super) fn close_ask(&mut self, ask_id: &str, by: ClosedBy) {
        self.asks.close(ask_id);
        self.are_asks_unsaved = true;
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_link_out_of_the_folder_is_outside() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(other.path(), folder.path().join("out")).unwrap();
        let inside = |path: &str| {
            let tool = ToolStep {
                tool_name: "edit".into(),
                tool_args: json!({ "path": path }),
                ..ToolStep::default()
            };
            is_inside_after_links(&tool, folder.path())
        };
        assert!(inside("new/file.txt") && inside(&folder.path().join("a").to_string_lossy()));
        std::os::unix::fs::symlink("/nonexistent/target", folder.path().join("dangling")).unwrap();
        assert!(!inside("dangling"), "a write would create its target");
        assert!(!inside("out/file.txt") && !inside("/etc/passwd") && !inside("../x"));
    }
}
