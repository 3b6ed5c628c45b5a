//! The wait between a failed reply and the next attempt.

use std::{sync::Arc, time::Duration};

use super::{agent::Agent, cancel::Cancel, session_file::Body, wire::Event};

pub(crate) const MAX_ATTEMPTS: u32 = 3;
/// Doubles with every attempt, as pi's does.
const FIRST_DELAY: Duration = Duration::from_secs(2);

pub(crate) enum Waited {
    TryAgain,
    Cancelled,
}

/// Announces the retry, takes the failed message out of the context and waits.
pub(crate) async fn wait(
    agent: &Arc<Agent>,
    abort: &Cancel,
    attempt: u32,
    error: &str,
    failed_entry: &str,
) -> Waited {
    let delay = FIRST_DELAY * 2_u32.pow(attempt - 1);
    let scaled = agent.pace.scale(delay).unwrap_or_default();
    let give_up = Cancel::new();
    agent.with(|state| {
        agent.output.emit(&Event::AutoRetryStart {
            attempt,
            max_attempts: MAX_ATTEMPTS,
            delay_ms: u64::try_from(scaled.as_millis()).unwrap_or(u64::MAX),
            error_message: error,
        });
        let entry = state.session.append(&Body::ContextEdit { target_id: failed_entry, replacement: None });
        agent.output.emit(&Event::EntryAppended { entry: &entry });
        state.retry_wait = Some(give_up.clone());
    });
    let go_on = tokio::select! {
        go_on = agent.pace.wait(delay, abort) => go_on,
        () = give_up.cancelled() => false,
    };
    agent.with(|state| state.retry_wait = None);
    if go_on {
        return Waited::TryAgain;
    }
    agent.output.emit(&Event::AutoRetryEnd { success: false, attempt, final_error: Some("Retry cancelled") });
    Waited::Cancelled
}
