//! Connections that break, go silent and return. Most stories are numbered cases.

use serde_json::json;
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{JavaScript, Page, Size, session_row};
use pilothouse_test_support::wait;

use crate::fixture::{Fixture, story};

const JS: JavaScript = js!("connection/lost_connection");

/// Opens the page through the proxy and creates a session.
pub async fn begin(fixture: &Fixture, page: &Page) -> String {
    page.tap_wire().await;
    page.first_visit(&fixture.proxy.address(&fixture.server.link)).await
}

#[tokio::test]
async fn case_67_the_connection_breaks_in_mid_stream_and_i_lose_neither_a_row_nor_my_place() {
    story("line-breaks", Size::Wide, async |fixture| {
        let page = fixture.page();
        let session = begin(fixture, &page).await;
        page.run("/tools").await;
        page.run("/tour").await;
        page.send("/wait go").await;
        page.until_text("The first half").await;
        let tabs = page.open_tab().await;
        page.enter(&fixture.session_link(&session)).await;
        page.until_text("The first half").await;

        page.switch_to_tab(&tabs.first).await;
        page.write("half a thought").await;
        page.click("[role=log] [data-kind=tool] [aria-expanded=false]").await;
        page.scroll_to(120.0).await;
        page.until_present(".jump").await;
        let before = page.call(JS, "readingState", json!([])).await;
        assert_eq!((&before["draft"], &before["scrolled"]), (&"half a thought".into(), &120.into()));

        fixture.proxy.cut();
        page.until_lost().await;
        fixture.release("go");
        page.switch_to_tab(&tabs.second).await;
        page.until_state("completed").await;
        let uninterrupted = page.rows().await;
        page.switch_to_tab(&tabs.first).await;
        fixture.proxy.restore();
        page.until_connected().await;
        page.until_state("completed").await;
        assert_eq!(page.call(JS, "readingState", json!([])).await, before);
        assert_eq!(page.sent_times("hello").await, 2, "the page reconnected over a new socket");
        assert_eq!(page.rows().await, uninterrupted);
    })
    .await;
}

#[tokio::test]
async fn case_69_a_stop_pressed_while_offline_is_sent_once_after_the_reconnect() {
    story("stop-offline", Size::Wide, async |fixture| {
        let page = fixture.page();
        begin(fixture, &page).await;
        page.send("/wait never").await;
        page.until_text("The first half").await;
        fixture.proxy.cut();
        page.until_lost().await;
        page.press_twice("Stop").await;
        assert_eq!(page.sent_times("abort").await, 0);
        fixture.proxy.restore();
        page.until_state("stopped").await;
        page.run("Go on then").await;
        assert_eq!(page.sent_times("abort").await, 1);
    })
    .await;
}

#[tokio::test]
async fn case_69_a_stop_pressed_while_offline_does_not_stop_a_later_run() {
    story("stop-offline-late", Size::Wide, async |fixture| {
        let page = fixture.page();
        let session = begin(fixture, &page).await;
        page.send("/wait go").await;
        page.until_text("The first half").await;
        fixture.proxy.cut();
        page.until_lost().await;
        page.press("Stop").await;

        let tabs = page.open_tab().await;
        page.enter(&fixture.session_link(&session)).await;
        fixture.release("go");
        page.until_state("completed").await;
        page.send("/wait never").await;
        page.until_text("when never exists").await;

        page.switch_to_tab(&tabs.first).await;
        fixture.proxy.restore();
        page.until_text("when never exists").await;
        // The page checks which run is active.
        page.until_sent("get_messages").await;
        // The session responds in order, so after this response the page knows the active run.
        page.send("Look around").await;
        page.until_present("[data-scheduled]").await;
        assert_eq!((page.state().await.as_str(), page.sent_times("abort").await), ("streaming", 0));
    })
    .await;
}

#[tokio::test]
async fn a_message_sent_while_offline_waits_and_does_not_count_as_failed() {
    story("send-offline", Size::Wide, async |fixture| {
        let page = fixture.page();
        begin(fixture, &page).await;
        page.run("/error").await;
        page.until_state("error").await;
        fixture.proxy.cut();
        page.until_lost().await;
        page.send("Go on then").await;
        page.until_text("Go on then").await;
        page.until_text_of(".run-status", "Waiting for connection").await;
        let buttons = page.texts("main button").await;
        assert!(!buttons.iter().any(|name| name.trim() == "Retry"), "{buttons:?}");
        fixture.proxy.restore();
        page.until_state("completed").await;
        page.until_absent(".run-words").await;
        assert_eq!(page.sent_times("prompt").await, 2);
    })
    .await;
}

#[tokio::test]
async fn case_73_after_my_laptop_slept_everything_is_fresh_without_a_click() {
    story("asleep", Size::Wide, async |fixture| {
        let page = fixture.page();
        let session = begin(fixture, &page).await;
        page.run("Hello").await;
        let tabs = page.open_tab().await;
        fixture.proxy.go_silent();

        // Meanwhile, on another machine.
        page.enter(&fixture.session_link(&session)).await;
        page.send("/approve").await;
        page.until_state("waiting_approval").await;
        page.visit(&fixture.server.origin()).await;
        let other = page.new_session().await;

        page.switch_to_tab(&tabs.first).await;
        let stale = (
            page.state().await,
            page.count("[data-ask-id]").await,
            page.count("nav [data-session-id]").await,
        );
        assert_eq!(stale, ("completed".to_owned(), 0, 1), "the silent tab received something");
        page.bring_to_front().await;
        page.until_count("[data-ask-id]", 1).await;
        page.until_state("waiting_approval").await;
        page.until_present(&session_row(&other)).await;
        page.until_connected().await;
        page.press("Block").await;
        page.until_state("completed").await;
    })
    .await;
}

#[tokio::test]
async fn search_results_stay_when_the_connection_breaks_and_a_search_offline_says_so() {
    story("search-offline", Size::Wide, async |fixture| {
        let page = fixture.page();
        begin(fixture, &page).await;
        page.run("Where is the lantern?").await;
        // The page repeats a search after a pause; the test holds the repetition back.
        page.call(JS, "holdTimers", json!([1500])).await;
        let hit = "nav .hit mark";
        // The index needs a moment for a new message.
        let mut queries = ["lantern", "the lantern"].into_iter().cycle();
        let search = async || {
            page.fill("[name=search]", queries.next()?).await;
            page.until_call("a response to the search", JS, "hasHeldTimer", json!([])).await;
            let found = page.count(hit).await > 0;
            if !found {
                page.call(JS, "dropTimers", json!([])).await;
            }
            found.then_some(())
        };
        wait::until_some("a search result", search).await;
        fixture.proxy.cut();
        page.until_lost().await;
        page.call(JS, "runTimers", json!([])).await;
        assert!(page.count(hit).await > 0, "the search results disappeared");

        page.click("textarea[name=prompt]").await;
        page.press_keys(Key::Control + "f").await;
        page.fill("[name=find]", "lantern").await;
        page.until_text_of(".find-words", "Not connected to the server.").await;
    })
    .await;
}
