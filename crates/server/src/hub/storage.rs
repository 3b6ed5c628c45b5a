//! Whether the server can write to disk: clients show a banner while it cannot.

use std::sync::Arc;

use pilothouse_core::protocol::ServerFrame;

use super::{Hub, HubState, broadcast};
use crate::devices::Devices;

impl Hub {
    /// Broadcasts storage problems and their end, as long as the hub exists.
    pub fn watch_storage(self: &Arc<Self>) {
        let mut problem = self.store.problem();
        let hub = Arc::downgrade(self);
        tokio::spawn(async move {
            while problem.changed().await.is_ok() {
                let Some(hub) = hub.upgrade() else { return };
                let current = problem.borrow_and_update().clone();
                let mut state = hub.state();
                state.storage_problem = current;
                broadcast_problem(&mut state);
            }
        });
    }

    /// Broadcasts that the list of devices changed, as long as the hub exists.
    pub fn watch_devices(self: &Arc<Self>, devices: &Devices) {
        let mut changed = devices.changed();
        let hub = Arc::downgrade(self);
        tokio::spawn(async move {
            while changed.changed().await.is_ok() {
                let Some(hub) = hub.upgrade() else { return };
                broadcast(&mut hub.state(), &ServerFrame::DevicesChanged {});
            }
        });
    }

    /// Reports whether the conversation of a session could be recorded.
    pub fn set_recording_problem(&self, session: &str, problem: Option<String>) {
        let mut state = self.state();
        let before = state.problem();
        match problem {
            Some(problem) => drop(state.recording_problems.insert(session.to_owned(), problem)),
            None => drop(state.recording_problems.remove(session)),
        }
        if state.problem() != before {
            broadcast_problem(&mut state);
        }
    }
}

impl HubState {
    /// The problem that clients show.
    pub(super) fn problem(&self) -> Option<String> {
        self.storage_problem.clone().or_else(|| self.recording_problems.values().next().cloned())
    }
}

fn broadcast_problem(state: &mut HubState) {
    let problem = state.problem();
    broadcast(state, &ServerFrame::StorageChanged { problem });
}
