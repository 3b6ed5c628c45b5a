//! opencode.

use super::fixture::{Agent, story};
use crate::model::reply::says;

#[tokio::test]
async fn i_approve_a_command_and_stop_the_next() {
    story(Agent::Opencode, "command", async |fixture, opencode, page| {
        opencode
            .model
            .will([Agent::Opencode.runs("echo berth > berth.txt && cat berth.txt"), says("Made it.")]);
        page.send("Make a berth").await;
        page.until_text_in("[data-ask-kind=permission]", "berth.txt").await;
        page.press("Allow once").await;
        page.until_text("Made it.").await;
        page.until_state("completed").await;
        assert!(fixture.project.path().join("berth.txt").exists());
        opencode.model.will([Agent::Opencode.runs("touch started.txt; sleep 600")]);
        page.send("Sleep").await;
        page.press("Allow once").await;
        let started = fixture.project.path().join("started.txt");
        pilothouse_test_support::wait::until_true("the command", || started.exists()).await;
        page.press("Stop").await;
        page.until_state("stopped").await;
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}
