//! Questions of pi's extensions.

use serde_json::json;

use pilothouse_test_support::browser::Page;
use pilothouse_test_support::wait;

use crate::model::reply::{calls, says};
use crate::pi::fixture::story;

#[tokio::test]
async fn i_approve_a_command_and_it_runs() {
    story("approve", async |fixture, pi, page| {
        pi.model.will([calls("bash", json!({"command": "rm README.md"})), says("It is gone.")]);
        page.send("Remove the readme").await;
        page.until_state("waiting_approval").await;
        page.until_text_in("[data-ask-kind=confirm]", "rm README.md").await;
        assert!(fixture.project.path().join("README.md").exists(), "the command ran without an approval");
        page.reload().await;
        page.press("Approve").await;
        page.until_text("It is gone.").await;
        page.until_state("completed").await;
        assert!(!fixture.project.path().join("README.md").exists());
        let rows = page.rows().await;
        assert_eq!(page.rows_after_reload().await, rows);
    })
    .await;
}

#[tokio::test]
async fn i_reject_a_command_and_it_does_not_run() {
    story("reject", async |fixture, pi, page| {
        pi.model.will([calls("bash", json!({"command": "rm README.md"})), says("I leave it.")]);
        page.send("Remove the readme").await;
        page.press("Reject").await;
        page.until_text("I leave it.").await;
        page.until_state("completed").await;
        assert!(fixture.project.path().join("README.md").exists());
        assert!(pi.model.last_heard().contains("Rejected by the person"), "{}", pi.model.last_heard());
        page.until_tool("error").await;
        let rows = page.rows().await;
        assert_eq!(page.rows_after_reload().await, rows);
    })
    .await;
}

#[tokio::test]
async fn an_approval_keeps_its_place_after_a_restart_of_the_server() {
    story("approve-restart", async |fixture, pi, page| {
        pi.model.will([calls("bash", json!({"command": "rm README.md"})), says("It is gone.")]);
        page.send("Remove the readme").await;
        page.press("Approve").await;
        page.until_text("It is gone.").await;
        page.until_state("completed").await;
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn i_stop_instead_of_answering_and_the_command_does_not_run() {
    story("stop-at-approval", async |fixture, pi, page| {
        pi.model.will([calls("bash", json!({"command": "rm README.md"}))]);
        page.send("Remove the readme").await;
        page.until_state("waiting_approval").await;
        page.press("Stop").await;
        page.until_state("stopped").await;
        page.until_absent("[data-ask-id]").await;
        assert!(fixture.project.path().join("README.md").exists());
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn i_answer_every_kind_of_question_of_an_extension() {
    story("questions", async |_stage, _pi, page| {
        page.send("/ask").await;
        page.until_present("[data-ask-kind=select]").await;
        page.press("green").await;
        until_notice(page, "select: green").await;
        page.until_present("[data-ask-kind=confirm]").await;
        page.click("[data-ask-kind=confirm] button").await;
        until_notice(page, "confirm: true").await;
        page.type_into("[data-ask-kind=input] input", "Ada").await;
        page.press("Submit").await;
        until_notice(page, "input: Ada").await;
        page.until_present("[data-ask-kind=editor] textarea").await;
        page.press("Submit").await;
        until_notice(page, r#"editor: "line 1\nline 2""#).await;
        page.until_absent("[data-ask-id]").await;
        page.until_present("main:not([data-state=streaming])").await;
    })
    .await;
}

pub async fn until_notice(page: &Page, text: &str) {
    let look = async || page.texts(".notice-text").await.iter().any(|notice| notice == text).then_some(());
    wait::until_some(&format!("the notice '{text}'"), look).await;
}
