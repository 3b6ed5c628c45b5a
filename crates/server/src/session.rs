//! One session: a task that owns its agent's process, numbers each event, folds it, and fans it out. Everything that
//! happens to a session passes through this task's one loop, so that a snapshot and the subscription behind it are
//! one step and no event can fall in between.
//!
//! `commands` is what pages ask for, `agent_output` what the agent says. Neither knows sockets.

mod agent_output;
mod commands;
#[cfg(test)]
mod patience_tests;
mod requests;

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pilothouse_core::event::Event;
use pilothouse_core::limits::{AGENT_OUTPUT_BACKLOG, SESSION_BACKLOG, UNUSED_SESSION_SECONDS};
use pilothouse_core::machine::{Follower, Machine, StateEvent};
use pilothouse_core::queue::Waiting;
use pilothouse_core::wire::{Capabilities, Command, Cursor, ServerFrame, SessionSummary};
use pilothouse_core::{MessageController, SessionView};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::agent::Agent;
use crate::blobs::Blobs;
use crate::hub::Hub;
use crate::page_link::{PageLink, encode};
use crate::pi_sessions;
use crate::process::{Process, ProcessEvent};
use crate::replay::Replay;
use commands::Held;
use requests::Pending;

/// What can be asked of a session.
#[derive(Debug)]
pub enum Input {
    Command {
        page: PageLink,
        request: String,
        command: Command,
    },
    /// Sends what the page is missing and everything from now on. `request` is answered if there is one.
    Subscribe {
        page: PageLink,
        request: Option<String>,
        cursor: Option<Cursor>,
    },
    Unsubscribe {
        page: u64,
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
    let (sender, receiver) = mpsc::channel(SESSION_BACKLOG);
    tokio::spawn(async move {
        let stored = origin.file.clone();
        let history = match stored {
            Some(file) => {
                tokio::task::spawn_blocking(move || pi_sessions::read_history(&file)).await.ok().flatten()
            }
            None => None,
        };
        Session::new(origin, history, hub).run(receiver).await;
    });
    sender
}

/// A task that nobody watches and that runs nothing ends after this; opening the session again reads its file.
const UNUSED: Duration = Duration::from_secs(UNUSED_SESSION_SECONDS);

struct Session {
    origin: Origin,
    hub: Arc<Hub>,
    view: SessionView,
    machine: Machine,
    replay: Replay,
    pages: Vec<PageLink>,
    process: Option<Process>,
    process_sender: mpsc::Sender<ProcessEvent>,
    process_events: mpsc::Receiver<ProcessEvent>,
    /// The process has answered its first request.
    ready: bool,
    next_request: u64,
    pending: HashMap<String, Pending>,
    /// Client ids of prompts that start a run and whose user message has not come yet.
    starting: VecDeque<String>,
    /// Client ids seen, newest last, with what became of them.
    client_ids: VecDeque<(String, Option<Result<serde_json::Value, String>>)>,
    /// How many messages wait on the agent's side, once it has told.
    waiting: Option<Waiting>,
    follower: Follower,
    ask_deadlines: Vec<(Instant, String)>,
    /// When a stop that the agent does not follow becomes the end of its process.
    stop_deadline: Option<Instant>,
    /// We have ended the process ourselves.
    ending: bool,
    /// Prompts that came while a stop was under way: they wait for its end.
    held: Vec<Held>,
    shutdown: Option<oneshot::Sender<()>>,
}

impl Session {
    fn new(
        origin: Origin,
        history: Option<pilothouse_agents::pi::history::SessionHistory>,
        hub: Arc<Hub>,
    ) -> Self {
        let mut history = history.unwrap_or_default();
        history.messages.iter_mut().for_each(|message| origin.blobs.take_from_message(message));
        let machine = Machine::resting_in(history.resting_state());
        let title = history.title();
        let view = SessionView {
            session_id: origin.id.clone(),
            epoch: uuid::Uuid::now_v7().simple().to_string(),
            agent: origin.agent.name.clone(),
            cwd: origin.cwd.to_string_lossy().into_owned(),
            title,
            state: machine.state(),
            thinking_level: history.thinking_level.unwrap_or_default(),
            controller: MessageController::load_messages_from_history(history.messages),
            capabilities: Capabilities {
                images: true,
                bash: true,
                steering: true,
                models: true,
                ..Capabilities::default()
            },
            ..SessionView::default()
        };
        let (process_sender, process_events) = mpsc::channel(AGENT_OUTPUT_BACKLOG);
        Self {
            origin,
            hub,
            view,
            machine,
            replay: Replay::default(),
            pages: Vec::new(),
            process: None,
            process_sender,
            process_events,
            ready: false,
            next_request: 0,
            pending: HashMap::new(),
            starting: VecDeque::new(),
            client_ids: VecDeque::new(),
            waiting: None,
            follower: Follower::default(),
            ask_deadlines: Vec::new(),
            stop_deadline: None,
            ending: false,
            held: Vec::new(),
            shutdown: None,
        }
    }

    async fn run(mut self, mut inputs: mpsc::Receiver<Input>) {
        loop {
            let deadline = self.next_deadline();
            tokio::select! {
                Some(event) = self.process_events.recv() => self.process_event(event),
                input = inputs.recv() => match input {
                    Some(input) => self.input(input),
                    None => return,
                },
                () = tokio::time::sleep_until(deadline) => {
                    if self.unused() {
                        break;
                    }
                    self.pass_deadlines(Instant::now());
                }
            }
            if self.process.is_none()
                && let Some(done) = self.shutdown.take()
            {
                let _ = done.send(());
                return;
            }
        }
        // What was asked of this session in its last moment is asked of its successor.
        inputs.close();
        while let Some(input) = inputs.recv().await {
            let (hub, id) = (self.hub.clone(), self.origin.id.clone());
            tokio::spawn(async move { hub.send(&id, input).await });
        }
    }

    fn unused(&self) -> bool {
        self.pages.is_empty() && self.process.is_none() && self.shutdown.is_none()
    }

    fn next_deadline(&self) -> Instant {
        let asks = self.ask_deadlines.iter().map(|(when, _)| *when);
        asks.chain(self.stop_deadline).min().unwrap_or_else(|| Instant::now() + UNUSED)
    }

    fn pass_deadlines(&mut self, now: Instant) {
        if self.stop_deadline.is_some_and(|when| when <= now) {
            self.stop_deadline = None;
            self.end_process();
        }
        self.expire_asks(now);
    }

    fn input(&mut self, input: Input) {
        match input {
            Input::Command { page, request, command } => self.command(&page, request, command),
            Input::Subscribe { page, request, cursor } => self.subscribe(page, request, cursor),
            Input::Unsubscribe { page } => self.pages.retain(|link| link.id() != page),
            Input::Shutdown { done } => {
                self.shutdown = Some(done);
                self.end_process();
            }
        }
    }

    fn subscribe(&mut self, page: PageLink, request: Option<String>, cursor: Option<Cursor>) {
        self.pages.retain(|link| link.id() != page.id());
        let missing = cursor
            .filter(|cursor| cursor.epoch == self.view.epoch)
            .and_then(|cursor| self.replay_after(cursor.seq));
        let sent = match missing {
            Some(frames) => frames.into_iter().all(|frame| page.send_asked_for(frame)),
            None => encode(&ServerFrame::Snapshot(Box::new(self.view.snapshot())))
                .is_some_and(|snapshot| page.send_asked_for(snapshot)),
        };
        if let Some(request) = request {
            page.respond(request, "open_session", Ok(json!({})));
        }
        if sent {
            self.pages.push(page);
        }
    }

    fn replay_after(&self, seq: u64) -> Option<Vec<axum::extract::ws::Utf8Bytes>> {
        if seq == self.view.seq {
            return Some(Vec::new());
        }
        self.replay.after(seq).map(Iterator::collect)
    }

    /// Numbers an event, folds it and sends it to every page that watches.
    fn emit(&mut self, mut event: Event) {
        self.origin.blobs.take_from_event(&mut event);
        let seq = self.view.seq + 1;
        let frame =
            encode(&ServerFrame::Event { session_id: self.origin.id.clone(), seq, event: event.clone() });
        self.view.apply(event);
        if let Some(frame) = frame {
            self.replay.push(seq, frame.clone());
            self.pages.retain(|page| page.send(frame.clone()));
        }
    }

    /// Moves the state machine; a change is told to the pages and to every sidebar.
    fn step(&mut self, event: StateEvent, reason: &str) {
        if self.machine.apply(event) {
            self.emit(Event::SessionState { state: self.machine.state(), reason: reason.to_owned() });
            self.tell_hub();
        }
    }

    fn tell_hub(&self) {
        self.hub.session_changed(SessionSummary {
            id: self.origin.id.clone(),
            agent: self.origin.agent.name.clone(),
            cwd: self.view.cwd.clone(),
            title: self.view.title.clone(),
            state: self.machine.state(),
            modified: pi_sessions::milliseconds(std::time::SystemTime::now()),
            reason: self.view.reason.clone(),
            elsewhere: self.view.elsewhere,
            asks: self.view.asks.clone(),
            ..SessionSummary::default()
        });
    }

    fn end_process(&mut self) {
        if let Some(process) = &mut self.process {
            self.ending = true;
            process.stop();
        }
    }
}
