//! Connections that break, go silent and return. Most stories are numbered cases.

use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{Page, Size};

use crate::stage::{Stage, story};

/// The draft, the expanded rows and the scroll position.
const READING_STATE: &str = "return {\
    draft: document.querySelector('textarea[name=prompt]').value,\
    open: [...document.querySelectorAll('[role=log] [aria-expanded]')].map((row) => row.ariaExpanded),\
    place: document.querySelector('[role=log]').scrollTop }";

/// Whether the page shows that the connection is lost.
pub const LOST: &str = "return document.body.dataset.connection === 'lost'";

/// Opens the page through the proxy and creates a session.
pub async fn begin(stage: &Stage, page: &Page) -> String {
    page.tap_wire().await;
    page.enter(&stage.proxy.address(&stage.server.link)).await;
    page.new_session().await
}

#[tokio::test]
async fn case_67_the_connection_breaks_in_mid_stream_and_i_lose_neither_a_row_nor_my_place() {
    story("line-breaks", Size::Wide, async |stage| {
        let page = stage.page();
        let session = begin(stage, &page).await;
        page.run("/tools").await;
        page.run("/tour").await;
        page.send("/wait go").await;
        page.until_text("The first half").await;
        let tabs = page.open_tab().await;
        page.enter(&format!("{}/s/{session}", stage.server.origin())).await;
        page.until_text("The first half").await;

        page.switch_to_tab(&tabs.first).await;
        page.write("half a thought").await;
        page.click("[role=log] [data-kind=tool] [aria-expanded=false]").await;
        let scrolled = "document.querySelector('[role=log]').scrollTop = 120;";
        page.script(scrolled, vec![]).await;
        page.until("the button back to the end", "return !!document.querySelector('.jump')").await;
        let before = page.script(READING_STATE, vec![]).await;
        assert_eq!((&before["draft"], &before["place"]), (&"half a thought".into(), &120.into()));

        stage.proxy.cut();
        page.until("the lost connection", LOST).await;
        stage.release("go");
        page.switch_to_tab(&tabs.second).await;
        page.until_state("completed").await;
        let uninterrupted = page.rows().await;
        page.switch_to_tab(&tabs.first).await;
        stage.proxy.restore();
        page.until_connected().await;
        page.until_state("completed").await;
        assert_eq!(page.script(READING_STATE, vec![]).await, before);
        assert_eq!(page.sent_times("hello").await, 2, "the page reconnected over a new socket");
        assert_eq!(page.rows().await, uninterrupted);
    })
    .await;
}

#[tokio::test]
async fn case_69_a_stop_pressed_while_offline_is_sent_once_after_the_reconnect() {
    story("stop-offline", Size::Wide, async |stage| {
        let page = stage.page();
        begin(stage, &page).await;
        page.send("/wait never").await;
        page.until_text("The first half").await;
        stage.proxy.cut();
        page.until("the lost connection", LOST).await;
        page.press_twice("Stop").await;
        assert_eq!(page.sent_times("abort").await, 0);
        stage.proxy.restore();
        page.until_state("stopped").await;
        page.run("Go on then").await;
        assert_eq!(page.sent_times("abort").await, 1);
    })
    .await;
}

#[tokio::test]
async fn case_69_a_stop_pressed_while_offline_does_not_stop_a_later_run() {
    story("stop-offline-late", Size::Wide, async |stage| {
        let page = stage.page();
        let session = begin(stage, &page).await;
        page.send("/wait go").await;
        page.until_text("The first half").await;
        stage.proxy.cut();
        page.until("the lost connection", LOST).await;
        page.press("Stop").await;

        let tabs = page.open_tab().await;
        page.enter(&format!("{}/s/{session}", stage.server.origin())).await;
        stage.release("go");
        page.until_state("completed").await;
        page.send("/wait never").await;
        page.until_text("when never exists").await;

        page.switch_to_tab(&tabs.first).await;
        stage.proxy.restore();
        page.until_text("when never exists").await;
        page.until(
            "the page to check which run is active",
            "return window.wire.sent.includes('get_messages')",
        )
        .await;
        // The session responds in order, so after this response the page knows the active run.
        page.send("Look around").await;
        page.until("a scheduled message", "return !!document.querySelector('[data-scheduled]')").await;
        assert_eq!((page.state().await.as_str(), page.sent_times("abort").await), ("streaming", 0));
    })
    .await;
}

#[tokio::test]
async fn a_message_sent_while_offline_waits_and_does_not_count_as_failed() {
    story("send-offline", Size::Wide, async |stage| {
        let page = stage.page();
        begin(stage, &page).await;
        page.run("/error").await;
        page.until_state("error").await;
        stage.proxy.cut();
        page.until("the lost connection", LOST).await;
        page.send("Go on then").await;
        page.until_text("Go on then").await;
        let waits = "return document.querySelector('.run-status').textContent.trim() === 'Waiting for the connection'";
        page.until("the status that it waits", waits).await;
        let no_retry = "return ![...document.querySelectorAll('main button')].some((button) => button.textContent.trim() === 'Retry')";
        page.until("no Retry button", no_retry).await;
        stage.proxy.restore();
        page.until_state("completed").await;
        page.until("an empty status", "return !document.querySelector('.run-status .run-words')").await;
        assert_eq!(page.sent_times("prompt").await, 2);
    })
    .await;
}

#[tokio::test]
async fn case_73_after_my_laptop_slept_everything_is_fresh_without_a_click() {
    story("asleep", Size::Wide, async |stage| {
        let page = stage.page();
        let session = begin(stage, &page).await;
        page.run("Hello").await;
        let tabs = page.open_tab().await;
        stage.proxy.go_silent();

        // Meanwhile, on another machine.
        page.enter(&format!("{}/s/{session}", stage.server.origin())).await;
        page.send("/approve").await;
        page.until_state("waiting_approval").await;
        page.visit(&stage.server.origin()).await;
        let other = page.new_session().await;

        page.switch_to_tab(&tabs.first).await;
        let stale = (
            page.state().await,
            page.count("[data-ask-id]").await,
            page.count("nav [data-session-id]").await,
        );
        assert_eq!(stale, ("completed".to_owned(), 0, 1), "the silent tab received something");
        page.bring_to_front().await;
        page.until("the approval", "return document.querySelectorAll('[data-ask-id]').length === 1").await;
        page.until_state("waiting_approval").await;
        let listed = format!("return !!document.querySelector('nav [data-session-id=\"{other}\"]')");
        page.until("the new session in the list", &listed).await;
        page.until_connected().await;
        page.press("Block").await;
        page.until_state("completed").await;
    })
    .await;
}

#[tokio::test]
async fn search_results_stay_when_the_connection_breaks_and_a_search_offline_says_so() {
    story("search-offline", Size::Wide, async |stage| {
        let page = stage.page();
        begin(stage, &page).await;
        page.run("Where is the lantern?").await;
        // The page repeats a search after a pause; the test holds the repetition back.
        let held = "const own = window.setTimeout.bind(window); window.later = [];\
                    window.setTimeout = (run, pause, ...given) =>\
                      pause === 1500 ? window.later.push(run) : own(run, pause, ...given);";
        page.script(held, vec![]).await;
        let found = "return !!document.querySelector('nav .hit mark')";
        // The index needs a moment for a new message.
        for words in ["lantern", "the lantern"].into_iter().cycle().take(50) {
            page.fill("[name=search]", words).await;
            page.until("a response to the search", "return window.later.length > 0").await;
            if page.script(found, vec![]).await == true {
                break;
            }
            page.script("window.later.length = 0", vec![]).await;
        }
        page.until("a search result", found).await;
        stage.proxy.cut();
        page.until("the lost connection", LOST).await;
        page.script("window.later.splice(0).forEach((run) => run())", vec![]).await;
        assert_eq!(page.script(found, vec![]).await, true, "the search results disappeared");

        page.click("textarea[name=prompt]").await;
        page.press_keys(Key::Control + "f").await;
        page.fill("[name=find]", "lantern").await;
        let refused =
            "return document.querySelector('.find-words').textContent === 'Not connected to the server.'";
        page.until("a message that there is no connection", refused).await;
    })
    .await;
}
