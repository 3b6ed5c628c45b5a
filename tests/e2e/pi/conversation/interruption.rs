//! Runs that are stopped by the user or end with the process of pi.

use std::path::Path;

use serde_json::json;

use pilothouse_test_support::process::{is_alive, signal, until_gone};
use pilothouse_test_support::wait;

use crate::model::reply::{calls, says};
use crate::pi::fixture::story;

#[tokio::test]
async fn i_stop_pi_in_mid_text_and_continue_with_another_prompt() {
    story("stop-text", async |fixture, pi, page| {
        pi.model.will([says("A long tale of the sea").gate("never"), says("A short one.")]);
        page.send("Tell me a tale").await;
        page.until_text("A long tale of the sea").await;
        page.press("Stop").await;
        page.until_state("stopped").await;
        page.until_text("Interrupted").await;
        let rows = page.rows().await;
        assert_eq!(page.rows_after_reload().await, rows);
        page.run("A shorter one").await;
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn i_stop_pi_while_a_tool_runs_and_the_process_of_the_tool_ends() {
    story("stop-tool", async |fixture, pi, page| {
        pi.model.will([calls("bash", json!({"command": "echo $$ > pid; exec sleep 600"}))]);
        page.send("Wait for the tide").await;
        let process = written_number(&fixture.project.path().join("pid")).await;
        assert!(is_alive(process));
        page.until_tool("running").await;
        page.press("Stop").await;
        page.until_state("stopped").await;
        page.until_tool("error").await;
        until_gone(process);
        fixture.same_after_reload_and_restart().await;
        assert_eq!(page.state().await, "stopped");
        pi.model.will([says("Here.")]);
        page.run("Are you there?").await;
    })
    .await;
}

#[tokio::test]
async fn pi_is_killed_in_mid_text_and_i_see_the_error_and_retry() {
    story("killed", async |fixture, pi, page| {
        pi.model.will([says("Ready."), says("The first half").gate("never")]);
        page.run("Are you ready?").await;
        page.send("Tell me all").await;
        page.until_text("The first half").await;
        signal(fixture.server.programs()[0], "KILL");
        page.until_state("error").await;
        page.until_present("[role=log] [data-kind=error]").await;
        assert_eq!(page.count("[data-phase=running], .row.live").await, 0, "a spinner is left");
        let rows = page.rows().await;
        assert_eq!(page.rows_after_reload().await, rows);
        pi.model.will([says("Now all of it.")]);
        page.press("Retry").await;
        page.until_text("Now all of it.").await;
        page.until_state("completed").await;
        assert_eq!(pi.model.last_heard(), "Tell me all");
        let rows = page.rows().await;
        assert_eq!(page.rows_after_reload().await, rows);
    })
    .await;
}

#[tokio::test]
async fn pi_is_killed_while_a_tool_runs_and_the_tool_ends() {
    story("killed-tool", async |fixture, pi, page| {
        pi.model.will([calls("bash", json!({"command": "echo $$ > pid; exec sleep 600"}))]);
        page.send("Wait for the tide").await;
        let process = written_number(&fixture.project.path().join("pid")).await;
        page.until_tool("running").await;
        signal(fixture.server.programs()[0], "KILL");
        page.until_state("error").await;
        until_gone(process);
        assert_eq!(page.count("[data-phase=running], .row.live").await, 0, "a spinner is left");
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn text_of_a_killed_pi_keeps_its_place_after_a_restart_of_the_server() {
    story("killed-restart", async |fixture, pi, page| {
        pi.model.will([says("The first half").gate("never"), says("Now all of it.")]);
        page.send("Tell me all").await;
        page.until_text("The first half").await;
        signal(fixture.server.programs()[0], "KILL");
        page.press("Retry").await;
        page.until_text("Now all of it.").await;
        page.until_state("completed").await;
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn the_server_is_killed_while_pi_works_and_i_resume() {
    story("server-killed", async |fixture, pi, page| {
        pi.model.will([calls("bash", json!({"command": "echo $$ > pid; exec sleep 600"}))]);
        page.send("Wait for the tide").await;
        let process = written_number(&fixture.project.path().join("pid")).await;
        page.until_tool("running").await;
        let agent = fixture.server.programs()[0];
        fixture.restart_server().await;
        until_gone(agent);
        until_gone(process);
        page.until_state("paused").await;
        let rows = page.rows().await;
        assert_eq!(rows.iter().map(|row| row.kind.as_str()).collect::<Vec<_>>(), ["user", "tool"]);
        assert_eq!(page.count("[data-kind=tool][data-interrupted]").await, 1);
        pi.model.will([says("The tide is in.")]);
        page.press("Resume").await;
        page.until_text("The tide is in.").await;
        page.until_state("completed").await;
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

/// Waits until a tool has written its process id to a file.
pub async fn written_number(path: &Path) -> u32 {
    let look = async || std::fs::read_to_string(path).ok()?.trim().parse().ok();
    wait::until_some(&format!("a number in {}", path.display()), look).await
}
