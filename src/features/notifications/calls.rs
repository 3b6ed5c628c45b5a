//! What calls for somebody: a session that waits, failed or is done. Pure: the list before and after tell it.

use std::collections::HashMap;

use pilothouse_core::SessionState;
use pilothouse_core::protocol::SessionSummary;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub session_id: String,
    pub title: String,
    pub words: &'static str,
}

/// The states as they were when they were looked at last.
pub type States = HashMap<String, SessionState>;

/// What has come to need somebody since then. Sessions that were not known before call nobody.
pub fn calls(before: &mut States, sessions: &[SessionSummary]) -> Vec<Call> {
    let mut calls = Vec::new();
    for session in sessions {
        let was = before.insert(session.id.clone(), session.state);
        let Some(was) = was.filter(|was| *was != session.state) else { continue };
        let words = match session.state {
            SessionState::WaitingApproval => "Waits for your approval",
            SessionState::WaitingInput => "Has a question",
            SessionState::Completed if was.is_active() => "Is done",
            SessionState::Error if was.is_active() => "Failed",
            _ => continue,
        };
        calls.push(Call { session_id: session.id.clone(), title: session.title.clone(), words });
    }
    before.retain(|id, _| sessions.iter().any(|session| session.id == *id));
    calls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_or_waits_calls_once_and_what_was_so_before_does_not() {
        let list = |state| vec![SessionSummary { id: "s".into(), state, ..SessionSummary::default() }];
        let mut before = States::new();
        let mut told = |state| calls(&mut before, &list(state)).into_iter().map(|call| call.words).next();
        assert_eq!(told(SessionState::Completed), None);
        assert_eq!(told(SessionState::Streaming), None);
        assert_eq!(told(SessionState::WaitingApproval), Some("Waits for your approval"));
        assert_eq!(told(SessionState::WaitingApproval), None);
        assert_eq!(told(SessionState::Streaming), None);
        assert_eq!(told(SessionState::Error), Some("Failed"));
        assert_eq!(told(SessionState::Completed), None, "nothing has run since");
    }
}
