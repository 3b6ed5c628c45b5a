//! Lost connections: nothing is missing, nothing comes twice.

use pilothouse_core::SessionState;
use pilothouse_core::protocol::{HubCommand, SessionCommand, SessionMeta};

use pilothouse_test_support::client::{Client, prompt, visible};
use pilothouse_test_support::process::until_gone;

use crate::server;

#[tokio::test]
async fn case_67_a_page_that_comes_back_gets_exactly_what_it_missed() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "/wait go").await.unwrap();
    page.until(&session, "half an answer", |view| view.controller.rows().len() >= 2).await;
    let mut watcher = Client::connect(&server).await;
    watcher.open(&session).await;
    let views = page.disconnect();
    std::fs::write(project.path().join("go"), "").unwrap();
    watcher.until_state(&session, SessionState::Completed).await;

    let mut back = Client::resume(&server, views).await;
    back.until_state(&session, SessionState::Completed).await;
    assert_eq!(back.snapshots, 0, "the missing events were enough");
    back.until(&session, "everything", |view| view.seq >= watcher.view(&session).seq).await;
    assert_eq!(back.view(&session), watcher.view(&session));
}

#[tokio::test]
async fn a_cursor_of_another_life_of_the_server_gets_a_snapshot() {
    let (mut first, project) = server();
    let mut page = Client::connect(&first).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "Hello").await.unwrap();
    page.until_state(&session, SessionState::Completed).await;
    let live = visible(page.rows(&session));
    let views = page.disconnect();
    first.kill_and_restart();
    let mut back = Client::resume(&first, views).await;
    back.until(&session, "a snapshot", |view| view.seq == 0).await;
    assert_eq!((back.snapshots, visible(back.rows(&session))), (1, live));
}

#[tokio::test]
async fn a_session_that_is_gone_is_told_as_removed() {
    let (server, _project) = server();
    let view = pilothouse_core::SessionView {
        meta: SessionMeta { session_id: "gone".into(), ..SessionMeta::default() },
        ..Default::default()
    };
    let mut page = Client::resume(&server, [("gone".to_owned(), view)].into()).await;
    page.receive_frame().await;
    assert!(
        page.ask_hub(HubCommand::OpenSession { session_id: "gone".to_owned() })
            .await
            .unwrap_err()
            .contains("no such session")
    );
}

#[tokio::test]
async fn case_71_a_session_whose_file_is_deleted_is_told_as_removed_also_to_those_who_watch_it() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "Hello").await.unwrap();
    page.until_state(&session, SessionState::Completed).await;
    // The list knows the file once it was read.
    let listed = page.ask_hub(HubCommand::ListSessions).await.unwrap();
    assert_eq!(listed["sessions"].as_array().unwrap().len(), 1);
    let agent = server.agent();
    std::fs::remove_file(server.session_file(&session)).unwrap();
    let _other = Client::connect(&server).await;
    while page.welcome.sessions.iter().any(|listed| listed.id == session) {
        page.receive_frame().await;
    }
    until_gone(agent);
    assert!(page.prompt(&session, "Still there?").await.unwrap_err().contains("no such session"));
    let third = Client::connect(&server).await;
    assert_eq!(third.welcome.sessions, [], "no ghost in the list");
}

#[tokio::test]
async fn a_session_at_work_is_not_removed_with_its_file() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "Hello").await.unwrap();
    page.until_state(&session, SessionState::Completed).await;
    page.ask_hub(HubCommand::ListSessions).await.unwrap();
    page.prompt(&session, "/wait go").await.unwrap();
    page.until(&session, "half an answer", |view| view.controller.rows().len() >= 4).await;
    std::fs::remove_file(server.session_file(&session)).unwrap();
    let other = Client::connect(&server).await;
    assert_eq!(other.welcome.sessions.len(), 1);
    std::fs::write(project.path().join("go"), "").unwrap();
    page.until_state(&session, SessionState::Completed).await;
}

#[tokio::test]
async fn a_prompt_that_is_sent_again_reaches_the_agent_once() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.ask(&session, prompt("the-same", "Only once")).await.unwrap();
    page.until_state(&session, SessionState::Completed).await;
    let mut other = Client::connect(&server).await;
    other.open(&session).await;
    other.ask(&session, prompt("the-same", "Only once")).await.unwrap();
    other.ask(&session, SessionCommand::GetMessages { before: 9999, limit: None }).await.unwrap();
    let said = other.rows(&session).iter().filter(|row| row.text == "Only once").count();
    assert_eq!((said, other.view(&session).meta.state), (1, SessionState::Completed));
}
