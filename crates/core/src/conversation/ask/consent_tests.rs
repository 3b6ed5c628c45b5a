//! Which words say yes or no, and how far they reach.

use super::*;

fn options(options: &[&str]) -> Vec<String> {
    options.iter().map(|option| (*option).to_owned()).collect()
}

#[test]
fn a_yes_and_a_no_are_known_by_their_words() {
    for yes in [
        "Allow",
        "allow once",
        "Yes",
        "1. Yes",
        "[y] Yes",
        "✓ Approve",
        "Yes, proceed",
        "Accept",
        "OK",
        "Go ahead",
        "Run",
        "Run this command",
        "Proceed",
        "I approve",
        "Allow this time only",
    ] {
        assert_eq!(Consent::of(yes), Some(Consent::Yes), "{yes}");
    }
    for no in [
        "Deny",
        "Block",
        "No",
        "n",
        "2) No",
        "Reject this change",
        "Cancel",
        "Don't allow",
        "Do not run",
        "Skip it",
    ] {
        assert_eq!(Consent::of(no), Some(Consent::No), "{no}");
    }
}

#[test]
fn a_yes_to_more_than_this_is_not_plain() {
    for more in [
        "Always",
        "Always allow",
        "Allow always",
        "Allow for this session",
        "Yes, and don't ask again",
        "Allow all",
        "Yes to everything",
        "Accept both changes",
        "Yes, never ask again",
        "Approve and commit",
        "Yes, no",
        "Allow *",
        "Allow 10",
    ] {
        assert_eq!(Consent::of(more), Some(Consent::YesAndMore), "{more}");
    }
    for more in [
        "No, and tell the agent what to do instead",
        "Never",
        "Never allow",
        "Deny always",
        "Reject with a note",
    ] {
        assert_eq!(Consent::of(more), Some(Consent::NoAndMore), "{more}");
    }
}

#[test]
fn other_words_say_neither() {
    for other in [
        "red",
        "",
        "  ",
        "42",
        "Run tests",
        "Stop here",
        "Continue with the docs",
        "Don't ask again",
        "Never ask again",
        "Nothing",
        "Yesterday",
        "Notes",
        "Allowance",
        "Al\u{200b}low",
        "Аllow",
        "Don't know",
        "Do it later",
    ] {
        assert_eq!(Consent::of(other), None, "{other}");
    }
}

#[test]
fn what_hides_something_is_never_plain() {
    assert_eq!(Consent::of("Allow\u{200b}"), Some(Consent::YesAndMore));
    assert_eq!(Consent::of("\u{202e}No"), Some(Consent::NoAndMore));
}

#[test]
fn a_choice_is_an_approval_if_it_offers_both() {
    for approval in [
        &["Allow", "Block"][..],
        &["Yes", "No"],
        &["Proceed", "Cancel"],
        &["Allow once", "Always allow", "Deny"],
        &["Always allow", "Never allow"],
        &["No", "Yes", "Ask me later"],
    ] {
        assert!(is_approval(&options(approval)), "{approval:?}");
    }
    for question in [
        &["red", "green", "yellow"][..],
        &[],
        &["Yes"],
        &["Allow", "Always allow"],
        &["Run tests", "Stop here", "Write docs"],
        &["No preference", "Light", "Dark"],
    ] {
        assert!(!is_approval(&options(question)), "{question:?}");
    }
}

#[test]
fn a_key_presses_what_is_certain_and_nothing_else() {
    let three = options(&["Always allow", "Allow once", "Deny"]);
    assert_eq!((the_one(&three, Consent::Yes), the_one(&three, Consent::No)), (Some(1), Some(2)));
    let two_plain = options(&["Yes", "Proceed", "No", "No, and tell it why"]);
    assert_eq!((the_one(&two_plain, Consent::Yes), the_one(&two_plain, Consent::No)), (None, Some(2)));
    let only_more = options(&["Allow for this session", "Never"]);
    assert_eq!((the_one(&only_more, Consent::Yes), the_one(&only_more, Consent::No)), (None, None));
}
