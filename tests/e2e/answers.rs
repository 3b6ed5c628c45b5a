//! What I am asked: whether it is an approval, which keys answer it, and what no answer means.

use serde_json::json;
use thirtyfour::prelude::{By, ElementQueryable, Key};

use pilothouse_test_support::browser::{Page, Size};
use pilothouse_test_support::scripted_agent::Script;

use crate::stage::{scripted_story, story};

async fn until_headed(page: &Page, words: &str) {
    let headed =
        "return document.querySelector('[data-ask-id] .ask-kicker')?.textContent.trim() === arguments[0]";
    page.until_script(words, headed, vec![json!(words)]).await;
}

/// The titles of a question's buttons, by what they are called.
async fn titles(page: &Page) -> serde_json::Value {
    let titles = "return Object.fromEntries([...document.querySelectorAll('[data-ask-id] button')]\
                    .map((button) => [button.textContent.trim(), button.title]))";
    page.script(titles, vec![]).await
}

#[tokio::test]
async fn i_answer_an_approval_by_the_keys_for_yes_and_no() {
    story("answer-keys", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.send("/approve").await;
        until_headed(&page, "Approval needed").await;
        let told = titles(&page).await;
        assert_eq!((&told["Allow"], &told["Block"]), (&json!("Alt+Y or Alt+1"), &json!("Alt+X or Alt+2")));
        let apart = "const [yes, no] = ['yes', 'no'].map((answer) =>\
                       document.querySelector(`[data-ask-id] [data-answer=${answer}]`).getBoundingClientRect());\
                     return no.left - yes.right > 200";
        assert_eq!(page.script(apart, vec![]).await, json!(true), "yes and no are far apart");
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
async fn a_choice_without_yes_and_no_is_a_question_and_can_be_left_without_an_answer() {
    story("answer-choice", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.send("/ask").await;
        until_headed(&page, "Question").await;
        page.until_state("waiting_input").await;
        assert_eq!(
            page.count("[data-ask-id] [data-answer]").await,
            0,
            "nothing that a key for yes could press"
        );
        let told = titles(&page).await;
        assert_eq!((&told["red"], &told["yellow"]), (&json!("Alt+1"), &json!("Alt+3")));
        page.press_keys(Key::Alt + "y").await;
        page.press("Dismiss").await;
        page.until_text("You did not answer: Which colour should the buoy have?").await;
        page.until("a confirmation", "return !!document.querySelector('[data-ask-kind=confirm]')").await;
    })
    .await;
}

#[tokio::test]
async fn what_i_began_to_answer_is_there_when_i_come_back_and_the_keyboard_with_it() {
    let mut script = Script::default();
    script.run(|script| {
        script.extension("editor", json!({"title": "The note for the logbook", "prefill": "Buoy"}));
        script.expect_command("extension_ui_response");
    });
    scripted_story("answer-half", &script, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let session = page.new_session_of("scripted").await;
        page.send("Write it down").await;
        let there = "const here = document.activeElement;\
                     return here?.name === 'answer' && here.value === arguments[0]";
        page.until_script("the question", there, vec![json!("Buoy")]).await;
        page.press_keys(" painted.").await;
        page.until_script("what I write", there, vec![json!("Buoy painted.")]).await;
        page.open_new_session_form().await;
        page.until("the form", "return !!document.querySelector('main.new-session')").await;
        page.click(&format!("nav [data-session-id='{session}']")).await;
        page.until_script("what I wrote", there, vec![json!("Buoy painted.")]).await;
        page.reload().await;
        page.until_script("what I wrote, after a reload", there, vec![json!("Buoy painted.")]).await;
        // In the tray it is the same text.
        page.press("Waiting on me").await;
        let tray = page.driver.query(By::Css(".popover [name=answer]")).first().await.unwrap();
        tray.send_keys(" Dry.").await.unwrap();
        let here = "return document.querySelector('[role=log] [name=answer]').value === arguments[0]";
        page.until_script("what I wrote in the tray", here, vec![json!("Buoy painted. Dry.")]).await;
        page.press_keys(Key::Escape + "").await;
        page.click("[role=log] [data-ask-id] [type=submit]").await;
        page.until_text("You answered: Buoy painted. Dry.").await;
        let kept = "return Object.keys(sessionStorage).some((key) => key.startsWith('pilothouse.answer.'))";
        assert_eq!(page.script(kept, vec![]).await, json!(false), "what is answered is not kept");
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
    scripted_story("answer-once", &script, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session_of("scripted").await;
        page.send("Ring it").await;
        until_headed(&page, "Approval needed").await;
        page.until_state("waiting_approval").await;
        assert_eq!(titles(&page).await["Always allow"], json!("Alt+1"));
        page.press_keys(Key::Alt + "y").await;
        page.until_text("You chose: Allow once").await;
        page.until_state("completed").await;
    })
    .await;
}

#[tokio::test]
async fn the_key_for_yes_answers_only_what_i_see_and_only_when_i_press_it() {
    story("answer-seen", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.run("/tour").await;
        page.send("/approve").await;
        page.until_state("waiting_approval").await;
        let seen = "const box = document.querySelector('[data-ask-id] [data-answer=yes]').getBoundingClientRect();\
                    const view = document.querySelector('[role=log]').getBoundingClientRect();\
                    return box.top >= view.top && box.bottom <= view.bottom";
        page.until("the question", seen).await;
        let held = json!({"type": "keyDown", "key": "y", "code": "KeyY", "modifiers": 1, "autoRepeat": true});
        page.cdp("Input.dispatchKeyEvent", held).await;
        page.press("Settings").await;
        page.until("the settings", "return !!document.querySelector(':popover-open')").await;
        page.press_keys(Key::Alt + "y").await;
        page.press_keys(Key::Escape).await;
        page.until("no settings", "return !document.querySelector(':popover-open')").await;
        assert_eq!(page.state().await, "waiting_approval");

        page.script("document.querySelector('[role=log]').scrollTop = 0", vec![]).await;
        page.until_script("the question far away", &format!("return !(() => {{ {seen} }})()"), vec![]).await;
        page.press_keys(Key::Alt + "y").await;
        page.until("the question again", seen).await;
        assert_eq!(page.state().await, "waiting_approval", "it is shown first");
        page.press_keys(Key::Alt + "y").await;
        page.until_text("You chose: Allow").await;
    })
    .await;
}
