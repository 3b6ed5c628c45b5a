//! The state of one pi process: pending requests, readiness, and whether a run is in progress.

use std::collections::{BTreeMap, VecDeque};

use pilothouse_core::json::FromJson;
use pilothouse_core::protocol::event::{ContextUsage, Event, ModelInfo, NoticeLevel};
use pilothouse_core::protocol::{AgentMode, Capabilities, Disposition};
use serde_json::Value;

use super::command::PiCommand;
use super::decode::{Incoming, Response, decode};
use crate::connection::{Open, Output};
use crate::event::{AgentEvent, Settings};
use crate::framing::Line;
use crate::request::{AgentError, ClearedQueue, ForkedSession, Reply, Request, RequestId, ShellOutcome};

/// A connection to pi.
#[derive(Debug)]
pub struct Connection {
    outputs: VecDeque<Output>,
    /// The id of the last command that was sent.
    last_id: u64,
    pending: BTreeMap<u64, Pending>,
    capabilities: Capabilities,
    ready: bool,
    /// Between `agent_start` and `agent_settled`.
    running: bool,
    closed: bool,
}

/// A command that waits for its response.
#[derive(Debug)]
struct Pending {
    command: &'static str,
    purpose: Purpose,
}

/// The purpose of a command, which decides how its response is read.
#[derive(Debug)]
enum Purpose {
    /// Sent by the connection itself, to read the agent's settings.
    ReadSettings,
    /// Sent by the connection itself, to read the model's thinking levels.
    ReadThinkingLevels,
    /// Sent by the connection itself, to read the usage of the context window.
    ReadUsage,
    /// Checks whether a prompt started a run, because before 1.0 the response to a prompt does not say.
    CheckRun(RequestId),
    /// Reads the id of the session that a fork created.
    ReadForkedSession {
        request: RequestId,
        text: String,
    },
    Request {
        request: RequestId,
        kind: RequestKind,
    },
}

/// How the response to a request is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RequestKind {
    Plain,
    Prompt,
    ClearQueue,
    Shell,
    Models,
    SetModel,
    /// The settings are read again afterwards, because not every agent reports a changed level or mode.
    ChangeSettings,
    Commands,
    Fork,
    Clone,
}

impl Connection {
    /// `capabilities` are those known so far; the process adds its thinking levels and modes.
    pub fn new(capabilities: Capabilities) -> Self {
        Self {
            outputs: VecDeque::new(),
            last_id: 0,
            pending: BTreeMap::new(),
            capabilities,
            ready: false,
            running: false,
            closed: false,
        }
    }

    /// Requests the settings; the first response shows that pi is ready. The session is set on pi's command line.
    pub fn open(&mut self, _session: Open) {
        self.send(&PiCommand::GetState, Purpose::ReadSettings);
        self.send(&PiCommand::GetAvailableThinkingLevels, Purpose::ReadThinkingLevels);
    }

    pub fn request(&mut self, request: RequestId, what: Request) {
        if self.closed {
            return self.reply(request, Err(AgentError::Closed));
        }
        let (command, kind) = match what {
            Request::Prompt { text, images, lane, context: _ } => {
                (PiCommand::Prompt { message: text, images, lane }, RequestKind::Prompt)
            }
            Request::ClearQueue => (PiCommand::ClearQueue, RequestKind::ClearQueue),
            Request::Abort => (PiCommand::Abort, RequestKind::Plain),
            Request::Shell { command, exclude_from_context } => {
                (PiCommand::Bash { command, exclude_from_context }, RequestKind::Shell)
            }
            Request::AbortShell => (PiCommand::AbortBash, RequestKind::Plain),
            Request::Answer { ask_id, answer } => {
                // pi sends no response to an answer.
                let line = PiCommand::AnswerDialog { ask_id, answer }.encode("");
                self.outputs.push_back(Output::Write(line));
                return self.reply(request, Ok(Reply::Done));
            }
            Request::Models => (PiCommand::GetAvailableModels, RequestKind::Models),
            Request::SetModel { provider, model_id } => {
                (PiCommand::SetModel { provider, model_id }, RequestKind::SetModel)
            }
            Request::SetThinkingLevel { level } => {
                (PiCommand::SetThinkingLevel { level }, RequestKind::ChangeSettings)
            }
            Request::SetMode { mode } => (PiCommand::SetMode { mode }, RequestKind::ChangeSettings),
            Request::Commands => (PiCommand::GetCommands, RequestKind::Commands),
            Request::Compact { instructions } => (PiCommand::Compact { instructions }, RequestKind::Plain),
            Request::Fork { entry_id: Some(entry_id) } => (PiCommand::Fork { entry_id }, RequestKind::Fork),
            Request::Fork { entry_id: None } => (PiCommand::Clone, RequestKind::Clone),
            Request::Rename { name } => (PiCommand::SetSessionName { name }, RequestKind::Plain),
            Request::SetOption { .. }
            | Request::LogIn { .. }
            | Request::Sessions { .. }
            | Request::DeleteSession { .. } => return self.reply(request, Err(AgentError::Unsupported)),
        };
        self.send(&command, Purpose::Request { request, kind });
    }

    pub fn receive(&mut self, line: Line) {
        match line {
            Line::Complete(line) => decode(&line).into_iter().for_each(|incoming| self.incoming(incoming)),
            Line::TooLong { bytes } => {
                let text =
                    format!("The agent wrote a line that is too long ({bytes} bytes). It was skipped.");
                self.emit(AgentEvent::Session(Event::Notice { level: NoticeLevel::Warning, text }));
            }
        }
    }

    pub fn closed(&mut self) {
        self.closed = true;
        for pending in std::mem::take(&mut self.pending).into_values() {
            self.fail(&pending.purpose, AgentError::Closed);
        }
    }

    /// Gives up waiting for the agent's first answers.
    pub fn fail_to_open(&mut self, reason: String) {
        for pending in std::mem::take(&mut self.pending).into_values() {
            self.fail(&pending.purpose, AgentError::Refused(reason.clone()));
        }
        self.emit(AgentEvent::OpenFailed { reason });
    }

    pub fn has_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn incoming(&mut self, incoming: Incoming) {
        match incoming {
            Incoming::Response(response) => self.response(response),
            Incoming::Event(event) if event.is_void() => {}
            Incoming::Event(event) => self.event(event),
            Incoming::QueueLength(length) => self.emit(AgentEvent::QueueLength(length)),
            Incoming::Ask(ask) => self.emit(AgentEvent::AskOpened(Box::new(ask))),
            Incoming::ShellOutput { request_id, delta } => {
                let pending = request_id.parse().ok().and_then(|id: u64| self.pending.get(&id));
                if let Some(Purpose::Request { request, kind: RequestKind::Shell }) =
                    pending.map(|pending| &pending.purpose)
                {
                    self.emit(AgentEvent::ShellOutput { request: *request, delta });
                }
            }
            Incoming::Unreadable => self.emit(AgentEvent::UnreadableLine),
        }
    }

    fn event(&mut self, event: Event) {
        match &event {
            Event::AgentStart => {
                self.running = true;
                self.settle_run_checks();
            }
            Event::AgentSettled { .. } => self.running = false,
            _ => {}
        }
        let usage_changed = match &event {
            Event::AgentSettled { .. } => true,
            Event::CompactionEnd { .. } => !self.running,
            _ => false,
        };
        self.emit(AgentEvent::Session(event));
        if usage_changed {
            self.send(&PiCommand::GetSessionStats, Purpose::ReadUsage);
        }
    }

    /// Answers the prompts whose outcome is being checked: a run has begun, so they started it.
    fn settle_run_checks(&mut self) {
        let checks = self.pending.iter().filter_map(|(id, pending)| match pending.purpose {
            Purpose::CheckRun(request) => Some((*id, request)),
            _ => None,
        });
        for (id, request) in checks.collect::<Vec<_>>() {
            self.pending.remove(&id);
            self.reply(request, Ok(Reply::Prompt(Disposition::Started)));
        }
    }

    fn response(&mut self, response: Response) {
        let Some(purpose) = self.take_pending(&response) else { return };
        if !response.success {
            return self.fail(&purpose, refusal(&response.error));
        }
        let data = response.data;
        match purpose {
            Purpose::ReadSettings => self.settings(&data),
            Purpose::ReadThinkingLevels => {
                self.capabilities.thinking_levels = field(&data, "levels").unwrap_or_default();
                self.emit_capabilities();
            }
            Purpose::ReadUsage => {
                if let Some(usage) = usage(&data) {
                    self.emit(AgentEvent::Session(Event::ContextUsage { usage }));
                }
            }
            Purpose::CheckRun(request) => {
                let idle = data.get("isStreaming") == Some(&Value::Bool(false)) && !self.running;
                let disposition = if idle { Disposition::Handled } else { Disposition::Started };
                self.reply(request, Ok(Reply::Prompt(disposition)));
            }
            Purpose::ReadForkedSession { request, text: fork_text } => {
                let forked = text(&data, "sessionId")
                    .map(|session_id| Reply::Forked(ForkedSession { session_id, text: fork_text }));
                self.reply(request, forked.ok_or(AgentError::InvalidReply));
            }
            Purpose::Request { request, kind } => self.complete_request(request, kind, &data),
        }
    }

    fn fail(&mut self, purpose: &Purpose, error: AgentError) {
        match (purpose, purpose.request()) {
            // pi has accepted the prompt; only what followed is unknown.
            (Purpose::CheckRun(request), _) => {
                self.reply(*request, Ok(Reply::Prompt(Disposition::Started)));
            }
            (_, Some(request)) => self.reply(request, Err(error)),
            (_, None) => {}
        }
    }

    fn complete_request(&mut self, request: RequestId, kind: RequestKind, data: &Value) {
        let reply = match kind {
            RequestKind::Plain => Reply::Done,
            RequestKind::Prompt => match field::<Disposition>(data, "disposition") {
                Some(disposition) => Reply::Prompt(disposition),
                None if self.running || data.get("disposition").is_some() => {
                    Reply::Prompt(Disposition::Started)
                }
                None => return self.send(&PiCommand::GetState, Purpose::CheckRun(request)),
            },
            RequestKind::ClearQueue => Reply::QueueCleared(ClearedQueue {
                steering: field(data, "steering").unwrap_or_default(),
                follow_up: field(data, "followUp").unwrap_or_default(),
            }),
            RequestKind::Shell => Reply::Shell(ShellOutcome {
                output: text(data, "output").unwrap_or_default(),
                exit_code: field(data, "exitCode"),
                cancelled: field(data, "cancelled").unwrap_or_default(),
                truncated: field(data, "truncated").unwrap_or_default(),
            }),
            RequestKind::Models => Reply::Models(field(data, "models").unwrap_or_default()),
            RequestKind::SetModel => {
                let model = ModelInfo::from_json(data.clone());
                self.emit(AgentEvent::Session(Event::ModelChanged { model }));
                self.send(&PiCommand::GetAvailableThinkingLevels, Purpose::ReadThinkingLevels);
                self.send(&PiCommand::GetSessionStats, Purpose::ReadUsage);
                Reply::Done
            }
            RequestKind::ChangeSettings => {
                self.send(&PiCommand::GetState, Purpose::ReadSettings);
                Reply::Done
            }
            RequestKind::Commands => Reply::Commands(field(data, "commands").unwrap_or_default()),
            RequestKind::Clone if field(data, "cancelled") != Some(true) => {
                let text = String::new();
                return self.send(&PiCommand::GetState, Purpose::ReadForkedSession { request, text });
            }
            RequestKind::Fork | RequestKind::Clone => match text(data, "text") {
                Some(text) => {
                    return self.send(&PiCommand::GetState, Purpose::ReadForkedSession { request, text });
                }
                None => {
                    let why = "An extension of the agent cancelled the fork.";
                    return self.reply(request, Err(AgentError::Refused(why.to_owned())));
                }
            },
        };
        self.reply(request, Ok(reply));
    }

    fn settings(&mut self, data: &Value) {
        let modes: Vec<AgentMode> = field(data, "modes").unwrap_or_default();
        if self.capabilities.modes != modes {
            self.capabilities.modes = modes;
            self.emit_capabilities();
        }
        self.emit(AgentEvent::Settings(Settings {
            model: field(data, "model"),
            thinking_level: text(data, "thinkingLevel").unwrap_or_default(),
            mode: text(data, "mode").unwrap_or_default(),
            session_file: text(data, "sessionFile").filter(|file| !file.is_empty()),
        }));
        if !std::mem::replace(&mut self.ready, true) {
            self.emit(AgentEvent::Ready);
        }
    }

    fn emit_capabilities(&mut self) {
        let capabilities = self.capabilities.clone();
        self.emit(AgentEvent::Session(Event::CapabilitiesChanged { capabilities }));
    }

    fn send(&mut self, command: &PiCommand, purpose: Purpose) {
        self.last_id += 1;
        self.outputs.push_back(Output::Write(command.encode(&self.last_id.to_string())));
        self.pending.insert(self.last_id, Pending { command: command.name(), purpose });
    }

    /// Removes the pending command that a response belongs to. Before 1.0 the response to an unknown command has no id,
    /// so the command is found by its name.
    fn take_pending(&mut self, response: &Response) -> Option<Purpose> {
        let unknown = unknown_command(&response.error).filter(|_| response.id.is_empty());
        let id = match unknown {
            Some(name) => *self.pending.iter().find(|(_, pending)| pending.command == name)?.0,
            None => response.id.parse().ok()?,
        };
        self.pending.remove(&id).map(|pending| pending.purpose)
    }

    fn emit(&mut self, event: AgentEvent) {
        self.outputs.push_back(Output::Event(event));
    }

    fn reply(&mut self, request: RequestId, reply: Result<Reply, AgentError>) {
        self.outputs.push_back(Output::Reply(request, reply));
    }
}

impl Purpose {
    /// The request that waits for this response.
    const fn request(&self) -> Option<RequestId> {
        match self {
            Self::CheckRun(request)
            | Self::ReadForkedSession { request, .. }
            | Self::Request { request, .. } => Some(*request),
            Self::ReadSettings | Self::ReadThinkingLevels | Self::ReadUsage => None,
        }
    }
}

fn unknown_command(error: &str) -> Option<&str> {
    error.strip_prefix("Unknown command: ")
}

fn refusal(error: &str) -> AgentError {
    if unknown_command(error).is_some() {
        AgentError::Unsupported
    } else if error.is_empty() {
        AgentError::Refused("The agent rejected the request without giving a reason.".to_owned())
    } else {
        AgentError::Refused(error.to_owned())
    }
}

/// A field of the response; one of the wrong type counts as missing.
fn field<T: FromJson>(data: &Value, key: &str) -> Option<T> {
    T::from_json(data.get(key)?.clone())
}

fn text(data: &Value, key: &str) -> Option<String> {
    field(data, key)
}

fn usage(data: &Value) -> Option<ContextUsage> {
    let mut usage: ContextUsage = field(data, "contextUsage")?;
    usage.cost = field(data, "cost");
    Some(usage)
}

#[cfg(test)]
#[path = "connection_tests.rs"]
mod tests;
