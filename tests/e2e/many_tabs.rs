//! A second tab, in the middle of everything.

use crate::browser::Size;
use crate::stage::story;

#[tokio::test]
async fn a_second_tab_in_mid_stream_shows_the_same_and_both_go_on() {
    story("second-tab", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let session = page.new_session().await;
        page.send("/wait go").await;
        page.until_text("The first half").await;
        let half = page.rows().await;

        let first = page.driver.window().await.unwrap();
        let second = page.driver.new_tab().await.unwrap();
        page.driver.switch_to_window(second.clone()).await.unwrap();
        // No token this time: the cookie is enough.
        page.enter(&format!("{}/s/{session}", stage.server.origin())).await;
        page.until_text("The first half").await;
        assert_eq!(page.rows().await, half);

        stage.release("go");
        page.until_state("completed").await;
        let whole = page.rows().await;
        page.driver.switch_to_window(first).await.unwrap();
        page.until_state("completed").await;
        assert_eq!(page.rows().await, whole, "the first tab");

        page.run("And from here").await;
        page.driver.switch_to_window(second).await.unwrap();
        page.until_text("And from here").await;
        page.until_state("completed").await;
        let rows = page.rows().await;
        assert_eq!(page.rows_after_reload().await, rows);
    })
    .await;
}

#[tokio::test]
async fn a_question_answered_in_one_tab_is_gone_in_the_other() {
    story("question-tabs", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let session = page.new_session().await;
        page.send("/approve").await;
        page.until_state("waiting_approval").await;
        let first = page.driver.window().await.unwrap();
        let second = page.driver.new_tab().await.unwrap();
        page.driver.switch_to_window(second).await.unwrap();
        page.enter(&format!("{}/s/{session}", stage.server.origin())).await;
        page.until("the card", "return document.querySelectorAll('[data-ask-id]').length === 1").await;
        page.press("Block").await;
        page.until("no card", "return !document.querySelector('[data-ask-id]')").await;
        page.driver.switch_to_window(first).await.unwrap();
        page.until("no card here either", "return !document.querySelector('[data-ask-id]')").await;
        page.until_state("completed").await;
    })
    .await;
}
