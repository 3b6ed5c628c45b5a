//! Commands for whole sessions: rename, fork, delete and compact; idle agents are ended.

use pilothouse_core::SessionState;
use pilothouse_core::conversation::ui_message::Kind;
use pilothouse_core::protocol::{ErrorCode, HubCommand, SessionCommand};

use pilothouse_test_support::client::{Client, visible};
use pilothouse_test_support::process::{children, is_alive, until_gone};
use pilothouse_test_support::server::ServerSetup;

use crate::{binary, server};

#[tokio::test]
async fn a_title_is_stored_in_the_session_file_with_and_without_an_agent() {
    let (mut server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    let rename = |title: &str| SessionCommand::RenameSession { title: title.to_owned() };
    let early = client.ask(&session, rename("Early")).await.unwrap_err();
    assert_eq!(early.code, ErrorCode::InvalidRequest);
    assert!(early.message.contains("after its first message"), "{early:?}");
    client.prompt(&session, "Hello").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    let empty = client.ask(&session, rename("  ")).await.unwrap_err();
    assert_eq!(empty.code, ErrorCode::InvalidRequest);
    assert!(empty.message.contains("between 1 and"), "{empty:?}");
    client.ask(&session, rename("The  harbour\nproject")).await.unwrap();
    client.until(&session, "the title", |view| view.meta.title == "The harbour project").await;
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    let title = |client: &Client| client.welcome.sessions[0].title.clone();
    assert_eq!(title(&client), "The harbour project");
    client.open(&session).await;
    client.ask(&session, rename("Renamed without an agent")).await.unwrap();
    client.until(&session, "the title", |view| view.meta.title == "Renamed without an agent").await;
    assert_eq!(children(server.process_id()), Vec::<u32>::new(), "a process of the rename still runs");
    let listed = client.ask_hub(HubCommand::ListSessions).await.unwrap();
    assert_eq!(listed["sessions"][0]["title"], "Renamed without an agent");
}

#[tokio::test]
async fn a_fork_ends_before_its_message_and_does_not_change_the_session() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    for text in ["First question", "Second question"] {
        client.prompt(&session, text).await.unwrap();
        client.until_state(&session, SessionState::Completed).await;
        client.until(&session, text, |view| view.controller.rows().iter().any(|row| row.text == text)).await;
    }
    let before = visible(client.rows(&session));
    let row = client.rows(&session).iter().position(|row| row.text == "Second question").unwrap();
    let agent = server.agent();
    let forked = client.ask(&session, SessionCommand::Fork { row: Some(row) }).await.unwrap();
    assert!(is_alive(agent), "the agent of the session has ended");
    assert_eq!(forked["text"], "Second question");
    let fork = forked["session_id"].as_str().unwrap().to_owned();
    assert_ne!(fork, session);
    client.open(&fork).await;
    assert_eq!(visible(client.rows(&fork)), before[..row]);
    client.prompt(&fork, "Another question").await.unwrap();
    client.until_state(&fork, SessionState::Completed).await;
    assert_eq!(visible(client.rows(&session)), before);
    let answer = client.rows(&session).iter().position(|row| row.kind == Kind::Assistant).unwrap();
    let wrong = client.ask(&session, SessionCommand::Fork { row: Some(answer) }).await;
    assert_eq!(wrong.unwrap_err().code, ErrorCode::InvalidRequest);
}

#[tokio::test]
async fn a_deleted_session_is_moved_to_the_trash_and_its_agent_ends() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let mut other = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "Hello").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    let (agent, file) = (server.agent(), server.session_file(&session));
    let content = std::fs::read(&file).unwrap();
    client.ask_hub(HubCommand::DeleteSession { session_id: session.clone() }).await.unwrap();
    until_gone(agent);
    assert!(!file.exists());
    let trash: Vec<_> = std::fs::read_dir(server.data.join("trash")).unwrap().flatten().collect();
    assert_eq!(std::fs::read(trash[0].path()).unwrap(), content);
    while !other.welcome.sessions.is_empty()
        || client.welcome.sessions.iter().any(|known| known.id == session)
    {
        other.ask_hub(HubCommand::ListSessions).await.unwrap();
        client.ask_hub(HubCommand::ListSessions).await.unwrap();
    }
    assert_eq!(client.prompt(&session, "Hello again").await.unwrap_err().code, ErrorCode::NoSuchSession);
}

#[tokio::test]
async fn an_idle_agent_is_ended_and_starts_again_with_the_next_prompt() {
    let project = tempfile::tempdir().unwrap();
    let setup = ServerSetup::new(binary()).project(project.path());
    let server = setup.argument("--idle-minutes").argument("0.01").start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "/wait go").await.unwrap();
    client.until_text(&session, "exists.").await;
    let agent = server.agent();
    std::fs::write(project.path().join("go"), "").unwrap();
    client.until_state(&session, SessionState::Completed).await;
    until_gone(agent);
    client.prompt(&session, "Hello again").await.unwrap();
    client
        .until(&session, "the answer", |view| {
            view.meta.state == SessionState::Completed && view.controller.rows().len() >= 4
        })
        .await;
    assert!(client.rows(&session).iter().all(|row| row.kind != Kind::Error));
}

#[tokio::test]
async fn a_compaction_is_refused_during_a_run_and_shown_afterwards() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    let compact = || SessionCommand::Compact { instructions: Some("Keep the names.".into()) };
    client.prompt(&session, "/wait go").await.unwrap();
    client.until_text(&session, "exists.").await;
    assert_eq!(client.ask(&session, compact()).await.unwrap_err().code, ErrorCode::Busy);
    std::fs::write(project.path().join("go"), "").unwrap();
    client.until_state(&session, SessionState::Completed).await;
    client.prompt(&session, "/tour").await.unwrap();
    client.until(&session, "the start of the tour", |view| view.meta.state == SessionState::Streaming).await;
    client.until_state(&session, SessionState::Completed).await;
    client.ask(&session, compact()).await.unwrap();
    client
        .until(&session, "the summary", |view| {
            !view.meta.compacting && view.controller.rows().iter().any(|row| row.kind == Kind::System)
        })
        .await;
}
