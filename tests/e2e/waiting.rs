//! "Waiting on me": answered without going there.

use pilothouse_test_support::browser::Size;

use crate::stage::story;

#[tokio::test]
async fn i_answer_one_session_while_i_look_at_another() {
    story("tray", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let asking = page.new_session().await;
        page.send("/approve").await;
        page.until_state("waiting_approval").await;
        page.open_new_session_form().await;
        page.new_session().await;
        page.until("the count", "return document.querySelector('.waiting-button .count')?.textContent === '1'").await;
        page.press("Waiting on me").await;
        page.until("the card", "return !!document.querySelector('.waiting [data-ask-id]')").await;
        page.press("Block").await;
        page.until("nothing to wait", "return !document.querySelector('.waiting-button')").await;
        let state = format!("return document.querySelector('nav [data-session-id=\"{asking}\"]').dataset.state === 'completed'");
        page.until("its end", &state).await;
    })
    .await;
}

#[tokio::test]
async fn what_ended_while_i_was_away_is_marked_until_i_look() {
    story("unread", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let session = page.new_session().await;
        page.send("/wait go").await;
        page.until_text("The first half").await;
        page.open_new_session_form().await;
        stage.release("go");
        let row = format!("nav [data-session-id=\"{session}\"]");
        page.until("the mark", &format!("return !!document.querySelector('{row}[data-unread]')")).await;
        page.click(&row).await;
        page.until("it gone", &format!("return !!document.querySelector('{row}:not([data-unread])')")).await;
    })
    .await;
}
