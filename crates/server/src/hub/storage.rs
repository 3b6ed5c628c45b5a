//! Whether the server can write to disk: clients show a banner while it cannot.

use std::sync::Arc;

use pilothouse_core::protocol::ServerFrame;

use super::{Hub, HubState, broadcast};

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

    /// Reports whether a conversation could be recorded.
    pub fn set_recording_problem(&self, problem: Option<String>) {
        let mut state = self.state();
        if state.recording_problem != problem {
            state.recording_problem = problem;
            broadcast_problem(&mut state);
        }
    }
}

fn broadcast_problem(state: &mut HubState) {
    let problem = state.storage_problem.clone().or_else(|| state.recording_problem.clone());
    broadcast(state, &ServerFrame::StorageChanged { problem });
}
