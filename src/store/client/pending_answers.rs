//! The answers to asks that are being sent or were refused. An ask that is shown in several places has one
//! state, which is dropped when one of them disappears.

use leptos::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq)]
struct PendingAnswer {
    session_id: String,
    ask_id: String,
    /// Why the server has refused the answer. None while it is being sent.
    problem: Option<String>,
}

#[derive(Clone, Copy, Default)]
pub struct PendingAnswers(RwSignal<Vec<PendingAnswer>>);

impl PendingAnswers {
    /// Whether an answer to this ask is being sent. Tracked.
    pub fn is_sending(&self, session_id: &str, ask_id: &str) -> bool {
        self.0.with(|all| find(all, session_id, ask_id).is_some_and(|answer| answer.problem.is_none()))
    }

    /// Why the last answer to this ask was refused. Tracked.
    pub fn problem(&self, session_id: &str, ask_id: &str) -> Option<String> {
        self.0.with(|all| find(all, session_id, ask_id)?.problem.clone())
    }

    /// Marks an answer as being sent. Returns false if one is being sent already.
    pub fn begin(&self, session_id: &str, ask_id: &str) -> bool {
        if untrack(|| self.is_sending(session_id, ask_id)) {
            return false;
        }
        let (session_id, ask_id) = (session_id.to_owned(), ask_id.to_owned());
        self.0.update(|all| {
            all.retain(|answer| !answer.is_to(&session_id, &ask_id));
            all.push(PendingAnswer { session_id, ask_id, problem: None });
        });
        true
    }

    /// Marks an answer as refused. Returns false if the ask is no longer shown.
    pub fn refuse(&self, session_id: &str, ask_id: &str, problem: String) -> bool {
        let is_shown = self.0.with_untracked(|all| find(all, session_id, ask_id).is_some());
        if is_shown {
            self.0.update(|all| {
                for answer in all.iter_mut().filter(|answer| answer.is_to(session_id, ask_id)) {
                    answer.problem = Some(problem.clone());
                }
            });
        }
        is_shown
    }

    /// Drops the state of an ask that is no longer shown.
    pub fn forget(&self, session_id: &str, ask_id: &str) {
        if self.0.with_untracked(|all| find(all, session_id, ask_id).is_some()) {
            self.0.update(|all| all.retain(|answer| !answer.is_to(session_id, ask_id)));
        }
    }
}

impl PendingAnswer {
    fn is_to(&self, session_id: &str, ask_id: &str) -> bool {
        self.ask_id == ask_id && self.session_id == session_id
    }
}

fn find<'a>(all: &'a [PendingAnswer], session_id: &str, ask_id: &str) -> Option<&'a PendingAnswer> {
    all.iter().find(|answer| answer.is_to(session_id, ask_id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_answer_is_sent_at_a_time_and_a_refused_one_can_be_repeated() {
        let owner = Owner::new();
        owner.with(|| {
            let answers = PendingAnswers::default();
            let (sending, problem) = (|| answers.is_sending("s", "a"), || answers.problem("s", "a"));
            assert!(answers.begin("s", "a") && sending());
            assert!(!answers.begin("s", "a"), "a second click");
            assert!(answers.begin("s", "b") && answers.begin("t", "a"), "other asks");
            assert!(answers.refuse("s", "a", "Too late.".into()));
            assert!(!sending());
            assert_eq!(problem().as_deref(), Some("Too late."));
            assert!(answers.begin("s", "a") && problem().is_none());
            answers.forget("s", "a");
            assert!(!sending());
            assert!(!answers.refuse("s", "a", "Too late.".into()) && problem().is_none());
        });
    }
}
