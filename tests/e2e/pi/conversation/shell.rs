//! Shell commands of the user, run by pi.

use pilothouse_test_support::process::until_gone;

use super::interruption::written_number;
use crate::model::reply::says;
use crate::model::text_of;
use crate::pi::fixture::story;

#[tokio::test]
async fn i_run_commands_and_pi_gets_the_ones_i_share() {
    story("shell", async |fixture, pi, page| {
        page.send("!echo for both; until [ -e go ]; do sleep 0.02; done; cat README.md").await;
        page.until_text("for both").await;
        fixture.release("go");
        page.until_text("A small project.").await;
        page.until_text("exit 0").await;
        page.send("!!echo for me alone; exit 3").await;
        page.until_text("exit 3").await;
        page.until_text("not shared with the agent").await;
        pi.model.will([says("I saw the project.")]);
        page.run("What did you see?").await;
        let heard: Vec<String> =
            pi.model.requests()[0]["messages"].as_array().unwrap().iter().map(text_of).collect();
        assert!(heard.iter().any(|text| text.contains("A small project.")), "{heard:?}");
        assert!(!heard.iter().any(|text| text.contains("for me alone")), "{heard:?}");
        fixture.same_after_reload_and_restart().await;
        let rows = page.texts("[data-kind=bash]").await;
        let marked: Vec<bool> = rows.iter().map(|row| row.contains("not shared with the agent")).collect();
        assert_eq!(marked, [false, true]);
    })
    .await;
}

#[tokio::test]
async fn i_stop_my_command_and_its_process_ends() {
    story("shell-stop", async |fixture, _pi, page| {
        page.send("!echo $$ > pid; echo begun; exec sleep 600").await;
        let process = written_number(&fixture.project.path().join("pid")).await;
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
async fn a_session_of_commands_alone_survives_a_restart_of_the_server() {
    story("shell-alone", async |fixture, _pi, page| {
        page.send("!cat README.md").await;
        page.until_text("A small project.").await;
        page.until_text("exit 0").await;
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}
