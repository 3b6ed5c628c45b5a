//! Changes that a short-lived process of the agent makes: renaming a session that has no process, and forking.

use std::fs::File;
use std::io::{self, BufWriter};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pilothouse_agents::{Reply, Request};
use pilothouse_core::protocol::{CommandError, ErrorCode, Forked, SessionReply};

use super::{Input, SessionOrigin, recovery};
use crate::agent::probe;
use crate::agent::process::Launch;
use crate::client::Responder;
use crate::history::HistoryFile;
use crate::hub::Hub;

/// Renames the session, and reports the end of the probe to it.
pub(super) fn rename(
    responder: Responder,
    hub: Arc<Hub>,
    origin: SessionOrigin,
    launch: Launch,
    name: String,
) {
    tokio::spawn(async move {
        let renamed = probe::run(&origin.agent, &launch, Request::Rename { name: name.clone() }).await;
        let title = renamed.is_ok().then_some(name);
        let _ = hub.send(&origin.id, Input::ProbeEnded { title }).await;
        responder.respond(renamed.map(|_| SessionReply::Done).map_err(agent_failed));
    });
}

/// Forks the session before a user message, or after the last message. `is_exclusive` says whether the session waits for the end of the probe.
pub(super) fn fork(
    responder: Responder,
    hub: Arc<Hub>,
    origin: SessionOrigin,
    launch: Launch,
    (row, is_exclusive): (Option<usize>, bool),
) {
    tokio::spawn(async move {
        let forked = make_fork(&hub, &origin, &launch, row).await;
        if is_exclusive {
            let _ = hub.send(&origin.id, Input::ProbeEnded { title: None }).await;
        }
        responder.respond(forked.map(SessionReply::Forked));
    });
}

async fn make_fork(
    hub: &Arc<Hub>,
    origin: &SessionOrigin,
    launch: &Launch,
    row: Option<usize>,
) -> Result<Forked, CommandError> {
    let entry_id = match row {
        Some(row) => Some(entry_of(hub, origin, row).await?),
        None => None,
    };
    run_fork(hub, origin, launch, Request::Fork { entry_id }).await
}

/// Creates a session from another branch of the file. `launch` opens a copy of the branch, which is the path.
pub(super) fn fork_branch(
    responder: Responder,
    hub: Arc<Hub>,
    origin: SessionOrigin,
    leaf: String,
    launch: impl FnOnce(&Path) -> Launch + Send + 'static,
) {
    tokio::spawn(async move {
        responder.respond(make_branch_fork(&hub, &origin, leaf, launch).await.map(SessionReply::Forked));
    });
}

/// Agents copy only the branch that ends with the last entry of a file, so the agent gets a file with just this branch.
/// The session's own file is not opened for writing.
async fn make_branch_fork(
    hub: &Arc<Hub>,
    origin: &SessionOrigin,
    leaf: String,
    launch: impl FnOnce(&Path) -> Launch,
) -> Result<Forked, CommandError> {
    let (reading, store) = (origin.clone(), hub.store().clone());
    let _ = store.flush().result().await;
    let copied = tokio::task::spawn_blocking(move || {
        let branch = recovery::read_branch(&reading, &store, &leaf)?;
        Some(BranchCopy::of(&branch))
    });
    let copy = match copied.await.ok().flatten() {
        Some(Ok(copy)) => copy,
        Some(Err(error)) => {
            return Err(CommandError::new(
                ErrorCode::Internal,
                format!("Couldn't copy the branch: {error}."),
            ));
        }
        None => return Err(no_such_branch()),
    };
    let launch = launch(&copy.file);
    let forked = run_fork(hub, origin, &launch, Request::Fork { entry_id: None }).await;
    let _ = tokio::task::spawn_blocking(move || drop(copy)).await;
    forked
}

async fn run_fork(
    hub: &Arc<Hub>,
    origin: &SessionOrigin,
    launch: &Launch,
    request: Request,
) -> Result<Forked, CommandError> {
    let reply = probe::run(&origin.agent, launch, request).await.map_err(agent_failed)?;
    let Reply::Forked(forked) = reply else {
        return Err(agent_failed("The agent sent an invalid reply. Try again.".to_owned()));
    };
    hub.refresh().await;
    hub.add_session(&forked.session_id, &origin.agent.name, origin.cwd.clone()).await?;
    Ok(Forked { session_id: forked.session_id, text: forked.text })
}

/// The entry of a row, which is a message of the user.
async fn entry_of(hub: &Arc<Hub>, origin: &SessionOrigin, row: usize) -> Result<String, CommandError> {
    let (reading, store) = (origin.clone(), hub.store().clone());
    let _ = store.flush().result().await;
    let entry = tokio::task::spawn_blocking(move || {
        recovery::read_open_session(&reading, &store)?.entry_of_user_row(row)
    });
    let no_message = || CommandError::invalid("You can fork a session only from one of your own messages.");
    entry.await.ok().flatten().ok_or_else(no_message)
}

/// A file with one branch, in a folder of its own that only the user can enter. Both are deleted on drop.
struct BranchCopy {
    folder: PathBuf,
    file: PathBuf,
}

impl BranchCopy {
    fn of(branch: &HistoryFile) -> io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("pilothouse-branch-{}", uuid::Uuid::now_v7()));
        std::fs::DirBuilder::new().mode(0o700).create(&folder)?;
        let copy = Self { file: folder.join("branch.jsonl"), folder };
        branch.write_branch(&mut BufWriter::new(File::create_new(&copy.file)?))?;
        Ok(copy)
    }
}

impl Drop for BranchCopy {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.folder) {
            tracing::warn!(%error, "cannot delete the copy of a branch");
        }
    }
}

pub(super) fn no_such_branch() -> CommandError {
    CommandError::new(ErrorCode::Gone, "This branch is not in the session's file any more.")
}

fn agent_failed(message: String) -> CommandError {
    CommandError::new(ErrorCode::AgentFailed, message)
}
