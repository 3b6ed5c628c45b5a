//! What is done to sessions as a whole: named, forked, deleted, ended when they rest.

use pilothouse_core::SessionState;
use pilothouse_core::conversation::ui_message::Kind;
use pilothouse_core::protocol::{HubCommand, SessionCommand};

use pilothouse_test_support::client::{Client, visible};
use pilothouse_test_support::process::{children, is_alive, until_gone};
use pilothouse_test_support::server::ServerSetup;

use crate::{binary, server};

#[tokio::test]
async fn a_name_stands_in_the_agents_own_file_with_and_without_a_process() {
    let (mut first, project) = server();
    let mut page = Client::connect(&first).await;
    let session = page.new_session(project.path()).await;
    let rename = |title: &str| SessionCommand::RenameSession { title: title.to_owned() };
    assert!(page.ask(&session, rename("Early")).await.unwrap_err().contains("after its first message"));
    page.prompt(&session, "Hello").await.unwrap();
    page.until_state(&session, SessionState::Completed).await;
    assert!(page.ask(&session, rename("  ")).await.unwrap_err().contains("between 1 and"));
    page.ask(&session, rename("The  harbour\nproject")).await.unwrap();
    page.until(&session, "its name", |view| view.meta.title == "The harbour project").await;
    first.kill_and_restart();
    let mut page = Client::connect(&first).await;
    let title = |page: &Client| page.welcome.sessions[0].title.clone();
    assert_eq!(title(&page), "The harbour project");
    page.open(&session).await;
    page.ask(&session, rename("Renamed at rest")).await.unwrap();
    page.until(&session, "its name", |view| view.meta.title == "Renamed at rest").await;
    assert_eq!(children(first.process_id()), Vec::<u32>::new(), "no process stays for it");
    let listed = page.ask_hub(HubCommand::ListSessions).await.unwrap();
    assert_eq!(listed["sessions"][0]["title"], "Renamed at rest");
}

#[tokio::test]
async fn a_fork_ends_before_the_message_it_was_made_from_and_leaves_the_session_alone() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    for text in ["First question", "Second question"] {
        page.prompt(&session, text).await.unwrap();
        page.until_state(&session, SessionState::Completed).await;
        page.until(&session, text, |view| view.controller.rows().iter().any(|row| row.text == text)).await;
    }
    let before = visible(page.rows(&session));
    let row = page.rows(&session).iter().position(|row| row.text == "Second question").unwrap();
    let agent = server.agent();
    let forked = page.ask(&session, SessionCommand::Fork { row }).await.unwrap();
    assert!(is_alive(agent), "the session's own process goes on");
    assert_eq!(forked["text"], "Second question");
    let fork = forked["session_id"].as_str().unwrap().to_owned();
    assert_ne!(fork, session);
    page.open(&fork).await;
    assert_eq!(visible(page.rows(&fork)), before[..row]);
    page.prompt(&fork, "Another question").await.unwrap();
    page.until_state(&fork, SessionState::Completed).await;
    assert_eq!(visible(page.rows(&session)), before);
    let answer = page.rows(&session).iter().position(|row| row.kind == Kind::Assistant).unwrap();
    let wrong = page.ask(&session, SessionCommand::Fork { row: answer }).await;
    assert!(wrong.unwrap_err().contains("your own messages"));
}

#[tokio::test]
async fn a_deleted_session_is_in_the_trash_and_its_agent_is_gone() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let mut other = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "Hello").await.unwrap();
    page.until_state(&session, SessionState::Completed).await;
    let (agent, file) = (server.agent(), server.session_file(&session));
    let content = std::fs::read(&file).unwrap();
    page.ask_hub(HubCommand::DeleteSession { session_id: session.clone() }).await.unwrap();
    until_gone(agent);
    assert!(!file.exists());
    let trash: Vec<_> = std::fs::read_dir(server.data.join("trash")).unwrap().flatten().collect();
    assert_eq!(std::fs::read(trash[0].path()).unwrap(), content);
    while !other.welcome.sessions.is_empty() || page.welcome.sessions.iter().any(|known| known.id == session)
    {
        other.ask_hub(HubCommand::ListSessions).await.unwrap();
        page.ask_hub(HubCommand::ListSessions).await.unwrap();
    }
    assert!(page.prompt(&session, "Still there?").await.unwrap_err().contains("no such session"));
}

#[tokio::test]
async fn an_agent_that_rests_is_ended_after_a_while_and_comes_back_with_the_next_prompt() {
    let project = tempfile::tempdir().unwrap();
    let setup = ServerSetup::new(binary()).project(project.path());
    let server = setup.argument("--idle-minutes").argument("0.01").start();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "/wait go").await.unwrap();
    page.until(&session, "half an answer", |view| view.controller.rows().len() >= 2).await;
    let agent = server.agent();
    std::fs::write(project.path().join("go"), "").unwrap();
    page.until_state(&session, SessionState::Completed).await;
    until_gone(agent);
    page.prompt(&session, "Hello again").await.unwrap();
    page.until(&session, "the answer", |view| {
        view.meta.state == SessionState::Completed && view.controller.rows().len() >= 4
    })
    .await;
    assert!(page.rows(&session).iter().all(|row| row.kind != Kind::Error));
}

#[tokio::test]
async fn a_compaction_is_shown_and_refused_while_the_agent_works() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    let compact = || SessionCommand::Compact { instructions: Some("Keep the names.".into()) };
    page.prompt(&session, "/wait go").await.unwrap();
    page.until(&session, "half an answer", |view| view.controller.rows().len() >= 2).await;
    assert!(page.ask(&session, compact()).await.unwrap_err().contains("is working"));
    std::fs::write(project.path().join("go"), "").unwrap();
    page.until_state(&session, SessionState::Completed).await;
    page.prompt(&session, "/tour").await.unwrap();
    page.until(&session, "the tour", |view| view.meta.state == SessionState::Streaming).await;
    page.until_state(&session, SessionState::Completed).await;
    page.ask(&session, compact()).await.unwrap();
    page.until(&session, "the summary", |view| {
        !view.meta.compacting && view.controller.rows().iter().any(|row| row.kind == Kind::System)
    })
    .await;
}
