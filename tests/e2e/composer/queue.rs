//! Scheduled messages: editing and removing them.

use pilothouse_test_support::browser::{Page, Size};

use crate::fixture::{Fixture, story};

async fn schedule(fixture: &Fixture, page: &Page, text: &str) {
    page.first_visit(&fixture.server.link).await;
    page.send("/wait-tool go").await;
    page.until_tool("running").await;
    page.send(text).await;
    page.until_present("[data-scheduled]").await;
}

#[tokio::test]
async fn i_edit_a_scheduled_message_and_the_agent_gets_the_new_text() {
    edit_story(Size::Wide).await;
}

#[tokio::test]
async fn on_my_phone_i_edit_a_scheduled_message() {
    edit_story(Size::Phone).await;
}

async fn edit_story(size: Size) {
    story("queue-edit", size, async |fixture| {
        let page = fixture.page();
        schedule(fixture, &page, "Look to port").await;
        page.press("Edit").await;
        page.until_present("textarea[name=scheduled]").await;
        page.fill("textarea[name=scheduled]", "Look to starboard").await;
        page.press("Save").await;
        page.until_text_of("[data-scheduled] .queue-text", "Look to starboard").await;
        fixture.release("go");
        page.until_text("Look to starboard").await;
        page.until_state("completed").await;
        let rows = page.rows().await;
        assert!(!rows.iter().any(|row| row.text.contains("Look to port")));
        assert_eq!(page.rows_after_reload().await, rows);
    })
    .await;
}

#[tokio::test]
async fn a_message_under_edit_is_not_sent_and_another_tab_shows_that() {
    story("queue-held", Size::Wide, async |fixture| {
        let page = fixture.page();
        schedule(fixture, &page, "Look to port").await;
        page.press("Edit").await;
        page.until_present("textarea[name=scheduled]").await;
        let address = page.address().await;
        let tabs = page.open_tab().await;
        page.visit(&address).await;
        page.until_text_of(".queue-held", "Being edited").await;
        fixture.release("go");
        page.until_state("completed").await;
        assert_eq!(page.count("[role=log] [data-kind=user]").await, 1, "a message under edit was sent");
        page.switch_to_tab(&tabs.first).await;
        page.bring_to_front().await;
        page.press("Save").await;
        page.until_text("Look to port").await;
    })
    .await;
}

#[tokio::test]
async fn i_remove_a_scheduled_message_and_it_is_never_sent() {
    story("queue-remove", Size::Wide, async |fixture| {
        let page = fixture.page();
        schedule(fixture, &page, "Look to port").await;
        page.press("Remove").await;
        page.until_absent("[data-scheduled]").await;
        fixture.release("go");
        page.until_state("completed").await;
        assert_eq!(page.count("[role=log] [data-kind=user]").await, 1);
    })
    .await;
}
