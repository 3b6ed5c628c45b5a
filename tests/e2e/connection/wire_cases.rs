//! Numbered cases about the socket: commands that the page sends, responses that arrive twice, frames that are lost.

use pilothouse_test_support::browser::Size;

use crate::fixture::story;

#[tokio::test]
async fn case_30_i_take_back_what_i_had_scheduled_and_the_queue_is_cleared_once() {
    story("restore", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.tap_wire().await;
        page.first_visit(&fixture.server.link).await;
        page.send("/wait-tool never").await;
        page.until_tool("running").await;
        assert_eq!(page.count(".queue").await, 0, "the queue is shown although nothing is scheduled");
        page.send("First thought").await;
        page.send("Second thought").await;
        page.until_count("[data-scheduled]", 2).await;
        page.write("draft").await;
        page.press_twice("Restore to editor").await;
        page.until_absent("[data-scheduled]").await;
        page.until_draft("First thought\n\nSecond thought\n\ndraft").await;
        assert_eq!(page.count(".queue").await, 0);
        page.press("Stop").await;
        page.until_state("stopped").await;
        assert_eq!(page.sent_times("clear_queue").await, 1);
        assert_eq!(page.draft().await, "First thought\n\nSecond thought\n\ndraft");
    })
    .await;
}

#[tokio::test]
async fn a_stop_or_a_restore_returns_my_messages_although_its_response_is_lost() {
    for (name, command, button) in
        [("lost-restore", "clear_queue", "Restore to editor"), ("lost-stop", "abort", "Stop")]
    {
        story(name, Size::Wide, async |fixture| {
            let page = fixture.page();
            page.tap_wire().await;
            page.first_visit(&fixture.server.link).await;
            page.send("/wait-tool never").await;
            page.until_tool("running").await;
            page.send("First thought").await;
            page.send("Second thought").await;
            page.until_count("[data-scheduled]", 2).await;
            page.write("draft").await;
            page.lose_response(command).await;
            page.press(button).await;
            page.until_response_lost().await;
            page.until_connected().await;
            page.until_draft("First thought\n\nSecond thought\n\ndraft").await;
        })
        .await;
    }
}

#[tokio::test]
async fn case_33_a_second_response_is_shown_once_as_an_error_and_nothing_else_happens() {
    story("second-response", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.tap_wire().await;
        page.first_visit(&fixture.server.link).await;
        page.repeat_response("prompt").await;
        page.send("Hello").await;
        page.until_state("completed").await;
        page.until_text("answered 'prompt' twice").await;
        assert_eq!(
            page.count("[role=log] [data-kind=error]").await,
            1,
            "the error is not shown exactly once"
        );
        assert_eq!(page.count("[role=log] [data-kind=user]").await, 1);
        page.run("And once more").await;
        assert_eq!(
            page.count("[role=log] [data-kind=user]").await,
            2,
            "the next command did not get its own response"
        );
        assert_eq!(page.sent_times("prompt").await, 2);
    })
    .await;
}

#[tokio::test]
async fn case_45_the_end_of_a_run_asks_for_nothing_and_leaves_the_list_as_it_is() {
    story("end-of-run", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.tap_wire().await;
        page.first_visit(&fixture.server.link).await;
        page.send("/wait go").await;
        page.until_text("The first half").await;
        let before = page.sent_except_read_marks().await;
        assert_eq!(before.last().map(String::as_str), Some("prompt"));
        fixture.release("go");
        page.until_state("completed").await;
        let rows = page.rows().await;
        // A command that the end caused would have been sent before this prompt.
        page.run("Hello").await;
        let after = page.sent_except_read_marks().await;
        // A draft is sent when typing pauses, on a slow machine even in the middle of a word.
        let asked: Vec<&str> = after[before.len()..].iter().map(String::as_str).collect();
        assert_eq!(asked.into_iter().filter(|name| *name != "set_draft").collect::<Vec<_>>(), ["prompt"]);
        assert_eq!(page.rows().await[..rows.len()], rows[..]);
    })
    .await;
}

#[tokio::test]
async fn case_51_a_lost_event_is_fetched_without_a_message() {
    story("gap", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.tap_wire().await;
        page.first_visit(&fixture.server.link).await;
        page.send("/wait go").await;
        page.until_text("The first half").await;
        let before = page.sent_except_read_marks().await;
        page.drop_events(1).await;
        fixture.release("go");
        page.until_events_dropped().await;
        page.until_state("completed").await;
        page.until_text("The second half").await;
        assert_eq!(
            page.sent_except_read_marks().await[before.len()..],
            ["open_session"],
            "the page did not reopen the session exactly once"
        );
        assert_eq!(page.count(".banner, .notice, [data-kind=error]").await, 0, "the page showed a message");
        let rows = page.rows().await;
        assert_eq!(page.rows_after_reload().await, rows);
    })
    .await;
}
