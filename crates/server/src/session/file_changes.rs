//! The session file: reads it, follows another program that writes it, and ends our process in favour of that program.

use pilothouse_core::conversation::message::Message;
use pilothouse_core::protocol::event::{Event, ModelInfo};
use pilothouse_core::render::describe::title_from;
use pilothouse_core::{MessageController, SessionState};
use tokio::time::Instant;

use super::parts::file_ownership::{Author, FileAction, Finding, Suspicion};
use super::recovery::Recovered;
use super::{Session, read_from_disk};
use crate::history::history_file::live_events;

impl Session {
    /// Shows the conversation as it is on disk, in a new epoch.
    pub(super) fn show(&mut self, recovered: Recovered) {
        let Recovered { history, recorded, extras, queue, unsent, interrupted, writes, .. } = recovered;
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
        let first_unsent = unsent.first().map(|prompt| title_from(&prompt.text));
        self.steering.replace(queue.clone());
        self.log.reset(state, |view| {
            view.meta.queue = queue;
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
                let external = view.meta.external_writer;
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
        });
        self.prompts.set_unsent(unsent);
        self.file.opened(history);
        if !writes.is_empty() {
            self.journal.submit(writes);
        }
    }

    /// Reads the conversation from disk again and sends every client a new snapshot.
    pub(super) async fn reload(&mut self) {
        let recovered = read_from_disk(&self.origin, &self.hub).await;
        if recovered.history.is_none() {
            return;
        }
        self.agent.end();
        self.show(recovered);
        self.log.broadcast_snapshot();
        self.update_summary();
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
                self.publish(Event::Elsewhere { active: true });
                self.file.expect_external_writer(now).await;
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
        }
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
        self.file.set_taken_over(false);
        self.file.expect_external_writer(Instant::now()).await;
        if !self.log.meta().external_writer {
            self.publish(Event::Elsewhere { active: true });
        }
    }

    /// Shows messages that another program wrote.
    pub(super) async fn append_external(&mut self, messages: Vec<Message>) {
        if self.log.meta().external_writer {
            self.file.expect_external_writer(Instant::now()).await;
        }
        live_events(messages).for_each(|event| self.publish(event));
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
            self.publish(Event::Elsewhere { active: false });
            self.update_summary();
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
        if self.log.meta().external_writer && !self.file.is_taken_over() {
            return self.check_external_writer().await;
        }
        let messages = self.file.take_rest(&self.origin, self.hub.store()).await;
        live_events(messages).for_each(|event| self.publish(event));
    }

    /// Settles the reported prompts that the session file contains: they need no recovery.
    pub(super) async fn settle_reported(&mut self) {
        let in_file = self.file.prompts_in_file(self.journal.reported_times()).await;
        if let Some(write) = self.journal.settle_reported(&in_file) {
            self.journal.submit(vec![write]);
        }
    }
}
