//! Questions of the agent: which are approvals, which keys answer them, and what dismissing means.

use serde_json::{Value, json};
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{JavaScript, Page, Size};
use pilothouse_test_support::scripted_agent::Script;

use crate::fixture::{scripted_story, story};

const JS: JavaScript = js!("conversation/answers");

/// The heading of a question.
const KICKER: &str = "[data-ask-id] .ask-kicker";

/// The tooltips of the question's buttons by their names.
async fn tooltips(page: &Page) -> Value {
    page.call(JS, "tooltips", json!([])).await
}

#[tokio::test]
async fn i_answer_an_approval_by_the_keys_for_yes_and_no() {
    story("answer-keys", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.send("/approve").await;
        page.until_text_of(KICKER, "Approval needed").await;
        let keys = tooltips(&page).await;
        assert_eq!((&keys["Allow"], &keys["Block"]), (&json!("Alt+Y or Alt+1"), &json!("Alt+X or Alt+2")));
        let yes = page.rect("[data-ask-id] [data-answer=yes]").await;
        let no = page.rect("[data-ask-id] [data-answer=no]").await;
        assert!(no.left - yes.right > yes.width, "yes and no are too close: {yes:?} {no:?}");
        page.press_keys(Key::Alt + "x").await;
        page.until_text("You blocked it").await;
        page.until_state("completed").await;
        page.send("/approve").await;
        page.until_state("waiting_approval").await;
        page.press_keys(Key::Alt + "y").await;
        page.until_text("You chose: Allow").await;
        page.until_state("completed").await;
    })
    .await;
}

#[tokio::test]
async fn a_choice_without_yes_and_no_is_a_question_that_i_can_dismiss() {
    story("answer-choice", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.send("/ask").await;
        page.until_text_of(KICKER, "Question").await;
        page.until_state("waiting_input").await;
        assert_eq!(
            page.count("[data-ask-id] [data-answer]").await,
            0,
            "the key for yes has a button to press"
        );
        let keys = tooltips(&page).await;
        assert_eq!((&keys["red"], &keys["yellow"]), (&json!("Alt+1"), &json!("Alt+3")));
        page.press_keys(Key::Alt + "y").await;
        page.press("Dismiss").await;
        page.until_text("You didn't answer: Which colour should the buoy have?").await;
        page.until_present("[data-ask-kind=confirm]").await;
    })
    .await;
}

#[tokio::test]
async fn my_unfinished_answer_and_the_focus_are_restored_when_i_return() {
    let mut script = Script::default();
    script.run(|script| {
        script.extension("editor", json!({"title": "The note for the logbook", "prefill": "Buoy"}));
        script.expect_command("extension_ui_response");
    });
    scripted_story("answer-half", &script, async |fixture| {
        let page = fixture.page();
        page.enter(&fixture.server.link).await;
        let session = page.new_session_of("scripted").await;
        page.send("Write it down").await;
        let until_editing = async |text: &str| {
            page.until_call(&format!("'{text}' in the focused field"), JS, "isEditing", json!([text])).await;
        };
        until_editing("Buoy").await;
        page.press_keys(" painted.").await;
        until_editing("Buoy painted.").await;
        page.open_new_session_form().await;
        page.until_present("main.new-session").await;
        page.open_session(&session).await;
        until_editing("Buoy painted.").await;
        page.reload().await;
        until_editing("Buoy painted.").await;
        // The tray has the same text.
        page.press("Waiting for you").await;
        page.type_into(".popover [name=answer]", " Dry.").await;
        page.until_value("[role=log] [name=answer]", "Buoy painted. Dry.").await;
        page.press_keys(Key::Escape + "").await;
        page.click("[role=log] [data-ask-id] [type=submit]").await;
        page.until_text("You answered: Buoy painted. Dry.").await;
        assert_eq!(
            page.call(JS, "answerDrafts", json!([])).await,
            0,
            "the draft of an answer is still stored"
        );
    })
    .await;
}

#[tokio::test]
async fn the_key_for_yes_never_means_always() {
    let mut script = Script::default();
    script.run(|script| {
        let options = ["Always allow", "Allow once", "Deny"];
        script.extension("select", json!({"title": "Ring the bell?", "options": options}));
        script.expect_command("extension_ui_response");
    });
    scripted_story("answer-once", &script, async |fixture| {
        let page = fixture.page();
        page.enter(&fixture.server.link).await;
        page.new_session_of("scripted").await;
        page.send("Ring it").await;
        page.until_text_of(KICKER, "Approval needed").await;
        page.until_state("waiting_approval").await;
        assert_eq!(tooltips(&page).await["Always allow"], json!("Alt+1"));
        page.press_keys(Key::Alt + "y").await;
        page.until_text("You chose: Allow once").await;
        page.until_state("completed").await;
    })
    .await;
}

#[tokio::test]
async fn the_key_for_yes_answers_only_a_visible_question_and_ignores_repetition() {
    story("answer-seen", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.run("/tour").await;
        page.send("/approve").await;
        page.until_state("waiting_approval").await;
        let until_question_in_view = async |expected: bool| {
            page.until_call("the question", JS, "isQuestionInView", json!([expected])).await;
        };
        until_question_in_view(true).await;
        let held = json!({"type": "keyDown", "key": "y", "code": "KeyY", "modifiers": 1, "autoRepeat": true});
        page.cdp("Input.dispatchKeyEvent", held).await;
        page.press("Settings").await;
        page.until_present(":popover-open").await;
        page.press_keys(Key::Alt + "y").await;
        page.press_keys(Key::Escape).await;
        page.until_absent(":popover-open").await;
        assert_eq!(page.state().await, "waiting_approval");

        page.scroll_to(0.0).await;
        until_question_in_view(false).await;
        page.press_keys(Key::Alt + "y").await;
        until_question_in_view(true).await;
        assert_eq!(
            page.state().await,
            "waiting_approval",
            "the key answered a question that was not visible"
        );
        page.press_keys(Key::Alt + "y").await;
        page.until_text("You chose: Allow").await;
    })
    .await;
}
