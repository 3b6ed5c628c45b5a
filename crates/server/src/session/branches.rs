//! The branches of the session's file besides the one that is shown: which there are, and the rows of one of them.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use pilothouse_core::protocol::event::Event;
use pilothouse_core::protocol::{BranchPage, Branches, CommandError, ErrorCode, SessionReply};
use tokio::task::spawn_blocking;

use super::{Session, SessionOrigin, probes, recovery};
use crate::agent::catalogue::SessionStart;
use crate::client::Responder;
use crate::history::HistoryFile;
use crate::store::Store;

/// What is known about the branches.
#[derive(Debug, Default)]
pub(super) struct SessionBranches {
    /// `HistoryFile::detours` when the branches were last listed.
    listed_at: u64,
    /// The branch that was read last, with its leaf: its older rows are read next.
    open: Arc<Mutex<Option<(String, HistoryFile)>>>,
}

impl SessionBranches {
    /// The conversation in this file is shown, with its branches.
    pub(super) fn shown(&mut self, history: Option<&HistoryFile>) {
        self.listed_at = history.map_or(0, HistoryFile::detours);
    }
}

impl Session {
    /// Publishes the branches if the file has got others while the shown conversation stayed the same.
    pub(super) async fn update_branches(&mut self) {
        let Some(history) = self.file.history().filter(|_| self.recorder.is_none()) else { return };
        let detours = history.run(|history| history.detours()).await.unwrap_or_default();
        if detours == self.branches.listed_at {
            return;
        }
        self.branches.listed_at = detours;
        // The file is read again, because the rows in it are counted without those that were added since it was opened.
        let (origin, store) = (self.origin.clone(), self.hub.store().clone());
        let _ = store.flush().result().await;
        let read = spawn_blocking(move || Some(recovery::read_open_session(&origin, &store)?.branches()));
        if let Some(branches) = read.await.ok().flatten()
            && self.log.meta().branches != branches
        {
            self.publish(Event::BranchesChanged { branches });
        }
    }

    /// The last entry of the shown conversation.
    pub(super) async fn last_shown_entry(&self) -> Option<String> {
        self.file.history()?.run(|history| history.last_entry_id()).await.flatten()
    }

    /// Tells the clients if the conversation that was shown before, up to this entry and to the last message of our own
    /// process, is on another branch now. Returns whether it is. The file may contain a message that our process has
    /// reported, but that was not read from it before another program continued elsewhere.
    pub(super) async fn announce_left_branch(&mut self, last_entry: Option<String>) -> bool {
        let Some(history) = self.file.history().cloned() else { return false };
        let own_message = self.file.last_own_time();
        let leaf = history.run(move |history| {
            let shown = last_entry.and_then(|entry| history.branch_with_entry(&entry));
            shown.or_else(|| history.branch_with_message(own_message?))
        });
        let leaf = leaf.await.flatten();
        let leaf = leaf.filter(|leaf| self.log.meta().branches.contains(leaf));
        let is_left = leaf.is_some();
        if let Some(leaf) = leaf {
            self.publish(Event::BranchLeft { leaf });
        }
        is_left
    }

    /// Replies with rows of another branch: up to `limit` before row `before`, else the newest.
    pub(super) fn branch_rows(
        &self,
        responder: Responder,
        leaf: String,
        (before, limit): (Option<usize>, usize),
    ) {
        let (origin, store) = (self.origin.clone(), self.hub.store().clone());
        let open = self.branches.open.clone();
        tokio::spawn(async move {
            let _ = store.flush().result().await;
            let page = spawn_blocking(move || {
                let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
                read_page(&mut open, (&origin, &store), leaf, (before, limit))
            });
            let page = page.await.ok().flatten().ok_or_else(probes::no_such_branch);
            responder.respond(page.map(SessionReply::Branch));
        });
    }

    /// Creates a session with the conversation of another branch. Nothing is written to the session's own file.
    pub(super) fn fork_branch(&self, responder: Responder, leaf: String) {
        if !self.log.meta().capabilities.fork {
            let text = "The agent can't continue a conversation in a new session.";
            return responder.respond(Err(CommandError::new(ErrorCode::AgentFailed, text)));
        }
        let origin = self.origin.clone();
        let version = self.hub.agent_version(&origin.agent.name);
        let launch = {
            let origin = origin.clone();
            move |copy: &Path| {
                let start = SessionStart {
                    session_id: &origin.id,
                    folder: &origin.cwd,
                    file: origin.file.as_deref(),
                    version: version.as_deref(),
                };
                let mark = format!("{}-{}", origin.mark, uuid::Uuid::now_v7().simple());
                origin.agent.launch_copy(start, copy, mark)
            }
        };
        probes::fork_branch(responder, self.hub.clone(), origin, leaf, launch);
    }
}

/// Reads a page of rows. The newest rows come with the branches, for which the file is read again.
fn read_page(
    open: &mut Option<(String, HistoryFile)>,
    (origin, store): (&SessionOrigin, &Store),
    leaf: String,
    (before, limit): (Option<usize>, usize),
) -> Option<BranchPage> {
    let known = open.take().filter(|(known, _)| *known == leaf && before.is_some());
    let known = known.filter(|(_, branch)| branch.rows(0, 0).is_some());
    let branch = match known {
        Some((_, branch)) => branch,
        None => recovery::read_branch(origin, store, &leaf)?,
    };
    let page = branch.rows(before.unwrap_or(usize::MAX), limit)?;
    let branches = if before.is_none() { branch.branches() } else { Branches::default() };
    let current = branch.is_current_branch();
    *open = Some((leaf, branch));
    Some(BranchPage { first: page.first, total: page.total, messages: page.messages, branches, current })
}
