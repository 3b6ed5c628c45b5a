//! The state of one agent process that speaks ACP: opening the session, pending requests, the turn in progress.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use agent_client_protocol_schema::v1::ToolCallUpdate;
use pilothouse_core::conversation::ask::{Answer, Ask};
use pilothouse_core::conversation::limit;
use pilothouse_core::conversation::message::{Content, Part};
use pilothouse_core::conversation::plan;
use pilothouse_core::conversation::queue::Lane;
use pilothouse_core::conversation::ui_message::Image;
use pilothouse_core::json::Object;
use pilothouse_core::limits::{
    ID_BYTES, LINE_BYTES, LISTED_SESSIONS, NAME_BYTES, OPEN_ASKS, RAW_EVENT_BYTES, TITLE_BYTES,
};
use pilothouse_core::protocol::event::{ContextUsage, Event, NoticeLevel, cut_commands};
use pilothouse_core::protocol::{AgentCommand, AgentSession, AgentSessions, Capabilities, Disposition};
use serde_json::{Value, json};

use super::asks::{OpenAsk, OpenAsks, call_id};
use super::opening::{Introduction, Opening, Step};
use super::rpc::{self, INVALID_REQUEST, Incoming, METHOD_NOT_FOUND, REQUEST_CANCELLED, RpcError};
use super::settings::{AgentSettings, SettingChange};
use super::transcript::{SubagentState, SubagentUpdate, TextKind, Transcript, TurnEnd};
use super::turn::Turn;
use super::{content, turn};
use crate::connection::{Open, Output};
use crate::event::{AgentEvent, Settings};
use crate::framing::Line;
use crate::history::timestamp;
use crate::request::{AgentError, ClearedQueue, Reply, Request, RequestId, WantedSettings};

/// Some agents answer `session/load` before they have replayed everything.
const REPLAY_SILENCE: Duration = Duration::from_millis(300);

/// Work in the background ends without a message; it counts as ended after this time without output.
const BACKGROUND_SILENCE: Duration = Duration::from_secs(2);

/// The same while a tool runs, which may be silent for long.
const BACKGROUND_CALL_SILENCE: Duration = Duration::from_secs(600);

/// The same while a compaction runs. Until its end the session sends no prompts.
const COMPACTION_SILENCE: Duration = Duration::from_secs(120);

/// The name under which updates of a session that is not ours are kept.
const OTHER_SESSION: &str = "session/update of another session";

/// A connection to an agent that speaks ACP.
#[derive(Debug)]
pub struct Connection {
    outputs: VecDeque<Output>,
    last_id: u64,
    pending: BTreeMap<u64, Purpose>,
    phase: Phase,
    opening: Opening,
    /// Requests that wait until the session is open.
    waiting: VecDeque<(RequestId, Request)>,
    capabilities: Capabilities,
    /// The settings of an earlier process that are not restored yet.
    wanted: WantedSettings,
    session_id: String,
    /// The session that the agent did not continue.
    lost_session: String,
    settings: AgentSettings,
    commands: Vec<AgentCommand>,
    transcript: Transcript,
    asks: OpenAsks,
    /// The user was told that the agent asks too much at once.
    too_many_asks: bool,
    turn: Option<Turn>,
    has_usage: bool,
    /// A turn has failed because of a missing login.
    login_shown: bool,
    closed: bool,
}

/// The progress of opening the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Initializing,
    Opening,
    /// `session/load` was answered, and the rest of the replay is awaited.
    Replaying,
    LoginRequired,
    Ready,
    Failed,
}

/// The conversation that an update belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Session,
    Subagent,
    Other,
}

/// The purpose of a request, which decides how its response is read.
#[derive(Debug)]
enum Purpose {
    Initialize,
    NewSession,
    LoadSession,
    ResumeSession,
    LogIn(RequestId),
    Prompt,
    Steer {
        request: RequestId,
        content: Content,
    },
    /// Without a request the session is opened after it.
    Change {
        request: Option<RequestId>,
        change: SettingChange,
    },
    Sessions(RequestId),
    Plain(RequestId),
    Ignored,
}

impl Connection {
    /// `program` is the agent's command. `capabilities` are those known so far.
    pub fn new(program: Vec<String>, capabilities: Capabilities) -> Self {
        Self {
            outputs: VecDeque::new(),
            last_id: 0,
            pending: BTreeMap::new(),
            phase: Phase::Initializing,
            opening: Opening::new(program),
            waiting: VecDeque::new(),
            capabilities,
            wanted: WantedSettings::default(),
            session_id: String::new(),
            lost_session: String::new(),
            settings: AgentSettings::default(),
            commands: Vec::new(),
            transcript: Transcript::default(),
            asks: OpenAsks::default(),
            too_many_asks: false,
            turn: None,
            has_usage: false,
            login_shown: false,
            closed: false,
        }
    }

    /// Sets the settings that the session is opened with.
    pub fn set_wanted(&mut self, wanted: WantedSettings) {
        self.wanted = wanted;
    }

    pub fn open(&mut self, session: Open) {
        let params = self.opening.begin(session);
        self.send("initialize", &params, Purpose::Initialize);
    }

    pub fn request(&mut self, request: RequestId, what: Request) {
        if self.closed {
            return self.reply(request, Err(AgentError::Closed));
        }
        match (&what, self.phase) {
            (Request::Abort, _) => self.abort(request),
            // An agent may ask while it opens the session, and waits for the answer.
            (Request::Answer { ask_id, answer }, _) => {
                if let Some(open) = self.asks.close(ask_id) {
                    self.answer(&open, answer);
                }
                self.reply(request, Ok(Reply::Done));
            }
            (Request::LogIn { method }, Phase::LoginRequired | Phase::Ready) => self.log_in(request, method),
            // Nothing of ours is in a queue of the agent.
            (Request::ClearQueue, _) => {
                self.reply(request, Ok(Reply::QueueCleared(ClearedQueue::default())));
            }
            (_, Phase::Ready) => self.perform(request, what),
            (_, Phase::Initializing | Phase::Opening | Phase::Replaying) => {
                self.waiting.push_back((request, what));
            }
            // The user may have logged in elsewhere.
            (_, Phase::LoginRequired) => {
                self.waiting.push_back((request, what));
                self.open_session();
            }
            (_, Phase::Failed) => self.reply(request, Err(AgentError::Closed)),
        }
    }

    pub fn receive(&mut self, line: Line) {
        match line {
            Line::Complete(line) => {
                for incoming in rpc::decode(&line) {
                    self.incoming(incoming);
                    self.deliver();
                }
            }
            Line::TooLong { bytes } => {
                let text =
                    format!("The agent wrote a line that is too long ({bytes} bytes). It was skipped.");
                self.emit(AgentEvent::Session(Event::Notice { level: NoticeLevel::Warning, text }));
            }
        }
    }

    pub fn closed(&mut self) {
        self.closed = true;
        for purpose in std::mem::take(&mut self.pending).into_values() {
            if let Some(request) = purpose.request() {
                self.reply(request, Err(AgentError::Closed));
            }
        }
        for (request, _) in std::mem::take(&mut self.waiting) {
            self.reply(request, Err(AgentError::Closed));
        }
    }

    /// Ends the message in progress, so that a row which the session adds now follows it.
    pub fn end_message(&mut self) {
        self.transcript.question();
        self.deliver();
    }

    /// Closes the session before the agent's input is closed.
    pub fn shut_down(&mut self) {
        if self.phase == Phase::Ready && self.opening.abilities().close && !self.session_id.is_empty() {
            let params = json!({ "sessionId": self.session_id });
            self.send("session/close", &params, Purpose::Ignored);
        }
    }

    pub fn has_pending(&self) -> bool {
        !self.pending.is_empty() || !self.waiting.is_empty()
    }

    /// The time without output after which [`Connection::silence`] is due.
    pub fn silence_timeout(&self) -> Option<Duration> {
        match self.phase {
            Phase::Replaying => Some(REPLAY_SILENCE),
            _ if self.turn.is_some() || !self.asks.is_empty() => None,
            _ if !self.transcript.is_background() => {
                let waits = !self.transcript.is_running() && self.transcript.is_compacting();
                waits.then_some(COMPACTION_SILENCE)
            }
            // The agent does not report that it has stopped.
            _ if self.transcript.is_stopping() => Some(BACKGROUND_SILENCE),
            _ if self.transcript.has_calls() => Some(BACKGROUND_CALL_SILENCE),
            _ if self.transcript.is_compacting() => Some(COMPACTION_SILENCE),
            _ => Some(BACKGROUND_SILENCE),
        }
    }

    /// The agent has been silent for [`Connection::silence_timeout`].
    pub fn silence(&mut self) {
        if self.phase == Phase::Replaying {
            self.transcript.end_turn(TurnEnd::Done);
            self.deliver();
            self.ready();
        } else if self.silence_timeout().is_some() {
            self.transcript.end_turn(TurnEnd::Done);
            self.transcript.abandon_compaction();
        }
        self.deliver();
    }

    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }
}

/// Opening the session.
impl Connection {
    fn initialized(&mut self, result: Value) {
        match self.opening.introduced(result, &mut self.capabilities) {
            Ok(Introduction { title, version }) => {
                self.emit(AgentEvent::Identified { title, version });
                self.emit_capabilities();
                self.open_session();
            }
            Err(reason) => self.fail_to_open(reason),
        }
    }

    fn open_session(&mut self) {
        self.phase = Phase::Opening;
        self.take_step(self.opening.first_step());
    }

    fn take_step(&mut self, step: Step) {
        match step {
            Step::Ready => self.ready(),
            Step::New { folder } => self.new_session(&folder),
            Step::Replace { folder, reason } => {
                self.emit(AgentEvent::MemoryLost { reason });
                self.lost_session = std::mem::take(&mut self.session_id);
                self.new_session(&folder);
            }
            Step::Resume { session_id, folder } => {
                self.continue_session("session/resume", session_id, &folder, Purpose::ResumeSession);
            }
            Step::Load { session_id, folder } => {
                if self.opening.is_import() {
                    self.transcript.begin_replay();
                }
                self.continue_session("session/load", session_id, &folder, Purpose::LoadSession);
            }
            Step::Fail(reason) => self.fail_to_open(reason),
        }
    }

    fn new_session(&mut self, folder: &str) {
        let params = json!({"cwd": folder, "mcpServers": []});
        self.send("session/new", &params, Purpose::NewSession);
    }

    fn continue_session(&mut self, method: &str, session: String, folder: &str, purpose: Purpose) {
        let params = json!({"sessionId": session, "cwd": folder, "mcpServers": []});
        self.session_id = session;
        self.send(method, &params, purpose);
    }

    fn session_opened(&mut self, result: Value, next: Phase) {
        let mut result = Object::of(result).unwrap_or_default();
        if let Some(id) = result.optional_text("sessionId").filter(|id| !id.is_empty()) {
            if id.len() > ID_BYTES {
                let text =
                    format!("The agent's id of the session is too long. The limit is {ID_BYTES} bytes.");
                return self.fail_to_open(text);
            }
            self.session_id = id;
        }
        if self.session_id.is_empty() {
            return self.fail_to_open("The agent created a session without an id.".to_owned());
        }
        self.settings.read_session(&mut result);
        if next == Phase::Replaying {
            self.phase = next;
        } else {
            self.ready();
        }
    }

    fn not_continued(&mut self, error: &RpcError, by_resume: bool) {
        if error.is_login_required() {
            return self.login_required(error.text());
        }
        self.take_step(self.opening.step_after(error, by_resume));
    }

    fn ready(&mut self) {
        self.phase = Phase::Ready;
        if !self.session_id.is_empty() {
            self.emit(AgentEvent::SessionStarted { agent_session_id: self.session_id.clone() });
            self.emit(AgentEvent::Session(Event::LoginChanged { login: None }));
            // A new process starts with its defaults; the next prompt must not run with them.
            if let Some(change) = self.settings.next_change(&mut self.wanted) {
                self.phase = Phase::Opening;
                return self.send_change(change, None);
            }
            self.emit_settings();
        }
        self.emit(AgentEvent::Ready);
        for (request, what) in std::mem::take(&mut self.waiting) {
            self.request(request, what);
        }
    }

    /// Fails what waits for the session. The process stays, for methods that the agent performs itself.
    fn login_required(&mut self, message: String) {
        self.phase = Phase::LoginRequired;
        // An import has begun a run; the next attempt begins another.
        self.transcript.end_turn(TurnEnd::Failed(message.clone()));
        self.deliver();
        let login = self.opening.login(message);
        self.emit(AgentEvent::Session(Event::LoginChanged { login: Some(login.clone()) }));
        for (request, _) in std::mem::take(&mut self.waiting) {
            self.reply(request, Err(AgentError::LoginRequired(login.clone())));
        }
    }

    fn log_in(&mut self, request: RequestId, method: &str) {
        if !self.opening.has_login_method(method) {
            return self.reply(request, Err(AgentError::Unsupported));
        }
        self.send("authenticate", &json!({ "methodId": method }), Purpose::LogIn(request));
    }

    pub fn fail_to_open(&mut self, reason: String) {
        self.phase = Phase::Failed;
        // An import has begun a run.
        self.transcript.end_turn(TurnEnd::Failed(reason.clone()));
        self.deliver();
        for (request, _) in std::mem::take(&mut self.waiting) {
            self.reply(request, Err(AgentError::Refused(reason.clone())));
        }
        self.emit(AgentEvent::OpenFailed { reason });
    }
}

/// Requests of the session.
impl Connection {
    fn perform(&mut self, request: RequestId, what: Request) {
        match what {
            Request::Prompt { text, images, lane, context } => {
                self.prompt(request, text, images, lane, context)
            }
            Request::Models => self.reply(request, Ok(Reply::Models(self.settings.models()))),
            Request::Commands => self.reply(request, Ok(Reply::Commands(self.commands.clone()))),
            Request::SetModel { model_id, .. } => self.change(request, self.settings.change_model(&model_id)),
            Request::SetThinkingLevel { level } => {
                self.change(request, self.settings.change_thinking_level(&level))
            }
            Request::SetMode { mode } => self.change(request, self.settings.change_mode(&mode)),
            Request::SetOption { option_id, value } => {
                self.change(request, self.settings.change_option(&option_id, &value));
            }
            Request::Rename { name } if self.opening.abilities().set_title => {
                let params = json!({"sessionId": self.session_id, "title": name});
                self.send("session/set_title", &params, Purpose::Plain(request));
            }
            // The server stores the name.
            Request::Rename { .. } => self.reply(request, Ok(Reply::Done)),
            Request::Sessions { folder, cursor } if self.opening.abilities().list => {
                let mut params = json!({});
                if let Some(folder) = folder {
                    params["cwd"] = folder.into();
                }
                if let Some(cursor) = cursor {
                    params["cursor"] = cursor.into();
                }
                self.send("session/list", &params, Purpose::Sessions(request));
            }
            Request::DeleteSession { session_id } if self.opening.abilities().delete => {
                self.send("session/delete", &json!({ "sessionId": session_id }), Purpose::Plain(request));
            }
            Request::Sessions { .. }
            | Request::DeleteSession { .. }
            | Request::Shell { .. }
            | Request::AbortShell
            | Request::Compact { .. }
            | Request::Fork { .. } => self.reply(request, Err(AgentError::Unsupported)),
            // Handled in every phase.
            Request::Abort | Request::ClearQueue | Request::Answer { .. } | Request::LogIn { .. } => {
                self.reply(request, Ok(Reply::Done));
            }
        }
    }

    fn prompt(
        &mut self,
        request: RequestId,
        text: String,
        images: Vec<Image>,
        lane: Lane,
        context: Vec<String>,
    ) {
        if !images.is_empty() && !self.capabilities.images {
            return self
                .reply(request, Err(AgentError::Refused("This agent doesn't accept images.".to_owned())));
        }
        let text_block = |text: &str| json!({"type": "text", "text": text});
        let mut blocks: Vec<Value> = context.iter().map(|text| text_block(text)).collect();
        if !text.is_empty() {
            blocks.push(text_block(&text));
        }
        let image_block =
            |image: &Image| json!({"type": "image", "data": image.data, "mimeType": image.mime_type});
        blocks.extend(images.iter().map(image_block));
        let mut parts = vec![Part::Text { text }];
        parts.extend(images.into_iter().map(Part::Image));
        let content = Content(parts);
        let mut params = json!({"sessionId": self.session_id, "prompt": blocks});
        if self.turn.is_none() {
            self.transcript.begin_turn(content);
            self.turn = Some(Turn::default());
            self.deliver();
            self.reply(request, Ok(Reply::Prompt(Disposition::Started)));
            self.send("session/prompt", &params, Purpose::Prompt);
        } else if self.opening.abilities().steering && lane == Lane::Steer {
            params["_meta"] = json!({"steering": {"idleBehavior": "promptRequired"}});
            self.send("_session/steering", &params, Purpose::Steer { request, content });
        } else {
            // A second prompt would cancel the first, or be answered at once.
            self.reply(request, Err(AgentError::Busy));
        }
    }

    fn change(&mut self, request: RequestId, change: Option<SettingChange>) {
        match change {
            Some(change) => self.send_change(change, Some(request)),
            None => self.reply(request, Err(AgentError::Unsupported)),
        }
    }

    /// Changes a setting, for a request or while the session is opened.
    fn send_change(&mut self, change: SettingChange, request: Option<RequestId>) {
        let mut params = change.params.clone();
        params["sessionId"] = self.session_id.clone().into();
        self.send(change.method, &params, Purpose::Change { request, change });
    }

    /// Cancels the turn. The agent ends it with its answer to the prompt; every open request of the agent is answered
    /// at once.
    fn abort(&mut self, request: RequestId) {
        for (waiting, _) in std::mem::take(&mut self.waiting) {
            let reason = "The agent was stopped before it was ready.".to_owned();
            self.reply(waiting, Err(AgentError::Refused(reason)));
        }
        let logins = self.pending.extract_if(.., |_, purpose| matches!(purpose, Purpose::LogIn(_)));
        for purpose in logins.map(|(_, purpose)| purpose).collect::<Vec<_>>() {
            if let Some(login) = purpose.request() {
                self.reply(login, Err(AgentError::Refused("The login was cancelled.".to_owned())));
            }
        }
        self.end_steering();
        if self.phase != Phase::Ready {
            self.cancel_asks();
        } else {
            if let Some(turn) = &mut self.turn {
                turn.cancelled = true;
            }
            self.transcript.stop();
            let line = rpc::notification("session/cancel", &json!({ "sessionId": self.session_id }));
            self.outputs.push_back(Output::Write(line));
            self.cancel_asks();
        }
        self.reply(request, Ok(Reply::Done));
    }

    /// Returns messages that the agent has not accepted into the turn yet.
    fn end_steering(&mut self) {
        for purpose in self.pending.values_mut() {
            if let Purpose::Steer { request, .. } = purpose {
                self.outputs.push_back(Output::Reply(*request, Err(AgentError::Busy)));
                *purpose = Purpose::Ignored;
            }
        }
    }

    fn answer(&mut self, open: &OpenAsk, answer: &Answer) {
        self.outputs.push_back(Output::Write(rpc::response(&open.request, &open.result(answer))));
        let is_declined = open.ask.is_declined_by(answer);
        if let Some(turn) = &mut self.turn {
            turn.declined |= is_declined;
        }
        // Only a permission decides about its call.
        if open.is_permission() {
            let approved = matches!(answer, Answer::Choose(_)) && !is_declined;
            self.transcript.answered(&open.call, approved);
        }
        self.deliver();
    }

    /// Answers every open request of the agent as cancelled.
    fn cancel_asks(&mut self) {
        for open in self.asks.close_all() {
            self.answer(&open, &Answer::Cancel);
            self.emit(AgentEvent::AskClosed { ask_id: open.ask.id });
        }
    }
}

/// Messages of the agent.
impl Connection {
    fn incoming(&mut self, incoming: Incoming) {
        match incoming {
            Incoming::Request { id, method, params } => self.agent_request(id, &method, params),
            Incoming::Notification { method, params } => self.notification(&method, params),
            Incoming::Response { id, result } => self.response(id, result),
            Incoming::ForeignResponse => {}
            Incoming::ErrorWithoutId(error) => self.error_without_id(error),
            Incoming::Unreadable => self.emit(AgentEvent::UnreadableLine),
        }
    }

    /// Fails the request that the agent most likely could not read: the prompt, else the oldest one.
    fn error_without_id(&mut self, error: RpcError) {
        let is_prompt = |purpose: &Purpose| matches!(purpose, Purpose::Prompt);
        let prompt = self.pending.iter().find(|(_, purpose)| is_prompt(purpose)).map(|(id, _)| *id);
        match prompt.or_else(|| self.pending.keys().next().copied()) {
            Some(id) => self.response(id, Err(error)),
            None => {
                let level = NoticeLevel::Warning;
                self.emit(AgentEvent::Session(Event::Notice { level, text: error.text() }));
            }
        }
    }

    fn agent_request(&mut self, id: Value, method: &str, params: Value) {
        // It would be echoed, and kept as long as the request is open.
        if rpc::is_too_long(&id) {
            let text = format!("The id is too long. The limit is {ID_BYTES} bytes.");
            return self.outputs.push_back(Output::Write(rpc::error(&Value::Null, INVALID_REQUEST, &text)));
        }
        let mut params = Object::of(params).unwrap_or_default();
        match method {
            "session/request_permission" => {
                let call = params.take("toolCall");
                let options = params.take("options");
                let mut session = params.text("sessionId");
                limit::shorten_id(&mut session);
                let owner = self.owner(&session);
                let namespace = if owner == Owner::Session { "" } else { &session };
                let step = match tool_update(call, namespace) {
                    Some(update) => self.transcript.ask(update, &session, owner),
                    None => {
                        self.transcript.question();
                        Default::default()
                    }
                };
                let ask = self.asks.permission(id, options, step);
                self.open_ask(ask);
            }
            "elicitation/create" => {
                self.transcript.question();
                let ask = self.asks.elicitation(id, &params.into_value());
                self.open_ask(ask);
            }
            // A notification with an id.
            "session/update" | "elicitation/complete" | "$/cancel_request" => {
                self.notification(method, params.into_value());
                self.outputs.push_back(Output::Write(rpc::response(&id, &Value::Null)));
            }
            // We offer neither files nor terminals, whatever an agent tries.
            _ => {
                let mut method = method.to_owned();
                limit::shorten(&mut method, NAME_BYTES);
                let text = format!("Pilothouse has no method {method}.");
                self.outputs.push_back(Output::Write(rpc::error(&id, METHOD_NOT_FOUND, &text)));
            }
        }
    }

    /// A request while a stop is in progress is cancelled at once: the user does not want to go on. So is one too many.
    fn open_ask(&mut self, ask: Ask) {
        self.deliver();
        if self.asks.len() <= 1 {
            self.too_many_asks = false;
        }
        let is_too_many = self.asks.len() > OPEN_ASKS;
        if is_too_many && !std::mem::replace(&mut self.too_many_asks, true) {
            let text = Ask::TOO_MANY.to_owned();
            self.emit(AgentEvent::Session(Event::Notice { level: NoticeLevel::Warning, text }));
        }
        if self.transcript.is_stopping() || is_too_many {
            if let Some(open) = self.asks.close(&ask.id) {
                self.answer(&open, &Answer::Cancel);
            }
            return;
        }
        self.emit(AgentEvent::AskOpened(Box::new(ask)));
    }

    fn notification(&mut self, method: &str, params: Value) {
        let mut params = Object::of(params).unwrap_or_default();
        match method {
            "session/update" => {
                let mut session = params.text("sessionId");
                limit::shorten_id(&mut session);
                let update = params.take("update");
                let muted = self.is_replay_muted();
                match self.owner(&session) {
                    Owner::Session => self.session_update(update, muted),
                    _ if muted => {}
                    Owner::Subagent => self.subagent_update(&session, update),
                    Owner::Other => {
                        self.raw(OTHER_SESSION, json!({"sessionId": session, "update": update}));
                    }
                }
            }
            "elicitation/complete" => {
                if let Some(open) = self.asks.close_elicitation(params.text("elicitationId")) {
                    self.answer(&open, &Answer::Confirm(true));
                    self.emit(AgentEvent::AskClosed { ask_id: open.ask.id });
                }
            }
            "$/cancel_request" => {
                if let Some(open) = self.asks.close_request(&params.take("requestId")) {
                    let line = rpc::error(&open.request, REQUEST_CANCELLED, "Request cancelled");
                    self.outputs.push_back(Output::Write(line));
                    self.transcript.withdrawn(&open.call);
                    self.emit(AgentEvent::AskClosed { ask_id: open.ask.id });
                }
            }
            "_auth/status_update" => {}
            other => self.raw(other, params.into_value()),
        }
    }

    /// Whether updates are a replay of a conversation that is recorded here already.
    fn is_replay_muted(&self) -> bool {
        let is_loading = || self.pending.values().any(|purpose| matches!(purpose, Purpose::LoadSession));
        !self.opening.is_import() && (self.phase == Phase::Replaying || is_loading())
    }

    fn owner(&self, session: &str) -> Owner {
        // An agent may write before it tells the id of a new session.
        let is_new = self.session_id.is_empty() && session != self.lost_session;
        if session.is_empty() || session == self.session_id || is_new {
            Owner::Session
        } else if self.transcript.has_subagent(session) {
            Owner::Subagent
        } else {
            Owner::Other
        }
    }

    /// Applies an update. `muted` updates are part of a replay; only the state of the session is read from them.
    fn session_update(&mut self, update: Value, muted: bool) {
        let mut update = Object::of(update).unwrap_or_default();
        let kind = update.text("sessionUpdate");
        match kind.as_str() {
            "user_message_chunk"
            | "agent_message_chunk"
            | "agent_thought_chunk"
            | "tool_call"
            | "tool_call_update"
            | "notice"
            | "compaction_update"
            | "compaction_summary_chunk"
            | "subagent_update"
                if muted => {}
            "agent_message_chunk" => self.chunk(TextKind::Text, update),
            "agent_thought_chunk" => self.chunk(TextKind::Thinking, update),
            "user_message_chunk" => {
                // An echo of our own prompt is shown already.
                if self.turn.is_none() {
                    let id = bounded_id(&mut update, "messageId");
                    for part in self.read_content(update.take("content")) {
                        self.transcript.replayed_user_chunk(id.clone(), part);
                    }
                }
            }
            "tool_call" | "tool_call_update" => match tool_update(update.into_value(), "") {
                Some(update) => self.transcript.call(update, kind == "tool_call", ""),
                None => self.emit(AgentEvent::UnreadableLine),
            },
            "plan" => {
                let steps = plan::steps(&update.into_value()).unwrap_or_default();
                self.transcript.plan(steps);
            }
            "available_commands_update" => self.read_commands(update.take("availableCommands")),
            "current_mode_update" => {
                self.settings.set_mode(update.text("currentModeId"));
                self.emit_settings();
            }
            "config_option_update" => {
                self.settings.read_options(update.take("configOptions"));
                self.emit_settings();
            }
            "session_info_update" => self.session_info(update),
            "usage_update" => self.usage(update),
            "notice" => self.notice(update),
            "compaction_update" => self.compaction(update),
            "compaction_summary_chunk" => {
                let text = content::text(update.take("content"));
                let id = bounded_id(&mut update, "compactionId").unwrap_or_default();
                self.transcript.compaction_chunk(&id, &text);
            }
            "subagent_update" => self.subagent_state(update, ""),
            _ => self.raw(&format!("session/update:{kind}"), update.into_value()),
        }
    }

    fn chunk(&mut self, kind: TextKind, mut update: Object) {
        let mut meta = update.object("_meta");
        let usage = meta.object("usage");
        if let Some(tokens) = turn::chunk_tokens(&usage).filter(|_| !self.has_usage) {
            self.emit_usage(ContextUsage { tokens: Some(tokens), ..ContextUsage::default() });
        }
        let is_warning = meta.object("claudeCode").text("kind") == "informational";
        let id = bounded_id(&mut update, "messageId");
        for part in self.read_content(update.take("content")) {
            self.transcript.chunk(kind, id.clone(), part, is_warning);
        }
    }

    /// Reads the content of a message. Blocks of an unknown kind are kept as they are, too.
    fn read_content(&mut self, content: Value) -> Vec<Part> {
        let blocks = content::read(content);
        for block in blocks.unknown {
            self.raw("content", block);
        }
        if blocks.is_unreadable {
            self.emit(AgentEvent::UnreadableLine);
        }
        blocks.parts
    }

    fn notice(&mut self, mut update: Object) {
        let text = update.optional_text("description").unwrap_or_else(|| update.text("message"));
        let text = [update.text("title"), text];
        let text = text.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(": ");
        let level = match update.text("severity").as_str() {
            "error" => NoticeLevel::Error,
            "warning" => NoticeLevel::Warning,
            _ => NoticeLevel::Info,
        };
        self.emit(AgentEvent::Session(Event::Notice { level, text }));
    }

    /// Applies the state of a sub-agent. `parent` is the session of the sub-agent that started it.
    fn subagent_state(&mut self, mut update: Object, parent: &str) {
        let mut session = update.text("sessionId");
        limit::shorten_id(&mut session);
        if session.is_empty() || session == self.session_id {
            return;
        }
        let state = match update.object("state").text("state").as_str() {
            "" => None,
            "idle" => Some(SubagentState::Idle),
            _ => Some(SubagentState::Working),
        };
        let (title, description) = (update.optional_text("title"), update.optional_text("description"));
        self.transcript.subagent(&session, SubagentUpdate { title, description, state }, parent);
    }

    /// An update of a sub-agent: its calls are nested rows, its text is the output of its own row.
    fn subagent_update(&mut self, session: &str, update: Value) {
        let mut update = Object::of(update).unwrap_or_default();
        let kind = update.text("sessionUpdate");
        match kind.as_str() {
            "agent_message_chunk" => {
                for part in self.read_content(update.take("content")) {
                    self.transcript.subagent_content(session, part);
                }
            }
            "tool_call" | "tool_call_update" => match tool_update(update.into_value(), session) {
                Some(update) => self.transcript.subagent_tool_call(session, update, kind == "tool_call"),
                None => self.emit(AgentEvent::UnreadableLine),
            },
            "subagent_update" => self.subagent_state(update, session),
            "notice" => self.notice(update),
            // The page has no place for the thoughts, the plan and the settings of a sub-agent.
            "agent_thought_chunk"
            | "user_message_chunk"
            | "plan"
            | "available_commands_update"
            | "current_mode_update"
            | "config_option_update"
            | "session_info_update"
            | "usage_update"
            | "compaction_update"
            | "compaction_summary_chunk" => {}
            _ => self.raw(&format!("session/update:{kind}"), update.into_value()),
        }
    }

    fn read_commands(&mut self, list: Value) {
        let Value::Array(list) = list else { return };
        let command = |mut command: Object| AgentCommand {
            name: command.text("name"),
            description: command.text("description"),
            source: String::new(),
        };
        self.commands = list.into_iter().filter_map(Object::of).map(command).collect();
        cut_commands(&mut self.commands);
        let has_commands = !self.commands.is_empty();
        if self.capabilities.commands != has_commands {
            self.capabilities.commands = has_commands;
            self.emit_capabilities();
        }
    }

    fn session_info(&mut self, mut update: Object) {
        if update.object("_meta").object("codex").object("threadStatus").text("type") == "systemError"
            && let Some(turn) = &mut self.turn
        {
            turn.system_error = true;
        }
        if let Some(title) = update.optional_text("title").filter(|title| !title.trim().is_empty()) {
            self.emit(AgentEvent::Session(Event::TitleChanged { title }));
        }
    }

    fn usage(&mut self, mut update: Object) {
        let (used, size) = (update.optional_number("used"), update.number("size"));
        let mut cost = update.object("cost");
        let currency = cost.text("currency");
        let currency = if currency == "USD" { String::new() } else { currency };
        let cost = cost.take("amount").as_f64();
        self.has_usage = true;
        self.emit_usage(ContextUsage {
            tokens: used,
            context_window: size,
            cost,
            currency,
            ..ContextUsage::default()
        });
    }

    #[allow(clippy::cast_precision_loss, reason = "a percentage")]
    fn emit_usage(&mut self, mut usage: ContextUsage) {
        let tokens = usage.tokens.filter(|_| usage.context_window > 0);
        usage.percent = tokens.map(|tokens| tokens as f64 * 100.0 / usage.context_window as f64);
        self.emit(AgentEvent::Session(Event::ContextUsage { usage }));
    }

    fn compaction(&mut self, mut update: Object) {
        let id = bounded_id(&mut update, "compactionId").unwrap_or_default();
        match update.text("status").as_str() {
            "completed" => {
                let summary = content::text(update.take("summary"));
                self.transcript.compaction_done(&id, Some(summary));
            }
            "failed" | "cancelled" => self.transcript.compaction_failed(&id, update.optional_text("error")),
            _ => self.transcript.compaction_started(id),
        }
    }

    fn response(&mut self, id: u64, result: Result<Value, RpcError>) {
        let Some(purpose) = self.pending.remove(&id) else { return };
        match (purpose, result) {
            (Purpose::Initialize, Ok(result)) => self.initialized(result),
            (Purpose::Initialize, Err(error)) => self.fail_to_open(error.text()),
            (Purpose::NewSession | Purpose::ResumeSession, Ok(result)) => {
                self.session_opened(result, Phase::Ready);
            }
            (Purpose::LoadSession, Ok(result)) => self.session_opened(result, Phase::Replaying),
            (Purpose::NewSession, Err(error)) if error.is_login_required() => {
                self.login_required(error.text())
            }
            (Purpose::NewSession, Err(error)) => self.fail_to_open(error.text()),
            (Purpose::ResumeSession, Err(error)) => self.not_continued(&error, true),
            (Purpose::LoadSession, Err(error)) => self.not_continued(&error, false),
            (Purpose::LogIn(request), Ok(_)) => {
                self.reply(request, Ok(Reply::Done));
                if self.phase == Phase::LoginRequired {
                    self.open_session();
                } else {
                    self.emit(AgentEvent::Session(Event::LoginChanged { login: None }));
                }
            }
            (Purpose::Prompt, result) => self.turn_ended(result),
            (Purpose::Steer { request, content }, Ok(result)) => {
                let outcome = result.get("outcome").and_then(Value::as_str);
                if outcome == Some("injected") {
                    self.transcript.user_message(content);
                    self.deliver();
                    self.reply(request, Ok(Reply::Prompt(Disposition::Queued)));
                } else {
                    self.reply(request, Err(AgentError::Busy));
                }
            }
            (Purpose::Change { request, change }, Ok(result)) => {
                self.settings.changed(&change, &mut Object::of(result).unwrap_or_default());
                match request {
                    Some(request) => {
                        self.emit_settings();
                        self.reply(request, Ok(Reply::Done));
                    }
                    None => self.ready(),
                }
            }
            (Purpose::Change { request: None, .. }, Err(_)) => self.ready(),
            (Purpose::Sessions(request), Ok(result)) => {
                self.reply(request, Ok(Reply::Sessions(sessions(result))));
            }
            (Purpose::Plain(request), Ok(_)) => self.reply(request, Ok(Reply::Done)),
            // A message that cannot be injected now is sent after the turn.
            (Purpose::Steer { request, .. }, Err(_)) => self.reply(request, Err(AgentError::Busy)),
            (
                Purpose::LogIn(request)
                | Purpose::Change { request: Some(request), .. }
                | Purpose::Sessions(request)
                | Purpose::Plain(request),
                Err(error),
            ) => self.reply(request, Err(AgentError::Refused(error.text()))),
            (Purpose::Ignored, _) => {}
        }
    }

    /// Handles the answer to a prompt, which ends the turn.
    fn turn_ended(&mut self, result: Result<Value, RpcError>) {
        let turn = self.turn.take().unwrap_or_default();
        for open in self.asks.close_all() {
            // Nothing waits for the answer any more, but every request gets exactly one.
            self.answer(&open, &Answer::Cancel);
            self.emit(AgentEvent::AskClosed { ask_id: open.ask.id });
        }
        let end = match result {
            _ if turn.cancelled => TurnEnd::Aborted,
            Err(error) => {
                if error.is_login_required() {
                    self.login_shown = true;
                    let login = self.opening.login(error.text());
                    self.emit(AgentEvent::Session(Event::LoginChanged { login: Some(login) }));
                }
                TurnEnd::Failed(error.text())
            }
            Ok(result) => {
                if std::mem::take(&mut self.login_shown) {
                    self.emit(AgentEvent::Session(Event::LoginChanged { login: None }));
                }
                if let Some(tokens) = turn::tokens(&result).filter(|_| !self.has_usage) {
                    self.emit_usage(ContextUsage { tokens: Some(tokens), ..ContextUsage::default() });
                }
                turn.end(&result, self.transcript.last_text())
            }
        };
        self.transcript.end_turn(end);
        self.deliver();
    }
}

/// Outputs.
impl Connection {
    /// Emits the events of the conversation, in order with everything else.
    fn deliver(&mut self) {
        for event in self.transcript.take_events() {
            self.outputs.push_back(Output::Event(AgentEvent::Session(event)));
        }
    }

    fn emit_settings(&mut self) {
        let capabilities = Capabilities {
            models: !self.settings.models().is_empty(),
            modes: self.settings.modes(),
            thinking_levels: self.settings.thinking_levels(),
            ..self.capabilities.clone()
        };
        if self.capabilities != capabilities {
            self.capabilities = capabilities;
            self.emit_capabilities();
        }
        self.emit(AgentEvent::Settings(Settings {
            model: self.settings.model(),
            thinking_level: self.settings.thinking_level(),
            mode: self.settings.mode().to_owned(),
            session_file: None,
        }));
        let options = self.settings.others();
        self.emit(AgentEvent::Session(Event::OptionsChanged { options }));
    }

    fn emit_capabilities(&mut self) {
        let capabilities = self.capabilities.clone();
        self.emit(AgentEvent::Session(Event::CapabilitiesChanged { capabilities }));
    }

    /// Keeps something unknown as it is; replaces the data of a large one by its size.
    fn raw(&mut self, name: &str, data: Value) {
        let length = data.to_string().len();
        let data = if length <= RAW_EVENT_BYTES { data } else { json!({ "bytes": length }) };
        self.emit(AgentEvent::Session(Event::Raw { name: name.to_owned(), data }));
    }

    fn send(&mut self, method: &str, params: &Value, purpose: Purpose) {
        self.last_id += 1;
        self.outputs.push_back(Output::Write(rpc::request(self.last_id, method, params)));
        self.pending.insert(self.last_id, purpose);
    }

    /// Emits an event after those of the conversation so far.
    fn emit(&mut self, event: AgentEvent) {
        self.deliver();
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
            Self::LogIn(request)
            | Self::Steer { request, .. }
            | Self::Sessions(request)
            | Self::Plain(request) => Some(*request),
            Self::Change { request, .. } => *request,
            Self::Initialize
            | Self::NewSession
            | Self::LoadSession
            | Self::ResumeSession
            | Self::Prompt
            | Self::Ignored => None,
        }
    }
}

fn bounded_id(update: &mut Object, key: &str) -> Option<String> {
    let mut id = update.optional_text(key);
    id.iter_mut().for_each(limit::shorten_id);
    id
}

/// Reads a tool call or an update of one. A missing id is read as an empty one. `session` is that of a sub-agent, whose
/// ids may equal those of other agents.
fn tool_update(mut value: Value, session: &str) -> Option<ToolCallUpdate> {
    let object = value.as_object_mut()?;
    let mut id = call_id(object.get("toolCallId"));
    if !session.is_empty() && !id.is_empty() {
        id = format!("{session}/{id}");
    }
    object.insert("toolCallId".to_owned(), id.into());
    if let Some(content) = object.get_mut("content") {
        *content = content::tool_content(content.take());
    }
    serde_json::from_value(value).ok()
}

/// Reads the answer to `session/list`.
fn sessions(result: Value) -> AgentSessions {
    let mut result = Object::of(result).unwrap_or_default();
    let list = match result.take("sessions") {
        Value::Array(list) => list,
        _ => Vec::new(),
    };
    let session = |mut session: Object| {
        Some(AgentSession {
            id: session.optional_text("sessionId").filter(|id| !id.is_empty())?,
            cwd: session.text("cwd"),
            title: session.text("title"),
            modified: session.optional_text("updatedAt").and_then(|time| timestamp::parse_unix_ms(&time)),
        })
    };
    let mut sessions: Vec<AgentSession> =
        list.into_iter().take(LISTED_SESSIONS).filter_map(Object::of).filter_map(session).collect();
    // A session whose id or folder is shortened could not be opened.
    sessions.retain(|session| session.id.len() <= ID_BYTES && session.cwd.len() <= LINE_BYTES);
    sessions.iter_mut().for_each(|session| limit::shorten(&mut session.title, TITLE_BYTES));
    AgentSessions {
        sessions,
        next_cursor: result.optional_text("nextCursor").filter(|cursor| cursor.len() <= LINE_BYTES),
    }
}

#[cfg(test)]
#[path = "connection_tests.rs"]
mod tests;
