//! Shell commands of the user: which session gets the result, how they end, and what the model gets.

use pilothouse_core::protocol::{HubCommand, SessionCommand};
use pilothouse_core::{BashResult, Kind, SessionState, SessionView};

use pilothouse_test_support::client::{Client, visible};
use pilothouse_test_support::process::signal;
use pilothouse_test_support::session_file;

use crate::durability::until_session_stored;
use crate::server;

fn bash(id: &str, command: &str, exclude_from_context: bool) -> SessionCommand {
    SessionCommand::Bash { client_id: id.into(), command: command.into(), exclude_from_context }
}

/// The results of all shell commands of a session, in order.
fn results(view: &SessionView) -> Vec<&BashResult> {
    view.controller.rows().iter().filter_map(|row| row.bash_result.as_ref()).collect()
}

#[tokio::test]
async fn the_output_of_a_command_survives_a_kill_of_the_agent_and_a_restart_of_the_server() {
    let (mut server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "Hello").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    client.ask(&session, bash("b1", "echo halfway; sleep 600", false)).await.unwrap();
    client
        .until(&session, "the output", |view| results(view).iter().any(|result| result.output == "halfway\n"))
        .await;
    signal(server.agent(), "KILL");
    client.until_state(&session, SessionState::Error).await;
    let cancelled = BashResult {
        command: "echo halfway; sleep 600".to_owned(),
        output: "halfway\n".to_owned(),
        cancelled: true,
        ..BashResult::default()
    };
    assert_eq!(results(client.view(&session)), [&cancelled]);
    let live = visible(client.rows(&session));
    until_session_stored(&mut client, &session).await;
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    client.open(&session).await;
    assert_eq!(visible(client.rows(&session)), live);
}

#[tokio::test]
async fn a_command_runs_in_the_folder_and_looks_the_same_when_reopened() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.ask(&session, bash("b1", "cat README.md; exit 3", false)).await.unwrap();
    client
        .until(&session, "the end of the command", |view| results(view).iter().any(|result| !result.running))
        .await;
    let row = client.rows(&session)[0].clone();
    let result = row.bash_result.unwrap();
    assert_eq!((row.kind, result.exit_code), (Kind::Bash, Some(3)));
    assert!(result.output.contains("A project"), "{}", result.output);
    let mut other = Client::connect(&server).await;
    other.open(&session).await;
    assert_eq!(visible(other.rows(&session)), visible(client.rows(&session)));
}

#[tokio::test]
async fn case_36_a_result_goes_to_the_session_that_asked_although_the_client_has_left_it() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let asked = client.new_session(project.path()).await;
    let waiting = "until [ -e go ]; do sleep 0.05; done; echo found";
    client.ask(&asked, bash("b1", waiting, false)).await.unwrap();
    // No client has the session open when the command ends.
    client.ask_hub(HubCommand::CloseSession { session_id: asked.clone() }).await.unwrap();
    let other = client.new_session(project.path()).await;
    std::fs::write(project.path().join("go"), "").unwrap();
    client.prompt(&other, "Hello").await.unwrap();
    client.until_state(&other, SessionState::Completed).await;

    client.open(&asked).await;
    client.until(&asked, "the result", |view| results(view).iter().any(|result| !result.running)).await;
    let found: Vec<&str> = results(client.view(&asked)).iter().map(|result| result.output.as_str()).collect();
    assert_eq!((client.rows(&asked).len(), found), (1, vec!["found\n"]));
    assert!(
        client.rows(&other).iter().all(|row| row.kind != Kind::Bash),
        "the result is in another session, too"
    );
}

#[tokio::test]
async fn case_37_a_cancelled_command_is_a_cancelled_row_with_its_output_so_far() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.ask(&session, bash("b1", "echo started; sleep 600", false)).await.unwrap();
    client
        .until(&session, "the output", |view| results(view).iter().any(|result| result.output == "started\n"))
        .await;
    assert!(results(client.view(&session))[0].running);
    client.ask(&session, SessionCommand::AbortBash).await.unwrap();
    client
        .until(&session, "the end of the command", |view| results(view).iter().any(|result| !result.running))
        .await;
    let result = results(client.view(&session))[0].clone();
    assert!(result.cancelled && result.output.starts_with("started\n"), "{result:?}");
    let mut other = Client::connect(&server).await;
    other.open(&session).await;
    assert_eq!(visible(other.rows(&session)), visible(client.rows(&session)));
}

#[tokio::test]
async fn case_38_a_private_command_stays_outside_the_models_context() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    for (id, command, private) in [("b1", "echo for both", false), ("b2", "echo for me alone", true)] {
        client.ask(&session, bash(id, command, private)).await.unwrap();
        client
            .until(&session, "the end of the command", |view| {
                results(view).last().is_some_and(|result| result.command == command && !result.running)
            })
            .await;
    }
    let excluded: Vec<bool> =
        results(client.view(&session)).iter().map(|result| result.exclude_from_context).collect();
    assert_eq!(excluded, [false, true]);

    // The agent builds the model's context from its session file.
    client.prompt(&session, "Hello").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    let entries = session_file::lines(&server.session_file(&session));
    let stored: Vec<(String, bool)> = entries
        .iter()
        .filter(|entry| entry["message"]["role"] == "bashExecution")
        .map(|entry| {
            let message = &entry["message"];
            (message["command"].as_str().unwrap().to_owned(), message["excludeFromContext"] == true)
        })
        .collect();
    assert_eq!(stored, [("echo for both".to_owned(), false), ("echo for me alone".to_owned(), true)]);
}
