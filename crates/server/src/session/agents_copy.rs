//! The agent's copy of the queue, and where it stands. What may be sent, and what it is, only our own queue says.

use super::queue_changes::Change;

/// Where the agent's copy of the queue stands.
#[derive(Debug, Default)]
pub(super) struct AgentsCopy {
    /// Ids of the messages the agent holds.
    pub(super) given: Vec<String>,
    /// Ids of those it would not have: they are not offered again until they are changed, or to another process.
    pub(super) refused: Vec<String>,
    /// Its queue is to be cleared; these changes are made when that is done.
    pub(super) clearing: Option<Vec<Change>>,
    /// It was asked to clear it.
    pub(super) asked: bool,
    /// The run is to be aborted right behind that.
    pub(super) abort: bool,
    /// Who has which message in an editor: a page that goes away gives it back.
    pub(super) editors: Vec<(u64, String)>,
}

impl AgentsCopy {
    /// What it would not have before is offered again: another process, or another moment.
    pub(super) fn offer_again(&mut self) {
        self.refused.clear();
    }

    pub(super) fn holds_any(&self) -> bool {
        !self.given.is_empty()
    }

    pub(super) fn taken_up(&mut self, id: &str) {
        self.given.retain(|given| given != id);
    }

    /// The agent's process is gone, and its queue with it.
    pub(super) fn lost(&mut self) -> Vec<Change> {
        self.given.clear();
        self.refused.clear();
        self.abort = false;
        self.end_clearing()
    }

    pub(super) fn end_clearing(&mut self) -> Vec<Change> {
        self.asked = false;
        self.clearing.take().unwrap_or_default()
    }
}
