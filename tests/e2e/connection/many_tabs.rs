//! A second tab.

use pilothouse_test_support::browser::Size;

use crate::fixture::story;

#[tokio::test]
async fn case_68_a_second_tab_in_mid_stream_shows_the_same_and_both_go_on() {
    story("second-tab", Size::Wide, async |fixture| {
        let page = fixture.page();
        let session = page.first_visit(&fixture.server.link).await;
        page.send("/wait go").await;
        page.until_text("The first half").await;
        let half = page.rows().await;

        let tabs = page.open_tab().await;
        page.enter(&fixture.session_address(&session)).await;
        page.until_text("The first half").await;
        assert_eq!(page.rows().await, half);

        fixture.release("go");
        page.until_state("completed").await;
        let whole = page.rows().await;
        page.switch_to_tab(&tabs.first).await;
        page.until_state("completed").await;
        assert_eq!(page.rows().await, whole, "the first tab differs");

        page.run("And from here").await;
        page.switch_to_tab(&tabs.second).await;
        page.until_text("And from here").await;
        page.until_state("completed").await;
        let rows = page.rows().await;
        assert_eq!(page.rows_after_reload().await, rows);
    })
    .await;
}

#[tokio::test]
async fn case_68_work_in_a_second_tab_neither_stops_nor_switches_the_first() {
    story("second-tab-elsewhere", Size::Wide, async |fixture| {
        let page = fixture.page();
        let session = page.first_visit(&fixture.server.link).await;
        page.send("/wait go").await;
        page.until_text("The first half").await;

        let tabs = page.open_tab().await;
        page.enter(&fixture.server.origin()).await;
        let other = page.new_session().await;
        assert_ne!(other, session);
        page.run("Hello").await;

        page.switch_to_tab(&tabs.first).await;
        assert_eq!(page.session().await, session);
        assert!(page.address().await.ends_with(&session));
        assert_eq!(page.state().await, "streaming");
        fixture.release("go");
        page.until_state("completed").await;
        page.until_text("The second half").await;
        assert_eq!(page.rows().await.iter().filter(|row| row.kind == "user").count(), 1);
    })
    .await;
}

#[tokio::test]
async fn case_70_an_approval_survives_a_reload_and_is_gone_everywhere_once_answered() {
    story("question-tabs", Size::Wide, async |fixture| {
        let page = fixture.page();
        let session = page.first_visit(&fixture.server.link).await;
        let card = "[data-ask-id]";
        page.send("/approve").await;
        page.until_state("waiting_approval").await;
        let ask = page.attribute(card, "data-ask-id").await;
        page.reload().await;
        page.until_count(card, 1).await;
        assert_eq!(page.attribute(card, "data-ask-id").await, ask);
        assert_eq!(page.state().await, "waiting_approval");

        let tabs = page.open_tab().await;
        page.enter(&fixture.session_address(&session)).await;
        page.until_count(card, 1).await;
        page.switch_to_tab(&tabs.first).await;
        page.press("Block").await;
        page.until_absent(card).await;
        page.switch_to_tab(&tabs.second).await;
        page.until_absent(card).await;
        page.until_state("completed").await;
    })
    .await;
}

#[tokio::test]
async fn case_71_a_session_deleted_elsewhere_is_left_and_leaves_no_ghost() {
    story("deleted", Size::Wide, async |fixture| {
        let page = fixture.page();
        let session = page.first_visit(&fixture.server.link).await;
        page.run("Hello").await;
        page.reload().await;
        std::fs::remove_file(fixture.server.session_file(&session)).unwrap();

        let tabs = page.open_tab().await;
        page.enter(&fixture.server.origin()).await;
        assert_eq!(page.count("nav [data-session-id]").await, 0);
        page.switch_to_tab(&tabs.first).await;
        page.until_address("the address of the form", |address| {
            address == format!("{}/", fixture.server.origin())
        })
        .await;
        page.until_present("main form button[type=submit]:enabled").await;
        page.until_text_in("main", "was deleted").await;
        assert_eq!(page.count("nav [data-session-id], [data-message-id]").await, 0);
        assert_ne!(page.new_session().await, session);
    })
    .await;
}
