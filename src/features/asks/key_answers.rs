//! The answers that keyboard shortcuts give to an ask. Pure.

use pilothouse_core::conversation::ask::consent::Consent;
use pilothouse_core::conversation::ask::{Answer, Ask, AskKind, Choice};

use crate::features::shortcuts::keys::KeyAction;

/// The answer that a key gives to an ask. None if the ask has no such answer, or no unambiguous one. A yes never means a
/// lasting approval.
pub fn key_answer(action: KeyAction, ask: &Ask) -> Option<Answer> {
    let number = |number: u32| usize::try_from(number).ok()?.checked_sub(1);
    match (ask.kind, action) {
        (AskKind::Confirm, KeyAction::Approve) => Some(Answer::Confirm(true)),
        (AskKind::Confirm, KeyAction::Reject) => Some(Answer::Confirm(false)),
        (_, KeyAction::Approve) => ask.only_answer(Consent::Yes),
        (_, KeyAction::Reject) => ask.only_answer(Consent::No),
        (AskKind::Select, KeyAction::Choose(chosen)) => {
            ask.options.get(number(chosen)?).cloned().map(Answer::Choose)
        }
        (AskKind::Permission, KeyAction::Choose(chosen)) => {
            let (choice, _) = *displayed_choices(ask).get(number(chosen)?)?;
            Some(Answer::Choose(choice.id.clone()))
        }
        _ => None,
    }
}

/// The choices of a permission request in the order in which they are displayed and numbered, each with whether it is
/// one of the main answers: every plain yes and the first plain no. Lasting and unclear choices follow, so that they
/// never have the number of the button that is displayed first.
pub fn displayed_choices(ask: &Ask) -> Vec<(&Choice, bool)> {
    let is_no = |choice: &&Choice| choice.consent() == Some(Consent::No);
    let first_no = ask.choices.iter().find(is_no).map(|choice| choice.id.as_str());
    let rank = |choice: &Choice| match choice.consent() {
        Some(Consent::Yes) => 0,
        Some(Consent::No) if first_no == Some(&choice.id) => 1,
        _ => 2,
    };
    let mut displayed = Vec::new();
    for wanted in 0..3 {
        let fitting = ask.choices.iter().filter(|choice| rank(choice) == wanted);
        displayed.extend(fitting.map(|choice| (choice, wanted < 2)));
    }
    displayed
}

#[cfg(test)]
mod tests {
    use pilothouse_core::conversation::ask::{Choice, ChoiceKind};

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
    fn a_permission_is_answered_by_the_meaning_of_its_choices() {
        let choice = |id: &str, name: &str, kind| Choice { id: id.into(), name: name.into(), kind };
        let choices = vec![
            choice("1", "Always", ChoiceKind::AllowAlways),
            choice("2", "Yes", ChoiceKind::AllowOnce),
            choice("3", "No", ChoiceKind::AllowOnce),
        ];
        let mut ask = Ask { choices, ..ask(AskKind::Permission, true, &[]) };
        assert_eq!(key_answer(KeyAction::Approve, &ask), chosen("2"), "never the lasting one");
        assert_eq!(key_answer(KeyAction::Reject, &ask), chosen("3"), "the name counts, too");
        assert_eq!(key_answer(KeyAction::Choose(3), &ask), chosen("1"), "the id, not the name");
        assert_eq!(key_answer(KeyAction::Choose(4), &ask), None);
        ask.choices.push(choice("4", "Allow", ChoiceKind::AllowOnce));
        assert_eq!(key_answer(KeyAction::Approve, &ask), None, "ambiguous");
    }

    #[test]
    fn numbers_follow_the_order_on_the_screen() {
        use ChoiceKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
        let choice = |id: &str, name: &str, kind| Choice { id: id.into(), name: name.into(), kind };
        // Claude sends the lasting approval first.
        let choices = vec![
            choice("always", "Always allow", AllowAlways),
            choice("never", "Never", RejectAlways),
            choice("no", "Reject", RejectOnce),
            choice("once", "Allow", AllowOnce),
            choice("skip", "No", RejectOnce),
        ];
        let ask = Ask { choices, ..ask(AskKind::Permission, true, &[]) };
        let displayed: Vec<(&str, bool)> =
            displayed_choices(&ask).into_iter().map(|(choice, main)| (choice.id.as_str(), main)).collect();
        let expected = [("once", true), ("no", true), ("always", false), ("never", false), ("skip", false)];
        assert_eq!(displayed, expected);
        for (number, (id, _)) in (1..).zip(expected) {
            assert_eq!(key_answer(KeyAction::Choose(number), &ask), chosen(id));
        }
    }

    #[test]
    fn a_text_is_never_answered_by_a_key() {
        for kind in [AskKind::Input, AskKind::Editor, AskKind::Form] {
            for action in [KeyAction::Approve, KeyAction::Reject, KeyAction::Choose(1), KeyAction::Stop] {
                assert_eq!(key_answer(action, &ask(kind, true, &["Yes"])), None, "{action:?}");
            }
        }
    }
}
