//! What I send while the server cannot be reached: I see that it waits, and it goes out once, also if the page had to go.

use serde_json::json;

use pilothouse_test_support::browser::{Page, Size};

use crate::lost_connection::{LOST, begin};
use crate::pictures::{drop_picture, until_kept, until_kept_as};
use crate::stage::{Stage, story};

const UNSENT: &str =
    "return [...document.querySelectorAll('[data-unsent] .queue-text')].map((row) => row.textContent)";
const SAID: &str =
    "return [...document.querySelectorAll('[data-kind=user] .row-text')].map((row) => row.textContent)";

/// Says something with a picture while nobody hears it.
async fn say_offline(stage: &Stage, page: &Page) {
    drop_picture(page).await;
    page.until("its preview", "return !!document.querySelector('[data-pending-image] img')").await;
    until_kept(page, 1).await;
    stage.proxy.cut();
    page.until("the loss", LOST).await;
    page.send("What is this?").await;
    page.until_text("What is this?").await;
    page.until("no preview", "return !document.querySelector('[data-pending-image]')").await;
    until_kept_as(page, "sent:", 1).await;
}

async fn visit_session(stage: &Stage, page: &Page, session: &str) {
    let address = format!("{}/s/{session}", stage.server.origin());
    page.visit(&stage.proxy.address(&address)).await;
}

#[tokio::test]
async fn what_i_say_to_an_agent_at_work_while_offline_is_shown_as_not_sent_yet() {
    story("unsent-shown", Size::Wide, async |stage| {
        let page = stage.page();
        begin(stage, &page).await;
        page.send("/wait go").await;
        page.until_text("The first half").await;
        stage.proxy.cut();
        page.until("the loss", LOST).await;
        page.send("Look at the tests, too").await;
        page.send("!echo by hand").await;
        assert_eq!(page.script(UNSENT, vec![]).await, json!(["Look at the tests, too", "!echo by hand"]));
        assert_eq!(page.count("[data-scheduled]").await, 0);
        page.screenshot("unsent").await;

        stage.proxy.restore();
        page.until_connected().await;
        page.until(
            "its place in the queue",
            "return document.querySelectorAll('[data-scheduled]').length === 1",
        )
        .await;
        page.until("what the command says", "return !!document.querySelector('[data-kind=bash]')").await;
        assert_eq!(page.script(UNSENT, vec![]).await, json!([]));
        stage.release("go");
        page.until_text("Look at the tests, too").await;
        assert_eq!((page.sent_times("prompt").await, page.sent_times("bash").await), (2, 1));
    })
    .await;
}

#[tokio::test]
async fn what_i_sent_while_offline_goes_out_once_though_the_page_had_to_go() {
    story("unsent-reloaded", Size::Wide, async |stage| {
        let page = stage.page();
        let session = begin(stage, &page).await;
        page.run("Hello").await;
        say_offline(stage, &page).await;
        page.fill_composer("and then").await;
        page.visit("about:blank").await;
        stage.proxy.restore();

        // Wherever I go: it was said in its session.
        page.visit(&stage.proxy.address(&stage.server.origin())).await;
        page.until_connected().await;
        let arrived = format!(
            "return document.querySelector('nav [data-session-id=\"{session}\"]')?.dataset.state === 'completed'\
             && !Object.keys(localStorage).some((key) => key.startsWith('sent:'))"
        );
        page.until("its answer", &arrived).await;
        until_kept(&page, 0).await;
        for _ in 0..2 {
            visit_session(stage, &page, &session).await;
            page.until("both messages", "return document.querySelectorAll('[data-kind=user]').length === 2").await;
            assert_eq!(page.script(SAID, vec![]).await, json!(["Hello", "What is this?"]));
            assert_eq!(page.count("[data-kind=user] img").await, 1);
            assert_eq!((page.draft().await.as_str(), page.count("[data-pending-image]").await), ("and then", 0));
        }
    })
    .await;
}

#[tokio::test]
async fn what_i_sent_while_offline_is_said_once_though_two_tabs_know_of_it() {
    story("unsent-tabs", Size::Wide, async |stage| {
        let page = stage.page();
        let session = begin(stage, &page).await;
        say_offline(stage, &page).await;
        let tabs = page.open_tab().await;
        stage.proxy.restore();
        visit_session(stage, &page, &session).await;
        page.until_state("completed").await;
        assert_eq!(page.script(SAID, vec![]).await, json!(["What is this?"]));
        page.switch_to_tab(&tabs.first).await;
        page.bring_to_front().await;
        page.until_connected().await;
        page.until_state("completed").await;
        assert_eq!(page.script(SAID, vec![]).await, json!(["What is this?"]));
        assert_eq!(page.rows_after_reload().await.len(), page.rows().await.len());
        assert_eq!(page.script(SAID, vec![]).await, json!(["What is this?"]));
    })
    .await;
}

#[tokio::test]
async fn what_i_sent_long_ago_and_never_arrived_is_in_the_composer_and_not_sent_by_itself() {
    story("unsent-stale", Size::Wide, async |stage| {
        let page = stage.page();
        let session = begin(stage, &page).await;
        page.run("Hello").await;
        say_offline(stage, &page).await;
        page.fill_composer("and then").await;
        let long_ago = "const key = Object.keys(localStorage).find((key) => key.startsWith('sent:'));\
                        const sent = JSON.parse(localStorage[key]); sent[3] -= 25 * 3600000;\
                        localStorage[key] = JSON.stringify(sent)";
        page.script(long_ago, vec![]).await;
        page.visit("about:blank").await;
        stage.proxy.restore();
        visit_session(stage, &page, &session).await;
        page.until_connected().await;
        page.until_draft("What is this?\n\nand then").await;
        page.until(
            "the picture",
            "return document.querySelectorAll('[data-pending-image] img').length === 1",
        )
        .await;
        assert_eq!(page.script(SAID, vec![]).await, json!(["Hello"]));
    })
    .await;
}
