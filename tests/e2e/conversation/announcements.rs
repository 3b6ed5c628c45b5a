//! Announcements for screen readers: turns, not tokens.

use serde_json::json;
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{JavaScript, Page, Size};

use crate::fixture::{story, story_at_pace};

const JS: JavaScript = js!("conversation/announcements");

/// Records announcements and changes of the conversation from now on.
async fn listen(page: &Page) {
    page.call(JS, "listen", json!([])).await;
}

async fn until_announced(page: &Page, start: &str) {
    page.until_call(&format!("the announcement '{start}…'"), JS, "isAnnounced", json!([start])).await;
}

#[tokio::test]
async fn only_the_start_and_the_end_of_a_long_answer_are_announced() {
    story_at_pace("heard-long", Size::Wide, "20", async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        listen(&page).await;
        page.run("/long 12").await;
        until_announced(&page, "The agent replied: ").await;
        let announced: Vec<String> = page.call_as(JS, "announced", json!([])).await;
        assert_eq!(announced.len(), 2, "{announced:?}");
        assert_eq!(announced[0], "Working…");
        let changes: u64 = page.call_as(JS, "changes", json!([])).await;
        assert!(changes > 50, "the answer came in only {changes} changes");
        assert_eq!(page.call(JS, "liveRegionsInLog", json!([])).await, 0, "rows announce themselves as well");
    })
    .await;
}

#[tokio::test]
async fn i_hear_that_the_agent_waits_failed_or_was_stopped() {
    story("heard-states", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        listen(&page).await;
        page.send("/approve").await;
        until_announced(&page, "Waiting for your approval: ").await;
        page.press("Block").await;
        until_announced(&page, "The agent replied: You blocked it").await;
        page.send("/ask").await;
        page.until_present("[data-ask-kind=select] .option").await;
        page.click("[data-ask-kind=select] .option").await;
        page.until_present("[data-ask-kind=confirm]").await;
        page.click("[data-ask-kind=confirm] button").await;
        until_announced(&page, "Waiting for your answer: Who paints it?").await;
        page.press_keys(Key::Control + ".").await;
        until_announced(&page, "Stopped.").await;
        page.send("/error").await;
        until_announced(&page, "Failed: Overloaded, simulated by the demo (529").await;
    })
    .await;
}

#[tokio::test]
async fn i_hear_of_another_session_that_needs_me() {
    story("heard-elsewhere", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.send("/wait go").await;
        page.until_text("The first half").await;
        page.open_new_session_form().await;
        page.new_session().await;
        listen(&page).await;
        fixture.release("go");
        until_announced(&page, "/wait go: Done").await;
    })
    .await;
}

#[tokio::test]
async fn i_hear_that_the_connection_is_lost_and_that_it_is_back() {
    story("heard-connection", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        listen(&page).await;
        fixture.server.kill();
        page.until_text_in("[role=status]", "Connection lost").await;
        fixture.server.restart();
        until_announced(&page, "Reconnected.").await;
    })
    .await;
}
