//! What extensions of pi's ask of the person.

use serde_json::json;

use pilothouse_test_support::browser::Page;

use super::reply::{calls, says};
use super::stage::story;

#[tokio::test]
async fn i_approve_a_command_and_it_runs() {
    story("approve", async |stage, pi, page| {
        pi.model.will([calls("bash", json!({"command": "rm README.md"})), says("It is gone.")]);
        page.send("Remove the readme").await;
        page.until_state("waiting_approval").await;
        page.until_script(
            "the exact command",
            "return document.querySelector('[data-ask-kind=confirm]')?.textContent.includes('rm README.md')",
            vec![],
        )
        .await;
        assert!(stage.project.path().join("README.md").exists(), "silence is no consent");
        page.reload().await;
        page.press("Approve").await;
        page.until_text("It is gone.").await;
        page.until_state("completed").await;
        assert!(!stage.project.path().join("README.md").exists());
        let rows = page.rows().await;
        assert_eq!(page.rows_after_reload().await, rows);
    })
    .await;
}

#[tokio::test]
async fn i_reject_a_command_and_it_does_not_run() {
    story("reject", async |stage, pi, page| {
        pi.model.will([calls("bash", json!({"command": "rm README.md"})), says("I leave it.")]);
        page.send("Remove the readme").await;
        page.press("Reject").await;
        page.until_text("I leave it.").await;
        page.until_state("completed").await;
        assert!(stage.project.path().join("README.md").exists());
        assert!(pi.model.last_heard().contains("Rejected by the person"), "{}", pi.model.last_heard());
        page.until_tool("error").await;
        let rows = page.rows().await;
        assert_eq!(page.rows_after_reload().await, rows);
    })
    .await;
}

#[tokio::test]
async fn what_i_approved_stands_in_its_place_when_the_server_starts_again() {
    story("approve-restart", async |stage, pi, page| {
        pi.model.will([calls("bash", json!({"command": "rm README.md"})), says("It is gone.")]);
        page.send("Remove the readme").await;
        page.press("Approve").await;
        page.until_text("It is gone.").await;
        page.until_state("completed").await;
        pi.same_after_reload_and_restart(stage).await;
    })
    .await;
}

#[tokio::test]
async fn i_stop_instead_of_answering_and_the_command_does_not_run() {
    story("stop-at-approval", async |stage, pi, page| {
        pi.model.will([calls("bash", json!({"command": "rm README.md"}))]);
        page.send("Remove the readme").await;
        page.until_state("waiting_approval").await;
        page.press("Stop").await;
        page.until_state("stopped").await;
        page.until("no card", "return !document.querySelector('[data-ask-id]')").await;
        assert!(stage.project.path().join("README.md").exists());
        pi.same_after_reload_and_restart(stage).await;
    })
    .await;
}

#[tokio::test]
async fn i_answer_every_kind_of_question_of_an_extension() {
    story("questions", async |_stage, _pi, page| {
        page.send("/ask").await;
        page.until("a choice", "return !!document.querySelector('[data-ask-kind=select]')").await;
        page.press("green").await;
        until_notice(page, "select: green").await;
        page.until("a confirmation", "return !!document.querySelector('[data-ask-kind=confirm]')").await;
        page.click("[data-ask-kind=confirm] button").await;
        until_notice(page, "confirm: true").await;
        page.until("a field", "return !!document.querySelector('[data-ask-kind=input] input')").await;
        let field = page.driver.find(thirtyfour::By::Css("[data-ask-kind=input] input")).await.unwrap();
        field.send_keys("Ada").await.unwrap();
        page.press("Answer").await;
        until_notice(page, "input: Ada").await;
        page.until("an editor", "return !!document.querySelector('[data-ask-kind=editor] textarea')").await;
        page.press("Answer").await;
        until_notice(page, r#"editor: "line 1\nline 2""#).await;
        page.until("no card", "return !document.querySelector('[data-ask-id]')").await;
        page.until("an end", "return document.querySelector('main').dataset.state !== 'streaming'").await;
    })
    .await;
}

pub async fn until_notice(page: &Page, text: &str) {
    let script = "return [...document.querySelectorAll('.notice-text')].some((notice) =>\
                  notice.textContent === arguments[0])";
    page.until_script(text, script, vec![json!(text)]).await;
}
