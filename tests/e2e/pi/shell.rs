//! The person's own shell commands, run by pi.

use serde_json::json;

use pilothouse_test_support::process::until_gone;

use super::ending::written_number;
use super::model::text_of;
use super::reply::says;
use super::stage::story;

#[tokio::test]
async fn i_run_commands_and_pi_knows_of_those_i_share() {
    story("shell", async |stage, pi, page| {
        page.send("!echo for both; until [ -e go ]; do sleep 0.02; done; cat README.md").await;
        page.until_text("for both").await;
        stage.release("go");
        page.until_text("A small project.").await;
        page.until_text("exit 0").await;
        page.send("!!echo for me alone; exit 3").await;
        page.until_text("exit 3").await;
        page.until_text("kept from the agent").await;
        pi.model.will([says("I saw the project.")]);
        page.run("What did you see?").await;
        let heard: Vec<String> =
            pi.model.requests()[0]["messages"].as_array().unwrap().iter().map(text_of).collect();
        assert!(heard.iter().any(|text| text.contains("A small project.")), "{heard:?}");
        assert!(!heard.iter().any(|text| text.contains("for me alone")), "{heard:?}");
        pi.same_after_reload_and_restart(stage).await;
        let marked = "return [...document.querySelectorAll('[data-kind=bash]')].map((row) =>\
                      row.textContent.includes('kept from the agent'))";
        assert_eq!(page.script(marked, vec![]).await, json!([false, true]));
    })
    .await;
}

#[tokio::test]
async fn i_stop_a_command_of_mine_and_it_is_gone() {
    story("shell-stop", async |stage, _pi, page| {
        page.send("!echo $$ > pid; echo begun; exec sleep 600").await;
        let process = written_number(&stage.project.path().join("pid")).await;
        page.until_text("begun").await;
        page.press("Stop command").await;
        page.until_text("stopped").await;
        until_gone(process);
        let rows = page.rows().await;
        assert_eq!(page.rows_after_reload().await, rows);
    })
    .await;
}

#[tokio::test]
async fn a_session_of_commands_alone_is_still_there_when_the_server_starts_again() {
    story("shell-alone", async |stage, pi, page| {
        page.send("!cat README.md").await;
        page.until_text("A small project.").await;
        page.until_text("exit 0").await;
        pi.same_after_reload_and_restart(stage).await;
    })
    .await;
}
