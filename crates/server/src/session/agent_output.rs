//! Starts the agent's process and handles its events, replies and exit.

use std::path::PathBuf;

use pilothouse_agents::{
    AgentError, AgentEvent, Open, Reply, Request, Settings, ShellOutcome, WantedSettings,
};
use pilothouse_core::SessionState;
use pilothouse_core::conversation::ask::ClosedBy;
use pilothouse_core::conversation::message::{Content, Message, StopReason};
use pilothouse_core::protocol::event::Event;
use pilothouse_core::protocol::{CommandError, Disposition, ErrorCode, SessionReply};
use pilothouse_core::render::describe::title_from;
use pilothouse_core::session::machine::StateEvent;
use tokio::time::Instant;

use super::effect::{Pending, session_reply};
use super::{Session, agent_failed, probing, stopping};
use crate::agent::catalogue::SessionStart;
use crate::agent::process::{Exit, Launch, Leftovers, ProcessEvent};
use crate::clock::now_ms;

/// The row of a failure.
fn failed_message(reason: &str) -> Event {
    let message = Message::Assistant {
        content: Content(Vec::new()),
        stop_reason: StopReason::Error,
        error_message: Some(reason.to_owned()),
        timestamp: None,
    };
    Event::MessageEnd { message }
}

impl Session {
    /// Starts the agent unless it is running.
    pub(super) async fn ensure_process(&mut self) -> Result<(), CommandError> {
        if self.agent.is_running() {
            return if self.agent.is_ending() { Err(stopping()) } else { Ok(()) };
        }
        if self.agent.is_probing() {
            return Err(probing());
        }
        let folder = tokio::fs::metadata(&self.origin.cwd).await;
        if !folder.is_ok_and(|metadata| metadata.is_dir()) {
            let text = format!("The session's folder {} no longer exists.", self.origin.cwd.display());
            return Err(CommandError::new(ErrorCode::Gone, text));
        }
        let launch = self.launch().await;
        let mut connection = self.origin.agent.connection(self.log.meta().capabilities.clone());
        connection.set_wanted(self.wanted_settings());
        let folder = self.origin.cwd.to_string_lossy().into_owned();
        let open = match &self.recorder {
            Some(recorder) => match (recorder.import(), recorder.agent_session()) {
                (Some(session_id), _) => Open::Import { session_id: session_id.to_owned(), folder },
                (None, Some(session_id)) if recorder.file().is_some() => {
                    Open::Stored { session_id: session_id.to_owned(), folder }
                }
                _ => Open::New { folder },
            },
            None if self.origin.file.is_some() => Open::Stored { session_id: self.origin.id.clone(), folder },
            None => Open::New { folder },
        };
        if let (Open::Import { .. }, Some(recorder)) = (&open, &mut self.recorder) {
            recorder.reset_import();
        }
        self.agent
            .start(&launch, connection, open)
            .await
            .map_err(|error| CommandError::new(ErrorCode::AgentFailed, format!("{error:#}")))?;
        tracing::info!(session = %self.origin.id, agent = %self.origin.agent.name, "agent started");
        self.steering.offer_again();
        self.steering.set_agent_queue(None);
        Ok(())
    }

    /// The settings of the session so far, which a new process gets.
    fn wanted_settings(&self) -> WantedSettings {
        let meta = self.log.meta();
        WantedSettings {
            model: meta.model.as_ref().map(|model| model.id.clone()).unwrap_or_default(),
            thinking_level: meta.thinking_level.clone(),
            mode: meta.mode.clone(),
            options: self.recorder.as_ref().map(|recorder| recorder.options().clone()).unwrap_or_default(),
        }
    }

    /// Starts the agent of a new session. The first prompt tries again, so a failure is only logged.
    pub(super) async fn prepare(&mut self) {
        if let Err(error) = self.ensure_process().await {
            tracing::info!(session = %self.origin.id, error = error.message, "the agent could not be started early");
        }
    }

    pub(super) async fn launch(&self) -> Launch {
        let file = match &self.origin.file {
            Some(file) if tokio::fs::metadata(file).await.is_ok_and(|metadata| metadata.is_file()) => {
                Some(file)
            }
            _ => None,
        };
        let version = self.hub.agent_version(&self.origin.agent.name);
        let start = SessionStart {
            session_id: &self.origin.id,
            folder: &self.origin.cwd,
            file: file.map(PathBuf::as_path),
            version: version.as_deref(),
        };
        // One mark per process: its exit ends everything with its mark, and nothing of a later process.
        let mark = format!("{}-{}", self.origin.mark, uuid::Uuid::now_v7().simple());
        self.origin.agent.launch(start, mark)
    }

    /// Whether our own process is working, so that the file may contain messages that it has not reported yet.
    pub(super) fn is_agent_working(&self) -> bool {
        let works = self.log.is_busy() || self.log.is_running();
        let awaits = self.agent.has_pending() || self.prompts.is_starting() || self.steering.has_offers();
        self.agent.is_running() && (works || awaits)
    }

    pub(super) async fn process_event(&mut self, event: ProcessEvent) {
        match event {
            ProcessEvent::Lines(lines) => self.agent.receive(lines),
            ProcessEvent::Cleared => {
                self.agent.cleared();
                self.release_held().await;
                self.offer_queue();
            }
            ProcessEvent::Exited(exit) => self.process_exited(exit).await,
        }
    }

    pub(super) async fn agent_event(&mut self, event: AgentEvent) {
        match event {
            AgentEvent::Settings(settings) => {
                self.settings(settings);
                self.record_settings().await;
            }
            AgentEvent::Ready => {
                if self.agent.set_ready() {
                    self.transition(StateEvent::SessionCreated, "");
                }
            }
            AgentEvent::Identified { title, version } => {
                self.hub.agent_identified(&self.origin.agent.name, title, version);
            }
            AgentEvent::SessionStarted { agent_session_id } => {
                let is_import = self.has_import();
                self.agent_session_started(&agent_session_id).await;
                if is_import {
                    self.end_run_that_did_not_start(StateEvent::Completed, "");
                }
            }
            AgentEvent::MemoryLost { reason } => self.memory_lost(&reason).await,
            AgentEvent::OpenFailed { reason } => {
                if self.has_import() {
                    self.discard_import().await;
                    self.publish(failed_message(&reason));
                }
                self.open_failed(reason);
            }
            AgentEvent::AskClosed { ask_id } => {
                let closed = self.asks.asks().find(|ask| ask.id == ask_id).cloned();
                if let Some(ask) = closed {
                    self.record_ask(ask.withdrawn_text()).await;
                    self.close_ask(&ask_id, ClosedBy::Stopped);
                }
            }
            AgentEvent::Session(event) => self.session_event(event).await,
            AgentEvent::QueueLength(length) => self.steering.set_agent_queue(Some(length)),
            AgentEvent::AskOpened(ask) => self.open_ask(*ask).await,
            AgentEvent::ShellOutput { request, delta } => {
                if let Some(event) = self.shell.output(request, delta) {
                    self.publish(event);
                }
            }
            AgentEvent::UnreadableLine => {
                if let Some(lines) = self.unreadable_lines.count(Instant::now()) {
                    tracing::warn!(session = %self.origin.id, lines, "the agent wrote lines that are not its protocol");
                }
            }
        }
    }

    /// Tells the user that the agent starts without what was said before.
    async fn memory_lost(&mut self, reason: &str) {
        let agent = &self.origin.agent.name;
        let text = if reason.is_empty() {
            format!("{agent} can't continue earlier sessions. It starts without what was said above.")
        } else {
            format!(
                "{agent} couldn't continue this session ({reason}). It starts without what was said above."
            )
        };
        self.note(text).await;
    }

    /// Ends an agent that cannot open the session.
    fn open_failed(&mut self, reason: String) {
        if self.log.state() == SessionState::Creating {
            self.transition(StateEvent::Failed, &reason);
        } else {
            self.end_run_that_did_not_start(StateEvent::Failed, &reason);
        }
        self.agent.end();
    }

    pub(super) fn settings(&mut self, settings: Settings) {
        let Settings { model, thinking_level, mode, session_file } = settings;
        if self.log.meta().model != model {
            self.publish(Event::ModelChanged { model });
        }
        if self.origin.file.is_none() {
            self.origin.file = session_file.map(PathBuf::from).filter(|file| file.is_absolute());
        }
        if self.log.meta().thinking_level != thinking_level {
            self.publish(Event::ThinkingLevelChanged { level: thinking_level });
        }
        let meta = self.log.meta();
        if meta.mode == mode {
            return;
        }
        let is_offered = meta.capabilities.modes.iter().any(|offered| offered.id == meta.mode);
        if !self.agent.is_ready() && is_offered {
            // A new process starts in its default mode; the user has chosen another one.
            let mode = meta.mode.clone();
            self.request(Request::SetMode { mode }, Pending::Ignored);
        } else {
            self.publish(Event::ModeChanged { mode });
        }
    }

    /// Processes an event of the conversation.
    pub(super) async fn session_event(&mut self, mut event: Event) {
        // Before it is recorded: the file has what was shown.
        event.cut();
        if let Some(recorder) = &mut self.recorder
            && !recorder.stamp(&mut event, now_ms())
        {
            return;
        }
        if let Event::CapabilitiesChanged { capabilities } = &event
            && self.recorder.is_some()
        {
            self.hub.set_known_capabilities(&self.origin.agent.name, capabilities);
        }
        if let Event::LoginChanged { login: Some(login) } = &mut event {
            self.agent.await_login();
            // An agent that names no method needs what the catalogue knows about it.
            if login.methods.is_empty() {
                login.methods.extend(self.origin.agent.known_login());
            }
        }
        if let Event::MessageStart { message: Message::User { content, client_id, timestamp } } = &mut event {
            let text = content.text();
            if self.log.meta().title.is_empty() {
                self.set_title(title_from(&text));
            }
            *client_id = self.match_user_message(&text);
            tracing::debug!(session = %self.origin.id, ?client_id, ?timestamp, "the agent reported a user message");
            if let (Some(client_id), Some(timestamp)) = (client_id, timestamp) {
                let write = self.journal.prompt_reported(client_id, *timestamp);
                self.journal.submit(vec![write]);
            }
        }
        // An agent may report a run as failed before it announces a retry.
        if matches!(event, Event::AutoRetryStart { .. }) && self.log.state() == SessionState::Error {
            self.transition(StateEvent::Retry, "");
        }
        let is_title = matches!(event, Event::TitleChanged { .. });
        let has_options = matches!(event, Event::OptionsChanged { .. });
        if matches!(event, Event::AgentStart) {
            self.agent.run_began();
        }
        let ends_run = matches!(event, Event::AgentSettled { .. });
        let ends_compaction = matches!(event, Event::CompactionEnd { .. });
        let step = self.log.follow(&event);
        self.record_and_publish(event).await;
        match step {
            // The next message starts a run at once: the session does not rest in between.
            Some((StateEvent::Completed, _)) if ends_run && self.starts_next_run() => {
                self.log.transition_silently(StateEvent::Completed);
            }
            Some((step, reason)) => self.transition(step, &reason),
            None => {}
        }
        if ends_run {
            // A shell command of the user, which the agent runs, goes on.
            let leftovers = if self.shell.has_remote() { Leftovers::Orphans } else { Leftovers::All };
            self.agent.run_ended(leftovers);
            self.steering.run_ended();
            self.read_own_messages().await;
            self.settle_reported().await;
            self.journal.write_note();
            self.release_held().await;
            self.offer_queue();
        }
        if ends_compaction && !self.log.is_running() {
            self.steering.offer_again();
            self.agent.stopped();
            self.release_held().await;
            self.offer_queue();
        }
        if is_title {
            self.update_summary();
        }
        if has_options {
            self.record_options().await;
        }
    }

    /// Finds the client id of a user message that the agent reports, by which the client that sent it recognizes it.
    pub(super) fn match_user_message(&mut self, text: &str) -> Option<String> {
        // The messages of a session that is being loaded were sent elsewhere.
        if self.has_import() {
            return None;
        }
        let is_scheduled = self.steering.queue().sendable().any(|item| item.text == text);
        if let Some(client_id) = self.prompts.match_reported(text, is_scheduled) {
            return Some(client_id);
        }
        let taken = self.steering.match_reported(text)?;
        self.queue_changed();
        Some(taken.id)
    }

    pub(super) async fn agent_reply(&mut self, pending: Pending, result: Result<Reply, AgentError>) {
        match (pending, result) {
            (Pending::Prompt { client_id }, Ok(Reply::Prompt(disposition))) => {
                self.prompt_accepted(&client_id, disposition).await;
            }
            (Pending::Prompt { client_id }, Ok(_)) => {
                self.prompt_accepted(&client_id, Disposition::Started).await;
            }
            (Pending::Prompt { client_id }, Err(error)) => {
                self.refuse_prompt(&client_id, &agent_failed(&error)).await;
                // The end of the process moves the state machine itself.
                if error != AgentError::Closed {
                    self.end_run_that_did_not_start(StateEvent::Failed, &error.to_string());
                }
            }
            (Pending::Offered { id }, Ok(Reply::Prompt(Disposition::Handled))) => {
                // It was a command of the agent: there will be no user message.
                if self.steering.forget(&id) {
                    self.publish_queue();
                }
                let settled = self.journal.settle_prompts(vec![id]);
                self.journal.submit(vec![self.save_queue(self.steering.queue()), settled]);
                self.end_run_that_did_not_start(StateEvent::Completed, "");
            }
            (Pending::Offered { .. }, Ok(_)) => {}
            (Pending::Offered { id }, Err(error)) => self.offer_refused(&id, &error),
            (Pending::QueueCleared, Ok(Reply::QueueCleared(returned))) => {
                let changes = self.steering.cleared(&returned);
                self.make_changes(changes).await;
            }
            (Pending::QueueCleared, Ok(_)) => self.queue_not_cleared(&AgentError::InvalidReply).await,
            (Pending::QueueCleared, Err(error)) => self.queue_not_cleared(&error).await,
            (Pending::Shell { client_id }, result) => self.shell_finished(&client_id, result).await,
            (Pending::Rename { responder, name }, Ok(_)) => {
                self.set_title(name);
                responder.respond(Ok(SessionReply::Done));
            }
            (Pending::Client(responder), Ok(reply)) => responder.respond(Ok(session_reply(reply))),
            (Pending::Client(responder) | Pending::Rename { responder, .. }, Err(error)) => {
                responder.respond(Err(agent_failed(&error)));
            }
            (Pending::Ignored, Ok(_)) => {}
            (Pending::Ignored, Err(error)) => {
                tracing::debug!(session = %self.origin.id, %error, "a request to the agent failed");
            }
        }
    }

    /// Handles an agent that did not clear its queue. It would still send the messages that it holds, so a stop ends
    /// its process.
    pub(super) async fn queue_not_cleared(&mut self, error: &AgentError) {
        let outcome = self.steering.not_cleared(self.agent.is_running());
        for change in outcome.failed {
            change.responder.respond(Err(agent_failed(error)));
        }
        if outcome.end_process {
            return self.agent.end();
        }
        self.make_changes(outcome.made).await;
    }

    pub(super) async fn shell_finished(&mut self, client_id: &str, result: Result<Reply, AgentError>) {
        let outcome = result.map(|reply| match reply {
            Reply::Shell(outcome) => outcome,
            _ => ShellOutcome::default(),
        });
        let succeeded = outcome.is_ok();
        self.agent.shell_stopped();
        let Some(finished) = self.shell.finish(client_id, outcome) else { return };
        // An agent that has no file yet has not stored the command.
        let has_file = match &self.origin.file {
            Some(file) => tokio::fs::metadata(file).await.is_ok_and(|metadata| metadata.is_file()),
            None => false,
        };
        if succeeded && !has_file {
            let events = vec![finished.start, finished.end.clone()];
            self.journal.submit(vec![self.journal.add_extra(events)]);
        }
        self.publish(finished.end);
    }

    /// Handles the exit of the process: moves the state machine, and ends everything that waits for the process.
    pub(super) async fn process_exited(&mut self, exit: Exit) {
        let expected = self.agent.ended();
        tracing::info!(session = %self.origin.id, code = ?exit.code, signal = ?exit.signal, expected, "agent ended");
        for ask in self.asks.close_all() {
            self.record_ask(ask.process_ended_text()).await;
            self.publish(Event::AskClosed { ask_id: ask.id, by: ClosedBy::Stopped });
        }
        self.are_asks_unsaved = true;
        self.read_last_messages().await;
        let changes = self.steering.lost();
        self.make_changes(changes).await;
        self.process_agent_output().await;
        let effects = self.prompts.process_ended();
        self.perform(effects);
        self.discard_import().await;
        let success = exit.code == Some(0);
        let reason = exit.stderr.last().cloned().unwrap_or_default();
        let event = Event::ProcessExit {
            code: exit.code,
            signal: exit.signal,
            expected,
            stderr: exit.stderr,
            shell_lives: !self.origin.agent.has_shell(),
        };
        self.settle_reported().await;
        let has_message = match self.journal.message_in_progress() {
            Some(time) => self.file.has_reply(time).await,
            None => false,
        };
        if let Some(writes) = self.journal.interrupted(&event, has_message) {
            self.journal.submit(writes);
        }
        // If our process was ended in favour of another program, the work in progress is that program's.
        if !(expected && self.log.meta().external_writer) {
            self.record_and_publish(event).await;
        }
        self.journal.write_note();
        self.transition(StateEvent::ProcessExit { success, expected }, &reason);
        if let Some(responder) = self.retry_after_exit.take() {
            // A retry may lead to the end of another process.
            Box::pin(self.retry(responder)).await;
        }
        self.release_held().await;
    }
}
