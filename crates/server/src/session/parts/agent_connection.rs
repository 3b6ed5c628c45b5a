//! The session's agent: its process, the connection to it, pending requests, and the deadlines of stopping it.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use anyhow::Result;
use pilothouse_agents::{AgentError, AgentEvent, Connection, Open, Output, Reply, Request, RequestId};
use pilothouse_core::limits::{AGENT_LOAD_SECONDS, AGENT_OUTPUT_QUEUE, AGENT_START_SECONDS, STOP_SECONDS};
use pilothouse_core::protocol::event::Event;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::agent::process::{self, Launch, Leftovers, Moment, Process, ProcessEvent};
use crate::session::effect::Pending;

/// The agent's process, if one runs.
#[derive(Debug)]
pub(in crate::session) struct AgentConnection {
    running: Option<RunningAgent>,
    sender: mpsc::Sender<ProcessEvent>,
    events: mpsc::Receiver<ProcessEvent>,
    last_request: u64,
    pending: HashMap<RequestId, Pending>,
    /// Outputs of the connection that were not processed yet.
    outputs: VecDeque<Unprocessed>,
    /// Lines that did not fit into the process's input yet.
    unsent: VecDeque<String>,
    /// When the process is ended if the agent has not followed a stop.
    stop_at: Option<Instant>,
    /// What a stopped turn or command leaves behind is ended.
    clearing: Option<Clearing>,
    /// When an idle process is ended.
    idle_at: Option<Instant>,
    /// When the agent's silence counts as the end of a replay or of work in the background.
    silence_at: Option<Instant>,
    /// A probe is using the session's file.
    probing: bool,
}

#[derive(Debug)]
struct RunningAgent {
    process: Process,
    connection: Connection,
    /// The agent accepts prompts.
    ready: bool,
    /// When an agent that is not ready, and silent, counts as failed.
    ready_by: Option<Instant>,
    ready_by_at_last: Instant,
    /// We are ending the process.
    ending: bool,
    /// When the run in progress began, or its first prompt was sent.
    run_began: Option<Moment>,
}

/// The end of the processes that a stopped turn or command leaves behind.
#[derive(Debug)]
enum Clearing {
    /// A stopped command has until then to end itself.
    At(Instant, Moment),
    InProgress,
}

/// A message from the agent.
#[derive(Debug)]
pub(in crate::session) enum FromAgent {
    Event(AgentEvent),
    Reply(Pending, Result<Reply, AgentError>),
}

impl FromAgent {
    /// Appends an event to this one if both are deltas of the same text. Returns whether it did.
    fn join(&mut self, next: &Event) -> bool {
        match self {
            Self::Event(AgentEvent::Session(event)) => event.join(next),
            _ => false,
        }
    }
}

/// An output of the connection.
#[derive(Debug)]
enum Unprocessed {
    Message(Box<FromAgent>),
    /// A line for the agent. It is sent once the messages before it are processed: a prompt is recorded before the
    /// agent gets it.
    Line(String),
}

impl AgentConnection {
    pub(in crate::session) fn new() -> Self {
        let (sender, events) = mpsc::channel(AGENT_OUTPUT_QUEUE);
        Self {
            running: None,
            sender,
            events,
            last_request: 0,
            pending: HashMap::new(),
            outputs: VecDeque::new(),
            unsent: VecDeque::new(),
            stop_at: None,
            clearing: None,
            idle_at: None,
            silence_at: None,
            probing: false,
        }
    }

    pub(in crate::session) async fn start(
        &mut self,
        launch: &Launch,
        connection: Connection,
        open: Open,
    ) -> Result<()> {
        let process = Process::start(launch, self.sender.clone()).await?;
        self.attach(process, connection, open);
        Ok(())
    }

    fn attach(&mut self, process: Process, mut connection: Connection, open: Open) {
        connection.open(open);
        self.running = Some(RunningAgent {
            process,
            connection,
            ready: false,
            ready_by: Some(ready_by()),
            ready_by_at_last: Instant::now() + Duration::from_secs(AGENT_LOAD_SECONDS),
            ending: false,
            run_began: None,
        });
        self.deliver();
    }

    /// Waits for output of the process, or for its exit.
    pub(in crate::session) async fn process_event(&mut self) -> Option<ProcessEvent> {
        self.events.recv().await
    }

    pub(in crate::session) const fn is_running(&self) -> bool {
        self.running.is_some()
    }

    pub(in crate::session) fn is_ready(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.ready)
    }

    /// Marks the agent as ready. Returns whether it was not ready before.
    pub(in crate::session) fn set_ready(&mut self) -> bool {
        self.running.as_mut().is_some_and(|running| {
            running.ready_by = None;
            !std::mem::replace(&mut running.ready, true)
        })
    }

    /// The agent waits for a login, which may take any time.
    pub(in crate::session) const fn await_login(&mut self) {
        if let Some(running) = &mut self.running {
            running.ready_by = None;
        }
    }

    pub(in crate::session) fn is_ending(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.ending)
    }

    /// Sends a request. Its reply is received together with `pending`, exactly once.
    pub(in crate::session) fn request(&mut self, request: Request, pending: Pending) -> RequestId {
        self.last_request += 1;
        let id = RequestId(self.last_request);
        match &mut self.running {
            Some(running) if self.unsent.is_empty() && running.process.accepts_input() => {
                self.pending.insert(id, pending);
                if matches!(request, Request::Prompt { .. }) {
                    // Before the agent can start anything for it.
                    running.run_began.get_or_insert_with(process::now);
                }
                let before = running.connection.silence_timeout();
                running.connection.request(id, request);
                // Such as the answer to a question, for which the agent waited.
                if running.connection.silence_timeout() != before {
                    self.expect_silence(Instant::now());
                }
            }
            Some(_) => self.push(FromAgent::Reply(pending, Err(AgentError::NotReading))),
            None => self.push(FromAgent::Reply(pending, Err(AgentError::Closed))),
        }
        self.deliver();
        id
    }

    /// Whether the agent reads its input, so that a request can be sent.
    pub(in crate::session) fn accepts_input(&self) -> bool {
        self.unsent.is_empty() && self.running.as_ref().is_some_and(|running| running.process.accepts_input())
    }

    pub(in crate::session) fn receive(&mut self, lines: Vec<pilothouse_agents::framing::Line>) {
        if let Some(running) = &mut self.running {
            // A long conversation takes its time to load.
            running.ready_by = running.ready_by.map(|_| ready_by().min(running.ready_by_at_last));
            lines.into_iter().for_each(|line| running.connection.receive(line));
        }
        self.deliver();
        self.expect_silence(Instant::now());
    }

    fn expect_silence(&mut self, now: Instant) {
        let timeout = self.running.as_ref().and_then(|running| running.connection.silence_timeout());
        self.silence_at = timeout.map(|timeout| now + timeout);
    }

    /// Takes the connection's outputs. Deltas that arrived together are joined, never reordered.
    fn deliver(&mut self) {
        while let Some(output) = self.running.as_mut().and_then(|running| running.connection.poll()) {
            match output {
                Output::Write(line) if self.outputs.is_empty() => self.unsent.push_back(line),
                Output::Write(line) => self.outputs.push_back(Unprocessed::Line(line)),
                Output::Event(event) => {
                    let joined = match (self.outputs.back_mut(), &event) {
                        (Some(Unprocessed::Message(last)), AgentEvent::Session(event)) => last.join(event),
                        _ => false,
                    };
                    if !joined {
                        self.push(FromAgent::Event(event));
                    }
                }
                Output::Reply(id, result) => {
                    if let Some(pending) = self.pending.remove(&id) {
                        self.push(FromAgent::Reply(pending, result));
                    }
                }
            }
        }
        self.send_lines();
    }

    fn push(&mut self, message: FromAgent) {
        self.outputs.push_back(Unprocessed::Message(Box::new(message)));
    }

    /// Sends every line, before the agent's input is closed.
    fn send_all_lines(&mut self) {
        for output in std::mem::take(&mut self.outputs) {
            match output {
                Unprocessed::Line(line) => self.unsent.push_back(line),
                Unprocessed::Message(_) => self.outputs.push_back(output),
            }
        }
        self.send_lines();
    }

    /// Sends as many lines as the process accepts. Requests are refused while lines are left, so their number is bounded.
    fn send_lines(&mut self) {
        let Some(running) = &self.running else { return self.unsent.clear() };
        while running.process.accepts_input()
            && let Some(line) = self.unsent.pop_front()
        {
            running.process.send(line);
        }
    }

    /// The next event of the conversation that was received, before anything else that was.
    pub(in crate::session) fn next_conversation_event(&mut self) -> Option<Event> {
        let is_event = |output: &Unprocessed| {
            matches!(output, Unprocessed::Message(message)
                if matches!(**message, FromAgent::Event(AgentEvent::Session(_))))
        };
        let position = self.outputs.iter().position(is_event)?;
        match self.outputs.remove(position)? {
            Unprocessed::Message(message) => match *message {
                FromAgent::Event(AgentEvent::Session(event)) => Some(event),
                _ => None,
            },
            Unprocessed::Line(_) => None,
        }
    }

    /// Ends the message in progress, so that a row which the session adds now follows it. Its end is received next.
    pub(in crate::session) fn end_message(&mut self) {
        if let Some(running) = &mut self.running {
            running.connection.end_message();
        }
        self.deliver();
    }

    /// The next event or reply that was received.
    pub(in crate::session) fn next(&mut self) -> Option<FromAgent> {
        loop {
            match self.outputs.pop_front()? {
                Unprocessed::Message(message) => return Some(*message),
                Unprocessed::Line(line) => self.unsent.push_back(line),
            }
            self.send_lines();
        }
    }

    /// Whether a scheduled message is being delivered to the agent.
    pub(in crate::session) fn is_delivering(&self) -> bool {
        self.pending.values().any(|pending| matches!(pending, Pending::Offered { .. }))
    }

    /// Whether a response of the agent is outstanding, including those that only the connection waits for.
    pub(in crate::session) fn has_pending(&self) -> bool {
        let is_outstanding = self.running.as_ref().is_some_and(|running| running.connection.has_pending());
        is_outstanding || !self.pending.is_empty()
    }

    /// Starts to end the process. Its exit arrives as an event.
    pub(in crate::session) fn end(&mut self) {
        self.end_with(Process::stop);
    }

    fn end_with(&mut self, stop: impl FnOnce(&mut Process)) {
        if let Some(running) = &mut self.running
            && !running.ending
        {
            running.ending = true;
            running.connection.shut_down();
        }
        self.deliver();
        self.send_all_lines();
        if let Some(running) = &mut self.running {
            stop(&mut running.process);
        }
    }

    /// Handles the end of the process: pending requests fail. Returns whether we ended it.
    pub(in crate::session) fn ended(&mut self) -> bool {
        let expected = self.is_ending();
        if let Some(running) = &mut self.running {
            running.connection.closed();
        }
        self.deliver();
        self.running = None;
        self.unsent.clear();
        self.stop_at = None;
        self.clearing = None;
        self.silence_at = None;
        expected
    }

    /// Starts the time within which the agent has to follow a stop.
    pub(in crate::session) fn expect_stop(&mut self, now: Instant, seconds: u64) {
        self.stop_at = Some(now + Duration::from_secs(seconds));
    }

    pub(in crate::session) const fn stopped(&mut self) {
        self.stop_at = None;
    }

    /// A run has begun, if only now, without a prompt.
    pub(in crate::session) fn run_began(&mut self) {
        if let Some(running) = &mut self.running {
            running.run_began.get_or_insert_with(process::now);
        }
    }

    /// A prompt started no run.
    pub(in crate::session) const fn no_run_began(&mut self) {
        if let Some(running) = &mut self.running {
            running.run_began = None;
        }
    }

    /// A run has ended. If it was stopped, what it left behind is ended.
    pub(in crate::session) fn run_ended(&mut self, leftovers: Leftovers) {
        let began = self.running.as_mut().and_then(|running| running.run_began.take());
        if self.stop_at.take().is_some()
            && let Some(began) = began
        {
            self.clear(began, leftovers);
        }
    }

    /// Shell commands that the agent runs since `began` were stopped: what they leave behind is ended.
    pub(in crate::session) fn expect_shell_stop(&mut self, began: Moment, now: Instant) {
        if self.running.is_some() && self.clearing.is_none() {
            self.clearing = Some(Clearing::At(now + Duration::from_secs(STOP_SECONDS), began));
        }
    }

    /// The stopped shell commands have ended.
    pub(in crate::session) fn shell_stopped(&mut self) {
        if let Some(Clearing::At(_, began)) = self.clearing {
            self.clear(began, Leftovers::All);
        }
    }

    fn clear(&mut self, since: Moment, leftovers: Leftovers) {
        if let Some(running) = &self.running {
            running.process.end_started_since(since, leftovers);
            self.clearing = Some(Clearing::InProgress);
        }
    }

    /// What was left behind has ended.
    pub(in crate::session) fn cleared(&mut self) {
        self.clearing = None;
    }

    pub(in crate::session) const fn set_probing(&mut self, probing: bool) {
        self.probing = probing;
    }

    pub(in crate::session) const fn is_probing(&self) -> bool {
        self.probing
    }

    /// Whether a stop or a probe is in progress, for which prompts have to wait.
    pub(in crate::session) fn is_stopping(&self) -> bool {
        self.stop_at.is_some() || self.clearing.is_some() || self.is_ending() || self.probing
    }

    /// Starts or ends the time after which an idle process is ended.
    pub(in crate::session) fn update_idle(&mut self, is_idle: bool, idle: Option<Duration>, now: Instant) {
        let is_idle = is_idle && self.is_running() && !self.is_ending() && !self.has_pending();
        match (is_idle, self.idle_at) {
            (true, None) => self.idle_at = idle.map(|idle| now + idle),
            (false, _) => self.idle_at = None,
            (true, Some(_)) => {}
        }
    }

    pub(in crate::session) fn next_deadline(&self) -> Option<Instant> {
        let ready_by = self.running.as_ref().and_then(|running| running.ready_by);
        let clear_at = match self.clearing {
            Some(Clearing::At(at, _)) => Some(at),
            _ => None,
        };
        [self.stop_at, clear_at, self.idle_at, self.silence_at, ready_by].into_iter().flatten().min()
    }

    /// Ends a process that did not follow a stop, or was idle for too long.
    pub(in crate::session) fn pass_deadlines(&mut self, now: Instant) {
        let passed = |deadline: Option<Instant>| deadline.is_some_and(|deadline| deadline <= now);
        if passed(self.silence_at) {
            if let Some(running) = &mut self.running {
                running.connection.silence();
            }
            self.deliver();
            self.expect_silence(now);
        }
        if let Some(running) = &mut self.running
            && passed(running.ready_by)
        {
            running.ready_by = None;
            running.connection.fail_to_open(format!(
                "The agent didn't start within {AGENT_START_SECONDS} seconds. Check it in a terminal, then try again."
            ));
            self.deliver();
        }
        if passed(self.stop_at) {
            self.stop_at = None;
            self.end_with(Process::terminate);
        }
        if let Some(Clearing::At(at, _)) = self.clearing
            && passed(Some(at))
        {
            self.shell_stopped();
        }
        if passed(self.idle_at) {
            self.idle_at = None;
            tracing::info!("ending an idle agent");
            self.end();
        }
    }
}

fn ready_by() -> Instant {
    Instant::now() + Duration::from_secs(AGENT_START_SECONDS)
}

#[cfg(test)]
#[path = "agent_connection_tests.rs"]
mod tests;
