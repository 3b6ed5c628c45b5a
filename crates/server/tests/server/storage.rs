//! A disk that is full, slow or locked: nothing is acknowledged that is not stored, other sessions do not wait for
//! it, and clients show the problem while it lasts.

use std::path::Path;

use pilothouse_core::SessionState;
use pilothouse_core::conversation::ask::Answer;
use pilothouse_core::protocol::{HubCommand, QueueEdit, SessionCommand};
use rusqlite::Connection;

use pilothouse_test_support::acp_script;
use pilothouse_test_support::client::{Client, prompt};
use pilothouse_test_support::disk_faults::DiskFaults;
use pilothouse_test_support::http;
use pilothouse_test_support::rows;
use pilothouse_test_support::server::{ServerSetup, TestServer};

use crate::{binary, server};

fn faulty_server() -> (TestServer, tempfile::TempDir, DiskFaults) {
    let project = tempfile::tempdir().unwrap();
    let faults = DiskFaults::new();
    let server = faults.apply(ServerSetup::new(binary()).project(project.path())).start();
    (server, project, faults)
}

/// Creates a session whose run continues when the file `go` exists.
async fn waiting_session(client: &mut Client, project: &Path) -> String {
    let session = client.new_session(project).await;
    client.prompt(&session, "/wait go").await.unwrap();
    client.until_text(&session, "exists.").await;
    session
}

fn hub_changes(session: &str) -> Vec<HubCommand> {
    let session_id = || session.to_owned();
    vec![
        HubCommand::Pin { session_id: session_id(), pinned: true },
        HubCommand::Archive { session_id: session_id(), archived: true },
        HubCommand::SetDraft { session_id: session_id(), text: "never stored".to_owned() },
        HubCommand::MarkRead { session_id: session_id() },
        HubCommand::DeleteSession { session_id: session_id() },
    ]
}

#[tokio::test]
async fn promise_14_a_full_disk_refuses_every_change_in_words_and_loses_nothing() {
    let (mut server, project, faults) = faulty_server();
    let mut client = Client::connect(&server).await;
    let asking = client.new_session(project.path()).await;
    client.prompt(&asking, "/approve").await.unwrap();
    client.until(&asking, "a question", |view| !view.meta.asks.is_empty()).await;
    let working = waiting_session(&mut client, project.path()).await;
    client.ask(&working, prompt("queued", "Scheduled before")).await.unwrap();
    let stored = client.view(&working).meta.queue.items().to_vec();
    let listed = |client: &Client, id: &str| {
        client.welcome.sessions.iter().find(|session| session.id == id).unwrap().clone()
    };
    let before = listed(&client, &asking);

    faults.fill();
    let ask = client.view(&asking).meta.asks[0].clone();
    let answer = Answer::Choose(ask.options[0].clone());
    let answer = SessionCommand::answer(&ask, answer);
    let edit = SessionCommand::EditQueued {
        item_id: "queued".to_owned(),
        revision: stored[0].revision,
        edit: QueueEdit::Begin,
    };
    let remove = SessionCommand::RemoveQueued { item_id: "queued".to_owned(), revision: stored[0].revision };
    for (session, command) in [
        (&asking, answer),
        (&working, edit),
        (&working, remove),
        (&working, prompt("second", "Not stored")),
        (&working, SessionCommand::ClearQueue),
        (
            &working,
            SessionCommand::Bash { client_id: "b".into(), command: "ls".into(), exclude_from_context: false },
        ),
    ] {
        let name = command.name();
        let error = client.ask(session, command).await.expect_err(name);
        assert!(error.message.contains("Couldn't save: the disk is full"), "{name}: {error:?}");
    }
    for command in hub_changes(&asking) {
        let name = command.name();
        let error = client.ask_hub(command).await.expect_err(name);
        assert!(error.message.contains("Couldn't save: the disk is full"), "{name}: {error:?}");
    }
    let new = HubCommand::NewSession { agent: "demo".to_owned(), cwd: String::new() };
    assert!(client.ask_hub(new).await.is_err());
    assert_eq!(client.welcome.storage_problem.as_deref(), Some("the disk is full"), "a banner says so");
    assert_eq!(client.view(&asking).meta.asks.len(), 1, "the question is still open");
    assert_eq!(client.view(&working).meta.queue.items(), stored, "the queue is as it was");
    assert_eq!(listed(&client, &asking), before);
    // The run itself continues.
    std::fs::write(project.path().join("go"), "").unwrap();
    client
        .until(&working, "the scheduled message", |view| {
            view.controller.rows().iter().any(|row| row.text == "Scheduled before")
        })
        .await;
    client.until_state(&working, SessionState::Completed).await;

    // Only acknowledged changes survive a kill.
    server.kill();
    faults.repair();
    server.restart();
    let mut client = Client::connect(&server).await;
    assert_eq!(client.welcome.storage_problem, None);
    let after = listed(&client, &asking);
    assert!(!after.pinned && !after.archived, "{after:?}");
    client.open(&asking).await;
    assert_eq!(client.view(&asking).meta.draft, "");
    let words = |client: &Client, session: &str, text: &str| {
        client.rows(session).iter().filter(|row| row.text.contains(text)).count()
    };
    assert_eq!(words(&client, &asking, "You chose"), 0, "the answer was refused");
    client.open(&working).await;
    assert_eq!(
        (words(&client, &working, "Scheduled before"), words(&client, &working, "Not stored")),
        (1, 0)
    );
    for command in hub_changes(&asking) {
        let name = command.name();
        client.ask_hub(command).await.expect(name);
    }
}

#[tokio::test]
async fn the_banner_goes_when_the_disk_works_again() {
    let (server, project, faults) = faulty_server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    faults.fill();
    assert!(client.prompt(&session, "Hello").await.is_err());
    while client.welcome.storage_problem.is_none() {
        client.receive_frame().await;
    }
    // A client that connects in the meantime gets the problem, too.
    assert!(Client::connect(&server).await.welcome.storage_problem.is_some());
    faults.repair();
    while client.welcome.storage_problem.is_some() {
        client.receive_frame().await;
    }
    client.prompt(&session, "Hello").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
}

/// Checks that another session's run is completed and `/health` answers while a write of one session waits for the
/// disk.
async fn others_do_not_wait(
    server: &TestServer,
    project: &Path,
    block: impl FnOnce(),
    release: impl FnOnce(),
) {
    let mut client = Client::connect(server).await;
    let working = waiting_session(&mut client, project).await;
    let waiting = client.new_session(project).await;
    block();
    let pending = client.send(&waiting, prompt("slow", "Hello")).await;
    std::fs::write(project.join("go"), "").unwrap();
    client.until_state(&working, SessionState::Completed).await;
    assert_eq!(http::request(server, "GET", "/health", &[], "").await.status, 200);
    let mut other = Client::connect(server).await;
    other.open(&working).await;
    assert_eq!(client.received_response(&pending), None, "the write still waits");
    release();
    client.response(&pending).await.unwrap();
    client.until_state(&waiting, SessionState::Completed).await;
}

#[tokio::test]
async fn a_locked_database_delays_no_other_session() {
    let (server, project) = server();
    let store = Connection::open(server.data.join("store.db")).unwrap();
    let lock = || store.execute_batch("BEGIN IMMEDIATE").unwrap();
    let unlock = || store.execute_batch("ROLLBACK").unwrap();
    others_do_not_wait(&server, project.path(), lock, unlock).await;
}

#[tokio::test]
async fn a_slow_disk_delays_no_other_session() {
    let (server, project, faults) = faulty_server();
    others_do_not_wait(&server, project.path(), || faults.stall(), || faults.repair()).await;
}

#[tokio::test]
async fn a_prompt_that_waits_for_the_disk_is_not_acknowledged_before_a_kill() {
    let (mut server, project, faults) = faulty_server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.ask(&session, prompt("first", "Acknowledged")).await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    faults.stall();
    let pending = client.send(&session, prompt("second", "In the balance")).await;
    // The server has answered a later command, so the prompt has arrived.
    let listing = HubCommand::ListDirectory { path: project.path().to_string_lossy().into_owned() };
    client.ask_hub(listing).await.unwrap();
    assert_eq!(client.received_response(&pending), None);
    assert!(
        !client.rows(&session).iter().any(|row| row.text == "In the balance"),
        "the agent does not have it"
    );
    server.kill();
    faults.repair();
    server.restart();
    let mut client = Client::connect(&server).await;
    client.open(&session).await;
    let count = |text: &str| client.rows(&session).iter().filter(|row| row.text == text).count();
    assert_eq!(count("Acknowledged"), 1);
    assert!(count("In the balance") <= 1, "it may have reached the disk; it was never acknowledged");
}

/// An agent that asks before it goes on.
const ASKING: &str = r#"
while read -r line; do
    case "$line" in
    *'"initialize"'*) initialized "$(id "$line")" '{"sessionCapabilities":{"resume":{}}}' ;;
    *'"session/new"'*) answer "$(id "$line")" '{"sessionId":"s1"}' ;;
    *'"session/resume"'*) answer "$(id "$line")" '{}' ;;
    *'"session/prompt"'*)
        prompt=$(id "$line")
        ask p1 session/request_permission '{"sessionId":"s1","toolCall":{"toolCallId":"c","kind":"execute","rawInput":{"command":"ls"}},"options":[{"optionId":"ok","name":"Allow","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}' ;;
    *'"id":"p1"'*) answer "$prompt" '{"stopReason":"end_turn"}' ;;
    esac
done"#;

#[tokio::test]
async fn an_answer_that_cannot_be_recorded_is_not_given() {
    let project = tempfile::tempdir().unwrap();
    let faults = DiskFaults::new();
    let command = acp_script::write(project.path(), "asking", ASKING);
    let setup = ServerSetup::new(binary()).project(project.path()).agent(&format!("agent=acp:{command}"));
    let mut server = faults.apply(setup).start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("agent", project.path()).await;
    client.prompt(&session, "ask").await.unwrap();
    client.until_state(&session, SessionState::WaitingApproval).await;
    let ask = client.view(&session).meta.asks[0].clone();
    let answer = |option: &str| SessionCommand::answer(&ask, Answer::Choose(option.to_owned()));
    faults.fill_recordings();
    let error = client.ask(&session, answer("ok")).await.unwrap_err();
    assert!(error.message.contains("could not be recorded"), "{}", error.message);
    let log = std::fs::read_to_string(server.data.join("approvals.jsonl")).unwrap();
    assert!(log.lines().last().unwrap().contains("(not sent)\",\"approved\":false"), "{log}");
    let rename = SessionCommand::RenameSession { title: "Not stored".to_owned() };
    assert!(client.ask(&session, rename).await.is_err());
    assert_eq!(client.view(&session).meta.state, SessionState::WaitingApproval);
    assert!(client.welcome.storage_problem.is_some(), "a banner says so");
    faults.repair();
    client.ask(&session, answer("no")).await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    let live = rows::render(client.rows(&session));
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    client.open(&session).await;
    assert_eq!(rows::render(client.rows(&session)), live);
    let shown = live.join("\n");
    assert!(
        shown.contains("Reject") && !shown.contains("You approved"),
        "only the second answer was given: {shown}"
    );
    assert_ne!(client.view(&session).meta.title, "Not stored");
}
