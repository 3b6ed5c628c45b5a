//! The tasks of sessions: started on demand, ended with the server.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pilothouse_core::limits::SHUTDOWN_SECONDS;
use tokio::sync::{mpsc, oneshot};

use super::Hub;
use crate::agent::orphans;
use crate::session::{self, Input, SessionOrigin};

impl Hub {
    /// Sends an input to a session, which is opened if necessary. Returns the input if there is no such session.
    pub async fn send(self: &Arc<Self>, id: &str, input: Input) -> Result<(), Input> {
        let mut input = input;
        loop {
            let Some(inputs) = self.open(id).await else { return Err(input) };
            match inputs.send(input).await {
                Ok(()) => return Ok(()),
                // The task has just ended because it was unused: the next one gets the input.
                Err(mpsc::error::SendError(returned)) => {
                    input = returned;
                    self.forget_task(id, &inputs);
                }
            }
        }
    }

    async fn open(self: &Arc<Self>, id: &str) -> Option<mpsc::Sender<Input>> {
        let needs_file = {
            let state = self.state();
            let entry = state.sessions.get(id)?;
            if let Some(inputs) = entry.inputs.as_ref().filter(|inputs| !inputs.is_closed()) {
                return Some(inputs.clone());
            }
            if state.closing || entry.deleting {
                return None;
            }
            entry.file.is_none()
        };
        if needs_file {
            // It may have created its file since the list was read.
            self.refresh().await;
        }
        let mut state = self.state();
        if state.closing {
            return None;
        }
        let entry = state.sessions.get_mut(id).filter(|entry| !entry.deleting)?;
        let inputs = entry.inputs.get_or_insert_with(|| {
            let origin = SessionOrigin {
                id: id.to_owned(),
                agent: entry.agent.clone(),
                cwd: PathBuf::from(&entry.summary.cwd),
                file: entry.file.clone(),
                blobs: entry.blobs.clone(),
                mark: orphans::mark(&self.installation, id),
            };
            session::start(origin, self.clone())
        });
        Some(inputs.clone())
    }

    fn forget_task(&self, id: &str, ended: &mpsc::Sender<Input>) {
        let mut state = self.state();
        if let Some(entry) = state.sessions.get_mut(id)
            && entry.inputs.as_ref().is_some_and(|inputs| inputs.same_channel(ended))
        {
            entry.inputs = None;
        }
    }

    /// Ends all agents and waits for their end, then flushes the queued writes.
    pub async fn shut_down(&self) {
        let open: Vec<mpsc::Sender<Input>> = {
            let mut state = self.state();
            state.closing = true;
            state.sessions.values().filter_map(|entry| entry.inputs.clone()).collect()
        };
        let ending = async {
            let mut ending = Vec::new();
            for inputs in open {
                let (done, ended) = oneshot::channel();
                if inputs.send(Input::Shutdown { done }).await.is_ok() {
                    ending.push(ended);
                }
            }
            for ended in ending {
                let _ = ended.await;
            }
        };
        if tokio::time::timeout(Duration::from_secs(SHUTDOWN_SECONDS), ending).await.is_err() {
            tracing::warn!("some agents did not end in time");
        }
        let store = self.store.clone();
        let _ = tokio::task::spawn_blocking(move || store.close()).await;
    }
}
