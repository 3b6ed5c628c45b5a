//! A second tab, in the middle of everything.

use pilothouse_test_support::browser::Size;

use crate::stage::story;

#[tokio::test]
async fn case_68_a_second_tab_in_mid_stream_shows_the_same_and_both_go_on() {
    story("second-tab", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let session = page.new_session().await;
        page.send("/wait go").await;
        page.until_text("The first half").await;
        let half = page.rows().await;

        let tabs = page.open_tab().await;
        page.enter(&format!("{}/s/{session}", stage.server.origin())).await;
        page.until_text("The first half").await;
        assert_eq!(page.rows().await, half);

        stage.release("go");
        page.until_state("completed").await;
        let whole = page.rows().await;
        page.switch_to_tab(&tabs.first).await;
        page.until_state("completed").await;
        assert_eq!(page.rows().await, whole, "the first tab");

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
    story("second-tab-elsewhere", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let session = page.new_session().await;
        page.send("/wait go").await;
        page.until_text("The first half").await;

        let tabs = page.open_tab().await;
        page.enter(&stage.server.origin()).await;
        let other = page.new_session().await;
        assert_ne!(other, session);
        page.run("Hello").await;

        page.switch_to_tab(&tabs.first).await;
        assert_eq!(page.attribute("main", "data-session-id").await, session);
        assert!(page.driver.current_url().await.unwrap().path().ends_with(&session));
        assert_eq!(page.state().await, "streaming");
        stage.release("go");
        page.until_state("completed").await;
        page.until_text("The second half").await;
        assert_eq!(page.rows().await.iter().filter(|row| row.kind == "user").count(), 1);
    })
    .await;
}

#[tokio::test]
async fn case_70_an_approval_survives_a_reload_and_is_gone_everywhere_once_answered() {
    story("question-tabs", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let session = page.new_session().await;
        let one_card = "return document.querySelectorAll('[data-ask-id]').length === 1";
        let no_card = "return !document.querySelector('[data-ask-id]')";
        page.send("/approve").await;
        page.until_state("waiting_approval").await;
        let card = page.attribute("[data-ask-id]", "data-ask-id").await;
        page.reload().await;
        page.until("the card again", one_card).await;
        assert_eq!(page.attribute("[data-ask-id]", "data-ask-id").await, card);
        assert_eq!(page.state().await, "waiting_approval");

        let tabs = page.open_tab().await;
        page.enter(&format!("{}/s/{session}", stage.server.origin())).await;
        page.until("the card in the second tab", one_card).await;
        page.switch_to_tab(&tabs.first).await;
        page.press("Block").await;
        page.until("no card", no_card).await;
        page.switch_to_tab(&tabs.second).await;
        page.until("no card here either", no_card).await;
        page.until_state("completed").await;
    })
    .await;
}

#[tokio::test]
async fn case_71_a_session_deleted_elsewhere_is_left_and_leaves_no_ghost() {
    story("deleted", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let session = page.new_session().await;
        page.run("Hello").await;
        page.reload().await;
        std::fs::remove_file(stage.server.session_file(&session)).unwrap();

        let tabs = page.open_tab().await;
        page.enter(&stage.server.origin()).await;
        assert_eq!(page.count("nav [data-session-id]").await, 0);
        page.switch_to_tab(&tabs.first).await;
        page.until("the view is left", "return location.pathname === '/'").await;
        page.until("the form", "return !!document.querySelector('main form button[type=submit]:enabled')")
            .await;
        page.until("why", "return document.querySelector('main').textContent.includes('has been removed')")
            .await;
        assert_eq!(page.count("nav [data-session-id], [data-message-id]").await, 0);
        assert_ne!(page.new_session().await, session);
    })
    .await;
}
