//! Frames into state. Only what has to be done beyond the state itself is handed back.

use leptos::prelude::*;
use pilothouse_core::protocol::{CommandError, ServerFrame};

use super::{Loading, ServerState, sessions};

/// What a frame calls for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Settled {
    #[default]
    Nothing,
    /// Events of this session are missing: it has to be opened anew.
    Gap(String),
    /// This session was replaced by a snapshot.
    Replaced(String),
    /// These sessions are gone.
    Removed(Vec<String>),
}

pub(super) fn apply(server: &ServerState, frame: ServerFrame) -> Settled {
    match frame {
        ServerFrame::Event { session_id, seq, event } => match server.opened(&session_id) {
            Some(session) if !session.apply_event(seq, event) => Settled::Gap(session_id),
            _ => Settled::Nothing,
        },
        ServerFrame::Snapshot(snapshot) => match server.opened(&snapshot.meta.session_id) {
            Some(session) => {
                session.apply_snapshot(*snapshot);
                Settled::Replaced(session.id())
            }
            None => Settled::Nothing,
        },
        ServerFrame::AgentsChanged { agents } => {
            server.agents.set(agents);
            Settled::Nothing
        }
        ServerFrame::StorageChanged { problem } => {
            server.storage_problem.set(problem);
            Settled::Nothing
        }
        ServerFrame::SessionsChanged { changed, removed } => {
            for session in removed.iter().filter_map(|id| server.opened(id)) {
                session.loading.set(Loading::Missing(CommandError::no_such_session()));
            }
            server.sessions.update(|list| sessions::patch(list, changed, &removed));
            if removed.is_empty() { Settled::Nothing } else { Settled::Removed(removed) }
        }
        // The link's own business.
        ServerFrame::Welcome(_) | ServerFrame::Response { .. } => Settled::Nothing,
    }
}
