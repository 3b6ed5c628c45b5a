//! A switch that stops one piece of work: a run, a tool, a shell command. Once thrown it stays thrown.

use std::sync::Arc;

use tokio::sync::watch;

#[derive(Clone, Debug)]
pub(crate) struct Cancel(Arc<watch::Sender<bool>>);

impl Cancel {
    pub(crate) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }

    pub(crate) fn cancel(&self) {
        self.0.send_replace(true);
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Returns when the switch is thrown, at once if it already was.
    pub(crate) async fn cancelled(&self) {
        let mut receiver = self.0.subscribe();
        // The sender lives in `self`, so the channel cannot close while we wait.
        let _ = receiver.wait_for(|thrown| *thrown).await;
    }
}
