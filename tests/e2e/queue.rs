//! What I scheduled and think better of.

use thirtyfour::By;

use pilothouse_test_support::browser::{Page, Size};

use crate::stage::{Stage, story};

async fn schedule(stage: &Stage, page: &Page, text: &str) {
    page.enter(&stage.server.link).await;
    page.new_session().await;
    page.send("/wait-tool go").await;
    page.until_tool("running").await;
    page.send(text).await;
    page.until("it scheduled", "return !!document.querySelector('[data-scheduled]')").await;
}

#[tokio::test]
async fn i_change_a_scheduled_message_and_the_agent_gets_the_new_one() {
    told_queue_edit(Size::Wide).await;
}

#[tokio::test]
async fn on_my_phone_i_change_a_scheduled_message() {
    told_queue_edit(Size::Phone).await;
}

async fn told_queue_edit(size: Size) {
    story("queue-edit", size, async |stage| {
        let page = stage.page();
        schedule(stage, &page, "Look to port").await;
        page.press("Edit").await;
        page.until("the editor", "return !!document.querySelector('textarea[name=scheduled]')").await;
        let field = page.driver.find(By::Css("textarea[name=scheduled]")).await.unwrap();
        field.clear().await.unwrap();
        field.send_keys("Look to starboard").await.unwrap();
        page.press("Save").await;
        page.until(
            "the new words",
            "return document.querySelector('[data-scheduled] .queue-text')?.textContent === 'Look to starboard'",
        )
        .await;
        stage.release("go");
        page.until_text("Look to starboard").await;
        page.until_state("completed").await;
        let rows = page.rows().await;
        assert!(!rows.iter().any(|row| row.text.contains("Look to port")));
        assert_eq!(page.rows_after_reload().await, rows);
    })
    .await;
}

#[tokio::test]
async fn a_message_that_i_am_changing_is_not_sent_and_another_tab_sees_that() {
    story("queue-held", Size::Wide, async |stage| {
        let page = stage.page();
        schedule(stage, &page, "Look to port").await;
        page.press("Edit").await;
        page.until("the editor", "return !!document.querySelector('textarea[name=scheduled]')").await;
        let address = page.driver.current_url().await.unwrap();
        let tabs = page.open_tab().await;
        page.visit(address.as_str()).await;
        page.until(
            "the mark",
            "return document.querySelector('.queue-held')?.textContent === 'being edited'",
        )
        .await;
        stage.release("go");
        page.until_state("completed").await;
        assert_eq!(page.count("[role=log] [data-kind=user]").await, 1, "it is held");
        page.switch_to_tab(&tabs.first).await;
        page.bring_to_front().await;
        page.press("Save").await;
        page.until_text("Look to port").await;
    })
    .await;
}

#[tokio::test]
async fn i_remove_a_scheduled_message_and_it_is_never_sent() {
    story("queue-remove", Size::Wide, async |stage| {
        let page = stage.page();
        schedule(stage, &page, "Look to port").await;
        page.press("Remove").await;
        page.until("the queue", "return !document.querySelector('[data-scheduled]')").await;
        stage.release("go");
        page.until_state("completed").await;
        assert_eq!(page.count("[role=log] [data-kind=user]").await, 1);
    })
    .await;
}
