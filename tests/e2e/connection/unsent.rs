//! Messages sent while the server cannot be reached: they are shown as unsent, and are sent once, also after a reload.

use serde_json::json;

use pilothouse_test_support::browser::{JavaScript, Page, Size, session_row};

use crate::composer::pictures::{drop_picture, until_stored, until_stored_as};
use crate::connection::lost_connection::begin;
use crate::fixture::{Fixture, story};

const JS: JavaScript = js!("connection/unsent");

/// The messages that are shown as not sent yet.
const UNSENT: &str = "[data-unsent] .queue-text";

/// The messages of the user in the conversation.
const SAID: &str = "[data-kind=user] .row-text";

/// Sends a message with an image while the connection is lost.
async fn send_offline(fixture: &Fixture, page: &Page) {
    drop_picture(page).await;
    page.until_present("[data-pending-image] img").await;
    until_stored(page, 1).await;
    fixture.proxy.cut();
    page.until_lost().await;
    page.send("What is this?").await;
    page.until_text("What is this?").await;
    page.until_absent("[data-pending-image]").await;
    until_stored_as(page, "sent:", 1).await;
}

async fn visit_session(fixture: &Fixture, page: &Page, session: &str) {
    page.visit(&fixture.proxy.address(&fixture.session_address(session))).await;
}

#[tokio::test]
async fn a_message_to_a_working_agent_while_offline_is_shown_as_not_sent_yet() {
    story("unsent-shown", Size::Wide, async |fixture| {
        let page = fixture.page();
        begin(fixture, &page).await;
        page.send("/wait go").await;
        page.until_text("The first half").await;
        fixture.proxy.cut();
        page.until_lost().await;
        page.send("Look at the tests, too").await;
        page.send("!echo by hand").await;
        assert_eq!(page.texts(UNSENT).await, ["Look at the tests, too", "!echo by hand"]);
        assert_eq!(page.count("[data-scheduled]").await, 0);
        page.screenshot("unsent").await;

        fixture.proxy.restore();
        page.until_connected().await;
        page.until_count("[data-scheduled]", 1).await;
        page.until_present("[data-kind=bash]").await;
        assert_eq!(page.count(UNSENT).await, 0);
        fixture.release("go");
        page.until_text("Look at the tests, too").await;
        assert_eq!((page.sent_times("prompt").await, page.sent_times("bash").await), (2, 1));
    })
    .await;
}

#[tokio::test]
async fn a_message_sent_while_offline_is_sent_once_even_after_i_left_the_page() {
    story("unsent-reloaded", Size::Wide, async |fixture| {
        let page = fixture.page();
        let session = begin(fixture, &page).await;
        page.run("Hello").await;
        send_offline(fixture, &page).await;
        page.fill_composer("and then").await;
        page.visit("about:blank").await;
        fixture.proxy.restore();

        // The form shows no session, but the message belongs to one.
        page.visit(&fixture.proxy.address(&fixture.server.origin())).await;
        page.until_connected().await;
        page.until_present(&format!("{}[data-state=completed]", session_row(&session))).await;
        page.until_call("no unsent message in the storage", JS, "nothingUnsent", json!([])).await;
        until_stored(&page, 0).await;
        for _ in 0..2 {
            visit_session(fixture, &page, &session).await;
            page.until_count("[data-kind=user]", 2).await;
            assert_eq!(page.texts(SAID).await, ["Hello", "What is this?"]);
            assert_eq!(page.count("[data-kind=user] img").await, 1);
            assert_eq!(
                (page.draft().await.as_str(), page.count("[data-pending-image]").await),
                ("and then", 0)
            );
        }
    })
    .await;
}

#[tokio::test]
async fn a_message_sent_while_offline_is_sent_once_although_two_tabs_know_it() {
    story("unsent-tabs", Size::Wide, async |fixture| {
        let page = fixture.page();
        let session = begin(fixture, &page).await;
        send_offline(fixture, &page).await;
        let tabs = page.open_tab().await;
        fixture.proxy.restore();
        visit_session(fixture, &page, &session).await;
        page.until_state("completed").await;
        assert_eq!(page.texts(SAID).await, ["What is this?"]);
        page.switch_to_tab(&tabs.first).await;
        page.bring_to_front().await;
        page.until_connected().await;
        page.until_state("completed").await;
        assert_eq!(page.texts(SAID).await, ["What is this?"]);
        assert_eq!(page.rows_after_reload().await.len(), page.rows().await.len());
        assert_eq!(page.texts(SAID).await, ["What is this?"]);
    })
    .await;
}

#[tokio::test]
async fn an_old_unsent_message_returns_to_the_composer_and_is_not_sent() {
    story("unsent-stale", Size::Wide, async |fixture| {
        let page = fixture.page();
        let session = begin(fixture, &page).await;
        page.run("Hello").await;
        send_offline(fixture, &page).await;
        page.fill_composer("and then").await;
        page.call(JS, "makeOlder", json!([25])).await;
        page.visit("about:blank").await;
        fixture.proxy.restore();
        visit_session(fixture, &page, &session).await;
        page.until_connected().await;
        page.until_draft("What is this?\n\nand then").await;
        page.until_count("[data-pending-image] img", 1).await;
        assert_eq!(page.texts(SAID).await, ["Hello"]);
    })
    .await;
}
