//! What pi says, as it says it.

use super::reply::{Reply, says};
use super::stage::story;

#[tokio::test]
async fn i_watch_the_answer_of_my_own_pi_as_it_is_written() {
    story("text", async |stage, pi, page| {
        let reply = says("## The harbour\n\nIt has **two** berths").gate("half").text(":\n\n- one\n- two\n");
        pi.model.will([reply.using(64_000)]);
        page.send("Describe the harbour").await;
        page.until_text("two berths").await;
        let half = page.rows().await;
        assert_eq!(page.state().await, "streaming");
        assert_eq!(page.rows_after_reload().await, half, "in mid-text");
        pi.model.open("half");
        page.until_state("completed").await;
        let shown = "const row = document.querySelector('[role=log] [data-kind=assistant]');\
                     return [row.querySelector('h1, h2, h3, h4').textContent, row.querySelector('strong').textContent,\
                       row.querySelectorAll('li').length]";
        assert_eq!(page.script(shown, vec![]).await, serde_json::json!(["The harbour", "two", 2]));
        assert_eq!(pi.model.last_heard(), "Describe the harbour");
        let half_full = "return document.querySelector('.context')?.textContent.includes('50%')";
        page.until("how full its memory is", half_full).await;
        pi.same_after_reload_and_restart(stage).await;
    })
    .await;
}

#[tokio::test]
async fn i_see_what_it_thinks_before_it_answers() {
    story("thinking", async |stage, pi, page| {
        let reply = Reply::default().thinking("Two berths, one of them taken.").gate("thought");
        // A line separator is no line break in pi's output, though some take it for one.
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
        pi.same_after_reload_and_restart(stage).await;
    })
    .await;
}

#[tokio::test]
async fn two_sessions_of_pi_stream_at_once_and_i_switch_between_them() {
    story("both", async |stage, pi, page| {
        let first = page.attribute("main[data-session-id]", "data-session-id").await;
        pi.model.will([says("The north").gate("north").text(" is clear.")]);
        page.send("Look north").await;
        page.until_text("The north").await;
        page.open_new_session_form().await;
        let second = page.new_session_of("pi").await;
        pi.model.will([says("The south").gate("south").text(" is foggy.")]);
        page.send("Look south").await;
        page.until_text("The south").await;
        page.click(&format!("nav [data-session-id='{first}']")).await;
        page.until_text("The north").await;
        assert_eq!(page.rows().await.iter().filter(|row| row.text.contains("south")).count(), 0);
        // The other one ends while nobody looks at it.
        pi.model.open("south");
        let ended = format!("return document.querySelector('nav [data-session-id=\"{second}\"]').dataset.state === 'completed'");
        page.until("its end", &ended).await;
        assert_eq!(page.state().await, "streaming");
        pi.model.open("north");
        page.until_text("is clear.").await;
        page.until_state("completed").await;
        page.click(&format!("nav [data-session-id='{second}']")).await;
        page.until_text("is foggy.").await;
        assert_eq!(page.rows().await.len(), 2);
        pi.same_after_reload_and_restart(stage).await;
    })
    .await;
}
