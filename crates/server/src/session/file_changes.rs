//! The session file: reads it, follows another program that writes it, and ends our process in favour of that program.

use std::time::Duration;

use pilothouse_agents::history::facts::LastTurn;
use pilothouse_core::conversation::message::Message;
use pilothouse_core::conversation::ui_message::{Kind, ToolStep, UiMessage};
use pilothouse_core::limits::PAGE_ROWS;
use pilothouse_core::protocol::ExternalProgram;
use pilothouse_core::protocol::event::{Event, ModelInfo, NoticeLevel};
use pilothouse_core::render::describe::{describe_call, title_from};
use pilothouse_core::{MessageController, SessionState};
use tokio::time::Instant;

use super::parts::file_ownership::{Author, FileAction, Finding, Suspicion};
use super::recovery::Recovered;
use super::{Session, read_from_disk};
use crate::agent::process::programs::Program;
use crate::history::HistoryFile;
use crate::history::history_file::live_events;
use crate::hub::elsewhere::SessionFile;

impl Session {
    /// Shows the conversation as it is on disk, in a new epoch.
    pub(super) fn show(&mut self, recovered: Recovered) {
        let Recovered {
            history,
            recorded,
            extras,
            queue,
            unsent,
            interrupted,
            writes,
            elsewhere,
            branches,
            ..
        } = recovered;
        self.branches.shown(history.as_ref());
        let import = recorded.as_ref().is_some_and(|recorded| recorded.import.is_some());
        let is_unfinished = interrupted || import || !unsent.is_empty() || !queue.is_empty();
        let mut state = history.as_ref().map_or(SessionState::Idle, |history| history.resting_state());
        if is_unfinished
            && matches!(state, SessionState::Idle | SessionState::Completed | SessionState::Stopped)
        {
            state = SessionState::Paused;
        }
        if let (Some(recorder), Some(history)) = (&mut self.recorder, &history) {
            recorder.continue_file(history.path(), recorded.unwrap_or_default());
        }
        let external = self.log.meta().external_writer || elsewhere.is_some();
        if let Some(elsewhere) = elsewhere {
            self.file.set_elsewhere(elsewhere, Instant::now());
        }
        let first_unsent = unsent.first().map(|prompt| title_from(&prompt.text));
        self.steering.replace(queue.clone());
        self.log.reset(state, |view| {
            view.meta.queue = queue;
            view.meta.branches = branches;
            if let Some(history) = &history {
                view.meta.title = history.title();
                view.meta.plan = history.plan().to_vec();
                // The model's display name is known once the agent runs.
                view.meta.model = history.model().map(|(provider, id)| ModelInfo {
                    provider: provider.to_owned(),
                    id: id.to_owned(),
                    ..ModelInfo::default()
                });
                view.meta.thinking_level = history.thinking_level().unwrap_or_default().to_owned();
                if let Some(mode) = history.mode() {
                    mode.clone_into(&mut view.meta.mode);
                }
                // Another program may still be running these tool calls.
                view.controller =
                    if external { history.newest_rows_running() } else { history.newest_rows() };
            } else {
                view.controller = MessageController::default();
                for event in extras.into_iter().flat_map(|extra| extra.events) {
                    view.controller.handle_server_event(event);
                }
            }
            if view.meta.title.is_empty() {
                view.meta.title = first_unsent.unwrap_or_default();
            }
            view.meta.external_writer = external;
            let turn = history.as_ref().map(HistoryFile::last_turn).unwrap_or_default();
            view.meta.external_program =
                external.then(|| external_program(self.file.program(), &view.controller, turn));
        });
        self.prompts.set_unsent(unsent);
        self.file.opened(history);
        if !writes.is_empty() {
            self.journal.submit(writes);
        }
    }

    /// Reads the conversation from disk again and sends every client a new snapshot.
    pub(super) async fn reload(&mut self) {
        let left = self.last_shown_entry().await;
        let recovered = read_from_disk(&self.origin, &self.hub).await;
        if recovered.history.is_none() {
            return;
        }
        self.agent.end();
        let shown = messages_in(&self.log.view().controller);
        self.show(recovered);
        self.log.broadcast_snapshot();
        self.update_summary();
        // The newest line of the file decides which branch is shown.
        if self.announce_left_branch(left).await {
            return;
        }
        let now = messages_in(&self.log.view().controller);
        if shown.iter().any(|message| !now.contains(message)) {
            let text = "Another program continued this session from an earlier message. What was said after that \
                        message here is still in the session's file, in another branch.";
            self.publish(Event::Notice { level: NoticeLevel::Warning, text: text.to_owned() });
        }
    }

    pub(super) async fn file_changed(&mut self) {
        if self.recorder.is_some() {
            // Only this task writes it.
            return self.file.check_later(Instant::now());
        }
        match (self.agent.is_running(), self.file.is_read()) {
            (false, true) => self.check_external_writer().await,
            // A file that could not be read when the session was opened is shown once it can be.
            (false, false) => self.reload().await,
            (true, false) => self.file.reopen(&self.origin, self.hub.store()).await,
            (true, true) => self.file.check_later(Instant::now()),
        }
    }

    pub(super) async fn check_file(&mut self, now: Instant) {
        if self.recorder.is_some() {
            return self.read_recorded().await;
        }
        if !self.is_agent_working() {
            return self.check_external_writer().await;
        }
        let is_shown = self.log.meta().external_writer;
        match self.file.check_while_working(&self.origin, self.hub.store(), (now, is_shown)).await {
            Suspicion::Open => {}
            Suspicion::Unfounded => self.external_writer_gone(),
            Suspicion::Confirmed => {
                self.hub.forget_takeover(&self.origin.id);
                self.file.expect_external_writer(now).await;
                self.publish_elsewhere().await;
                self.update_summary();
            }
        }
    }

    /// Checks the file while our own process is idle: unreported messages are another program's.
    pub(super) async fn check_external_writer(&mut self) {
        let has_process = self.agent.is_running();
        let finding = self.file.check(&self.origin, self.hub.store(), has_process).await;
        let Finding { external, cleared, action } = finding;
        if external {
            self.yield_to_external_writer().await;
        }
        self.apply_file_action(action).await;
        if cleared {
            self.external_writer_gone();
        } else if self.log.meta().external_writer {
            self.publish_elsewhere().await;
        }
        self.update_branches().await;
    }

    /// Looks for a program that has the session open, while no run of ours is in progress. A recent search is enough if
    /// it is not older than this.
    pub(super) async fn look_for_programs(&mut self, max_age: Duration) {
        if self.recorder.is_some() || self.log.is_busy() || self.log.is_running() {
            return;
        }
        let Some(file) = self.session_file().await else { return };
        let hub = self.hub.clone();
        let found = tokio::task::spawn_blocking(move || hub.find_elsewhere(&file, max_age));
        let found = found.await.ok().flatten();
        let has_process = found.as_ref().is_some_and(|found| found.program.is_some());
        if self.file.program().is_some() && !has_process {
            return self.program_ended().await;
        }
        let Some(found) = found else { return };
        let is_new = !self.log.meta().external_writer;
        self.file.set_elsewhere(found, Instant::now());
        let is_open = self.file.resting_state().await == Some(SessionState::Paused);
        if is_new && is_open && !self.agent.is_running() {
            // Its tool calls were shown as ended.
            return self.reload().await;
        }
        self.publish_elsewhere().await;
        self.hub.set_elsewhere(&self.origin.id, true);
    }

    /// The process of the other program has ended: its turn does not go on, although the file looks as if it did.
    async fn program_ended(&mut self) {
        if !self.is_agent_working() {
            // Its last messages.
            self.check_external_writer().await;
        }
        self.let_go().await;
    }

    /// Shows the other program, and what it does.
    async fn publish_elsewhere(&mut self) {
        let turn = self.file.last_turn().await.map(|(turn, _)| turn).unwrap_or_default();
        let program = external_program(self.file.program(), &self.log.view().controller, turn);
        let meta = self.log.meta();
        if !meta.external_writer || meta.external_program.as_ref() != Some(&program) {
            self.publish(Event::Elsewhere { active: true, program: Some(program) });
        }
    }

    async fn session_file(&self) -> Option<SessionFile> {
        let (turn, is_ours) = self.file.last_turn().await?;
        Some(SessionFile {
            id: self.origin.id.clone(),
            path: self.origin.file.clone()?,
            cwd: self.origin.cwd.clone(),
            folder: self.origin.agent.folder.clone(),
            turn,
            is_ours,
        })
    }

    /// The user continues here, although another program works in the session or has it open. It is not asked about
    /// again unless it writes.
    pub(super) async fn take_over(&mut self) {
        if self.recorder.is_some() || !self.file.is_read() {
            return;
        }
        if !self.is_agent_working() {
            self.check_external_writer().await;
        }
        self.let_go().await;
    }

    /// Stops following the other program, until something is written that is not in the file yet.
    async fn let_go(&mut self) {
        if let Some(file) = self.session_file().await {
            let hub = self.hub.clone();
            let _ = tokio::task::spawn_blocking(move || hub.take_over(&file)).await;
        }
        self.file.take_over().await;
        self.external_writer_gone();
    }

    pub(super) async fn apply_file_action(&mut self, action: FileAction) {
        match action {
            FileAction::None => {}
            FileAction::UpdateTitle => self.update_title().await,
            FileAction::Append(messages) => self.append_external(messages).await,
            FileAction::Reload => self.reload().await,
        }
    }

    /// Ends our process, which does not know what the other program wrote.
    pub(super) async fn yield_to_external_writer(&mut self) {
        self.agent.end();
        self.hub.forget_takeover(&self.origin.id);
        self.file.expect_external_writer(Instant::now()).await;
        if !self.log.meta().external_writer {
            self.publish_elsewhere().await;
            // Its process is looked for at once.
            self.file.look_at(Some(Instant::now()));
        }
    }

    /// Shows messages that another program wrote.
    pub(super) async fn append_external(&mut self, messages: Vec<Message>) {
        if self.log.meta().external_writer {
            self.file.expect_external_writer(Instant::now()).await;
        }
        live_events(messages).for_each(|event| self.publish_external(event));
        if let Some(state) = self.file.resting_state().await {
            if !matches!(state, SessionState::Paused | SessionState::Idle) {
                self.publish(Event::AgentSettled { aborted: false });
            }
            if self.log.meta().state != state {
                self.log.set_state(state);
                self.publish(Event::SessionState { state, reason: String::new() });
            }
        }
        self.update_title().await;
        self.update_summary();
    }

    /// Stops following the other program, which has not written for a while.
    pub(super) fn external_writer_gone(&mut self) {
        self.file.forget_external_writer();
        if self.log.meta().external_writer {
            if !self.agent.is_running() {
                // Its unfinished run does not continue.
                self.publish(Event::AgentEnd { will_retry: false });
            }
            self.publish(Event::Elsewhere { active: false, program: None });
            self.hub.set_elsewhere(&self.origin.id, false);
        }
    }

    /// Shows the title in the file: another program may have renamed the session.
    pub(super) async fn update_title(&mut self) {
        if let Some(title) = self.file.title().await {
            self.set_title(title);
        }
    }

    /// Reads what was recorded, so that older rows can be read from the file.
    pub(super) async fn read_recorded(&mut self) {
        if self.origin.file.is_none() {
            return;
        }
        if !self.file.is_read() {
            self.file.reopen(&self.origin, self.hub.store()).await;
        }
        self.file.read_recorded(&self.origin, self.hub.store()).await;
    }

    /// Reads what our own process has written, after it has reported everything for now.
    pub(super) async fn read_own_messages(&mut self) {
        if self.recorder.is_some() {
            return self.read_recorded().await;
        }
        if !self.file.is_read() {
            self.file.reopen(&self.origin, self.hub.store()).await;
        }
        let author = self.file.read_appended(&self.origin, self.hub.store()).await;
        if author == Author::Ours {
            let has_process = self.agent.is_running();
            let action = self.file.take_own(&self.origin, self.hub.store(), has_process).await;
            self.apply_file_action(action).await;
            self.update_branches().await;
        }
        self.file.check_later(Instant::now());
    }

    /// Publishes messages that our own process wrote but did not report before its exit.
    pub(super) async fn read_last_messages(&mut self) {
        if self.recorder.is_some() {
            return self.read_recorded().await;
        }
        if !self.file.is_read() {
            return self.file.reopen(&self.origin, self.hub.store()).await;
        }
        self.file.read_appended(&self.origin, self.hub.store()).await;
        if self.log.meta().external_writer {
            return self.check_external_writer().await;
        }
        let messages = self.file.take_rest(&self.origin, self.hub.store()).await;
        live_events(messages).for_each(|event| self.publish(event));
        self.update_branches().await;
    }

    /// Settles the reported prompts that the session file contains: they need no recovery.
    pub(super) async fn settle_reported(&mut self) {
        let in_file = self.file.prompts_in_file(self.journal.reported_times()).await;
        if let Some(write) = self.journal.settle_reported(&in_file) {
            self.journal.submit(vec![write]);
        }
    }
}

/// The newest messages of the user and the model that are shown, by their text.
fn messages_in(controller: &MessageController) -> Vec<(Kind, String)> {
    let newest = controller.rows().iter().rev().take(PAGE_ROWS);
    let said = newest.filter(|row| matches!(row.kind, Kind::User | Kind::Assistant) && row.mark.is_none());
    said.map(|row| (row.kind, row.text.clone())).collect()
}

/// Describes the other program in a session, with these rows and this last turn.
fn external_program(
    program: Option<&Program>,
    controller: &MessageController,
    turn: LastTurn,
) -> ExternalProgram {
    let open = |row: &UiMessage| row.tool_step.as_ref().filter(|step| step.phase.is_open()).map(running_text);
    let activity = match controller.rows().iter().rev().find_map(open) {
        _ if !turn.is_open => "idle".to_owned(),
        Some(running) => running,
        None => "thinking".to_owned(),
    };
    ExternalProgram {
        program: program.map_or("Another program", Program::name).to_owned(),
        process_id: program.and_then(|program| u32::try_from(program.id.process).ok()),
        activity,
        since: turn.written,
    }
}

fn running_text(step: &ToolStep) -> String {
    let target = describe_call(step).target;
    if target.is_empty() {
        format!("running {}", step.tool_name)
    } else {
        format!("running {}: {target}", step.tool_name)
    }
}
