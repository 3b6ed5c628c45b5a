//! Effects of the parts of a session. Parts decide and change only their own fields; the session's loop performs their
//! effects.

use pilothouse_agents::{Reply, Request};
use pilothouse_core::protocol::event::{Event, cut_commands, cut_models};
use pilothouse_core::protocol::{CommandError, SessionReply};

use crate::client::Responder;
use crate::store::Write;

/// Something that the session's loop does for one of its parts.
#[derive(Debug)]
pub(super) enum Effect {
    /// Numbers the event, folds it and broadcasts it.
    Publish(Event),
    /// Writes to disk without waiting for it.
    Persist(Write),
    /// Sends a request to the agent.
    Request(Request, Pending),
    Respond(Responder, Result<SessionReply, CommandError>),
}

impl Effect {
    /// Removes the writes from a list of effects and returns them in their order.
    pub(super) fn take_writes(effects: &mut Vec<Self>) -> Vec<Write> {
        let taken = effects.extract_if(.., |effect| matches!(effect, Self::Persist(_)));
        taken
            .filter_map(|effect| match effect {
                Self::Persist(write) => Some(write),
                _ => None,
            })
            .collect()
    }
}

/// The purpose of a request, kept until its reply arrives.
#[derive(Debug)]
pub(super) enum Pending {
    /// A prompt that starts a run, by its client id. Clients may wait for its acknowledgement.
    Prompt {
        client_id: String,
    },
    /// A scheduled message that was offered to the agent. It was acknowledged when it was scheduled.
    Offered {
        id: String,
    },
    QueueCleared,
    Shell {
        client_id: String,
    },
    Rename {
        responder: Responder,
        name: String,
    },
    /// A client that waits for the reply itself.
    Client(Responder),
    /// No client waits for the reply; a failure is logged.
    Ignored,
}

/// Translates the reply of an agent for the client that asked for it.
pub(super) fn session_reply(reply: Reply) -> SessionReply {
    match reply {
        Reply::Models(mut models) => {
            cut_models(&mut models);
            SessionReply::Models { models }
        }
        Reply::Commands(mut commands) => {
            cut_commands(&mut commands);
            SessionReply::Commands { commands }
        }
        Reply::Done
        | Reply::Prompt(_)
        | Reply::QueueCleared(_)
        | Reply::Shell(_)
        | Reply::Forked(_)
        | Reply::Sessions(_) => SessionReply::Done,
    }
}
