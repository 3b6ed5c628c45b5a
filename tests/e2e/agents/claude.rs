//! Claude Code with its adapter.

use serde_json::json;

use super::fixture::{Agent, heard, story};
use crate::model::reply::{Reply, calls, refuses, says};
use crate::pi::fixture::in_both_sizes;

#[tokio::test]
async fn i_read_text_and_thinking_and_find_both_after_a_restart() {
    story(Agent::Claude, "text", async |fixture, claude, page| {
        claude.model.will([Reply::default().thinking("The user greets me.").text("Hello from **Claude**.")]);
        page.run("Say hello").await;
        page.until_text("Hello from Claude.").await;
        page.until_present("[data-kind=thinking]").await;
        fixture.same_after_reload_and_restart().await;
        claude.model.will([says("You said hello.")]);
        page.run("What did I say?").await;
        page.until_text("You said hello.").await;
        assert!(heard(&claude.model).contains("Say hello"), "the session was resumed with its memory");
        assert_eq!(page.count("[data-kind=user]").await, 2, "no replay was added");
    })
    .await;
}

#[tokio::test]
async fn i_approve_an_edit_by_its_diff() {
    story(Agent::Claude, "edit", async |fixture, claude, page| {
        let file = fixture.project.path().join("README.md");
        claude.model.will([
            Agent::Claude.reads(&file),
            Agent::Claude.edits(&file, "A small project.", "A large project."),
            says("It is large now."),
        ]);
        page.send("Make it large").await;
        page.until_state("waiting_approval").await;
        page.until_text_in("[data-ask-kind=permission]", "A large project.").await;
        in_both_sizes(page, "claude-approval").await;
        assert!(
            std::fs::read_to_string(&file).unwrap().contains("small"),
            "it was edited without an approval"
        );
        page.reload().await;
        page.until_present("[data-ask-kind=permission]").await;
        page.press("Allow").await;
        page.until_text("It is large now.").await;
        page.until_state("completed").await;
        assert!(std::fs::read_to_string(&file).unwrap().contains("A large project."));
        page.open_rows("[data-kind=tool]").await;
        page.until_text_in("[data-tool=Edit]", "A large project.").await;
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn i_reject_a_command_and_it_does_not_run() {
    story(Agent::Claude, "reject", async |fixture, claude, page| {
        claude.model.will([Agent::Claude.runs("touch made.txt"), says("Then not.")]);
        page.send("Make a file").await;
        page.until_text_in("[data-ask-kind=permission]", "touch made.txt").await;
        page.press("Reject").await;
        page.until_text("Then not.").await;
        page.until_state("completed").await;
        assert!(!fixture.project.path().join("made.txt").exists());
        page.until_tool("error").await;
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn i_answer_a_question_of_the_agent() {
    story(Agent::Claude, "question", async |fixture, claude, page| {
        let questions = json!([{"question": "Which colour?", "header": "Colour", "multiSelect": false,
            "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]}]);
        claude.model.will([calls("AskUserQuestion", json!({ "questions": questions })), says("Blue it is.")]);
        page.send("Ask me").await;
        page.until_state("waiting_input").await;
        page.until_text_in("[data-ask-kind=form]", "Which colour?").await;
        in_both_sizes(page, "claude-question").await;
        page.click_with_text("[data-ask-kind=form] label", "Blue").await;
        page.press("Submit").await;
        page.until_text("Blue it is.").await;
        page.until_state("completed").await;
        assert!(heard(&claude.model).contains("Blue"), "the model heard the answer");
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn i_see_the_plan_and_it_stays_in_view() {
    story(Agent::Claude, "plan", async |fixture, claude, page| {
        let todo = |content: &str, status: &str| json!({"content": content, "status": status, "activeForm": content});
        let plan = json!({"todos": [todo("Read the code", "completed"), todo("Change the code", "in_progress")]});
        claude.model.will([calls("TodoWrite", plan), says("I have a plan.")]);
        page.run("Make a plan").await;
        page.until_text_in("[data-plan]", "1 of 2").await;
        page.until_text_in("[data-plan]", "Change the code").await;
        page.reload().await;
        page.until_text_in("[data-plan]", "1 of 2").await;
        fixture.restart_server().await;
        page.until_text_in("[data-plan]", "1 of 2").await;
    })
    .await;
}

#[tokio::test]
async fn i_stop_a_running_command() {
    story(Agent::Claude, "stop", async |fixture, claude, page| {
        claude.model.will([Agent::Claude.runs("touch started.txt; sleep 600")]);
        page.send("Sleep").await;
        page.press("Allow").await;
        let started = fixture.project.path().join("started.txt");
        pilothouse_test_support::wait::until_true("the command", || started.exists()).await;
        page.press("Stop").await;
        page.until_state("stopped").await;
        page.until_tool("error").await;
        fixture.same_after_reload_and_restart().await;
        claude.model.will([says("Awake.")]);
        page.run("Are you awake?").await;
        page.until_text("Awake.").await;
    })
    .await;
}

#[tokio::test]
async fn an_error_of_the_provider_is_shown_once_and_i_can_go_on() {
    story(Agent::Claude, "provider-error", async |fixture, claude, page| {
        claude.model.will([refuses(400, "this model is not available")]);
        page.send("Fail").await;
        page.until_state("error").await;
        page.until_text_in("[data-kind=error]", "this model is not available").await;
        assert_eq!(page.count("[data-kind=error]").await, 1);
        assert_eq!(page.count("[data-kind=assistant]").await, 0, "the error is not an answer, too");
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}
