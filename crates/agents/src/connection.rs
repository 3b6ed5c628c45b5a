//! One conversation with an agent process, whichever protocol it speaks.

use std::time::Duration;

use crate::acp;
use crate::event::AgentEvent;
use crate::framing::Line;
use crate::pi;
use crate::request::{AgentError, Reply, Request, RequestId, WantedSettings};

/// A connection without I/O. Feed it lines and requests, and poll it for outputs.
///
/// A protocol is added as a variant here and a folder beside `pi`.
#[derive(Debug)]
pub enum Connection {
    Pi(pi::Connection),
    Acp(Box<acp::Connection>),
}

/// The session that a process works in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Open {
    New {
        folder: String,
    },
    /// A session that the agent knows by this id.
    Stored {
        session_id: String,
        folder: String,
    },
    /// A session that only the agent knows: its conversation is reported as if it happened now.
    Import {
        session_id: String,
        folder: String,
    },
    /// No session: the process answers requests about the agent.
    Nothing,
}

/// An output of a connection. Outputs are ordered.
#[allow(clippy::large_enum_variant, reason = "most are events, and each is moved once")]
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// A line for the agent's standard input, with its line break.
    Write(String),
    Event(AgentEvent),
    Reply(RequestId, Result<Reply, AgentError>),
}

impl Connection {
    /// Begins the conversation. Call it once, before the first request.
    pub fn open(&mut self, session: Open) {
        match self {
            Self::Pi(connection) => connection.open(session),
            Self::Acp(connection) => connection.open(session),
        }
    }

    /// Sends a request. [`Connection::poll`] returns its reply exactly once.
    pub fn request(&mut self, id: RequestId, request: Request) {
        match self {
            Self::Pi(connection) => connection.request(id, request),
            Self::Acp(connection) => connection.request(id, request),
        }
    }

    /// Processes one line of the agent's output.
    pub fn receive(&mut self, line: Line) {
        match self {
            Self::Pi(connection) => connection.receive(line),
            Self::Acp(connection) => connection.receive(line),
        }
    }

    /// The process has ended: every pending request fails.
    pub fn closed(&mut self) {
        match self {
            Self::Pi(connection) => connection.closed(),
            Self::Acp(connection) => connection.closed(),
        }
    }

    /// Whether any command still waits for its response.
    pub fn has_pending(&self) -> bool {
        match self {
            Self::Pi(connection) => connection.has_pending(),
            Self::Acp(connection) => connection.has_pending(),
        }
    }

    /// Sets the settings that the session is opened with. pi restores its own, except the mode, which it gets as a
    /// request.
    pub fn set_wanted(&mut self, wanted: WantedSettings) {
        match self {
            Self::Pi(_) => {}
            Self::Acp(connection) => connection.set_wanted(wanted),
        }
    }

    /// Ends the message in progress, so that a row which the session adds now follows it. pi ends its messages before
    /// it asks.
    pub fn end_message(&mut self) {
        match self {
            Self::Pi(_) => {}
            Self::Acp(connection) => connection.end_message(),
        }
    }

    /// Gives up opening the session: what waits for it fails with the reason.
    pub fn fail_to_open(&mut self, reason: String) {
        match self {
            Self::Pi(connection) => connection.fail_to_open(reason),
            Self::Acp(connection) => connection.fail_to_open(reason),
        }
    }

    /// Closes the session before the process's input is closed.
    pub fn shut_down(&mut self) {
        match self {
            Self::Pi(_) => {}
            Self::Acp(connection) => connection.shut_down(),
        }
    }

    /// The time without output after which [`Connection::silence`] is due: some protocols do not say when a replay or
    /// work in the background ends.
    pub fn silence_timeout(&self) -> Option<Duration> {
        match self {
            Self::Pi(_) => None,
            Self::Acp(connection) => connection.silence_timeout(),
        }
    }

    /// The agent has been silent for [`Connection::silence_timeout`].
    pub fn silence(&mut self) {
        match self {
            Self::Pi(_) => {}
            Self::Acp(connection) => connection.silence(),
        }
    }

    /// Returns the next output, if there is one.
    pub fn poll(&mut self) -> Option<Output> {
        match self {
            Self::Pi(connection) => connection.poll(),
            Self::Acp(connection) => connection.poll(),
        }
    }
}
