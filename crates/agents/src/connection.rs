//! One conversation with an agent process, whichever protocol it speaks.

use crate::event::AgentEvent;
use crate::framing::Line;
use crate::pi;
use crate::request::{AgentError, Reply, Request, RequestId};

/// A connection without I/O. Feed it lines and requests, and poll it for outputs.
///
/// A protocol is added as a variant here and a folder beside `pi`.
#[derive(Debug)]
pub enum Connection {
    Pi(pi::Connection),
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
}

/// An output of a connection. Outputs are ordered.
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
        }
    }

    /// Sends a request. [`Connection::poll`] returns its reply exactly once.
    pub fn request(&mut self, id: RequestId, request: Request) {
        match self {
            Self::Pi(connection) => connection.request(id, request),
        }
    }

    /// Processes one line of the agent's output.
    pub fn receive(&mut self, line: Line) {
        match self {
            Self::Pi(connection) => connection.receive(line),
        }
    }

    /// The process has ended: every pending request fails.
    pub fn closed(&mut self) {
        match self {
            Self::Pi(connection) => connection.closed(),
        }
    }

    /// Whether any command still waits for its response.
    pub fn has_pending(&self) -> bool {
        match self {
            Self::Pi(connection) => connection.has_pending(),
        }
    }

    /// Returns the next output, if there is one.
    pub fn poll(&mut self) -> Option<Output> {
        match self {
            Self::Pi(connection) => connection.poll(),
        }
    }
}
