//! What somebody hears who does not see the page: turns, not tokens.

use serde_json::json;
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{Page, Size};

use crate::stage::{story, story_at_pace};

/// Writes down from now on what is announced, and how often the conversation grows.
async fn listen(page: &Page) {
    let listen = "const region = document.querySelector('[data-announcer][role=status]');\
                  window.said = []; window.grown = 0;\
                  new MutationObserver(() => window.said.push(region.textContent))\
                    .observe(region, { childList: true, characterData: true, subtree: true });\
                  new MutationObserver((changes) => window.grown += changes.length)\
                    .observe(document.querySelector('[role=log]'), { childList: true, characterData: true, subtree: true })";
    page.script(listen, vec![]).await;
}

async fn said(page: &Page) -> Vec<String> {
    serde_json::from_value(page.script("return window.said", vec![]).await).unwrap()
}

async fn until_said(page: &Page, words: &str) {
    let there = "return window.said.some((said) => said.startsWith(arguments[0]))";
    page.until_script(&format!("'{words}' to be said"), there, vec![json!(words)]).await;
}

#[tokio::test]
async fn a_long_answer_is_told_by_its_beginning_and_its_end_alone() {
    story_at_pace("heard-long", Size::Wide, "20", async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        listen(&page).await;
        page.run("/long 12").await;
        until_said(&page, "The agent has answered: ").await;
        let said = said(&page).await;
        assert_eq!(said.len(), 2, "{said:?}");
        assert_eq!(said[0], "Working…");
        let grown = page.script("return window.grown", vec![]).await;
        assert!(grown.as_u64().unwrap() > 50, "it came in pieces: {grown}");
        let others = "return [...document.querySelectorAll('[role=log], [role=log] *')]\
                        .filter((element) => ['polite', 'assertive'].includes(element.ariaLive) || element.role === 'status').length";
        assert_eq!(page.script(others, vec![]).await, json!(0), "nothing in the conversation speaks by itself");
    })
    .await;
}

#[tokio::test]
async fn i_hear_what_waits_for_me_what_failed_and_what_was_stopped() {
    story("heard-states", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        listen(&page).await;
        page.send("/approve").await;
        until_said(&page, "Waits for your approval: ").await;
        page.press("Block").await;
        until_said(&page, "The agent has answered: You blocked it").await;
        page.send("/ask").await;
        page.until("a choice", "return !!document.querySelector('[data-ask-kind=select] .option')").await;
        page.click("[data-ask-kind=select] .option").await;
        page.until("a confirmation", "return !!document.querySelector('[data-ask-kind=confirm]')").await;
        page.click("[data-ask-kind=confirm] button").await;
        until_said(&page, "Waits for your answer: Who paints it?").await;
        page.press_keys(Key::Control + ".").await;
        until_said(&page, "Stopped.").await;
        page.send("/error").await;
        until_said(&page, "Failed: Overloaded, the demo pretends (529").await;
    })
    .await;
}

#[tokio::test]
async fn i_hear_of_another_session_that_needs_me() {
    story("heard-elsewhere", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.send("/wait go").await;
        page.until_text("The first half").await;
        page.open_new_session_form().await;
        page.new_session().await;
        listen(&page).await;
        stage.release("go");
        until_said(&page, "/wait go: Is done").await;
    })
    .await;
}

#[tokio::test]
async fn i_hear_that_the_connection_is_lost_and_that_it_is_back() {
    story("heard-connection", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        listen(&page).await;
        stage.server.kill();
        let lost = "return [...document.querySelectorAll('[role=status]')].some((region) => region.textContent.includes('Connection lost'))";
        page.until("the loss", lost).await;
        stage.server.restart();
        until_said(&page, "Connected again.").await;
    })
    .await;
}
