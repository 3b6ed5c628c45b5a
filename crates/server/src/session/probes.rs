//! Changes that a short-lived process of the agent makes: renaming a session that has no process, and forking.

use std::sync::Arc;

use pilothouse_agents::{Reply, Request};
use pilothouse_core::protocol::{CommandError, ErrorCode, Forked, SessionReply};

use super::{Input, SessionOrigin, recovery};
use crate::agent::probe;
use crate::agent::process::Launch;
use crate::client::Responder;
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
    let reply = probe::run(&origin.agent, launch, Request::Fork { entry_id }).await.map_err(agent_failed)?;
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

fn agent_failed(message: String) -> CommandError {
    CommandError::new(ErrorCode::AgentFailed, message)
}
