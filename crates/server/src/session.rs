//! One session: a task that owns the parts below. Everything that happens to a session passes through its one loop, so
//! that a snapshot and the subscription behind it are one step and no event is lost in between.
//!
//! Each part owns its fields and decides; it returns effects, and only this file performs them. The order of a user
//! action is always: check it, store it, then tell the agent and the clients. A failed write changes nothing.
//!
//! | part | owns |
//! |---|---|
//! | `event_log` | the view, the state machine, recent events, subscribers |
//! | `agent_connection` | the agent's process, pending requests, stopping |
//! | `prompts` | client ids and their replies, prompts in progress |
//! | `steering` | the queue, and the agent's copy of it |
//! | `asks` | open questions and their deadlines |
//! | `file_ownership` | the session file as far as it was read, and who writes it |
//! | `journal` | what must survive a kill; `recovery` reads it |
//! | `shell` | shell commands of the user |

mod agent_connection;
mod asks;
mod effect;
pub mod event_buffer;
mod event_log;
mod file_names;
mod file_ownership;
mod in_flight;
mod journal;
mod probes;
mod prompts;
mod queries;
mod recovery;
mod shell;
mod steering;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pilothouse_agents::{AgentError, AgentEvent, Open, Reply, Request, Settings, ShellOutcome};
use pilothouse_core::conversation::ask::{Answer, Ask, ClosedBy};
use pilothouse_core::conversation::message::Message;
use pilothouse_core::conversation::queue::{Lane, Queue, QueueError, Scheduled};
use pilothouse_core::conversation::ui_message::last_user_message;
use pilothouse_core::conversation::ui_message::Image;
use pilothouse_core::limits::{TITLE_BYTES, PAGE_ROWS, SESSION_COMMAND_QUEUE, SESSION_TASK_IDLE_SECONDS};
use pilothouse_core::protocol::event::{Event, ModelInfo, NoticeLevel};
use pilothouse_core::protocol::{
    CommandError, Cursor, Disposition, ErrorCode, HubReply, QueueEdit, RestoredQueue, SessionCommand,
    SessionMeta, SessionReply, SessionSummary,
};
use pilothouse_core::render::describe::title_from;
use pilothouse_core::session::machine::StateEvent;
use pilothouse_core::{MessageController, SessionState};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::agent::catalogue::{Agent, SessionStart};
use crate::agent::process::{Exit, Launch, ProcessEvent};
use crate::client::{Client, ClientId, Responder};
use crate::clock::now_ms;
use crate::history::history_file::live_events;
use crate::http::blobs::Blobs;
use crate::hub::Hub;
use crate::store::Prompt;
use agent_connection::{AgentConnection, FromAgent};
use asks::{Asks, after_closing, waiting_for};
use effect::{Effect, Pending, session_reply};
use event_log::EventLog;
use file_ownership::{FileAction, FileOwnership, Finding, Suspicion};
use journal::{Journal, ask_record};
use prompts::{KnownId, Prompts, check_client_id, check_prompt, reply_of};
use recovery::Recovered;
use shell::Shell;
use steering::{Change, ChangeKind, Steering};

/// A task without subscribers and without a process ends after this; opening the session again reads its file.
const UNUSED: Duration = Duration::from_secs(SESSION_TASK_IDLE_SECONDS);

/// The prompt that continues a session in which nothing is left to send.
const CONTINUE: &str = "Please go on from where you were stopped.";

/// A message to a session's task.
#[derive(Debug)]
pub enum Input {
    Command {
        responder: Responder,
        command: SessionCommand,
    },
    /// Sends the client what it is missing, and every event from now on.
    Subscribe {
        client: Client,
        /// The id of the command to reply to, if there is one.
        request: Option<String>,
        cursor: Option<Cursor>,
        /// Dropped when it is done.
        done: Option<oneshot::Sender<()>>,
    },
    Unsubscribe {
        client: ClientId,
    },
    /// The session's file was created or written to.
    FileChanged {
        file: PathBuf,
    },
    /// A probe of the agent has ended; it may have renamed the session.
    ProbeEnded {
        title: Option<String>,
    },
    /// Ends the agent and the task.
    Shutdown {
        done: oneshot::Sender<()>,
    },
}

/// What a session is made from.
#[derive(Clone, Debug)]
pub struct SessionOrigin {
    pub id: String,
    pub agent: Arc<Agent>,
    pub cwd: PathBuf,
    /// The agent's session file, once there is one.
    pub file: Option<PathBuf>,
    pub blobs: Blobs,
    /// Inherited by the agent and by everything that it starts.
    pub mark: String,
}

/// Starts the task of a session.
pub fn start(origin: SessionOrigin, hub: Arc<Hub>) -> mpsc::Sender<Input> {
    let (sender, receiver) = mpsc::channel(SESSION_COMMAND_QUEUE);
    tokio::spawn(async move {
        let recovered = read_from_disk(&origin, &hub).await;
        let session = Session::new(origin, recovered, hub);
        session.hub.session_opened(&session.origin.id, session.log.state());
        session.run(receiver).await;
    });
    sender
}

/// Reads the session file and the records beside it, on a thread that may block.
async fn read_from_disk(origin: &SessionOrigin, hub: &Arc<Hub>) -> Recovered {
    // Notes of an earlier task of this session may still be queued.
    let _ = hub.store().flush().result().await;
    let (origin, hub) = (origin.clone(), hub.clone());
    tokio::task::spawn_blocking(move || recovery::open(&origin, &hub)).await.unwrap_or_default()
}

struct Session {
    origin: SessionOrigin,
    hub: Arc<Hub>,
    log: EventLog,
    agent: AgentConnection,
    prompts: Prompts,
    steering: Steering,
    asks: Asks,
    file: FileOwnership,
    journal: Journal,
    shell: Shell,
    /// When the task ends because nobody uses it.
    unused_at: Option<Instant>,
    /// The session is closing; notified when it is closed.
    shutdown: Option<oneshot::Sender<()>>,
}

// The loop.
impl Session {
    fn new(origin: SessionOrigin, recovered: Recovered, hub: Arc<Hub>) -> Self {
        let meta = SessionMeta {
            session_id: origin.id.clone(),
            agent: origin.agent.name.clone(),
            cwd: origin.cwd.to_string_lossy().into_owned(),
            capabilities: origin.agent.capabilities(hub.agent_version(&origin.agent.name).as_deref()),
            ..SessionMeta::default()
        };
        let mut session = Self {
            log: EventLog::new(meta),
            agent: AgentConnection::new(),
            prompts: Prompts::recovered(recovered.outcomes.clone(), Vec::new()),
            steering: Steering::new(Queue::default()),
            asks: Asks::default(),
            file: FileOwnership::default(),
            journal: Journal::new(hub.store().clone(), origin.id.clone()),
            shell: Shell::default(),
            unused_at: None,
            shutdown: None,
            origin,
            hub,
        };
        session.show(recovered);
        session
    }

    async fn run(mut self, mut inputs: mpsc::Receiver<Input>) {
        loop {
            self.update_deadlines(Instant::now());
            let deadline = self.next_deadline();
            tokio::select! {
                Some(event) = self.agent.process_event() => self.process_event(event).await,
                input = inputs.recv() => match input {
                    Some(input) => self.input(input).await,
                    None => return,
                },
                () = tokio::time::sleep_until(deadline) => {
                    let now = Instant::now();
                    if self.is_unused_since(now) {
                        break;
                    }
                    self.pass_deadlines(now).await;
                }
            }
            self.process_agent_output().await;
            if !self.agent.is_running()
                && !self.agent.is_probing()
                && let Some(done) = self.shutdown.take()
            {
                refuse_remaining(inputs);
                let _ = done.send(());
                return;
            }
        }
        // Inputs that arrive in this moment go to the session's next task.
        inputs.close();
        let (hub, id) = (self.hub.clone(), self.origin.id.clone());
        tokio::spawn(async move {
            while let Some(input) = inputs.recv().await {
                let _ = hub.send(&id, input).await;
            }
        });
    }

    async fn input(&mut self, input: Input) {
        match input {
            Input::Command { responder, command } => self.command(responder, command).await,
            Input::Subscribe { client, request, cursor, done: _done } => {
                self.log.set_draft(self.hub.draft(&self.origin.id));
                self.log.subscribe(client.clone(), cursor.as_ref());
                if let Some(request) = request {
                    client.respond(request, "open_session", Ok(HubReply::Done {}));
                }
            }
            Input::Unsubscribe { client } => {
                self.log.unsubscribe(client);
                if self.steering.end_edits_of(client) {
                    self.queue_changed();
                    self.offer_queue();
                }
            }
            Input::FileChanged { file } => {
                self.origin.file = Some(file);
                self.file_changed().await;
            }
            Input::ProbeEnded { title } => {
                self.agent.set_probing(false);
                if let Some(title) = title {
                    self.set_title(title);
                }
                self.release_held().await;
            }
            Input::Shutdown { done } => {
                self.shutdown = Some(done);
                self.agent.end();
            }
        }
    }

    /// Processes everything that the agent has said, and sends the requests that are due.
    async fn process_agent_output(&mut self) {
        loop {
            self.send_due_requests();
            match self.agent.next() {
                Some(FromAgent::Event(event)) => self.agent_event(event).await,
                Some(FromAgent::Reply(pending, result)) => self.agent_reply(pending, result).await,
                None => return,
            }
        }
    }

    fn update_deadlines(&mut self, now: Instant) {
        let is_idle = !self.log.is_busy() && !self.log.is_running() && self.steering.queue().is_empty();
        self.agent.update_idle(is_idle, self.hub.idle(), now);
        let is_unused = !self.log.has_subscribers()
            && !self.agent.is_running()
            && !self.agent.is_probing()
            && self.shutdown.is_none()
            && !self.log.meta().external_writer;
        // A browser that reloads the page is back within moments, whatever else is due meanwhile.
        match (is_unused, self.unused_at) {
            (true, None) => self.unused_at = Some(now + UNUSED),
            (false, _) => self.unused_at = None,
            (true, Some(_)) => {}
        }
    }

    fn is_unused_since(&self, now: Instant) -> bool {
        self.unused_at.is_some_and(|at| at <= now)
    }

    fn next_deadline(&self) -> Instant {
        let deadlines = [
            self.agent.next_deadline(),
            self.asks.next_deadline(),
            self.file.next_deadline(),
            self.journal.next_deadline(),
            self.unused_at,
        ];
        deadlines.into_iter().flatten().min().unwrap_or_else(|| Instant::now() + UNUSED)
    }

    async fn pass_deadlines(&mut self, now: Instant) {
        self.agent.pass_deadlines(now);
        if self.journal.next_deadline().is_some_and(|at| at <= now) {
            self.journal.write_note();
        }
        if self.file.is_check_due(now) {
            self.check_file(now).await;
        }
        if self.file.is_external_writer_gone(now) {
            self.external_writer_gone();
        }
        for ask in self.asks.expired(now) {
            self.record_ask(ask.expired_text());
            self.close_ask(&ask.id, ClosedBy::Expired);
        }
    }
}

// Effects.
impl Session {
    /// Performs the effects of a part. What is to be written is queued before anybody is told.
    fn perform(&mut self, effects: impl IntoIterator<Item = Effect>) {
        let mut writes = Vec::new();
        let mut others = Vec::new();
        for effect in effects {
            match effect {
                Effect::Persist(write) => writes.push(write),
                other => others.push(other),
            }
        }
        if !writes.is_empty() {
            self.journal.submit(writes);
        }
        for effect in others {
            match effect {
                Effect::Publish(event) => self.publish(event),
                Effect::Request(request, pending) => self.request(request, pending),
                Effect::Respond(responder, result) => responder.respond(result),
                Effect::Persist(write) => self.journal.submit(vec![write]),
            }
        }
    }

    /// Numbers an event, folds it and broadcasts it. Every event of the session passes through here.
    fn publish(&mut self, mut event: Event) {
        self.origin.blobs.extract_from_event(&mut event);
        self.file.observe(&event);
        self.journal.observe(&event, Instant::now());
        self.log.publish(event);
    }

    /// Moves the state machine; a changed state is published, also to the sidebars.
    fn transition(&mut self, event: StateEvent, reason: &str) {
        if let Some(event) = self.log.transition(event, reason) {
            self.publish(event);
            self.update_summary();
        }
    }

    fn request(&mut self, request: Request, pending: Pending) {
        let shell = match &pending {
            Pending::Shell { client_id } => Some(client_id.clone()),
            _ => None,
        };
        let id = self.agent.request(request, pending);
        if let Some(client_id) = shell {
            self.shell.sent(&client_id, id);
        }
    }

    fn send_due_requests(&mut self) {
        if self.agent.is_running() {
            let effects = self.steering.due_requests(self.agent.is_delivering());
            self.perform(effects);
        }
    }

    /// Updates the session's row in the sidebars.
    fn update_summary(&self) {
        let meta = self.log.meta();
        self.hub.session_changed(SessionSummary {
            id: self.origin.id.clone(),
            agent: self.origin.agent.name.clone(),
            cwd: meta.cwd.clone(),
            title: meta.title.clone(),
            state: self.log.state(),
            modified: now_ms(),
            reason: meta.reason.clone(),
            external_writer: meta.external_writer,
            asks: meta.asks.clone(),
            ..SessionSummary::default()
        });
    }

    fn set_title(&mut self, title: String) {
        if self.log.meta().title != title {
            self.publish(Event::TitleChanged { title });
            self.update_summary();
        }
    }
}

// Commands of clients.
impl Session {
    async fn command(&mut self, responder: Responder, command: SessionCommand) {
        match command {
            SessionCommand::Prompt { client_id, message, images, streaming_behavior } => {
                match self.with_image_data(images) {
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

    /// Passes a request on to the agent, which is started for it if need be.
    async fn ask_agent(&mut self, responder: Responder, request: Request) {
        if let Err(error) = self.check_writable().await {
            return responder.respond(Err(error));
        }
        match self.ensure_process().await {
            Ok(()) => self.request(request, Pending::Client(responder)),
            Err(error) => responder.respond(Err(error)),
        }
    }

    /// Compacting ends a run in progress, so it needs a stopped agent.
    async fn compact(&mut self, responder: Responder, instructions: Option<String>) {
        if self.log.state().is_active() {
            let text = "The agent is working. Stop it first, or wait until it is done.";
            return responder.respond(Err(CommandError::new(ErrorCode::Busy, text)));
        }
        if self.log.meta().compacting {
            let text = "A compaction is already in progress.";
            return responder.respond(Err(CommandError::new(ErrorCode::Busy, text)));
        }
        let instructions = instructions.filter(|text| !text.trim().is_empty());
        self.ask_agent(responder, Request::Compact { instructions }).await;
    }

    /// The agent stores the name in its file, so that other programs show it, too. Without a process a probe does it.
    async fn rename(&mut self, responder: Responder, title: &str) {
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
            let text = "A session can be named after its first message.";
            return responder.respond(Err(CommandError::invalid(text)));
        }
        if self.agent.is_probing() {
            return responder.respond(Err(probing()));
        }
        // No other process of ours writes the file meanwhile.
        self.agent.set_probing(true);
        probes::rename(responder, self.hub.clone(), self.origin.clone(), self.launch().await, name);
    }

    /// A process of its own makes the fork. It may rewrite an old session file, so none of ours starts meanwhile.
    async fn fork(&mut self, responder: Responder, row: usize) {
        if self.agent.is_probing() {
            return responder.respond(Err(probing()));
        }
        let excludes = !self.agent.is_running();
        self.agent.set_probing(excludes);
        let launch = self.launch().await;
        probes::fork(responder, self.hub.clone(), self.origin.clone(), launch, (row, excludes));
    }

    async fn run_shell(
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
        Ok(())
    }

    /// Replaces the names of images that the session has by their data.
    fn with_image_data(&self, mut images: Vec<Image>) -> Result<Vec<Image>, CommandError> {
        for image in images.iter_mut().filter(|image| image.data.is_empty() && !image.blob.is_empty()) {
            self.origin.blobs.restore_data(image);
            if image.data.is_empty() {
                let text = "One of the images no longer exists; attach it again.";
                return Err(CommandError::new(ErrorCode::Gone, text));
            }
        }
        Ok(images)
    }

    /// Refuses whatever would make the session's file branch, or comes too late.
    async fn check_writable(&mut self) -> Result<(), CommandError> {
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

// Prompts and the queue.
impl Session {
    async fn prompt(&mut self, responder: Responder, prompt: Prompt) {
        match self.prompts.known(&prompt.client_id) {
            KnownId::New => {}
            KnownId::InProgress => return self.prompts.wait(&prompt.client_id, responder),
            KnownId::Done(outcome) => return responder.respond(reply_of(outcome)),
            KnownId::Other => {
                let text = "This id was used before, for another command.";
                return responder.respond(Err(CommandError::new(ErrorCode::Conflict, text)));
            }
        }
        if let Err(error) = self.check_new_prompt(&prompt).await {
            return responder.respond(Err(error));
        }
        if self.agent.is_stopping() {
            // The run that was stopped has not ended yet: its last events are not about this prompt.
            return self.prompts.hold(responder, prompt);
        }
        if self.log.is_busy() {
            self.schedule_prompt(responder, prompt).await;
        } else {
            let stored = self.journal.commit(vec![self.journal.accept_prompt(prompt.clone())]).await;
            match stored {
                Ok(()) => {
                    self.prompts.remember(&prompt.client_id);
                    self.start_prompt(responder, prompt).await;
                }
                Err(error) => responder.respond(Err(error)),
            }
        }
    }

    async fn check_new_prompt(&mut self, prompt: &Prompt) -> Result<(), CommandError> {
        check_client_id(&prompt.client_id)?;
        check_prompt(&prompt.text, &prompt.images)?;
        if (self.log.is_busy() && self.steering.queue().is_full()) || self.prompts.is_full() {
            return Err(QueueError::Full.into());
        }
        self.check_writable().await
    }

    /// The agent is working: the prompt joins the queue, and that is acknowledged.
    async fn schedule_prompt(&mut self, responder: Responder, prompt: Prompt) {
        let client_id = prompt.client_id.clone();
        let mut item = scheduled(prompt.clone());
        item.images.iter_mut().for_each(|image| self.origin.blobs.retain(image));
        let planned = self.steering.plan(|queue| queue.schedule(item));
        let result = match planned {
            Ok((queue, ())) => {
                let writes = vec![self.journal.accept_prompt(prompt), self.save_queue(&queue)];
                self.journal.commit(writes).await.map(|()| queue)
            }
            Err(error) => Err(error.into()),
        };
        match result {
            Ok(queue) => {
                self.prompts.remember(&client_id);
                self.prompts.wait(&client_id, responder);
                self.set_queue(queue);
                let effects = self.prompts.acknowledge(&client_id, Disposition::Queued, &self.journal);
                self.perform(effects);
                self.offer_queue();
            }
            Err(error) => responder.respond(Err(error)),
        }
    }

    /// Gives a stored prompt to the agent.
    async fn start_prompt(&mut self, responder: Responder, prompt: Prompt) {
        self.begin_run();
        self.prompts.start(prompt.clone(), responder);
        let Prompt { client_id, text, images, lane, .. } = prompt;
        match self.ensure_process().await {
            Ok(()) => {
                if self.agent.is_ready() {
                    self.transition(StateEvent::SessionCreated, "");
                }
                self.request(Request::Prompt { text, images, lane }, Pending::Prompt { client_id });
                // Messages that were scheduled with an earlier process are offered to this one.
                self.offer_queue();
            }
            Err(error) => {
                self.refuse_prompt(&client_id, &error);
                self.transition(StateEvent::ProcessError, &error.message);
            }
        }
    }

    fn begin_run(&mut self) {
        let event = match self.log.state() {
            SessionState::Idle => StateEvent::StartSession,
            SessionState::Error => StateEvent::Retry,
            _ => StateEvent::SendMessage,
        };
        self.transition(event, "");
    }

    fn refuse_prompt(&mut self, client_id: &str, error: &CommandError) {
        let effects = self.prompts.refuse(client_id, error, &self.journal);
        self.forget_scheduled(client_id);
        self.perform(effects);
    }

    /// The agent has replied to a prompt.
    fn prompt_accepted(&mut self, client_id: &str, disposition: Disposition) {
        match disposition {
            Disposition::Handled => {
                self.prompts.take_starting(client_id);
                self.forget_scheduled(client_id);
                self.end_run_that_did_not_start(StateEvent::Completed, "");
            }
            // A run was in progress after all.
            Disposition::Queued => {
                if let Some(prompt) = self.prompts.take_starting(client_id) {
                    let mut item = scheduled(prompt);
                    item.images.iter_mut().for_each(|image| self.origin.blobs.retain(image));
                    if let Ok((queue, ())) = self.steering.plan(|queue| queue.schedule(item)) {
                        self.set_queue(queue);
                        self.persist_queue();
                        self.steering.offer(client_id);
                    }
                }
            }
            Disposition::Started | Disposition::Unsent => {}
        }
        let effects = self.prompts.acknowledge(client_id, disposition, &self.journal);
        self.perform(effects);
    }

    /// A prompt that led to no run leaves no spinner behind.
    fn end_run_that_did_not_start(&mut self, how: StateEvent, reason: &str) {
        if !self.log.is_running() {
            if self.log.state() == SessionState::Creating {
                self.log.transition_silently(StateEvent::SessionCreated);
                self.log.transition_silently(StateEvent::RequestStarted);
            }
            self.transition(how, reason);
        }
    }

    /// The stop is over: prompts that arrived meanwhile take their turn, and pass the same checks again.
    async fn release_held(&mut self) {
        for (responder, prompt) in self.prompts.take_held() {
            self.prompt(responder, prompt).await;
        }
    }

    /// Continues the session: with prompts that never reached the agent, with scheduled messages, or by asking for it.
    async fn resume(&mut self, responder: Responder) {
        if let Err(error) = self.check_resumable().await {
            return responder.respond(Err(error));
        }
        if let Some((first, others)) = self.prompts.resume() {
            return self.resume_unsent(responder, first, others).await;
        }
        if self.steering.queue().sendable().next().is_none() {
            return self.prompt_as_user(responder, CONTINUE.to_owned(), Vec::new()).await;
        }
        match self.ensure_process().await {
            Ok(()) => {
                self.steering.offer_again();
                self.steering.clear_and_offer_again();
                self.send_due_requests();
                self.offer_queue();
                responder.respond(Ok(SessionReply::Done));
            }
            Err(error) => responder.respond(Err(error)),
        }
    }

    async fn check_resumable(&mut self) -> Result<(), CommandError> {
        if self.log.is_busy() {
            return Err(working());
        }
        self.check_writable().await?;
        if self.agent.is_stopping() {
            return Err(stopping());
        }
        Ok(())
    }

    /// The first unsent prompt starts a run; the others follow it in their order.
    async fn resume_unsent(&mut self, responder: Responder, first: Prompt, others: Vec<Prompt>) {
        let planned = self.steering.plan(|queue| {
            for prompt in &others {
                let mut item = scheduled(prompt.clone());
                item.images.iter_mut().for_each(|image| self.origin.blobs.retain(image));
                queue.schedule(item)?;
            }
            Ok(())
        });
        let stored = match planned {
            Ok((queue, ())) if others.is_empty() => Ok(queue),
            Ok((queue, ())) => self.journal.commit(vec![self.save_queue(&queue)]).await.map(|()| queue),
            Err(error) => Err(error.into()),
        };
        match stored {
            Ok(queue) => {
                self.set_queue(queue);
                self.start_prompt(responder, first).await;
            }
            Err(error) => {
                self.prompts.set_unsent(std::iter::once(first).chain(others).collect());
                responder.respond(Err(error));
            }
        }
    }

    /// Tries again what failed: a prompt that the agent does not know is sent itself.
    async fn retry(&mut self, responder: Responder) {
        if self.prompts.has_unsent() || self.steering.queue().sendable().next().is_some() {
            return self.resume(responder).await;
        }
        let refused = self.prompts.take_refused().map(|prompt| (prompt.text, prompt.images));
        match refused.or_else(|| self.last_user_message()) {
            Some((text, images)) => self.prompt_as_user(responder, text, images).await,
            None => {
                let text = "There is no message to send again.";
                responder.respond(Err(CommandError::new(ErrorCode::Gone, text)));
            }
        }
    }

    async fn prompt_as_user(&mut self, responder: Responder, text: String, images: Vec<Image>) {
        if self.log.is_busy() {
            return responder.respond(Err(working()));
        }
        let client_id = uuid::Uuid::now_v7().to_string();
        self.prompt(responder, new_prompt(client_id, text, images, Lane::Steer)).await;
    }

    /// The last message of the user, with the data of its images.
    fn last_user_message(&self) -> Option<(String, Vec<Image>)> {
        let row = last_user_message(self.log.view().controller.rows())?;
        let mut images = row.images.clone();
        images.iter_mut().for_each(|image| self.origin.blobs.restore_data(image));
        Some((row.text.clone(), images))
    }

    /// Offers the agent the scheduled messages that it does not hold. An idle agent starts a run by that.
    fn offer_queue(&mut self) {
        if self.steering.is_clearing()
            || !self.agent.is_running()
            || self.agent.is_stopping()
            || self.log.meta().compacting
        {
            return;
        }
        for Scheduled { id, lane, text, mut images, .. } in self.steering.to_offer() {
            if !self.log.state().is_active() {
                self.begin_run();
            }
            images.iter_mut().for_each(|image| self.origin.blobs.restore_data(image));
            self.steering.offer(&id);
            self.request(Request::Prompt { text, images, lane }, Pending::Offered { id });
        }
    }

    /// The agent refused a scheduled message: it stays in the queue, and the user is notified.
    fn offer_refused(&mut self, id: &str, error: &AgentError) {
        self.steering.refuse_offer(id);
        if *error == AgentError::Closed {
            return;
        }
        self.end_run_that_did_not_start(StateEvent::Failed, &error.to_string());
        let text = format!("The agent did not accept a scheduled message: {error}");
        self.publish(Event::Notice { level: NoticeLevel::Warning, text });
    }

    async fn edit_queued(&mut self, responder: Responder, item_id: String, revision: u32, edit: QueueEdit) {
        let checked = match edit {
            QueueEdit::Finish { text, images } => self.with_image_data(images).and_then(|images| {
                check_prompt(&text, &images)?;
                Ok(QueueEdit::Finish { text, images })
            }),
            other => Ok(other),
        };
        match checked {
            Ok(edit) => {
                let kind = ChangeKind::Edit { item_id, revision, edit };
                self.change_queue(Change { kind, responder }).await;
            }
            Err(error) => responder.respond(Err(error)),
        }
    }

    /// Makes a change of the queue, now or when the agent has cleared its copy.
    async fn change_queue(&mut self, change: Change) {
        match self.steering.begin_change(change, self.agent.is_running()) {
            Some(change) => {
                self.make_change(change).await;
                self.offer_queue();
            }
            None => self.send_due_requests(),
        }
    }

    async fn make_changes(&mut self, changes: Vec<Change>) {
        for change in changes {
            self.make_change(change).await;
        }
        self.offer_queue();
    }

    async fn make_change(&mut self, change: Change) {
        let Change { kind, responder } = change;
        let result = match kind {
            ChangeKind::Edit { item_id, .. } | ChangeKind::Remove { item_id, .. }
                if self.steering.is_offered(&item_id) =>
            {
                Err(QueueError::Gone.into())
            }
            ChangeKind::Edit { item_id, revision, edit } => {
                self.make_edit(&item_id, revision, edit, responder.client.id()).await
            }
            ChangeKind::Remove { item_id, revision } => self.make_removal(&item_id, revision).await,
            ChangeKind::Restore { stop } => self.make_restore(&responder.request, stop).await,
        };
        responder.respond(result);
    }

    async fn make_removal(&mut self, id: &str, revision: u32) -> Result<SessionReply, CommandError> {
        let (queue, removed) = self.steering.plan(|queue| queue.remove(id, revision))?;
        let writes = vec![self.save_queue(&queue), self.journal.settle_prompts(vec![removed.id])];
        self.journal.commit(writes).await?;
        self.set_queue(queue);
        Ok(SessionReply::Done)
    }

    async fn make_edit(
        &mut self,
        id: &str,
        revision: u32,
        edit: QueueEdit,
        client: ClientId,
    ) -> Result<SessionReply, CommandError> {
        let mut writes = Vec::new();
        let (queue, (revision, under_edit)) = match edit {
            QueueEdit::Begin => self.steering.plan(|queue| queue.begin_edit(id, revision).map(edit_state))?,
            QueueEdit::Cancel => {
                self.steering.plan(|queue| queue.cancel_edit(id, revision).map(edit_state))?
            }
            QueueEdit::Finish { text, mut images } => {
                let lane = self.steering.queue().item_under_edit(id, revision)?.lane;
                // The session file has the message under its new text.
                let edited = new_prompt(id.to_owned(), text.clone(), images.clone(), lane);
                writes.push(self.journal.accept_prompt(edited));
                images.iter_mut().for_each(|image| self.origin.blobs.retain(image));
                self.steering.plan(|queue| queue.finish_edit(id, revision, text, images).map(edit_state))?
            }
        };
        writes.push(self.save_queue(&queue));
        self.journal.commit(writes).await?;
        self.steering.edited(id, under_edit.then_some(client));
        self.set_queue(queue);
        Ok(SessionReply::Edited { revision })
    }

    /// Returns all scheduled messages to the user's editor. A client that asks again under the same id gets the same
    /// reply.
    async fn restore_queue(&mut self, responder: Responder, stop: bool) {
        if let Some(restored) = self.steering.restored(&responder.request) {
            return responder.respond(Ok(SessionReply::Restored(restored)));
        }
        if let Err(responder) = self.steering.rejoin_restore(responder) {
            self.change_queue(Change { kind: ChangeKind::Restore { stop }, responder }).await;
        }
    }

    /// The messages are in the draft before they leave the queue, since the reply may get lost.
    async fn make_restore(&mut self, request: &str, stop: bool) -> Result<SessionReply, CommandError> {
        let (queue, restored) = self.steering.restorable();
        if !restored.is_empty() {
            let left = self.with_data(&queue);
            if let Err(error) = self.hub.restore_to_draft(&self.origin.id, &restored, left).await {
                // A stopped agent must not continue with messages that the user wanted back.
                if stop {
                    self.steering.withhold_all();
                }
                return Err(error);
            }
            self.steering.end_all_edits();
            self.set_queue(queue);
        }
        let reply = RestoredQueue { restored };
        self.steering.remember_restored(request, reply.clone());
        Ok(SessionReply::Restored(reply))
    }

    /// Stop: the queue is cleared and restored, questions are closed, then the run is aborted. An agent may keep its
    /// queue over an abort, and may not answer an abort while a question is open.
    async fn stop(&mut self, responder: Responder) {
        self.restore_queue(responder, true).await;
        for ask in self.asks.to_vec() {
            let answer = Request::Answer { ask_id: ask.id.clone(), answer: Answer::Cancel };
            self.request(answer, Pending::Ignored);
            self.close_ask(&ask.id, ClosedBy::Stopped);
        }
        let meta = self.log.meta();
        let works =
            self.log.state().is_active() || meta.compacting || meta.retry.is_some() || self.log.is_running();
        if works && self.agent.is_running() {
            self.steering.abort();
            self.send_due_requests();
            self.agent.expect_stop(Instant::now());
        }
        self.transition(StateEvent::CancelSession, "");
    }

    /// Carries out a change of the queue that is stored already.
    fn set_queue(&mut self, queue: Queue) {
        self.steering.replace(queue);
        self.publish_queue();
    }

    /// The queue changed without a user waiting for it.
    fn queue_changed(&mut self) {
        self.publish_queue();
        self.persist_queue();
    }

    fn publish_queue(&mut self) {
        let items = self.steering.queue().items().to_vec();
        self.publish(Event::QueueUpdate { items });
        let images = self.steering.queue().items().iter().flat_map(|item| &item.images);
        self.origin.blobs.retain_only(images.map(|image| image.blob.as_str()));
    }

    fn persist_queue(&self) {
        self.journal.submit(vec![self.save_queue(self.steering.queue())]);
    }

    fn save_queue(&self, queue: &Queue) -> crate::store::Write {
        self.journal.save_queue(self.with_data(queue))
    }

    /// The items of a queue with the data of their images.
    fn with_data(&self, queue: &Queue) -> Vec<Scheduled> {
        let mut items = queue.items().to_vec();
        let images = items.iter_mut().flat_map(|item| item.images.iter_mut());
        images.for_each(|image: &mut Image| self.origin.blobs.restore_data(image));
        items
    }

    fn forget_scheduled(&mut self, id: &str) {
        if self.steering.forget(id) {
            self.queue_changed();
        }
    }
}

// Questions and approvals.
impl Session {
    fn open_ask(&mut self, ask: Ask) {
        let ask = self.asks.open(ask, Instant::now());
        // A command of an extension asks without a request to a model: the agent works all the same.
        if self.agent.is_ready() && self.log.state() == SessionState::Creating {
            self.transition(StateEvent::RequestStarted, "");
        }
        let waiting = waiting_for(&ask);
        self.journal.submit(vec![self.journal.save_asks(self.asks.to_vec())]);
        self.publish(Event::AskOpened { ask });
        self.transition(waiting, "");
        self.update_summary();
    }

    /// The first answer counts. It is stored before the agent gets it.
    async fn answer(&mut self, ask_id: &str, answer: Answer) -> Result<(), CommandError> {
        let ask = self.asks.answered(ask_id, &answer)?;
        if !self.agent.accepts_input() {
            let text = "The agent does not accept answers at the moment. Try again.";
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

    /// Records how a question ended that nobody answered.
    fn record_ask(&mut self, words: String) {
        let record = ask_record(words);
        self.journal.submit(vec![self.journal.add_extra(vec![record.clone()])]);
        self.publish(record);
    }

    fn close_ask(&mut self, ask_id: &str, by: ClosedBy) {
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

// The agent.
impl Session {
    /// Starts the agent unless it runs.
    async fn ensure_process(&mut self) -> Result<(), CommandError> {
        if self.agent.is_running() {
            return if self.agent.is_ending() { Err(stopping()) } else { Ok(()) };
        }
        if self.agent.is_probing() {
            return Err(probing());
        }
        let folder = tokio::fs::metadata(&self.origin.cwd).await;
        if !folder.is_ok_and(|metadata| metadata.is_dir()) {
            let text = format!("The folder {} no longer exists.", self.origin.cwd.display());
            return Err(CommandError::new(ErrorCode::Gone, text));
        }
        let launch = self.launch().await;
        let connection = self.origin.agent.connection(self.log.meta().capabilities.clone());
        let folder = self.origin.cwd.to_string_lossy().into_owned();
        let open = match &self.origin.file {
            Some(_) => Open::Stored { session_id: self.origin.id.clone(), folder },
            None => Open::New { folder },
        };
        self.agent
            .start(&launch, connection, open)
            .map_err(|error| CommandError::new(ErrorCode::AgentFailed, format!("{error:#}")))?;
        tracing::info!(session = %self.origin.id, agent = %self.origin.agent.name, "agent started");
        self.steering.offer_again();
        self.steering.set_agent_queue(None);
        Ok(())
    }

    async fn launch(&self) -> Launch {
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
        // A mark per process: everything with its mark ends with it, and nothing of a later process.
        let mark = format!("{}-{}", self.origin.mark, uuid::Uuid::now_v7().simple());
        self.origin.agent.launch(start, mark)
    }

    /// Whether our own process works: the file may be ahead of what it has reported.
    fn is_agent_working(&self) -> bool {
        let works = self.log.is_busy() || self.log.is_running();
        let awaits = self.agent.has_pending() || self.prompts.is_starting() || self.steering.has_offers();
        self.agent.is_running() && (works || awaits)
    }

    async fn process_event(&mut self, event: ProcessEvent) {
        match event {
            ProcessEvent::Lines(lines) => self.agent.receive(lines),
            ProcessEvent::Exited(exit) => self.process_exited(exit).await,
        }
    }

    async fn agent_event(&mut self, event: AgentEvent) {
        match event {
            AgentEvent::Settings(settings) => self.settings(settings),
            AgentEvent::Ready => {
                if self.agent.set_ready() {
                    self.transition(StateEvent::SessionCreated, "");
                }
            }
            AgentEvent::Session(event) => self.session_event(event).await,
            AgentEvent::QueueLength(length) => self.steering.set_agent_queue(Some(length)),
            AgentEvent::AskOpened(ask) => self.open_ask(ask),
            AgentEvent::ShellOutput { request, delta } => {
                if let Some(event) = self.shell.output(request, delta) {
                    self.publish(event);
                }
            }
            AgentEvent::UnreadableLine => {
                tracing::warn!(session = %self.origin.id, "the agent wrote a line that is not a JSON object");
            }
        }
    }

    fn settings(&mut self, settings: Settings) {
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

    /// An event of the conversation.
    async fn session_event(&mut self, mut event: Event) {
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
        // An agent may report a run as failed before it announces that it tries again.
        if matches!(event, Event::AutoRetryStart { .. }) && self.log.state() == SessionState::Error {
            self.transition(StateEvent::Retry, "");
        }
        let is_title = matches!(event, Event::TitleChanged { .. });
        let ends_run = matches!(event, Event::AgentSettled { .. });
        let ends_compaction = matches!(event, Event::CompactionEnd { .. });
        let step = self.log.follow(&event);
        self.publish(event);
        if let Some((step, reason)) = step {
            self.transition(step, &reason);
        }
        if ends_run {
            self.agent.stopped();
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
    }

    /// Finds the client id of a user message that the agent reports, by which the client that sent it recognizes it.
    fn match_user_message(&mut self, text: &str) -> Option<String> {
        let is_scheduled = self.steering.queue().sendable().any(|item| item.text == text);
        if let Some(client_id) = self.prompts.match_reported(text, is_scheduled) {
            return Some(client_id);
        }
        let taken = self.steering.match_reported(text)?;
        self.queue_changed();
        Some(taken.id)
    }

    async fn agent_reply(&mut self, pending: Pending, result: Result<Reply, AgentError>) {
        match (pending, result) {
            (Pending::Prompt { client_id }, Ok(Reply::Prompt(disposition))) => {
                self.prompt_accepted(&client_id, disposition);
            }
            (Pending::Prompt { client_id }, Ok(_)) => {
                self.prompt_accepted(&client_id, Disposition::Started);
            }
            (Pending::Prompt { client_id }, Err(error)) => {
                self.refuse_prompt(&client_id, &agent_failed(&error));
                // The end of the process moves the state machine itself.
                if error != AgentError::Closed {
                    self.end_run_that_did_not_start(StateEvent::Failed, &error.to_string());
                }
            }
            (Pending::Offered { id }, Ok(Reply::Prompt(Disposition::Handled))) => {
                // It was a command of the agent: there will be no user message.
                self.forget_scheduled(&id);
                self.journal.submit(vec![self.journal.settle_prompts(vec![id])]);
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
                tracing::debug!(session = %self.origin.id, %error, "a request failed");
            }
        }
    }

    /// The agent would still send the messages that it holds: for a stop its process has to end.
    async fn queue_not_cleared(&mut self, error: &AgentError) {
        let outcome = self.steering.not_cleared(self.agent.is_running());
        for change in outcome.failed {
            change.responder.respond(Err(agent_failed(error)));
        }
        if outcome.end_process {
            return self.agent.end();
        }
        self.make_changes(outcome.made).await;
    }

    async fn shell_finished(&mut self, client_id: &str, result: Result<Reply, AgentError>) {
        let outcome = result.map(|reply| match reply {
            Reply::Shell(outcome) => outcome,
            _ => ShellOutcome::default(),
        });
        let succeeded = outcome.is_ok();
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

    /// Every exit moves the state machine, and nothing that waited for the process waits on.
    async fn process_exited(&mut self, exit: Exit) {
        let expected = self.agent.ended();
        tracing::info!(session = %self.origin.id, code = ?exit.code, signal = ?exit.signal, expected, "agent ended");
        for ask in self.asks.close_all() {
            self.record_ask(ask.process_ended_text());
            self.publish(Event::AskClosed { ask_id: ask.id, by: ClosedBy::Stopped });
        }
        self.journal.submit(vec![self.journal.save_asks(Vec::new())]);
        self.read_last_messages().await;
        let changes = self.steering.lost();
        self.make_changes(changes).await;
        self.process_agent_output().await;
        let effects = self.prompts.process_ended();
        self.perform(effects);
        let success = exit.code == Some(0);
        let reason = exit.stderr.last().cloned().unwrap_or_default();
        let event =
            Event::ProcessExit { code: exit.code, signal: exit.signal, expected, stderr: exit.stderr };
        self.settle_reported().await;
        let has_message = match self.journal.message_in_progress() {
            Some(time) => self.file.has_reply(time).await,
            None => false,
        };
        if let Some(write) = self.journal.interrupted(&event, has_message) {
            self.journal.submit(vec![write]);
        }
        // When we gave way to another program, what is in progress is that program's.
        if !(expected && self.log.meta().external_writer) {
            self.publish(event);
        }
        self.journal.write_note();
        self.transition(StateEvent::ProcessExit { success, expected }, &reason);
        self.release_held().await;
    }
}

// The session file.
impl Session {
    /// Shows the conversation as it is on disk, in a new epoch.
    fn show(&mut self, recovered: Recovered) {
        let Recovered { history, extras, queue, unsent, interrupted, writes, .. } = recovered;
        let is_unfinished = interrupted || !unsent.is_empty() || !queue.is_empty();
        let mut state = history.as_ref().map_or(SessionState::Idle, |history| history.resting_state());
        if is_unfinished
            && matches!(state, SessionState::Idle | SessionState::Completed | SessionState::Stopped)
        {
            state = SessionState::Paused;
        }
        let first_unsent = unsent.first().map(|prompt| title_from(&prompt.text));
        self.steering.replace(queue.clone());
        self.log.reset(state, |view| {
            view.meta.queue = queue;
            if let Some(history) = &history {
                view.meta.title = history.title();
                // The agent's own name for the model is known once it runs.
                view.meta.model = history.model().map(|(provider, id)| ModelInfo {
                    provider: provider.to_owned(),
                    id: id.to_owned(),
                    ..ModelInfo::default()
                });
                view.meta.thinking_level = history.thinking_level().unwrap_or_default().to_owned();
                // Another program may still be running what it began.
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

    /// The conversation on disk is another one than is shown: every client gets it anew.
    async fn reload(&mut self) {
        let recovered = read_from_disk(&self.origin, &self.hub).await;
        if recovered.history.is_none() {
            return;
        }
        self.agent.end();
        self.show(recovered);
        self.log.broadcast_snapshot();
        self.update_summary();
    }

    async fn file_changed(&mut self) {
        match (self.agent.is_running(), self.file.is_read()) {
            (false, true) => self.check_external_writer().await,
            // A file that could not be read when the session was opened is shown once it can be.
            (false, false) => self.reload().await,
            (true, false) => self.file.reopen(&self.origin, self.hub.store()).await,
            (true, true) => self.file.check_later(Instant::now()),
        }
    }

    async fn check_file(&mut self, now: Instant) {
        if !self.is_agent_working() {
            return self.check_external_writer().await;
        }
        match self.file.check_while_working(&self.origin, self.hub.store(), now).await {
            Suspicion::Open => {}
            Suspicion::Unfounded => self.external_writer_gone(),
            Suspicion::Confirmed => {
                if !self.log.meta().external_writer {
                    self.publish(Event::Elsewhere { active: true });
                    self.file.expect_external_writer(now).await;
                    self.update_summary();
                }
            }
        }
    }

    /// Our own process does not work: unreported messages in the file are another program's.
    async fn check_external_writer(&mut self) {
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

    async fn apply_file_action(&mut self, action: FileAction) {
        match action {
            FileAction::None => {}
            FileAction::UpdateTitle => self.update_title().await,
            FileAction::Append(messages) => self.append_external(messages).await,
            FileAction::Reload => self.reload().await,
        }
    }

    /// What our process knows is no longer what the file has.
    async fn yield_to_external_writer(&mut self) {
        self.agent.end();
        self.file.set_taken_over(false);
        self.file.expect_external_writer(Instant::now()).await;
        if !self.log.meta().external_writer {
            self.publish(Event::Elsewhere { active: true });
        }
    }

    /// Shows messages that another program wrote.
    async fn append_external(&mut self, messages: Vec<Message>) {
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

    /// The other program has not written for a while.
    fn external_writer_gone(&mut self) {
        self.file.forget_external_writer();
        if self.log.meta().external_writer {
            if !self.agent.is_running() {
                // What it left unfinished does not continue.
                self.publish(Event::AgentEnd { will_retry: false });
            }
            self.publish(Event::Elsewhere { active: false });
            self.update_summary();
        }
    }

    /// Another program may have renamed the session.
    async fn update_title(&mut self) {
        if let Some(title) = self.file.title().await {
            self.set_title(title);
        }
    }

    /// Our own process has reported everything for now: what it wrote is known to be in the file.
    async fn read_own_messages(&mut self) {
        if !self.file.is_read() {
            self.file.reopen(&self.origin, self.hub.store()).await;
        }
        let author = self.file.read_appended(&self.origin, self.hub.store()).await;
        if author == file_ownership::Author::Ours {
            let has_process = self.agent.is_running();
            let action = self.file.take_own(&self.origin, self.hub.store(), has_process).await;
            self.apply_file_action(action).await;
        }
        self.file.check_later(Instant::now());
    }

    /// Our own process is gone: messages that it wrote and did not report are published now.
    async fn read_last_messages(&mut self) {
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

    /// Prompts that the session file has need no recovery.
    async fn settle_reported(&mut self) {
        let in_file = self.file.prompts_in_file(self.journal.reported_times()).await;
        if let Some(write) = self.journal.settle_reported(&in_file) {
            self.journal.submit(vec![write]);
        }
    }
}

fn new_prompt(client_id: String, text: String, images: Vec<Image>, lane: Lane) -> Prompt {
    Prompt { client_id, text, images, lane, at: now_ms(), reported: None, outcome: None }
}

fn scheduled(prompt: Prompt) -> Scheduled {
    let Prompt { client_id, text, images, lane, .. } = prompt;
    Scheduled { id: client_id, lane, text, images, ..Scheduled::default() }
}

/// The new revision of an edited message, and whether it is still under edit.
const fn edit_state(item: &Scheduled) -> (u32, bool) {
    (item.revision, item.under_edit)
}

fn agent_failed(error: &AgentError) -> CommandError {
    CommandError::new(ErrorCode::AgentFailed, error.to_string())
}

fn closing() -> CommandError {
    CommandError::new(ErrorCode::Closing, "The session is being closed.")
}

fn stopping() -> CommandError {
    CommandError::new(ErrorCode::Busy, "The agent is being stopped. Try again in a moment.")
}

fn working() -> CommandError {
    CommandError::new(ErrorCode::Busy, "The agent is already working.")
}

fn probing() -> CommandError {
    CommandError::new(ErrorCode::Busy, "The session is being renamed or forked. Try again in a moment.")
}

/// Replies to commands that arrive while the session closes.
fn refuse_remaining(mut inputs: mpsc::Receiver<Input>) {
    inputs.close();
    while let Ok(input) = inputs.try_recv() {
        match input {
            Input::Command { responder, .. } => responder.respond(Err(closing())),
            Input::Subscribe { client, request: Some(request), .. } => {
                client.respond::<HubReply>(request, "open_session", Err(closing()));
            }
            _ => {}
        }
    }
}
