//! The answers that keyboard shortcuts give to an ask. Pure.

use pilothouse_core::conversation::ask::consent::{Consent, only_option};
use pilothouse_core::conversation::ask::{Answer, Ask, AskKind};

use crate::features::shortcuts::keys::KeyAction;

/// The answer that a key gives to an ask. None if the ask has no such answer, or no unambiguous one.
pub fn key_answer(action: KeyAction, ask: &Ask) -> Option<Answer> {
    let choose = |index: usize| ask.options.get(index).cloned().map(Answer::Choose);
    match (ask.kind, action) {
        (AskKind::Confirm, KeyAction::Approve) => Some(Answer::Confirm(true)),
        (AskKind::Confirm, KeyAction::Reject) => Some(Answer::Confirm(false)),
        (AskKind::Select, KeyAction::Approve) => choose(consent_option(ask, Consent::Yes)?),
        (AskKind::Select, KeyAction::Reject) => choose(consent_option(ask, Consent::No)?),
        (AskKind::Select, KeyAction::Choose(number)) => choose(usize::try_from(number).ok()?.checked_sub(1)?),
        _ => None,
    }
}

/// The index of the option that means yes or no to an approval. Only an unambiguous one has a key, never a
/// permanent approval.
pub fn consent_option(ask: &Ask, consent: Consent) -> Option<usize> {
    only_option(&ask.options, consent).filter(|_| ask.approval)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(kind: AskKind, approval: bool, options: &[&str]) -> Ask {
        Ask {
            id: "a".into(),
            kind,
            approval,
            title: "Ring the bell?".into(),
            options: options.iter().map(|option| (*option).to_owned()).collect(),
            ..Ask::default()
        }
    }

    fn chosen(option: &str) -> Option<Answer> {
        Some(Answer::Choose(option.into()))
    }

    #[test]
    fn yes_and_no_answer_a_confirmation_and_numbers_do_not() {
        for approval in [true, false] {
            let ask = ask(AskKind::Confirm, approval, &[]);
            assert_eq!(key_answer(KeyAction::Approve, &ask), Some(Answer::Confirm(true)));
            assert_eq!(key_answer(KeyAction::Reject, &ask), Some(Answer::Confirm(false)));
            assert_eq!(key_answer(KeyAction::Choose(1), &ask), None);
        }
    }

    #[test]
    fn yes_never_means_always() {
        let ask = ask(AskKind::Select, true, &["Always allow", "Allow once", "Deny"]);
        assert_eq!(key_answer(KeyAction::Approve, &ask), chosen("Allow once"));
        assert_eq!(key_answer(KeyAction::Reject, &ask), chosen("Deny"));
    }

    #[test]
    fn an_ambiguous_yes_has_no_key() {
        let ask = ask(AskKind::Select, true, &["Yes", "Allow", "No"]);
        assert_eq!(key_answer(KeyAction::Approve, &ask), None);
        assert_eq!(key_answer(KeyAction::Reject, &ask), chosen("No"));
    }

    #[test]
    fn a_question_is_answered_by_number_but_not_by_yes_and_no() {
        let ask = ask(AskKind::Select, false, &["yes", "no"]);
        assert_eq!(key_answer(KeyAction::Approve, &ask), None);
        assert_eq!(key_answer(KeyAction::Reject, &ask), None);
        assert_eq!(key_answer(KeyAction::Choose(2), &ask), chosen("no"));
        assert_eq!(key_answer(KeyAction::Choose(3), &ask), None);
        assert_eq!(key_answer(KeyAction::Choose(0), &ask), None);
    }

    #[test]
    fn a_text_is_never_answered_by_a_key() {
        for kind in [AskKind::Input, AskKind::Editor] {
            for action in [KeyAction::Approve, KeyAction::Reject, KeyAction::Choose(1), KeyAction::Stop] {
                assert_eq!(key_answer(action, &ask(kind, true, &["Yes"])), None, "{action:?}");
            }
        }
    }
}
