//! Frames into state. Only what has to be done beyond the state itself is handed back.

use leptos::prelude::*;
use pilothouse_core::protocol::{CommandError, ServerFrame};

use super::{Loading, ServerState, sessions};

/// What a frame calls for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FrameEffect {
    #[default]
    Nothing,
    /// Events of this session are missing: it has to be opened anew.
    Gap(String),
    /// This session was replaced by a snapshot.
    Replaced(String),
    /// These sessions are gone.
    Removed(Vec<String>),
}

pub(super) fn apply(server: &ServerState, frame: ServerFrame) -> FrameEffect {
    match frame {
        ServerFrame::Event { session_id, seq, event } => match server.opened(&session_id) {
            Some(session) if !session.apply_event(seq, event) => FrameEffect::Gap(session_id),
            _ => FrameEffect::Nothing,
        },
        ServerFrame::Snapshot(snapshot) => match server.opened(&snapshot.meta.session_id) {
            Some(session) => {
                session.apply_snapshot(*snapshot);
                FrameEffect::Replaced(session.id())
            }
            None => FrameEffect::Nothing,
        },
        ServerFrame::AgentsChanged { agents } => {
            server.agents.set(agents);
            FrameEffect::Nothing
        }
        ServerFrame::StorageChanged { problem } => {
            server.storage_problem.set(problem);
            FrameEffect::Nothing
        }
        ServerFrame::SessionsChanged { changed, removed } => {
            for session in removed.iter().filter_map(|id| server.opened(id)) {
                session.loading.set(Loading::Missing(CommandError::no_such_session()));
            }
            server.sessions.update(|list| sessions::patch(list, changed, &removed));
            if removed.is_empty() { FrameEffect::Nothing } else { FrameEffect::Removed(removed) }
        }
        // The link's own business.
        ServerFrame::Welcome(_) | ServerFrame::Response { .. } => FrameEffect::Nothing,
    }
}
