//! A line that breaks, falls silent and comes back; most of it numbered cases.

use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{Page, Size};

use crate::stage::{Stage, story};

const HOW_IT_STANDS: &str = "return {\
    draft: document.querySelector('textarea[name=prompt]').value,\
    open: [...document.querySelectorAll('[role=log] [aria-expanded]')].map((row) => row.ariaExpanded),\
    place: document.querySelector('[role=log]').scrollTop }";

pub const LOST: &str = "return document.body.dataset.connection === 'lost'";

/// Opens the page by way of the line and makes a session.
pub async fn begin(stage: &Stage, page: &Page) -> String {
    page.tap_wire().await;
    page.enter(&stage.proxy.address(&stage.server.link)).await;
    page.new_session().await
}

#[tokio::test]
async fn case_67_the_line_breaks_in_mid_stream_and_i_lose_neither_a_row_nor_my_place() {
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
        page.until("the reader's place", "return !!document.querySelector('.jump')").await;
        let before = page.script(HOW_IT_STANDS, vec![]).await;
        assert_eq!((&before["draft"], &before["place"]), (&"half a thought".into(), &120.into()));

        stage.proxy.cut();
        page.until("the loss", LOST).await;
        stage.release("go");
        page.switch_to_tab(&tabs.second).await;
        page.until_state("completed").await;
        let never_dropped = page.rows().await;
        page.switch_to_tab(&tabs.first).await;
        stage.proxy.restore();
        page.until_connected().await;
        page.until_state("completed").await;
        assert_eq!(page.script(HOW_IT_STANDS, vec![]).await, before);
        assert_eq!(page.sent_times("hello").await, 2, "it came back over a new socket");
        assert_eq!(page.rows().await, never_dropped);
    })
    .await;
}

#[tokio::test]
async fn case_69_a_stop_pressed_while_offline_is_sent_once_when_i_am_back() {
    story("stop-offline", Size::Wide, async |stage| {
        let page = stage.page();
        begin(stage, &page).await;
        page.send("/wait never").await;
        page.until_text("The first half").await;
        stage.proxy.cut();
        page.until("the loss", LOST).await;
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
        page.until("the loss", LOST).await;
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
        page.until("the question before a stop", "return window.wire.sent.includes('get_messages')").await;
        // The session answers in order: with this answer, the one to that question has come.
        page.send("Look around").await;
        page.until("a scheduled message", "return !!document.querySelector('[data-scheduled]')").await;
        assert_eq!((page.state().await.as_str(), page.sent_times("abort").await), ("streaming", 0));
    })
    .await;
}

#[tokio::test]
async fn what_i_send_while_offline_waits_and_is_not_said_to_have_failed() {
    story("send-offline", Size::Wide, async |stage| {
        let page = stage.page();
        begin(stage, &page).await;
        page.run("/error").await;
        page.until_state("error").await;
        stage.proxy.cut();
        page.until("the loss", LOST).await;
        page.send("Go on then").await;
        page.until_text("Go on then").await;
        let waits = "return document.querySelector('.run-status').textContent.trim() === 'Waiting for the connection'";
        page.until("that it waits", waits).await;
        let no_retry = "return ![...document.querySelectorAll('main button')].some((button) => button.textContent.trim() === 'Retry')";
        page.until("nothing to try again", no_retry).await;
        stage.proxy.restore();
        page.until_state("completed").await;
        page.until("nothing to say", "return document.querySelector('.run-status').textContent.trim() === ''").await;
        assert_eq!(page.sent_times("prompt").await, 2);
    })
    .await;
}

#[tokio::test]
async fn case_73_my_laptop_slept_and_everything_is_fresh_when_i_look_at_it_again() {
    story("asleep", Size::Wide, async |stage| {
        let page = stage.page();
        let session = begin(stage, &page).await;
        page.run("Hello").await;
        let tabs = page.open_tab().await;
        stage.proxy.go_silent();

        // Meanwhile, from another machine.
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
        assert_eq!(stale, ("completed".to_owned(), 0, 1), "nobody has told it anything");
        page.bring_to_front().await;
        page.until("the question", "return document.querySelectorAll('[data-ask-id]').length === 1").await;
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
async fn what_i_found_stays_though_the_line_breaks_and_a_search_without_one_says_so() {
    story("search-offline", Size::Wide, async |stage| {
        let page = stage.page();
        begin(stage, &page).await;
        page.run("Where is the lantern?").await;
        // The page asks once more a little later; here it does when it is told to.
        let held = "const own = window.setTimeout.bind(window); window.later = [];\
                    window.setTimeout = (run, pause, ...given) =>\
                      pause === 1500 ? window.later.push(run) : own(run, pause, ...given);";
        page.script(held, vec![]).await;
        let found = "return !!document.querySelector('nav .hit mark')";
        // What was just said takes a moment to be found.
        for words in ["lantern", "the lantern"].into_iter().cycle().take(50) {
            page.fill("[name=search]", words).await;
            page.until("an answer", "return window.later.length > 0").await;
            if page.script(found, vec![]).await == true {
                break;
            }
            page.script("window.later.length = 0", vec![]).await;
        }
        page.until("a hit", found).await;
        stage.proxy.cut();
        page.until("the loss", LOST).await;
        page.script("window.later.splice(0).forEach((run) => run())", vec![]).await;
        assert_eq!(page.script(found, vec![]).await, true, "what was found is gone");

        page.click("textarea[name=prompt]").await;
        page.press_keys(Key::Control + "f").await;
        page.fill("[name=find]", "lantern").await;
        let said =
            "return document.querySelector('.find-words').textContent === 'Not connected to the server.'";
        page.until("that there is no connection", said).await;
    })
    .await;
}
