//! Whether the server can write to disk: clients show a banner while it cannot.

use std::sync::Arc;

use pilothouse_core::protocol::ServerFrame;

use super::{Hub, broadcast};

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
                state.storage_problem.clone_from(&current);
                broadcast(&mut state, &ServerFrame::StorageChanged { problem: current });
            }
        });
    }
}
