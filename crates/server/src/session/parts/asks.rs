//! Open questions and approvals: opened by the agent, closed by the first answer, by expiry, by a stop, or by the end of
//! the process. Expiry never counts as approval.

use std::path::Path;
use std::time::Duration;

use pilothouse_core::SessionState;
use pilothouse_core::conversation::ask::{Answer, Ask, ClosedBy};
use pilothouse_core::protocol::{CommandError, ErrorCode};
use pilothouse_core::session::machine::StateEvent;
use tokio::time::Instant;

use crate::audit;

/// The questions that wait for an answer, oldest first.
#[derive(Debug, Default)]
pub(in crate::session) struct Asks {
    open: Vec<OpenAsk>,
}

#[derive(Debug)]
struct OpenAsk {
    ask: Ask,
    expires: Option<Instant>,
}

impl Asks {
    /// Adds a question. Returns it as clients see it. `folder` is the session's.
    pub(in crate::session) fn open(&mut self, mut ask: Ask, folder: &Path, now: Instant) -> Ask {
        ask.approval = ask.is_approval_request();
        ask.shown = audit::hash_of(&audit::displayed_text(&ask, folder));
        let expires = ask.timeout_ms.map(|milliseconds| now + Duration::from_millis(milliseconds));
        if !self.open.iter().any(|open| open.ask.id == ask.id) {
            self.open.push(OpenAsk { ask: ask.clone(), expires });
        }
        ask
    }

    /// Returns an error if the user has answered another question than the open one with this id.
    pub(in crate::session) fn check_shown(&self, ask_id: &str, shown: &str) -> Result<(), CommandError> {
        match self.asks().find(|ask| ask.id == ask_id) {
            Some(ask) if ask.shown != shown => {
                let text = "This is not the question that was displayed. Check it and answer again.";
                Err(CommandError::new(ErrorCode::Conflict, text))
            }
            _ => Ok(()),
        }
    }

    /// Returns the question that this answer belongs to. A late or unsuitable answer is refused.
    pub(in crate::session) fn answered(&self, ask_id: &str, answer: &Answer) -> Result<Ask, CommandError> {
        let Some(open) = self.open.iter().find(|open| open.ask.id == ask_id) else {
            return Err(CommandError::new(
                ErrorCode::Gone,
                "This question is closed. It was answered, it expired, or the run was stopped.",
            ));
        };
        if !open.ask.accepts(answer) {
            return Err(CommandError::invalid("This answer doesn't fit the question."));
        }
        Ok(open.ask.clone())
    }

    /// The open questions except this one, to be stored before it is closed.
    pub(in crate::session) fn without(&self, ask_id: &str) -> Vec<Ask> {
        self.asks().filter(|ask| ask.id != ask_id).cloned().collect()
    }

    pub(in crate::session) fn close(&mut self, ask_id: &str) {
        self.open.retain(|open| open.ask.id != ask_id);
    }

    /// Closes all questions and returns them.
    pub(in crate::session) fn close_all(&mut self) -> Vec<Ask> {
        std::mem::take(&mut self.open).into_iter().map(|open| open.ask).collect()
    }

    pub(in crate::session) fn asks(&self) -> impl Iterator<Item = &Ask> {
        self.open.iter().map(|open| &open.ask)
    }

    pub(in crate::session) fn to_vec(&self) -> Vec<Ask> {
        self.asks().cloned().collect()
    }

    pub(in crate::session) fn next_deadline(&self) -> Option<Instant> {
        self.open.iter().filter_map(|open| open.expires).min()
    }

    /// The questions that have expired. The agent treats them as not answered and does not report that.
    pub(in crate::session) fn expired(&self, now: Instant) -> Vec<Ask> {
        let expired = self.open.iter().filter(|open| open.expires.is_some_and(|expires| expires <= now));
        expired.map(|open| open.ask.clone()).collect()
    }

    /// The step of the state machine for the oldest open question.
    pub(in crate::session) fn waiting_state(&self) -> Option<StateEvent> {
        self.asks().next().map(waiting_for)
    }
}

/// The step of the state machine for a question that was opened.
pub(in crate::session) const fn waiting_for(ask: &Ask) -> StateEvent {
    if ask.approval {
        StateEvent::AskApproval { partial: false }
    } else {
        StateEvent::AskFollowup { partial: false }
    }
}

/// The step of the state machine for a question that was closed.
pub(in crate::session) const fn after_closing(state: SessionState, by: ClosedBy) -> Option<StateEvent> {
    match (state, by) {
        (SessionState::WaitingApproval, ClosedBy::Answer) => Some(StateEvent::ApproveAction),
        (SessionState::WaitingApproval | SessionState::Creating, _) => Some(StateEvent::RejectAction),
        (SessionState::WaitingInput, _) => Some(StateEvent::SendMessage),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use pilothouse_core::conversation::ask::AskKind;

    use super::*;

    fn ask(id: &str, kind: AskKind, timeout_ms: Option<u64>) -> Ask {
        Ask { id: id.to_owned(), kind, title: "Well?".to_owned(), timeout_ms, ..Ask::default() }
    }

    #[test]
    fn the_first_answer_counts_and_a_late_one_is_refused() {
        let mut asks = Asks::default();
        asks.open(ask("q", AskKind::Confirm, None), Path::new("/p"), Instant::now());
        let answer = Answer::Confirm(true);
        assert_eq!(
            asks.answered("q", &Answer::Text("x".to_owned())).unwrap_err().code,
            ErrorCode::InvalidRequest
        );
        assert!(asks.answered("q", &answer).unwrap().approval, "a confirmation is an approval");
        asks.close("q");
        assert_eq!(asks.answered("q", &answer).unwrap_err().code, ErrorCode::Gone);
    }

    #[test]
    fn an_answer_to_another_question_with_the_same_id_is_refused() {
        let mut asks = Asks::default();
        let first = asks.open(ask("q", AskKind::Confirm, None), Path::new("/p"), Instant::now());
        assert!(asks.check_shown("q", &first.shown).is_ok());
        asks.close("q");
        assert!(asks.check_shown("q", &first.shown).is_ok(), "`answered` says that it is closed");
        let other = Ask { title: "Delete?".to_owned(), ..ask("q", AskKind::Confirm, None) };
        asks.open(other, Path::new("/p"), Instant::now());
        for shown in [&first.shown, ""] {
            assert_eq!(asks.check_shown("q", shown).unwrap_err().code, ErrorCode::Conflict);
        }
    }

    #[test]
    fn a_question_that_is_reported_twice_is_open_once() {
        let mut asks = Asks::default();
        asks.open(ask("q", AskKind::Input, None), Path::new("/p"), Instant::now());
        asks.open(ask("q", AskKind::Input, None), Path::new("/p"), Instant::now());
        assert_eq!(asks.to_vec().len(), 1);
        assert_eq!(asks.waiting_state(), Some(StateEvent::AskFollowup { partial: false }));
    }

    #[test]
    fn a_question_expires_when_its_time_is_over_and_not_before() {
        let (mut asks, now) = (Asks::default(), Instant::now());
        asks.open(ask("slow", AskKind::Input, None), Path::new("/p"), now);
        asks.open(ask("later", AskKind::Input, Some(2_000)), Path::new("/p"), now);
        asks.open(ask("soon", AskKind::Input, Some(1_000)), Path::new("/p"), now);
        let (first, second) = (now + Duration::from_millis(1_000), now + Duration::from_millis(2_000));
        assert_eq!(asks.next_deadline(), Some(first));
        assert!(asks.expired(now).is_empty());
        let ids = |asks: Vec<Ask>| asks.into_iter().map(|ask| ask.id).collect::<Vec<_>>();
        assert_eq!(ids(asks.expired(first)), ["soon"]);
        asks.close("soon");
        assert_eq!(asks.next_deadline(), Some(second));
        assert_eq!(ids(asks.without("slow")), ["later"]);
        assert_eq!(ids(asks.close_all()), ["slow", "later"]);
        assert_eq!(asks.next_deadline(), None);
    }

    #[test]
    fn only_an_answer_approves() {
        use SessionState::{Creating, Streaming, WaitingApproval, WaitingInput};
        assert_eq!(after_closing(WaitingApproval, ClosedBy::Answer), Some(StateEvent::ApproveAction));
        for by in [ClosedBy::Declined, ClosedBy::Expired, ClosedBy::Stopped] {
            assert_eq!(after_closing(WaitingApproval, by), Some(StateEvent::RejectAction));
        }
        assert_eq!(after_closing(Creating, ClosedBy::Answer), Some(StateEvent::RejectAction));
        assert_eq!(after_closing(WaitingInput, ClosedBy::Expired), Some(StateEvent::SendMessage));
        assert_eq!(after_closing(Streaming, ClosedBy::Answer), None);
    }
}
