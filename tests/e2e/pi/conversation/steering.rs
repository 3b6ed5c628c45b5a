//! Messages sent while pi works.

use serde_json::json;

use crate::model::reply::{calls, says};
use crate::pi::fixture::story;

#[tokio::test]
async fn i_steer_pi_in_the_middle_of_a_run_and_the_model_gets_my_message() {
    story("steer", async |fixture, pi, page| {
        pi.model.will([
            calls("bash", json!({"command": "until [ -e go ]; do sleep 0.02; done; echo done waiting"})),
            says("To port it is."),
        ]);
        page.send("Sail on").await;
        page.until_tool("running").await;
        page.send("Look to port").await;
        page.until_present("[data-scheduled=steer]").await;
        assert_eq!(
            page.count("[role=log] [data-kind=user]").await,
            1,
            "the timeline shows a message that pi has not taken"
        );
        page.reload().await;
        page.until_present("[data-scheduled=steer]").await;
        fixture.release("go");
        page.until_text("To port it is.").await;
        page.until_state("completed").await;
        assert_eq!(page.count("[data-scheduled]").await, 0);
        let rows = page.rows().await;
        let kinds: Vec<&str> = rows.iter().map(|row| row.kind.as_str()).collect();
        assert_eq!(kinds, ["user", "tool", "user", "assistant"]);
        assert_eq!(pi.model.last_heard(), "Look to port");
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn i_schedule_a_follow_up() {
    story("follow-up", async |fixture, pi, page| {
        pi.model.will([says("First I moor").gate("moor").text(" the boat."), says("Then I coil the ropes.")]);
        page.send("Moor").await;
        page.until_text("First I moor").await;
        page.write("Coil the ropes").await;
        page.press("Follow-up").await;
        page.until_present("[data-scheduled=follow-up]").await;
        pi.model.open("moor");
        page.until_text("Then I coil the ropes.").await;
        page.until_state("completed").await;
        let rows = page.rows().await;
        let texts: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
        assert_eq!(texts, ["Moor", "First I moor the boat.", "Coil the ropes", "Then I coil the ropes."]);
        assert_eq!(pi.model.last_heard(), "Coil the ropes");
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn i_stop_and_get_my_scheduled_message_back_and_pi_never_gets_it() {
    story("stop-with-queue", async |fixture, pi, page| {
        pi.model.will([says("Out to sea").gate("never"), says("Staying.")]);
        page.send("Cast off").await;
        page.until_text("Out to sea").await;
        page.send("Mind the rocks").await;
        page.until_present("[data-scheduled=steer]").await;
        page.press("Stop").await;
        page.until_state("stopped").await;
        page.until_absent("[data-scheduled]").await;
        page.until_draft("Mind the rocks").await;
        page.write(thirtyfour::Key::Control + "a").await;
        page.run("Stay here").await;
        let requests = pi.model.requests();
        assert_eq!(requests.len(), 2);
        assert!(!requests[1].to_string().contains("Mind the rocks"), "{}", requests[1]);
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}
