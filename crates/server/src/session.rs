//! One session: a task that owns its agent's process, numbers each event, folds it, and fans it out. Everything that
//! happens to a session passes through this task's one loop, so that a snapshot and the subscription behind it are
//! one step and no event can fall in between.
//!
//! `commands` is what pages ask for, done by `prompts`, `resuming`, `queueing`, `queue_changes`, `asks`, `shell` and
//! `settings`; `telling` is what pages hear. `agent_output` is what the agent says, `responses` what it answers. `keep`
//! and `restored` are what is on disk beside the agent's own file, `in_flight` what is not there yet, `own_file` what
//! is, `elsewhere` what others do to it. None of them knows sockets.

mod agent_output;
mod agents_copy;
mod asks;
mod commands;
mod deadlines;
mod elsewhere;
pub mod event_buffer;
mod file_names;
mod finding;
mod in_flight;
mod keep;
mod opening;
mod own_file;
#[cfg(test)]
mod patience_tests;
mod prompts;
mod queue_changes;
mod queueing;
mod requests;
mod responses;
mod restored;
mod resuming;
mod settings;
mod shell;
mod telling;

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use pilothouse_core::SessionView;
use pilothouse_core::conversation::queue::QueueCounts;
use pilothouse_core::limits::{AGENT_OUTPUT_QUEUE, SESSION_COMMAND_QUEUE};
use pilothouse_core::protocol::{Command, Cursor};
use pilothouse_core::session::machine::{Follower, Machine};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::agent::catalogue::Agent;
use crate::agent::process::{Process, ProcessEvent};
use crate::client::Client;
use crate::history::HistoryFile;
use crate::http::blobs::Blobs;
use crate::hub::Hub;
use crate::session::event_buffer::EventBuffer;
use crate::store::Prompt;
use agents_copy::AgentsCopy;
use in_flight::InFlight;
use requests::{Pending, Waiter};
use restored::Restored;

/// To whom asks something of a session that ends.
const CLOSING: &str = "The session is being closed.";

/// What can be asked of a session.
#[derive(Debug)]
pub enum Input {
    Command {
        page: Client,
        request: String,
        command: Command,
    },
    /// Sends what the page is missing and everything from now on. `request` is answered if there is one.
    Subscribe {
        page: Client,
        request: Option<String>,
        cursor: Option<Cursor>,
        /// Dropped when it is done.
        done: Option<oneshot::Sender<()>>,
    },
    Unsubscribe {
        page: u64,
    },
    /// Its file was written to, or has come to be.
    FileChanged {
        file: PathBuf,
    },
    /// A visit to the agent is over; it may have given the session another name.
    Visited {
        title: Option<String>,
    },
    Shutdown {
        done: oneshot::Sender<()>,
    },
}

/// What a session is made from.
#[derive(Clone, Debug)]
pub struct Origin {
    pub id: String,
    pub agent: Arc<Agent>,
    pub cwd: PathBuf,
    /// The agent's session file, once there is one.
    pub file: Option<PathBuf>,
    pub blobs: Blobs,
    /// Carried by the agent and by all it starts.
    pub mark: String,
}

pub fn start(origin: Origin, hub: Arc<Hub>) -> mpsc::Sender<Input> {
    let (sender, receiver) = mpsc::channel(SESSION_COMMAND_QUEUE);
    tokio::spawn(async move {
        let reading = (origin.clone(), hub.clone());
        let opened = tokio::task::spawn_blocking(move || opening::read(&reading.0, &reading.1)).await;
        let (history, restored) = opened.unwrap_or_default();
        let session = Session::new(origin, history, restored, hub);
        session.hub.session_opened(&session.origin.id, session.machine.state());
        session.run(receiver).await;
    });
    sender
}

struct Session {
    origin: Origin,
    hub: Arc<Hub>,
    view: SessionView,
    machine: Machine,
    replay: EventBuffer,
    pages: Vec<Client>,
    process: Option<Process>,
    process_sender: mpsc::Sender<ProcessEvent>,
    process_events: mpsc::Receiver<ProcessEvent>,
    /// The process has answered its first request.
    ready: bool,
    next_request: u64,
    /// With the name of the command that was sent.
    pending: HashMap<String, (&'static str, Pending)>,
    /// Prompts that start a run and whose user message has not come yet.
    starting: VecDeque<Prompt>,
    /// Client ids seen, newest last, with what became of them.
    client_ids: VecDeque<(String, Option<Result<serde_json::Value, String>>)>,
    /// How many messages wait on the agent's side, once it has told.
    waiting: Option<QueueCounts>,
    follower: Follower,
    ask_deadlines: Vec<(Instant, String)>,
    /// When a stop that the agent does not follow becomes the end of its process.
    stop_deadline: Option<Instant>,
    /// We have ended the process ourselves.
    ending: bool,
    /// Another process of ours has the file for a moment.
    visiting: bool,
    /// Prompts that came while a stop or a visit was under way: they wait for its end.
    held: Vec<(Waiter, Prompt)>,
    /// Where the agent's copy of the queue stands.
    agents_copy: AgentsCopy,
    /// What was given back, by the request that asked for it: an answer that is lost can be asked for again.
    given_back: VecDeque<(String, serde_json::Value)>,
    /// The agent's own file, read as far as it has come.
    history: Option<Arc<Mutex<HistoryFile>>>,
    /// Acknowledged prompts that the agent does not know.
    unsent: Vec<Prompt>,
    /// The prompt that the agent would not have, or could not be given: Retry sends it again.
    refused: Option<Prompt>,
    /// An unsent one while it is being sent again.
    resuming: Option<Prompt>,
    /// Prompts the agent has taken up, by the time it gave them, until its file has them.
    told: Vec<(String, u64)>,
    /// The times of the newest messages of our own process.
    own_messages: VecDeque<u64>,
    /// So many entries of the file are known to be ours, or are shown; the others are judged then at the latest.
    judged: usize,
    judge_deadline: Option<Instant>,
    /// When something was first seen there that our process, at work, has not told.
    untold_since: Option<Instant>,
    /// That another program is at work here is a guess so far.
    suspected: bool,
    /// The file is another one than what is shown was read from.
    reread: bool,
    in_flight: InFlight,
    note_deadline: Option<Instant>,
    /// Until when another program counts as being at work in this session.
    elsewhere_until: Option<Instant>,
    /// The person wants to go on here all the same.
    taken_over: bool,
    /// When a process that rests is ended.
    idle_deadline: Option<Instant>,
    /// When a task that nobody needs ends.
    unused_deadline: Option<Instant>,
    shutdown: Option<oneshot::Sender<()>>,
}

impl Session {
    fn new(origin: Origin, history: Option<HistoryFile>, restored: Restored, hub: Arc<Hub>) -> Self {
        let (process_sender, process_events) = mpsc::channel(AGENT_OUTPUT_QUEUE);
        let mut session = Self {
            view: SessionView {
                session_id: origin.id.clone(),
                agent: origin.agent.name.clone(),
                cwd: origin.cwd.to_string_lossy().into_owned(),
                capabilities: origin.agent.capabilities(hub.is_old(&origin.agent.name)),
                ..SessionView::default()
            },
            machine: Machine::default(),
            replay: EventBuffer::default(),
            pages: Vec::new(),
            process: None,
            process_sender,
            process_events,
            ready: false,
            next_request: 0,
            pending: HashMap::new(),
            starting: VecDeque::new(),
            client_ids: hub.store().client_ids(&origin.id).into(),
            waiting: None,
            follower: Follower::default(),
            ask_deadlines: Vec::new(),
            stop_deadline: None,
            ending: false,
            visiting: false,
            held: Vec::new(),
            agents_copy: AgentsCopy::default(),
            given_back: VecDeque::new(),
            history: None,
            unsent: Vec::new(),
            refused: None,
            resuming: None,
            told: Vec::new(),
            own_messages: VecDeque::new(),
            judged: 0,
            judge_deadline: None,
            untold_since: None,
            suspected: false,
            reread: false,
            in_flight: InFlight::default(),
            note_deadline: None,
            elsewhere_until: None,
            taken_over: false,
            idle_deadline: None,
            unused_deadline: None,
            shutdown: None,
            origin,
            hub,
        };
        session.show(history, restored);
        session
    }

    async fn run(mut self, mut inputs: mpsc::Receiver<Input>) {
        loop {
            self.mind_use();
            let deadline = self.next_deadline();
            tokio::select! {
                Some(event) = self.process_events.recv() => self.process_event(event),
                input = inputs.recv() => match input {
                    Some(input) => self.input(input),
                    None => return,
                },
                () = tokio::time::sleep_until(deadline) => {
                    let now = Instant::now();
                    if self.is_over(now) {
                        break;
                    }
                    self.pass_deadlines(now);
                }
            }
            self.mind_idleness();
            if self.process.is_none()
                && !self.visiting
                && let Some(done) = self.shutdown.take()
            {
                refuse_rest(inputs);
                let _ = done.send(());
                return;
            }
        }
        // What was asked of this session in its last moment is asked of its successor.
        inputs.close();
        let (hub, id) = (self.hub.clone(), self.origin.id.clone());
        tokio::spawn(async move {
            while let Some(input) = inputs.recv().await {
                let _ = hub.send(&id, input).await;
            }
        });
    }

    fn input(&mut self, input: Input) {
        match input {
            Input::Command { page, request, command } => self.command(&page, request, command),
            Input::Subscribe { page, request, cursor, done: _done } => self.subscribe(page, request, cursor),
            Input::Unsubscribe { page } => {
                self.pages.retain(|link| link.id() != page);
                self.end_edits_of(page);
            }
            Input::FileChanged { file } => {
                self.origin.file = Some(file);
                self.file_changed();
            }
            Input::Visited { title } => self.visited(title),
            Input::Shutdown { done } => {
                self.shutdown = Some(done);
                self.end_process();
            }
        }
    }

    pub(super) fn end_process(&mut self) {
        if let Some(process) = &mut self.process {
            self.ending = true;
            process.stop();
        }
    }
}

/// What was asked of a session in its last moment gets its answer.
fn refuse_rest(mut inputs: mpsc::Receiver<Input>) {
    inputs.close();
    while let Ok(input) = inputs.try_recv() {
        let (page, request, name) = match input {
            Input::Command { page, request, command } => (page, request, command.name()),
            Input::Subscribe { page, request: Some(request), .. } => (page, request, "open_session"),
            _ => continue,
        };
        page.respond(request, name, Err(CLOSING.to_owned()));
    }
}
