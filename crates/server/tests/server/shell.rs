//! Shell commands of the person's own: where their results go, how they end, what the model sees of them.

use pilothouse_core::protocol::{HubCommand, SessionCommand};
use pilothouse_core::{BashResult, Kind, SessionState, SessionView};

use pilothouse_test_support::client::{Client, visible};
use pilothouse_test_support::process::signal;
use pilothouse_test_support::session_file;

use crate::server;

fn bash(id: &str, command: &str, exclude_from_context: bool) -> SessionCommand {
    SessionCommand::Bash { client_id: id.into(), command: command.into(), exclude_from_context }
}

/// The results of all shell commands of a session, in order.
fn results(view: &SessionView) -> Vec<&BashResult> {
    view.controller.rows().iter().filter_map(|row| row.bash_result.as_ref()).collect()
}

#[tokio::test]
async fn what_a_command_said_before_the_agent_was_killed_stays_also_after_a_restart() {
    let (mut server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "Hello").await.unwrap();
    page.until_state(&session, SessionState::Completed).await;
    let command = "echo halfway; sleep 600".to_owned();
    let bash = SessionCommand::Bash { client_id: "b1".into(), command, exclude_from_context: false };
    page.ask(&session, bash).await.unwrap();
    let of = |view: &SessionView| {
        view.controller.rows().iter().find_map(|row| row.bash_result.clone()).unwrap_or_default()
    };
    page.until(&session, "some output", |view| of(view).output.contains("halfway")).await;
    signal(server.agent(), "KILL");
    page.until(&session, "its end", |view| of(view).cancelled && !of(view).running).await;
    assert!(of(page.view(&session)).output.contains("halfway"), "{:?}", of(page.view(&session)));
    let rows = visible(page.rows(&session));
    server.kill_and_restart();
    let mut page = Client::connect(&server).await;
    page.open(&session).await;
    assert_eq!(visible(page.rows(&session)), rows);
}

#[tokio::test]
async fn a_shell_command_runs_in_the_folder_and_reads_the_same_after_reopening() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.ask(&session, bash("b1", "cat README.md; exit 3", false)).await.unwrap();
    page.until(&session, "the end of it", |view| results(view).iter().any(|result| !result.running)).await;
    let row = page.rows(&session)[0].clone();
    let result = row.bash_result.unwrap();
    assert_eq!((row.kind, result.exit_code), (Kind::Bash, Some(3)));
    assert!(result.output.contains("A project"), "{}", result.output);
    let mut other = Client::connect(&server).await;
    other.open(&session).await;
    assert_eq!(visible(other.rows(&session)), visible(page.rows(&session)));
}

#[tokio::test]
async fn case_36_a_result_goes_to_the_session_that_asked_wherever_the_person_is_by_then() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let asked = page.new_session(project.path()).await;
    let waiting = "until [ -e go ]; do sleep 0.05; done; echo found";
    page.ask(&asked, bash("b1", waiting, false)).await.unwrap();
    // The person goes elsewhere and works there; nobody watches the session that asked any more.
    page.ask_hub(HubCommand::CloseSession { session_id: asked.clone() }).await.unwrap();
    let elsewhere = page.new_session(project.path()).await;
    std::fs::write(project.path().join("go"), "").unwrap();
    page.prompt(&elsewhere, "Hello").await.unwrap();
    page.until_state(&elsewhere, SessionState::Completed).await;

    page.open(&asked).await;
    page.until(&asked, "the result", |view| results(view).iter().any(|result| !result.running)).await;
    let found: Vec<&str> = results(page.view(&asked)).iter().map(|result| result.output.as_str()).collect();
    assert_eq!((page.rows(&asked).len(), found), (1, vec!["found\n"]));
    assert!(page.rows(&elsewhere).iter().all(|row| row.kind != Kind::Bash), "nothing of it elsewhere");
}

#[tokio::test]
async fn case_37_a_cancelled_command_is_a_cancelled_row_with_what_it_had_said() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.ask(&session, bash("b1", "echo started; sleep 600", false)).await.unwrap();
    page.until(&session, "its output", |view| {
        results(view).iter().any(|result| result.output == "started\n")
    })
    .await;
    assert!(results(page.view(&session))[0].running);
    page.ask(&session, SessionCommand::AbortBash).await.unwrap();
    page.until(&session, "its end", |view| results(view).iter().any(|result| !result.running)).await;
    let result = results(page.view(&session))[0].clone();
    assert!(result.cancelled && result.output.starts_with("started\n"), "{result:?}");
    let mut other = Client::connect(&server).await;
    other.open(&session).await;
    assert_eq!(visible(other.rows(&session)), visible(page.rows(&session)));
}

#[tokio::test]
async fn case_38_a_private_command_stays_outside_the_models_context() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    for (id, command, private) in [("b1", "echo for both", false), ("b2", "echo for me alone", true)] {
        page.ask(&session, bash(id, command, private)).await.unwrap();
        page.until(&session, "its end", |view| {
            results(view).last().is_some_and(|result| result.command == command && !result.running)
        })
        .await;
    }
    let told: Vec<bool> =
        results(page.view(&session)).iter().map(|result| result.exclude_from_context).collect();
    assert_eq!(told, [false, true]);

    // What the agent itself has written down is what its model gets.
    page.prompt(&session, "Hello").await.unwrap();
    page.until_state(&session, SessionState::Completed).await;
    let entries = session_file::lines(&server.session_file(&session));
    let kept: Vec<(String, bool)> = entries
        .iter()
        .filter(|entry| entry["message"]["role"] == "bashExecution")
        .map(|entry| {
            let message = &entry["message"];
            (message["command"].as_str().unwrap().to_owned(), message["excludeFromContext"] == true)
        })
        .collect();
    assert_eq!(kept, [("echo for both".to_owned(), false), ("echo for me alone".to_owned(), true)]);
}
