//! State that survives a SIGKILL of the server: everything that was acknowledged, and the message in progress.

use pilothouse_core::SessionState;
use pilothouse_core::conversation::ask::Answer;
use pilothouse_core::conversation::ui_message::{Kind, Mark};
use pilothouse_core::protocol::{ErrorCode, HubCommand, SessionCommand};

use pilothouse_test_support::client::{Client, prompt, visible};
use pilothouse_test_support::process::signal;
use pilothouse_test_support::server::TestServer;
use pilothouse_test_support::wait;

use crate::server;

/// Kills the server, starts it again, and connects a client.
async fn restart(server: &mut TestServer) -> Client {
    server.kill_and_restart();
    Client::connect(server).await
}

/// Waits until the store contains this text. The message in progress is stored at intervals.
pub async fn until_stored(server: &TestServer, text: &str) {
    let database = server.data.join("store.db");
    let files = [database.with_extension("db-wal"), database];
    let is_stored = || {
        files.iter().any(|file| {
            let bytes = std::fs::read(file).unwrap_or_default();
            bytes.windows(text.len()).any(|window| window == text.as_bytes())
        })
    };
    wait::until_true(&format!("{text:?} in the store"), is_stored).await;
}

/// Waits until everything is stored that the session has submitted so far.
///
/// A reply of the session shows that it has processed its last event. Writes are committed in order, so an
/// acknowledged later write shows that the earlier ones are on disk.
pub async fn until_session_stored(client: &mut Client, session: &str) {
    let query = SessionCommand::GetMessages { before: 1, limit: None };
    client.ask(session, query).await.unwrap();
    client.ask_hub(HubCommand::MarkRead { session_id: session.to_owned() }).await.unwrap();
}

#[tokio::test]
async fn an_interrupted_reply_is_restored_and_marked() {
    let (mut server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "Hello").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    client.prompt(&session, "/wait go").await.unwrap();
    client.until_text(&session, "exists.").await;
    let before = client.rows(&session).last().unwrap().clone();
    until_stored(&server, &before.text).await;
    let mut client = restart(&mut server).await;
    client.open(&session).await;
    let restored = client.rows(&session).last().unwrap().clone();
    assert_eq!(
        (restored.text, restored.mark),
        (before.text, Some(Mark::Interrupted)),
        "the log of the server: {}",
        server.log()
    );
    assert_eq!(client.view(&session).meta.state, SessionState::Paused);

    // The reply keeps its place when the conversation continues, and after another restart.
    client.prompt(&session, "Hello again").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    let live = visible(client.rows(&session));
    let mut client = restart(&mut server).await;
    client.open(&session).await;
    assert_eq!(visible(client.rows(&session)), live);
}

#[tokio::test]
async fn the_queue_is_restored_and_sent_when_the_user_resumes_the_session() {
    let (mut server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "/wait-tool go").await.unwrap();
    client.until(&session, "the tool", |view| view.controller.has_open_call()).await;
    client.ask(&session, prompt("later-1", "first of the queue")).await.unwrap();
    client.ask(&session, prompt("later-2", "second of the queue")).await.unwrap();
    // The agent must not process the queue after the end of the server, nor the server notice the end of the
    // agent.
    let agent = server.agent();
    signal(server.process_id(), "STOP");
    signal(agent, "KILL");
    let mut client = restart(&mut server).await;
    client.open(&session).await;
    let queue: Vec<&str> =
        client.view(&session).meta.queue.items().iter().map(|item| item.text.as_str()).collect();
    assert_eq!(queue, ["first of the queue", "second of the queue"]);
    assert_eq!(client.view(&session).meta.state, SessionState::Paused);
    // The restarted server recognises a prompt that is sent again after the lost connection.
    client.ask(&session, prompt("later-1", "first of the queue")).await.unwrap();
    client.ask(&session, SessionCommand::ResumeSession).await.unwrap();
    client
        .until(&session, "the end of the queue", |view| {
            view.meta.state == SessionState::Completed && view.meta.queue.is_empty()
        })
        .await;
    let prompts =
        client.rows(&session).iter().filter(|row| row.kind == Kind::User).map(|row| row.text.as_str());
    assert_eq!(prompts.collect::<Vec<_>>(), ["/wait-tool go", "first of the queue", "second of the queue"]);
}

#[tokio::test]
async fn an_open_approval_is_closed_with_a_row_that_says_so() {
    let (mut server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "/approve").await.unwrap();
    client.until_state(&session, SessionState::WaitingApproval).await;
    let title = client.view(&session).meta.asks[0].title.clone();
    until_session_stored(&mut client, &session).await;
    let mut client = restart(&mut server).await;
    client.open(&session).await;
    let view = client.view(&session);
    assert_eq!((view.meta.asks.as_slice(), view.meta.state), (&[][..], SessionState::Paused));
    let row = view.controller.rows().iter().find(|row| row.kind == Kind::System).unwrap();
    assert!(row.text.contains("Not answered") && row.text.contains(&title), "{}", row.text);
}

#[tokio::test]
async fn an_answer_and_a_crash_stay_in_the_conversation() {
    let (mut server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "/approve").await.unwrap();
    client.until_state(&session, SessionState::WaitingApproval).await;
    let ask = client.view(&session).meta.asks[0].clone();
    let answer = Answer::Choose(ask.options[0].clone());
    client.ask(&session, SessionCommand::answer(&ask, answer)).await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    assert!(client.rows(&session).iter().any(|row| row.text.contains("You chose")));
    client.prompt(&session, "/wait go").await.unwrap();
    client.until_text(&session, "exists.").await;
    signal(server.agent(), "KILL");
    client.until_state(&session, SessionState::Error).await;
    client.prompt(&session, "Continue").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    let live = visible(client.rows(&session));
    assert!(live.iter().any(|row| row.contains("signal 9")), "{live:#?}");
    let mut client = restart(&mut server).await;
    client.open(&session).await;
    assert_eq!(visible(client.rows(&session)), live);
}

#[tokio::test]
async fn pins_drafts_and_read_marks_are_stored_and_sent_to_every_client() {
    let (mut server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "Hello").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    let listed =
        |client: &Client| client.welcome.sessions.iter().find(|listed| listed.id == session).unwrap().clone();
    client.ask_hub(HubCommand::MarkRead { session_id: session.clone() }).await.unwrap();
    client.ask_hub(HubCommand::Pin { session_id: session.clone(), pinned: true }).await.unwrap();
    client
        .ask_hub(HubCommand::SetDraft { session_id: session.clone(), text: "half a thought".into() })
        .await
        .unwrap();
    assert!(listed(&client).pinned && !listed(&client).unread && !listed(&client).archived);
    // A run that ends after the session was read makes it unread.
    client.prompt(&session, "More").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    while !listed(&client).unread {
        client.receive_frame().await;
    }
    let mut client = restart(&mut server).await;
    assert!(listed(&client).pinned && listed(&client).unread);
    client.open(&session).await;
    assert_eq!(client.view(&session).meta.draft, "half a thought");
    client.ask_hub(HubCommand::Archive { session_id: session.clone(), archived: true }).await.unwrap();
    client.ask_hub(HubCommand::MarkRead { session_id: session.clone() }).await.unwrap();
    assert!(listed(&client).archived && !listed(&client).unread);
    let unknown = client.ask_hub(HubCommand::Pin { session_id: "unknown".to_owned(), pinned: true }).await;
    assert_eq!(unknown.unwrap_err().code, ErrorCode::NoSuchSession);
}

#[tokio::test]
async fn a_draft_does_not_list_a_session_whose_file_is_gone_and_returns_with_it() {
    let (mut server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "Hello").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    // Listing reads the file: from now on the session depends on it.
    client.ask_hub(HubCommand::ListSessions).await.unwrap();
    let draft = HubCommand::SetDraft { session_id: session.clone(), text: "half a thought".to_owned() };
    client.ask_hub(draft).await.unwrap();
    let file = server.session_file(&session);
    server.kill();
    // As after a kill in the middle of a deletion.
    let trashed = server.data.join("trashed");
    std::fs::rename(&file, &trashed).unwrap();
    server.restart();
    let mut client = Client::connect(&server).await;
    assert_eq!(client.welcome.sessions, [], "the session has no file");
    std::fs::rename(&trashed, &file).unwrap();
    while client.welcome.sessions.is_empty() {
        client.ask_hub(HubCommand::ListSessions).await.unwrap();
    }
    client.open(&session).await;
    assert_eq!(client.view(&session).meta.draft, "half a thought");
}
