//! Open questions and approvals: opened by the agent, closed by the first answer, by expiry, by a stop, or by the end of
//! the process. Expiry never counts as approval.

use std::collections::VecDeque;
use std::path::Path;
use std::time::Duration;

use pilothouse_core::SessionState;
use pilothouse_core::conversation::ask::{Answer, Ask, ClosedBy};
use pilothouse_core::conversation::limit;
use pilothouse_core::limits::{ASK_LIST_BYTES, ID_BYTES, OPEN_ASKS};
use pilothouse_core::protocol::{CommandError, ErrorCode};
use pilothouse_core::session::machine::StateEvent;
use tokio::time::Instant;

use crate::audit;

/// The number of questions that did not fit in and wait to be dismissed.
const DISMISSED_ASKS: usize = 10_000;

/// The time after which an agent that did not read its input is tried again.
const DISMISS_AGAIN: Duration = Duration::from_millis(50);

/// The longest time that a question waits, if its agent names one: a year.
const LONGEST_TIMEOUT_MILLISECONDS: u64 = 365 * 24 * 60 * 60 * 1_000;

/// The questions that wait for an answer, oldest first.
#[derive(Debug, Default)]
pub(in crate::session) struct Asks {
    open: Vec<OpenAsk>,
    /// The user was told that some do not fit in.
    has_refused: bool,
    /// The ids of those that did not fit in, until the agent accepts that they are dismissed.
    dismissed: VecDeque<String>,
    dismiss_at: Option<Instant>,
}

#[derive(Debug)]
struct OpenAsk {
    ask: Ask,
    size: usize,
    expires: Option<Instant>,
}

impl Asks {
    /// Adds a question. Returns it as clients see it, or `None` if it does not fit beside those that are open. `folder` is
    /// the session's.
    pub(in crate::session) fn open(&mut self, mut ask: Ask, folder: &Path, now: Instant) -> Option<Ask> {
        // An answer has to repeat the id.
        if ask.id.len() > ID_BYTES {
            return None;
        }
        ask.approval = ask.is_approval_request();
        ask.cut();
        if self.open.iter().any(|open| open.ask.id == ask.id) {
            ask.shown = audit::hash_of(&audit::displayed_text(&ask, folder));
            return Some(ask);
        }
        let size = ask.size();
        let others: usize = self.open.iter().map(|open| open.size).sum();
        if self.open.is_empty() {
            self.has_refused = false;
        } else if self.open.len() >= OPEN_ASKS || others + size > ASK_LIST_BYTES {
            return None;
        }
        ask.shown = audit::hash_of(&audit::displayed_text(&ask, folder));
        let expires = ask
            .timeout_ms
            .map(|milliseconds| now + Duration::from_millis(milliseconds.min(LONGEST_TIMEOUT_MILLISECONDS)));
        self.open.push(OpenAsk { ask: ask.clone(), size, expires });
        Some(ask)
    }

    /// Notes that a question did not fit in. The agent may not read its input until it has asked them all.
    pub(in crate::session) fn dismiss(&mut self, ask_id: String) {
        if self.dismissed.len() < DISMISSED_ASKS {
            self.dismissed.push_back(ask_id);
        }
    }

    /// The next question to dismiss, for an agent that accepts input.
    pub(in crate::session) fn next_dismissed(&mut self) -> Option<String> {
        self.dismissed.pop_front()
    }

    /// Sets when the rest is tried again.
    pub(in crate::session) fn dismiss_later(&mut self, now: Instant) {
        self.dismiss_at = (!self.dismissed.is_empty()).then(|| now + DISMISS_AGAIN);
    }

    /// Whether the user was not told yet that some questions do not fit in. From now on they were.
    pub(in crate::session) const fn is_first_refusal(&mut self) -> bool {
        !std::mem::replace(&mut self.has_refused, true)
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
        if !open.ask.allows(answer) {
            let size = limit::size(open.ask.left_out);
            let text = format!(
                "This request is too large to be shown: {size} are left out. It can only be rejected."
            );
            return Err(CommandError::invalid(text));
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
        self.dismissed.clear();
        self.dismiss_at = None;
        std::mem::take(&mut self.open).into_iter().map(|open| open.ask).collect()
    }

    pub(in crate::session) fn asks(&self) -> impl Iterator<Item = &Ask> {
        self.open.iter().map(|open| &open.ask)
    }

    pub(in crate::session) fn to_vec(&self) -> Vec<Ask> {
        self.asks().cloned().collect()
    }

    pub(in crate::session) fn next_deadline(&self) -> Option<Instant> {
        self.open.iter().filter_map(|open| open.expires).chain(self.dismiss_at).min()
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
    use pilothouse_core::limits::ASK_BYTES;

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
        let first = asks.open(ask("q", AskKind::Confirm, None), Path::new("/p"), Instant::now()).unwrap();
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
    fn the_number_and_the_size_of_open_questions_are_bounded() {
        let (mut asks, now) = (Asks::default(), Instant::now());
        let mut open = |ask: Ask| asks.open(ask, Path::new("/p"), now).is_some();
        for number in 0..OPEN_ASKS {
            assert!(open(ask(&number.to_string(), AskKind::Input, None)));
        }
        assert!(!open(ask("more", AskKind::Input, None)));
        assert!(open(ask("0", AskKind::Input, None)), "one that is open already");
        assert!(asks.is_first_refusal() && !asks.is_first_refusal(), "the user is told once");
        asks.close("0");
        assert!(asks.open(ask("more", AskKind::Input, None), Path::new("/p"), now).is_some());
        asks.close_all();
        let large = |id: &str, bytes: usize| {
            let rest = Ask { id: id.to_owned(), ..Ask::default() }.size();
            Ask { id: id.to_owned(), title: "x".repeat(bytes - rest), ..Ask::default() }
        };
        // The server adds a flag to what is a confirmation.
        let flag = 3;
        for (id, bytes) in [("a", ASK_LIST_BYTES / 2), ("b", ASK_LIST_BYTES / 2 - 100)] {
            assert!(asks.open(large(id, bytes - flag), Path::new("/p"), now).is_some());
        }
        assert!(asks.open(large("c", 200), Path::new("/p"), now).is_none());
        assert!(asks.is_first_refusal(), "another time");
        asks.close("b");
        assert!(asks.open(large("c", 200), Path::new("/p"), now).is_some());
        assert!(
            asks.open(Ask { id: "x".repeat(ID_BYTES + 1), ..Ask::default() }, Path::new("/p"), now).is_none()
        );
    }

    #[test]
    fn an_approval_that_is_too_large_to_be_shown_is_only_rejected() {
        let mut asks = Asks::default();
        let large = Ask { message: "x".repeat(2 * ASK_BYTES), ..ask("q", AskKind::Confirm, None) };
        let shown = asks.open(large, Path::new("/p"), Instant::now()).unwrap();
        assert!(shown.left_out > 0 && shown.size() <= ASK_BYTES);
        let error = asks.answered("q", &Answer::Confirm(true)).unwrap_err();
        assert!(error.message.contains("2.0 MB are left out"), "{}", error.message);
        assert!(
            asks.answered("q", &Answer::Confirm(false)).is_ok()
                && asks.answered("q", &Answer::Cancel).is_ok()
        );
        let question = Ask { message: "x".repeat(2 * ASK_BYTES), ..ask("i", AskKind::Input, None) };
        asks.close("q");
        asks.open(question, Path::new("/p"), Instant::now());
        assert!(asks.answered("i", &Answer::Text("yes".to_owned())).is_ok(), "no approval");
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
