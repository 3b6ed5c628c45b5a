//! Streaming: a reload shows exactly what streamed in.

use pilothouse_test_support::browser::Size;

use crate::fixture::{story, story_at_pace};

#[tokio::test]
async fn i_see_text_thinking_and_tools_and_a_reload_shows_exactly_the_same() {
    story("conversation", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        for prompt in ["/think", "/tools", "/tour", "/error"] {
            page.run(prompt).await;
            let rows = page.rows().await;
            assert!(rows.len() >= 2 && rows.iter().any(|row| row.kind == "user"), "{rows:?}");
            assert_eq!(page.rows_after_reload().await, rows, "after {prompt}");
        }
        let rows = page.rows().await;
        for kind in ["thinking", "tool", "error"] {
            assert!(rows.iter().any(|row| row.kind == kind), "{kind}");
        }
        for phase in ["done", "error"] {
            assert!(rows.iter().any(|row| row.phase.as_deref() == Some(phase)), "{phase}");
        }
        // After a restart the server only has the session file of the agent.
        fixture.server.kill_and_restart();
        page.until_lost().await;
        page.until_connected().await;
        assert_eq!(page.rows_after_reload().await, rows, "after a restart of the server");
    })
    .await;
}

#[tokio::test]
async fn i_reload_in_the_middle_of_an_answer_and_nothing_is_missing_or_doubled() {
    story("reload-mid-text", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.send("/wait go").await;
        page.until_text("The first half").await;
        let half = page.rows().await;
        assert_eq!(page.rows_after_reload().await, half, "in mid-text");
        assert_eq!(page.state().await, "streaming");
        fixture.release("go");
        page.until_state("completed").await;
        let whole = page.rows().await;
        assert_eq!(whole.len(), half.len());
        let text = &whole.last().unwrap().text;
        assert!(text.starts_with(&half.last().unwrap().text) && text.contains("The second half"), "{text}");
        assert_eq!(text.matches("first half").count(), 1, "{text}");
        assert_eq!(page.rows_after_reload().await, whole);
    })
    .await;
}

#[tokio::test]
async fn i_reload_while_a_tool_runs_and_it_ends_in_its_own_row() {
    story("reload-mid-tool", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.send("/wait-tool go").await;
        page.until_tool("running").await;
        page.reload().await;
        page.until_tool("running").await;
        fixture.release("go");
        page.until_tool("done").await;
        page.until_state("completed").await;
        assert_eq!(page.count("[data-kind=tool]").await, 1);
        let rows = page.rows().await;
        assert_eq!(page.rows_after_reload().await, rows);
    })
    .await;
}

#[tokio::test]
async fn i_reload_again_and_again_while_it_streams_at_a_human_pace() {
    story_at_pace("reload-often", Size::Wide, "3", async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.send("/tour").await;
        page.until_at_least("[role=log] [data-message-id]", 2).await;
        let mut reloads = 0;
        while page.state().await == "streaming" && reloads < 5 {
            page.reload().await;
            page.until_present("main[data-session-id]").await;
            reloads += 1;
        }
        assert!(reloads >= 2, "only {reloads} reloads in mid-stream");
        page.until_state("completed").await;
        let rows = page.rows().await;
        assert_eq!(page.rows_after_reload().await, rows);
        assert_eq!(rows.iter().filter(|row| row.kind == "user").count(), 1);
    })
    .await;
}

#[tokio::test]
async fn i_switch_between_two_streaming_sessions_and_their_rows_are_not_mixed() {
    story_at_pace("both-stream", Size::Wide, "1", async |fixture| {
        let page = fixture.page();
        let first = page.first_visit(&fixture.server.link).await;
        page.send("/long 31").await;
        page.until_text("in 31 parts").await;
        page.open_new_session_form().await;
        let second = page.new_session().await;
        page.send("/long 32").await;
        page.until_text("in 32 parts").await;
        let mut streaming = 0;
        for turn in 0..6 {
            let (session, mine, other) = [(&first, "31", "32"), (&second, "32", "31")][turn % 2];
            page.open_session(session).await;
            page.until_text(&format!("in {mine} parts")).await;
            let rows = page.texts("[role=log] [data-message-id]").await;
            let other = format!("in {other} parts");
            assert!(!rows.iter().any(|row| row.contains(&other)), "rows of the other session are shown");
            streaming += usize::from(page.state().await == "streaming");
        }
        assert!(streaming >= 3, "only {streaming} of 6 switches happened while it streamed");
        for (session, mine) in [(&first, "31"), (&second, "32")] {
            page.open_session(session).await;
            page.until_text(&format!("in {mine} parts")).await;
            page.until_state("completed").await;
            page.until_text("That is all").await;
            let rows = page.rows().await;
            assert_eq!(page.rows_after_reload().await, rows, "the server has other rows");
        }
    })
    .await;
}

#[tokio::test]
async fn back_and_forward_return_to_the_sessions_i_visited() {
    back_forward_story(Size::Wide).await;
}

#[tokio::test]
async fn on_my_phone_back_and_forward_return_to_the_sessions_i_visited() {
    back_forward_story(Size::Phone).await;
}

async fn back_forward_story(size: Size) {
    story("back-forward", size, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.run("The first one").await;
        page.open_new_session_form().await;
        page.new_session().await;
        page.run("The second one").await;
        page.open_new_session_form().await;
        page.back().await;
        page.until_text("The second one").await;
        page.back().await;
        page.until_present("main.new-session").await;
        page.back().await;
        page.until_text("The first one").await;
        page.forward().await;
        page.until_present("main.new-session").await;
        page.forward().await;
        page.until_text("The second one").await;
        page.reload().await;
        page.until_text("The second one").await;
        assert_eq!(page.count("[role=log] [data-kind=user]").await, 1);
    })
    .await;
}

#[tokio::test]
async fn opened_rows_stay_open_when_i_return_and_new_rows_are_counted() {
    story("open-kept", Size::Wide, async |fixture| {
        let page = fixture.page();
        let session = page.first_visit(&fixture.server.link).await;
        page.run("/tour").await;
        page.click("[role=log] [data-kind=tool] [aria-expanded=false]").await;
        page.until_present("[role=log] .tool-details").await;
        page.open_new_session_form().await;
        page.new_session().await;
        page.open_session(&session).await;
        page.until_present("[role=log] .tool-details").await;

        page.scroll_to(0.0).await;
        page.until_text_of(".jump", "Jump to latest").await;
        let tabs = page.open_tab().await;
        page.enter(&fixture.session_address(&session)).await;
        page.until_text("/tour").await;
        fixture.release("go");
        page.run("/wait go").await;
        page.switch_to_tab(&tabs.first).await;
        page.until_text_of(".jump", "Jump to latest (3)").await;
        page.press_starting("Jump to latest").await;
        page.until_absent(".jump").await;
    })
    .await;
}
