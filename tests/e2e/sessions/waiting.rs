//! Sessions that wait for the user, and unread ones.

use pilothouse_test_support::browser::{Size, session_row};

use crate::fixture::story;

#[tokio::test]
async fn i_answer_a_session_while_another_is_open() {
    story("tray", Size::Wide, async |fixture| {
        let page = fixture.page();
        let asking = page.first_visit(&fixture.server.link).await;
        page.send("/approve").await;
        page.until_state("waiting_approval").await;
        page.open_new_session_form().await;
        page.new_session().await;
        page.until_text_of(".waiting-button .count", "1").await;
        page.press("Waiting for you").await;
        page.until_present(".waiting [data-ask-id]").await;
        page.press("Block").await;
        page.until_absent(".waiting-button").await;
        page.until_present(&format!("{}[data-state=completed]", session_row(&asking))).await;
    })
    .await;
}

#[tokio::test]
async fn a_run_that_ended_in_another_session_is_marked_until_i_open_it() {
    story("unread", Size::Wide, async |fixture| {
        let page = fixture.page();
        let session = page.first_visit(&fixture.server.link).await;
        page.send("/wait go").await;
        page.until_text("The first half").await;
        page.open_new_session_form().await;
        fixture.release("go");
        let row = session_row(&session);
        page.until_present(&format!("{row}[data-unread]")).await;
        page.click(&row).await;
        page.until_present(&format!("{row}:not([data-unread])")).await;
    })
    .await;
}
