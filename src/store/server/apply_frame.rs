//! Applies server frames to the state, and returns what the caller has to do in addition.

use leptos::prelude::*;
use pilothouse_core::protocol::{CommandError, ServerFrame};

use super::{Loading, ServerState, sessions};

/// What the caller has to do after a frame was applied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FrameEffect {
    #[default]
    Nothing,
    /// Events of this session are missing: it must be reopened.
    Gap(String),
    /// A snapshot has replaced the content of this session.
    Replaced(String),
    /// These sessions were removed.
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
        ServerFrame::AgentsChanged { agents, available } => {
            server.agents.set(agents);
            server.available.set(available);
            FrameEffect::Nothing
        }
        ServerFrame::StorageChanged { problem, notice } => {
            server.set_storage(problem, notice);
            FrameEffect::Nothing
        }
        ServerFrame::DevicesChanged {} => {
            server.devices_changed.notify();
            FrameEffect::Nothing
        }
        ServerFrame::SessionsChanged { changed, removed } => {
            for session in removed.iter().filter_map(|id| server.opened(id)) {
                session.loading.set(Loading::Missing(CommandError::no_such_session()));
            }
            let mut list = server.sessions().get_untracked();
            sessions::merge(&mut list, changed, &removed);
            server.set_sessions(list);
            if removed.is_empty() { FrameEffect::Nothing } else { FrameEffect::Removed(removed) }
        }
        // The connection handles these.
        ServerFrame::Welcome(_) | ServerFrame::Response { .. } => FrameEffect::Nothing,
    }
}
