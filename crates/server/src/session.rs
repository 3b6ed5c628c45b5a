//! One session: a task that owns the parts below. Everything that happens to a session passes through its one loop, so
//! that a snapshot and the subscription behind it are one step and no event is lost in between.
//!
//! Each part owns its fields and decides; it returns effects, and only the loop performs them. The order of a user action
//! is always: check it, store it, then notify the agent and the clients. A failed write changes nothing.
//!
//! | part (`parts/`) | owns |
//! |---|---|
//! | `event_log` | the view, the state machine, recent events, subscribers |
//! | `agent_connection` | the agent's process, pending requests, stopping |
//! | `prompts` | client ids and their replies, prompts in progress |
//! | `steering` | the queue, and the agent's copy of it |
//! | `asks` | open questions and their deadlines |
//! | `file_ownership` | the session file as far as it was read, and who writes it |
//! | `journal` | what must survive a kill; `recovery` reads it |
//! | `shell` | shell commands of the user |
//! | `recorder` | the session file of an agent that keeps none |
//!
//! This file is the loop: inputs, deadlines and effects. What an input means for several parts is in `commands` (from
//! clients), `turns` (prompts), `queue_changes`, `agent_output`, `file_changes`, `branches` and `recording`. `queries` and
//! `probes` run outside the loop.

mod agent_output;
mod branches;
mod commands;
mod effect;
mod file_changes;
mod file_names;
mod parts;
mod probes;
mod queries;
mod queue_changes;
mod recording;
mod recovery;
#[cfg(test)]
mod tests;
mod turns;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pilothouse_agents::{AgentError, Request};
use pilothouse_core::conversation::ask::ClosedBy;
use pilothouse_core::conversation::queue::Queue;
use pilothouse_core::limits::{SESSION_COMMAND_QUEUE, SESSION_TASK_IDLE_SECONDS};
use pilothouse_core::protocol::event::Event;
use pilothouse_core::protocol::{
    Capabilities, CommandError, Cursor, ErrorCode, HubReply, SessionCommand, SessionMeta, SessionSummary,
};
use pilothouse_core::session::machine::StateEvent;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::agent::catalogue::Agent;
use crate::client::{Client, ClientId, Responder};
use crate::clock::now_ms;
use crate::http::blobs::Blobs;
use crate::hub::Hub;
use crate::hub::elsewhere::SCAN_INTERVAL;
use branches::SessionBranches;
use effect::{Effect, Pending};
use parts::agent_connection::{AgentConnection, FromAgent};
use parts::asks::Asks;
use parts::event_log::EventLog;
use parts::file_ownership::FileOwnership;
use parts::journal::Journal;
use parts::line_count::LineCount;
use parts::prompts::Prompts;
use parts::recorder::Recorder;
use parts::shell::Shell;
use parts::steering::Steering;
use recovery::Recovered;

/// The time after which a task without subscribers and without a process ends. Opening the session again reads its
/// file.
const UNUSED: Duration = Duration::from_secs(SESSION_TASK_IDLE_SECONDS);

/// The prompt that continues a session in which nothing is left to send.
const CONTINUE: &str = "Please continue where you left off.";

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
        /// Dropped once the client is subscribed.
        done: Option<oneshot::Sender<()>>,
    },
    Unsubscribe {
        client: ClientId,
    },
    /// The session's file was created or written to.
    FileChanged {
        file: PathBuf,
    },
    /// Starts the agent of a new session, so that its settings are known before the first prompt.
    Prepare,
    /// Loads a session that only the agent knows.
    Import {
        agent_session: String,
        title: String,
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

/// The identity of a session.
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
        session.hub.set_elsewhere(&session.origin.id, session.log.meta().external_writer);
        session.run(receiver).await;
    });
    sender
}

/// Reads the session file and the session's records in the store, on a blocking thread.
async fn read_from_disk(origin: &SessionOrigin, hub: &Arc<Hub>) -> Recovered {
    // Notes of an earlier task of this session may still be queued.
    let _ = hub.store().flush().result().await;
    let (origin, hub) = (origin.clone(), hub.clone());
    tokio::task::spawn_blocking(move || recovery::open(&origin, &hub)).await.unwrap_or_default()
}

/// The capabilities that are known before a process runs: for an agent that reports them, those it reported last.
fn capabilities(agent: &Agent, hub: &Hub) -> Capabilities {
    let reported = agent.is_recorded().then(|| hub.known_capabilities(&agent.name)).flatten();
    reported.unwrap_or_else(|| agent.capabilities(hub.agent_version(&agent.name).as_deref()))
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
    /// Records the conversation of an agent that keeps no readable files.
    recorder: Option<Recorder>,
    branches: SessionBranches,
    /// The lines of the agent that could not be read.
    unreadable_lines: LineCount,
    /// A client that waits for a retry, which begins when the process has ended.
    retry_after_exit: Option<Responder>,
    /// When the task ends if it stays unused.
    unused_at: Option<Instant>,
    /// Set while the session is closing; notified when it has closed.
    shutdown: Option<oneshot::Sender<()>>,
    /// When the summary last changed, and whether the open questions did: passed on before the loop waits, see
    /// `flush_changes`.
    summary_changed: Option<u64>,
    are_asks_unsaved: bool,
}

impl Session {
    fn new(origin: SessionOrigin, recovered: Recovered, hub: Arc<Hub>) -> Self {
        let meta = SessionMeta {
            session_id: origin.id.clone(),
            agent: origin.agent.name.clone(),
            cwd: origin.cwd.to_string_lossy().into_owned(),
            capabilities: capabilities(&origin.agent, &hub),
            auto_approve: hub.auto_approve(&origin.id),
            folder_auto_approve: recovered.folder_auto_approve,
            ..SessionMeta::default()
        };
        let recorder = origin.agent.is_recorded().then(|| {
            Recorder::new(&origin.id, &origin.agent.name, &origin.cwd, &origin.agent.session_folder())
        });
        let mut session = Self {
            log: EventLog::new(meta),
            agent: AgentConnection::new(),
            prompts: Prompts::recovered(recovered.outcomes.clone()),
            steering: Steering::new(Queue::default()),
            asks: Asks::default(),
            file: FileOwnership::default(),
            journal: Journal::new(hub.store().clone(), origin.id.clone()),
            shell: Shell::default(),
            recorder,
            branches: SessionBranches::default(),
            unreadable_lines: LineCount::default(),
            retry_after_exit: None,
            unused_at: None,
            shutdown: None,
            summary_changed: None,
            are_asks_unsaved: false,
            origin,
            hub,
        };
        session.show(recovered);
        session
    }

    async fn run(mut self, mut inputs: mpsc::Receiver<Input>) {
        self.flush_changes();
        loop {
            self.update_deadlines(Instant::now());
            let deadline = self.next_deadline();
            tokio::select! {
                // Output that has arrived comes before deadlines: silence is the agent's, not ours.
                biased;
                Some(event) = self.agent.process_event() => self.process_event(event).await,
                Some(event) = self.shell.event() => self.shell_event(event).await,
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
            self.flush_changes();
            if !self.agent.is_running()
                && !self.agent.is_probing()
                && !self.shell.has_local()
                && let Some(done) = self.shutdown.take()
            {
                self.retry_recording().await;
                self.flush_changes();
                refuse_remaining(inputs);
                let _ = done.send(());
                return;
            }
        }
        // Inputs that arrived in the meantime go to the session's next task.
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
            Input::Prepare => self.prepare().await,
            Input::Import { agent_session, title } => self.begin_import(agent_session, title).await,
            Input::ProbeEnded { title } => {
                self.agent.set_probing(false);
                if let Some(title) = title {
                    self.set_title(title);
                }
                self.release_held().await;
            }
            Input::Shutdown { done } => {
                self.shutdown = Some(done);
                self.shell.stop_local();
                self.agent.end();
            }
        }
    }

    /// Processes all output received from the agent, and sends the requests that are due.
    async fn process_agent_output(&mut self) {
        loop {
            self.send_due_requests();
            match self.agent.next() {
                Some(FromAgent::Event(event)) => self.agent_event(event).await,
                Some(FromAgent::Reply(pending, result)) => self.agent_reply(pending, result).await,
                // One after the other, so that the agent has got the ones before.
                None if self.dismiss_next_ask() => {}
                None => return,
            }
        }
    }

    fn update_deadlines(&mut self, now: Instant) {
        let is_idle = !self.log.is_busy()
            && !self.log.is_running()
            && self.steering.queue().is_empty()
            && !self.shell.has_local();
        self.agent.update_idle(is_idle, self.hub.idle(), now);
        self.schedule_look(now);
        let is_unused = !self.log.has_subscribers()
            && !self.agent.is_running()
            && !self.agent.is_probing()
            && !self.shell.has_local()
            && self.recording_retry_at().is_none()
            && self.shutdown.is_none()
            // Of a program whose process is known, the hub updates the row.
            && !(self.log.meta().external_writer && self.file.program().is_none());
        // Other deadlines do not end this wait: a browser that reloads the page reconnects within moments.
        match (is_unused, self.unused_at) {
            (true, None) => self.unused_at = Some(now + UNUSED),
            (false, _) => self.unused_at = None,
            (true, Some(_)) => {}
        }
    }

    /// Looks for programs every few seconds while the session is shown, or another program is shown in it.
    fn schedule_look(&mut self, now: Instant) {
        let is_shown = self.log.has_subscribers() || self.log.meta().external_writer;
        if self.recorder.is_some() || !is_shown {
            self.file.look_at(None);
        } else if !self.file.is_look_scheduled() {
            self.file.look_at(Some(now + SCAN_INTERVAL));
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
            self.recording_retry_at(),
            self.unused_at,
        ];
        deadlines.into_iter().flatten().min().unwrap_or_else(|| Instant::now() + UNUSED)
    }

    async fn pass_deadlines(&mut self, now: Instant) {
        self.agent.pass_deadlines(now);
        if self.journal.next_deadline().is_some_and(|at| at <= now) {
            self.journal.write_note();
        }
        if self.recording_retry_at().is_some_and(|at| at <= now) {
            self.retry_recording().await;
        }
        if self.file.is_check_due(now) {
            self.check_file(now).await;
        }
        if self.file.is_look_due(now) {
            self.file.look_at(None);
            self.look_for_programs(SCAN_INTERVAL / 2).await;
        }
        if self.file.is_external_writer_gone(now) {
            self.external_writer_gone();
        }
        for ask in self.asks.expired(now) {
            self.record_ask(ask.expired_text()).await;
            self.close_ask(&ask.id, ClosedBy::Expired);
        }
    }
}

impl Session {
    /// Performs effects whose writes must be on disk before a client gets its reply. If the writes fail, the reply is
    /// sent anyway, because the agent has already decided.
    async fn perform_stored(&mut self, mut effects: Vec<Effect>) {
        let writes = Effect::take_writes(&mut effects);
        if let Err(error) = self.journal.commit(writes).await {
            tracing::warn!(session = %self.origin.id, error = error.message, "the outcome of a prompt is not stored");
        }
        self.perform(effects);
    }

    /// Performs the effects of a part. Writes are queued before anything is sent.
    fn perform(&mut self, effects: impl IntoIterator<Item = Effect>) {
        let mut effects: Vec<Effect> = effects.into_iter().collect();
        let writes = Effect::take_writes(&mut effects);
        if !writes.is_empty() {
            self.journal.submit(writes);
        }
        for effect in effects {
            match effect {
                Effect::Publish(event) => self.publish(event),
                Effect::Request(request, pending) => self.request(request, pending),
                Effect::Respond(responder, result) => responder.respond(result),
                // Taken above.
                Effect::Persist(_) => {}
            }
        }
    }

    /// Numbers an event, folds it and broadcasts it.
    fn publish(&mut self, event: Event) {
        self.file.observe(&event);
        self.publish_external(event);
    }

    /// The same for a message of another program. Every event of the session passes through here.
    fn publish_external(&mut self, mut event: Event) {
        event.cut();
        self.origin.blobs.extract_from_event(&mut event);
        // An import that is interrupted is repeated, not recovered.
        if !self.has_import() {
            self.journal.observe(&event, Instant::now());
        }
        self.log.publish(event);
    }

    /// Moves the state machine; a changed state is published, also to the sidebars.
    fn transition(&mut self, event: StateEvent, reason: &str) {
        if let Some(event) = self.log.transition(event, reason) {
            self.publish(event);
            self.update_summary();
            // A client that knows that the session rests knows its row, too.
            if !self.log.state().is_active() {
                self.flush_changes();
            }
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
            let has_queue = self.log.meta().capabilities.agent_queue;
            let effects = self.steering.due_requests(self.agent.is_delivering(), has_queue);
            self.perform(effects);
        }
    }

    /// Updates the session's row in the sidebars, once everything that has arrived is processed.
    fn update_summary(&mut self) {
        self.summary_changed = Some(now_ms());
    }

    /// Sends the summary and stores the open questions if they have changed: once for many changes, since both are copied
    /// as a whole.
    fn flush_changes(&mut self) {
        if std::mem::take(&mut self.are_asks_unsaved) {
            self.journal.submit(vec![self.journal.save_asks(self.asks.to_vec())]);
        }
        if let Some(modified) = self.summary_changed.take() {
            self.send_summary(modified);
        }
    }

    fn send_summary(&self, modified: u64) {
        let meta = self.log.meta();
        self.hub.session_changed(SessionSummary {
            id: self.origin.id.clone(),
            agent: self.origin.agent.name.clone(),
            cwd: meta.cwd.clone(),
            title: meta.title.clone(),
            state: self.log.state(),
            modified,
            reason: meta.reason.clone(),
            external_writer: meta.external_writer,
            asks: meta.asks.clone(),
            auto_approve: meta.auto_approve,
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

fn agent_failed(error: &AgentError) -> CommandError {
    CommandError::new(ErrorCode::AgentFailed, error.to_string())
}

fn closing() -> CommandError {
    CommandError::new(ErrorCode::Closing, "The session is closing.")
}

fn stopping() -> CommandError {
    CommandError::new(ErrorCode::Busy, "The agent is stopping. Try again in a moment.")
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
