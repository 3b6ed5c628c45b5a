//! Which wordings approve or decline, and with which scope.

use super::*;

fn options(options: &[&str]) -> Vec<String> {
    options.iter().map(|option| (*option).to_owned()).collect()
}

#[test]
fn known_words_are_a_plain_yes_or_no() {
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
fn a_wider_scope_is_not_plain() {
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
        assert_eq!(Consent::of(more), Some(Consent::BroadYes), "{more}");
    }
    for more in [
        "No, and tell the agent what to do instead",
        "Never",
        "Never allow",
        "Deny always",
        "Reject with a note",
    ] {
        assert_eq!(Consent::of(more), Some(Consent::BroadNo), "{more}");
    }
}

#[test]
fn other_words_are_neither() {
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
fn an_option_with_hidden_characters_is_never_plain() {
    assert_eq!(Consent::of("Allow\u{200b}"), Some(Consent::BroadYes));
    assert_eq!(Consent::of("\u{202e}No"), Some(Consent::BroadNo));
}

#[test]
fn options_with_a_yes_and_a_no_are_an_approval_request() {
    for approval in [
        &["Allow", "Block"][..],
        &["Yes", "No"],
        &["Proceed", "Cancel"],
        &["Allow once", "Always allow", "Deny"],
        &["Always allow", "Never allow"],
        &["No", "Yes", "Ask me later"],
    ] {
        assert!(offers_yes_and_no(&options(approval)), "{approval:?}");
    }
    for question in [
        &["red", "green", "yellow"][..],
        &[],
        &["Yes"],
        &["Allow", "Always allow"],
        &["Run tests", "Stop here", "Write docs"],
        &["No preference", "Light", "Dark"],
    ] {
        assert!(!offers_yes_and_no(&options(question)), "{question:?}");
    }
}

#[test]
fn only_an_unambiguous_plain_option_is_found() {
    let three = options(&["Always allow", "Allow once", "Deny"]);
    assert_eq!((only_option(&three, Consent::Yes), only_option(&three, Consent::No)), (Some(1), Some(2)));
    let two_plain = options(&["Yes", "Proceed", "No", "No, and tell it why"]);
    assert_eq!(
        (only_option(&two_plain, Consent::Yes), only_option(&two_plain, Consent::No)),
        (None, Some(2))
    );
    let only_more = options(&["Allow for this session", "Never"]);
    assert_eq!((only_option(&only_more, Consent::Yes), only_option(&only_more, Consent::No)), (None, None));
}
