//! What I send while the server cannot be reached: I see that it waits, and a page that has to go does not take it along.

use crate::browser::Size;
use crate::lost_line::{LOST, begin};
use crate::pictures::{drop_picture, until_kept};
use crate::stage::story;

const ADRIFT: &str =
    "return [...document.querySelectorAll('[data-adrift] .queue-text')].map((row) => row.textContent)";

#[tokio::test]
async fn what_i_say_to_an_agent_at_work_while_offline_is_shown_as_not_sent_yet() {
    story("adrift-shown", Size::Wide, async |stage| {
        let page = stage.page();
        begin(stage, &page).await;
        page.send("/wait go").await;
        page.until_text("The first half").await;
        stage.line.cut();
        page.until("the loss", LOST).await;
        page.send("Look at the tests, too").await;
        page.send("!echo by hand").await;
        let both = serde_json::json!(["Look at the tests, too", "!echo by hand"]);
        assert_eq!(page.script(ADRIFT, vec![]).await, both);
        assert_eq!(page.count("[data-scheduled]").await, 0);
        page.screenshot("adrift").await;

        stage.line.mend();
        page.connected().await;
        page.until(
            "its place in the queue",
            "return document.querySelectorAll('[data-scheduled]').length === 1",
        )
        .await;
        page.until("what the command says", "return !!document.querySelector('[data-kind=bash]')").await;
        page.until("nothing adrift", "return !document.querySelector('[data-adrift]')").await;
        stage.release("go");
        page.until_text("Look at the tests, too").await;
        assert_eq!((page.sent_times("prompt").await, page.sent_times("bash").await), (2, 1));
    })
    .await;
}

#[tokio::test]
async fn what_i_sent_while_offline_is_in_the_composer_again_if_the_page_had_to_go() {
    story("adrift-kept", Size::Wide, async |stage| {
        let page = stage.page();
        let session = begin(stage, &page).await;
        page.run("Hello").await;
        drop_picture(&page).await;
        page.until("its preview", "return !!document.querySelector('[data-pending-image] img')").await;
        stage.line.cut();
        page.until("the loss", LOST).await;
        page.send("What is this?").await;
        page.until_text("What is this?").await;
        page.write("and then").await;
        until_kept(&page, 1).await;
        page.visit("about:blank").await;
        stage.line.mend();

        let address = format!("{}/s/{session}", stage.server.origin());
        page.visit(&stage.line.through(&stage.server, &address)).await;
        page.connected().await;
        page.until_draft("What is this?\n\nand then").await;
        page.until(
            "the picture",
            "return document.querySelectorAll('[data-pending-image] img').length === 1",
        )
        .await;
        assert_eq!(page.count("[data-kind=user]").await, 1, "it was not sent");
    })
    .await;
}

#[tokio::test]
async fn what_i_sent_while_offline_is_nowhere_else_once_it_has_arrived() {
    story("adrift-arrived", Size::Wide, async |stage| {
        let page = stage.page();
        begin(stage, &page).await;
        drop_picture(&page).await;
        page.until("its preview", "return !!document.querySelector('[data-pending-image] img')").await;
        stage.line.cut();
        page.until("the loss", LOST).await;
        page.send("What is this?").await;
        page.until_text("What is this?").await;
        until_kept(&page, 1).await;
        stage.line.mend();
        page.until_state("completed").await;
        until_kept(&page, 0).await;
        page.reload().await;
        page.until_text("What is this?").await;
        assert_eq!((page.draft().await.as_str(), page.count("[data-pending-image]").await), ("", 0));
        assert_eq!(page.count("[data-kind=user]").await, 1, "it was sent once");
    })
    .await;
}
