//! Run control: stopping, steering, shell commands, and questions of the agent.

use pilothouse_test_support::browser::Size;

use crate::fixture::story;

#[tokio::test]
async fn i_stop_the_agent_in_mid_text_and_keep_its_text_and_continue() {
    stop_story(Size::Wide).await;
}

#[tokio::test]
async fn on_my_phone_i_stop_the_agent() {
    stop_story(Size::Phone).await;
}

async fn stop_story(size: Size) {
    story("stop", size, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.send("/wait never").await;
        page.until_text("The first half").await;
        page.press("Stop").await;
        page.until_state("stopped").await;
        page.until_text("The first half").await;
        let rows = page.rows().await;
        assert_eq!(page.rows_after_reload().await, rows);
        assert_eq!(page.state().await, "stopped");
        page.run("Go on then").await;
    })
    .await;
}

#[tokio::test]
async fn i_stop_the_agent_while_a_tool_runs_and_no_spinner_stays() {
    story("stop-tool", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.send("/wait-tool never").await;
        page.until_tool("running").await;
        page.press("Stop").await;
        page.until_state("stopped").await;
        page.until_tool("error").await;
        let rows = page.rows().await;
        assert_eq!(page.rows_after_reload().await, rows);
    })
    .await;
}

#[tokio::test]
async fn i_steer_the_agent_and_my_message_waits_until_the_agent_takes_it() {
    steer_story(Size::Wide).await;
}

#[tokio::test]
async fn on_my_phone_i_steer_the_agent() {
    steer_story(Size::Phone).await;
}

async fn steer_story(size: Size) {
    story("steer", size, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.send("/wait-tool go").await;
        page.until_tool("running").await;
        page.send("Look to port").await;
        page.until_count("[data-scheduled=steer]", 1).await;
        assert_eq!(
            page.count("[role=log] [data-kind=user]").await,
            1,
            "the timeline shows the message before the agent takes it"
        );
        fixture.release("go");
        page.until_absent("[data-scheduled]").await;
        page.until_state("completed").await;
        let rows = page.rows().await;
        assert_eq!(rows.iter().filter(|row| row.kind == "user" && row.text == "Look to port").count(), 1);
        assert_eq!(page.rows_after_reload().await, rows);
    })
    .await;
}

#[tokio::test]
async fn i_run_my_own_shell_command() {
    story("shell", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.send("!cat README.md").await;
        page.until_text("A small project.").await;
        page.until_present("[data-kind=bash]").await;
        let rows = page.rows().await;
        assert_eq!(rows.iter().map(|row| row.kind.as_str()).collect::<Vec<_>>(), ["bash"]);
        assert_eq!(page.rows_after_reload().await, rows);
    })
    .await;
}

#[tokio::test]
async fn case_38_the_row_of_a_command_outside_the_context_says_so() {
    story("private-shell", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.send("!echo for both").await;
        page.until_text("exit 0").await;
        assert_eq!(page.count("[data-kind=bash] .shell-note").await, 0);
        page.write("!!echo for me alone").await;
        page.until_text_in(".composer-hint", "not shared with the agent").await;
        page.send("").await;
        let is_marked = async || {
            let rows = page.texts("[data-kind=bash]").await;
            rows.iter().map(|row| row.contains("not shared with the agent")).collect::<Vec<_>>()
        };
        page.until_count("[data-kind=bash] .row-result", 2).await;
        assert_eq!(page.texts("[data-kind=bash] code").await, ["echo for both", "echo for me alone"]);
        assert_eq!(is_marked().await, [false, true]);
        page.rows_after_reload().await;
        assert_eq!(is_marked().await, [false, true]);
    })
    .await;
}

#[tokio::test]
async fn case_39_the_shell_button_makes_my_next_message_a_command() {
    story("shell-button", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.press("Shell").await;
        page.write("cat README.md").await;
        assert_eq!(page.attribute("textarea[name=prompt]", "data-input-mode").await, "shell");
        page.send("").await;
        page.until_text("A small project.").await;
        assert_eq!(page.count("[role=log] [data-kind=bash]").await, 1);
        assert_eq!(page.count("[role=log] [data-kind=user]").await, 0);
        page.run("And this is for the agent").await;
    })
    .await;
}

#[tokio::test]
async fn i_answer_the_questions_of_the_agent() {
    question_story(Size::Wide).await;
}

#[tokio::test]
async fn on_my_phone_i_answer_the_questions_of_the_agent() {
    question_story(Size::Phone).await;
}

async fn question_story(size: Size) {
    story("ask", size, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.send("/ask").await;
        page.until_present("[data-ask-kind=select]").await;
        page.reload().await;
        page.until_present("[data-ask-kind=select]").await;
        page.click("[data-ask-kind=select] .option").await;
        page.until_present("[data-ask-kind=confirm]").await;
        page.click("[data-ask-kind=confirm] button").await;
        page.type_into("[data-ask-kind=input] input", "Ada").await;
        page.press("Submit").await;
        page.until_present("[data-ask-kind=editor] textarea").await;
        page.press("Submit").await;
        page.until_text("Ada").await;
        page.until_state("completed").await;
    })
    .await;
}
