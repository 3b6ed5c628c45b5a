//! Streaming of replies.

use pilothouse_test_support::browser::session_row;

use crate::model::reply::{Reply, says};
use crate::pi::fixture::story;

#[tokio::test]
async fn i_watch_the_answer_of_pi_stream_in() {
    story("text", async |fixture, pi, page| {
        let reply = says("## The harbour\n\nIt has **two** berths").gate("half").text(":\n\n- one\n- two\n");
        pi.model.will([reply.using(64_000)]);
        page.send("Describe the harbour").await;
        page.until_text("two berths").await;
        let half = page.rows().await;
        assert_eq!(page.state().await, "streaming");
        assert_eq!(page.rows_after_reload().await, half, "in mid-text");
        pi.model.open("half");
        page.until_state("completed").await;
        let answer = "[role=log] [data-kind=assistant]";
        assert_eq!(page.text_of(&format!("{answer} :is(h1, h2, h3, h4)")).await, "The harbour");
        assert_eq!(page.text_of(&format!("{answer} strong")).await, "two");
        assert_eq!(page.count(&format!("{answer} li")).await, 2);
        assert_eq!(pi.model.last_heard(), "Describe the harbour");
        page.until_text_in(".context", "50%").await;
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn i_see_the_thinking_before_the_answer() {
    story("thinking", async |fixture, pi, page| {
        let reply = Reply::default().thinking("Two berths, one of them taken.").gate("thought");
        // A line separator is no line break in pi's output, although some programs treat it as one.
        pi.model.will([reply.text("One berth is free ⚓\u{2028}until the tide turns.")]);
        page.send("Is a berth free?").await;
        page.until_text("one of them taken").await;
        assert_eq!(page.count("[role=log] [data-kind=thinking].live").await, 1);
        pi.model.open("thought");
        page.until_state("completed").await;
        let rows = page.rows().await;
        let kinds: Vec<&str> = rows.iter().map(|row| row.kind.as_str()).collect();
        assert_eq!(kinds, ["user", "thinking", "assistant"]);
        assert_eq!(rows[2].text, "One berth is free ⚓\u{2028}until the tide turns.");
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn two_sessions_of_pi_stream_at_once_and_i_switch_between_them() {
    story("both", async |fixture, pi, page| {
        let first = page.session().await;
        pi.model.will([says("The north").gate("north").text(" is clear.")]);
        page.send("Look north").await;
        page.until_text("The north").await;
        page.open_new_session_form().await;
        let second = page.new_session_of("pi").await;
        pi.model.will([says("The south").gate("south").text(" is foggy.")]);
        page.send("Look south").await;
        page.until_text("The south").await;
        page.open_session(&first).await;
        page.until_text("The north").await;
        assert_eq!(page.rows().await.iter().filter(|row| row.text.contains("south")).count(), 0);
        // The other session ends while it is not shown.
        pi.model.open("south");
        page.until_present(&format!("{}[data-state=completed]", session_row(&second))).await;
        assert_eq!(page.state().await, "streaming");
        pi.model.open("north");
        page.until_text("is clear.").await;
        page.until_state("completed").await;
        page.open_session(&second).await;
        page.until_text("is foggy.").await;
        assert_eq!(page.rows().await.len(), 2);
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}
