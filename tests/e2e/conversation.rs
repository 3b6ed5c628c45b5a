//! Working with the agent: what streams is what a reload shows.

use pilothouse_test_support::browser::Size;

use crate::stage::{story, story_at_pace};

#[tokio::test]
async fn i_see_text_thinking_and_tools_and_a_reload_shows_exactly_the_same() {
    story("conversation", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
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
        // Not only what the server has in mind: what the agent's own file says.
        stage.server.kill_and_restart();
        page.until("the loss", "return document.body.dataset.connection === 'lost'").await;
        page.until_connected().await;
        assert_eq!(page.rows_after_reload().await, rows, "after a restart of the server");
    })
    .await;
}

#[tokio::test]
async fn i_reload_in_the_middle_of_an_answer_and_nothing_is_missing_or_doubled() {
    story("reload-mid-text", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.send("/wait go").await;
        page.until_text("The first half").await;
        let half = page.rows().await;
        assert_eq!(page.rows_after_reload().await, half, "in mid-text");
        assert_eq!(page.state().await, "streaming");
        stage.release("go");
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
    story("reload-mid-tool", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.send("/wait-tool go").await;
        page.until_tool("running").await;
        page.reload().await;
        page.until_tool("running").await;
        stage.release("go");
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
    story_at_pace("reload-often", Size::Wide, "3", async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.send("/tour").await;
        page.until("rows", "return document.querySelectorAll('[role=log] [data-message-id]').length > 1")
            .await;
        let mut reloads = 0;
        while page.state().await == "streaming" && reloads < 5 {
            page.reload().await;
            page.until("the session", "return !!document.querySelector('main[data-session-id]')").await;
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
async fn i_switch_between_two_sessions_while_both_stream_and_each_keeps_its_own() {
    story_at_pace("both-stream", Size::Wide, "1", async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let first = page.new_session().await;
        page.send("/long 31").await;
        page.until_text("in 31 parts").await;
        page.open_new_session_form().await;
        let second = page.new_session().await;
        page.send("/long 32").await;
        page.until_text("in 32 parts").await;
        let own = "return [...document.querySelectorAll('[role=log] [data-message-id]')].every((row) =>\
                     !row.textContent.includes(arguments[0]))";
        let mut streaming = 0;
        for turn in 0..6 {
            let (session, mine, other) = [(&first, "31", "32"), (&second, "32", "31")][turn % 2];
            page.click(&format!("nav [data-session-id='{session}']")).await;
            page.until_text(&format!("in {mine} parts")).await;
            let apart = page.script(own, vec![serde_json::json!(format!("in {other} parts"))]).await;
            assert_eq!(apart, serde_json::json!(true), "nothing of the other one");
            streaming += usize::from(page.state().await == "streaming");
        }
        assert!(streaming >= 3, "only {streaming} looks while it streamed");
        for (session, mine) in [(&first, "31"), (&second, "32")] {
            page.click(&format!("nav [data-session-id='{session}']")).await;
            page.until_text(&format!("in {mine} parts")).await;
            page.until_state("completed").await;
            page.until_text("That is all").await;
            let rows = page.rows().await;
            assert_eq!(page.rows_after_reload().await, rows, "as the server has it");
        }
    })
    .await;
}

#[tokio::test]
async fn back_and_forward_lead_through_what_i_looked_at() {
    told_back_forward(Size::Wide).await;
}

#[tokio::test]
async fn on_my_phone_back_and_forward_lead_through_what_i_looked_at() {
    told_back_forward(Size::Phone).await;
}

async fn told_back_forward(size: Size) {
    story("back-forward", size, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.run("The first one").await;
        page.open_new_session_form().await;
        page.new_session().await;
        page.run("The second one").await;
        page.open_new_session_form().await;
        let form = "return !!document.querySelector('main.new-session')";
        page.driver.back().await.unwrap();
        page.until_text("The second one").await;
        page.driver.back().await.unwrap();
        page.until("the form", form).await;
        page.driver.back().await.unwrap();
        page.until_text("The first one").await;
        page.driver.forward().await.unwrap();
        page.until("the form again", form).await;
        page.driver.forward().await.unwrap();
        page.until_text("The second one").await;
        page.reload().await;
        page.until_text("The second one").await;
        assert_eq!(page.count("[role=log] [data-kind=user]").await, 1);
    })
    .await;
}

#[tokio::test]
async fn what_i_opened_is_still_open_when_i_come_back_and_what_came_meanwhile_is_counted() {
    story("open-kept", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let session = page.new_session().await;
        page.run("/tour").await;
        page.click("[role=log] [data-kind=tool] [aria-expanded=false]").await;
        page.until("the opened tool", "return !!document.querySelector('[role=log] .tool-details')").await;
        page.open_new_session_form().await;
        page.new_session().await;
        page.click(&format!("nav [data-session-id='{session}']")).await;
        page.until("the opened tool", "return !!document.querySelector('[role=log] .tool-details')").await;

        page.script("document.querySelector('[role=log]').scrollTop = 0", vec![]).await;
        let jump = "return document.querySelector('.jump')?.textContent.trim() === arguments[0]";
        page.until_script("nothing new", jump, vec![serde_json::json!("Jump to latest")]).await;
        let tabs = page.open_tab().await;
        page.enter(&format!("{}/s/{session}", stage.server.origin())).await;
        page.until_text("/tour").await;
        stage.release("go");
        page.run("/wait go").await;
        page.switch_to_tab(&tabs.first).await;
        page.until_script("what came", jump, vec![serde_json::json!("Jump to latest (3)")]).await;
        page.press_starting("Jump to latest").await;
        page.until("the end", "return !document.querySelector('.jump')").await;
    })
    .await;
}
