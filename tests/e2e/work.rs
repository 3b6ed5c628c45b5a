//! Stop, steer, shell, questions: what a person does while an agent works.

use pilothouse_test_support::browser::Size;

use crate::stage::story;

#[tokio::test]
async fn i_stop_it_in_mid_text_and_what_it_said_stays_and_i_can_go_on() {
    told_stop(Size::Wide).await;
}

#[tokio::test]
async fn on_my_phone_i_stop_it() {
    told_stop(Size::Phone).await;
}

async fn told_stop(size: Size) {
    story("stop", size, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
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
async fn i_stop_it_while_a_tool_runs_and_nothing_spins_on() {
    story("stop-tool", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
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
async fn i_steer_it_and_see_my_message_wait_and_then_be_taken_up() {
    told_steer(Size::Wide).await;
}

#[tokio::test]
async fn on_my_phone_i_steer_it() {
    told_steer(Size::Phone).await;
}

async fn told_steer(size: Size) {
    story("steer", size, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.send("/wait-tool go").await;
        page.until_tool("running").await;
        page.send("Look to port").await;
        page.until(
            "a scheduled message",
            "return document.querySelectorAll('[data-scheduled=steer]').length === 1",
        )
        .await;
        assert_eq!(page.count("[role=log] [data-kind=user]").await, 1, "not in the timeline yet");
        stage.release("go");
        page.until("the queue", "return !document.querySelector('[data-scheduled]')").await;
        page.until_state("completed").await;
        let rows = page.rows().await;
        assert_eq!(rows.iter().filter(|row| row.kind == "user" && row.text == "Look to port").count(), 1);
        assert_eq!(page.rows_after_reload().await, rows);
    })
    .await;
}

#[tokio::test]
async fn i_run_a_shell_command_of_my_own() {
    story("shell", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.send("!cat README.md").await;
        page.until_text("A small project.").await;
        page.until("its end", "return !!document.querySelector('[data-kind=bash]')").await;
        let rows = page.rows().await;
        assert_eq!(rows.iter().map(|row| row.kind.as_str()).collect::<Vec<_>>(), ["bash"]);
        assert_eq!(page.rows_after_reload().await, rows);
    })
    .await;
}

#[tokio::test]
async fn case_38_a_command_that_i_keep_to_myself_says_so_on_its_row() {
    story("private-shell", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.send("!echo for both").await;
        page.until_text("exit 0").await;
        assert_eq!(page.count("[data-kind=bash] .shell-note").await, 0);
        page.write("!!echo for me alone").await;
        let hint =
            "return document.querySelector('.composer-hint').textContent.includes('kept from the agent')";
        page.until("the hint", hint).await;
        page.send("").await;
        let noted = "return [...document.querySelectorAll('[data-kind=bash]')].map((row) =>\
            [row.querySelector('code').textContent, row.textContent.includes('kept from the agent')])";
        let expected = serde_json::json!([["echo for both", false], ["echo for me alone", true]]);
        page.until(
            "its end",
            "return document.querySelectorAll('[data-kind=bash] .row-result').length === 2",
        )
        .await;
        assert_eq!(page.script(noted, vec![]).await, expected);
        page.rows_after_reload().await;
        assert_eq!(page.script(noted, vec![]).await, expected);
    })
    .await;
}

#[tokio::test]
async fn case_39_i_choose_the_shell_by_its_button_and_what_i_type_is_run() {
    story("shell-button", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
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
async fn i_answer_what_it_asks() {
    told_ask(Size::Wide).await;
}

#[tokio::test]
async fn on_my_phone_i_answer_what_it_asks() {
    told_ask(Size::Phone).await;
}

async fn told_ask(size: Size) {
    story("ask", size, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.send("/ask").await;
        page.until("a choice", "return !!document.querySelector('[data-ask-kind=select]')").await;
        page.reload().await;
        page.until("the same choice", "return !!document.querySelector('[data-ask-kind=select]')").await;
        page.click("[data-ask-kind=select] .option").await;
        page.until("a confirmation", "return !!document.querySelector('[data-ask-kind=confirm]')").await;
        page.click("[data-ask-kind=confirm] button").await;
        page.until("a field", "return !!document.querySelector('[data-ask-kind=input] input')").await;
        let field = page.driver.find(thirtyfour::By::Css("[data-ask-kind=input] input")).await.unwrap();
        field.send_keys("Ada").await.unwrap();
        page.press("Answer").await;
        page.until("an editor", "return !!document.querySelector('[data-ask-kind=editor] textarea')").await;
        page.press("Answer").await;
        page.until_text("Ada").await;
        page.until_state("completed").await;
    })
    .await;
}

#[tokio::test]
async fn my_draft_survives_a_reload_and_a_look_at_another_session() {
    told_draft(Size::Wide).await;
}

#[tokio::test]
async fn on_my_phone_my_draft_survives_as_well() {
    told_draft(Size::Phone).await;
}

async fn told_draft(size: Size) {
    story("draft", size, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let session = page.new_session().await;
        let composer = page.driver.find(thirtyfour::By::Css("textarea[name=prompt]")).await.unwrap();
        composer.send_keys("half a thought").await.unwrap();
        page.reload().await;
        page.until(
            "the composer",
            "return document.querySelector('textarea[name=prompt]')?.value === 'half a thought'",
        )
        .await;
        page.visit(&format!("{}/", stage.server.origin())).await;
        page.until_connected().await;
        page.new_session().await;
        assert_eq!(page.draft().await, "");
        page.click(&format!("nav [data-session-id='{session}']")).await;
        page.until(
            "the draft",
            "return document.querySelector('textarea[name=prompt]')?.value === 'half a thought'",
        )
        .await;
        page.driver.back().await.unwrap();
        page.until(
            "the other session",
            "return document.querySelector('textarea[name=prompt]')?.value === ''",
        )
        .await;
    })
    .await;
}
