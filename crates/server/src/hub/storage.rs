//! Whether the server can write to disk: clients show a banner while it cannot.

use std::sync::Arc;

use pilothouse_core::protocol::{CommandError, ErrorCode, ServerFrame};

use super::{Hub, HubState, broadcast};
use crate::devices::Devices;
use crate::history::files::Rescan;
use crate::store::Write;

impl Hub {
    /// Broadcasts storage problems and their end, as long as the hub exists.
    pub fn watch_storage(self: &Arc<Self>) {
        let mut problem = self.store.problem();
        let hub = Arc::downgrade(self);
        tokio::spawn(async move {
            while problem.changed().await.is_ok() {
                let Some(hub) = hub.upgrade() else { return };
                let current = problem.borrow_and_update().clone();
                let is_over = current.is_none();
                {
                    let mut state = hub.state();
                    state.storage_problem = current;
                    // What still cannot be recorded is reported again when it is tried.
                    if is_over {
                        state.recording_problems.clear();
                    }
                    broadcast_storage(&mut state);
                }
                // Files below the data folder may have come back with it.
                if is_over {
                    let _ = tokio::task::spawn_blocking(move || hub.read_files(Rescan::All)).await;
                }
            }
        });
    }

    /// Forgets the notice about the storage, unless it is another one than the user has read.
    pub async fn dismiss_storage_notice(self: &Arc<Self>, notice: &str) -> Result<(), CommandError> {
        if self.state().storage_notice.as_deref() != Some(notice) {
            return Err(CommandError::new(ErrorCode::Gone, "This notice was dismissed already."));
        }
        let hub = self.clone();
        let on_commit = move || {
            let mut state = hub.state();
            state.storage_notice = None;
            broadcast_storage(&mut state);
        };
        Ok(self.store.write_then(vec![Write::DismissNotices], on_commit).result().await?)
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
            broadcast_storage(&mut state);
        }
    }
}

impl HubState {
    /// The problem that clients show.
    pub(super) fn problem(&self) -> Option<String> {
        self.storage_problem.clone().or_else(|| self.recording_problems.values().next().cloned())
    }
}

fn broadcast_storage(state: &mut HubState) {
    let (problem, notice) = (state.problem(), state.storage_notice.clone());
    broadcast(state, &ServerFrame::StorageChanged { problem, notice });
}
