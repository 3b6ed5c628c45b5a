//! Reconnecting after a lost connection: no event is missing and none arrives twice.

use pilothouse_core::conversation::ask::Answer;
use pilothouse_core::limits::EVENT_BUFFER_EVENTS;
use pilothouse_core::protocol::{ErrorCode, HubCommand, MessagesPage, SessionCommand, SessionMeta};
use pilothouse_core::{Kind, SessionState, SessionView, UiMessage};

use pilothouse_test_support::client::{Client, prompt, synchronise, visible};
use pilothouse_test_support::process::until_gone;
use pilothouse_test_support::scripted_agent::Script;
use pilothouse_test_support::server::ServerSetup;
use pilothouse_test_support::session_file;
use serde_json::json;

use crate::{binary, server};

const WAIT_FIRST_HALF: &str = "The first half. I continue when `go` exists.";
const WAIT_ANSWER: &str = "The first half. I continue when `go` exists.\n\nThe second half. Done.";

/// The kind and the text of each row, without thinking.
fn texts(rows: &[UiMessage]) -> Vec<(Kind, &str)> {
    rows.iter().filter(|row| row.kind != Kind::Thinking).map(|row| (row.kind, row.text.as_str())).collect()
}

/// The id and the title of each listed session.
fn listed(client: &Client) -> Vec<(&str, &str)> {
    client.welcome.sessions.iter().map(|session| (session.id.as_str(), session.title.as_str())).collect()
}

#[tokio::test]
async fn case_67_a_client_that_reconnects_gets_exactly_the_missed_events() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "/wait go").await.unwrap();
    client.until_text(&session, WAIT_FIRST_HALF).await;
    let mut watcher = Client::connect(&server).await;
    watcher.open(&session).await;
    let views = client.disconnect();
    let last_seen = views[&session].seq;
    std::fs::write(project.path().join("go"), "").unwrap();
    watcher.until_state(&session, SessionState::Completed).await;

    let mut client = Client::resume(&server, views).await;
    client.until_state(&session, SessionState::Completed).await;
    synchronise(&mut client, &mut watcher, &session).await;
    assert_eq!(client.snapshots, 0, "a snapshot was sent instead of the missed events");
    assert_eq!(client.events as u64, client.view(&session).seq - last_seen);
    let rows = [(Kind::User, "/wait go"), (Kind::Assistant, WAIT_ANSWER)];
    assert_eq!(texts(client.rows(&session)), rows);
    assert_eq!(client.view(&session), watcher.view(&session));
}

#[tokio::test]
async fn a_cursor_from_before_a_restart_of_the_server_gets_a_snapshot() {
    let (mut server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "/wait go").await.unwrap();
    std::fs::write(project.path().join("go"), "").unwrap();
    client.until_state(&session, SessionState::Completed).await;
    let live = visible(client.rows(&session));
    let views = client.disconnect();
    let epoch = views[&session].epoch.clone();
    server.kill_and_restart();
    let mut client = Client::resume(&server, views).await;
    client.until(&session, "a snapshot", |view| view.epoch != epoch).await;
    assert_eq!((client.snapshots, client.events), (1, 0));
    let rows = [(Kind::User, "/wait go"), (Kind::Assistant, WAIT_ANSWER)];
    assert_eq!(texts(client.rows(&session)), rows);
    assert_eq!(visible(client.rows(&session)), live);
}

#[tokio::test]
async fn promise_19_a_client_that_missed_too_much_gets_a_snapshot_that_replaces_everything() {
    let folder = tempfile::tempdir().unwrap();
    let mut script = Script::default();
    script.run(|script| {
        script.extension("confirm", json!({"title": "Go on?", "message": ""}));
        script.expect_command("extension_ui_response");
        for number in 0..=EVENT_BUFFER_EVENTS {
            script.extension("notify", json!({"message": format!("Notice {number}"), "notifyType": "info"}));
        }
        let content = json!([{"type": "text", "text": "All told."}]);
        script.message(json!({"role": "assistant", "content": content, "stopReason": "stop"}), |_| {});
    });
    let server = script.offer(ServerSetup::new(binary()).project(folder.path()), folder.path()).start();
    let mut watcher = Client::connect(&server).await;
    let session = watcher.new_session_of("scripted", folder.path()).await;
    watcher.prompt(&session, "Hello").await.unwrap();
    watcher.until(&session, "the question", |view| !view.meta.asks.is_empty()).await;
    let ask = watcher.view(&session).meta.asks[0].clone();
    let mut client = Client::connect(&server).await;
    client.open(&session).await;
    let views = client.disconnect();
    watcher.ask(&session, SessionCommand::answer(&ask, Answer::Confirm(true))).await.unwrap();
    watcher.until_state(&session, SessionState::Completed).await;

    let mut client = Client::resume(&server, views).await;
    client.until_state(&session, SessionState::Completed).await;
    assert_eq!(client.snapshots, 1, "a client that missed more than is kept gets a snapshot");
    assert!(client.events < EVENT_BUFFER_EVENTS, "{} events were sent as well", client.events);
    synchronise(&mut client, &mut watcher, &session).await;
    assert!(texts(client.rows(&session)).contains(&(Kind::Assistant, "All told.")));
    assert_eq!(client.view(&session), watcher.view(&session));
}

#[tokio::test]
async fn a_cursor_of_an_unknown_session_is_answered_with_its_removal() {
    let (server, _project) = server();
    let meta = SessionMeta { session_id: "gone".into(), ..SessionMeta::default() };
    let view = SessionView { meta, ..SessionView::default() };
    let mut client = Client::resume(&server, [("gone".to_owned(), view)].into()).await;
    client.receive_frame().await;
    assert_eq!(client.removed_sessions, ["gone"]);
    let opened = client.ask_hub(HubCommand::OpenSession { session_id: "gone".to_owned() }).await;
    assert_eq!(opened.unwrap_err().code, ErrorCode::NoSuchSession);
}

#[tokio::test]
async fn case_71_a_session_whose_file_is_deleted_is_removed_from_every_client() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "Hello").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    // Listing reads the file, so that the server notices its deletion.
    client.ask_hub(HubCommand::ListSessions).await.unwrap();
    assert_eq!(listed(&client), [(session.as_str(), "Hello")]);
    let agent = server.agent();
    std::fs::remove_file(server.session_file(&session)).unwrap();
    let _other = Client::connect(&server).await;
    while !listed(&client).is_empty() {
        client.receive_frame().await;
    }
    assert_eq!(client.removed_sessions, [session.as_str()]);
    until_gone(agent);
    assert_eq!(client.prompt(&session, "Hello again").await.unwrap_err().code, ErrorCode::NoSuchSession);
    assert_eq!(listed(&Client::connect(&server).await), [], "a new client still lists the session");
}

#[tokio::test]
async fn a_working_session_stays_when_its_file_is_deleted() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "Hello").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    client.ask_hub(HubCommand::ListSessions).await.unwrap();
    client.prompt(&session, "/wait go").await.unwrap();
    client.until_text(&session, WAIT_FIRST_HALF).await;
    std::fs::remove_file(server.session_file(&session)).unwrap();
    let other = Client::connect(&server).await;
    assert_eq!(listed(&other), [(session.as_str(), "Hello")]);
    std::fs::write(project.path().join("go"), "").unwrap();
    client.until_state(&session, SessionState::Completed).await;
    assert_eq!(texts(client.rows(&session)).last(), Some(&(Kind::Assistant, WAIT_ANSWER)));
    assert_eq!(client.removed_sessions, [""; 0]);
}

#[tokio::test]
async fn promise_21_a_prompt_that_is_sent_twice_reaches_the_agent_once() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    let first = client.ask(&session, prompt("the-same", "Only once")).await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    let mut other = Client::connect(&server).await;
    other.open(&session).await;
    let second = other.ask(&session, prompt("the-same", "Only once")).await.unwrap();
    assert_eq!(second, first, "the reply to the repeated prompt is another one");

    // The session replies in order: it has processed the prompt.
    let query = SessionCommand::GetMessages { before: usize::MAX, limit: None };
    let page: MessagesPage = serde_json::from_value(other.ask(&session, query).await.unwrap()).unwrap();
    let users = |rows: &[UiMessage]| {
        let users = rows.iter().filter(|row| row.kind == Kind::User);
        users.map(|row| (row.id.clone(), row.text.clone())).collect::<Vec<_>>()
    };
    let once = [("u-the-same".to_owned(), "Only once".to_owned())];
    assert_eq!((users(&page.messages), users(other.rows(&session))), (once.to_vec(), once.to_vec()));
    assert_eq!(other.view(&session).meta.state, SessionState::Completed);
    let entries = session_file::lines(&server.session_file(&session));
    let received = entries.iter().map(|entry| &entry["message"]).filter(|message| message["role"] == "user");
    let received: Vec<&str> =
        received.map(|message| message["content"][0]["text"].as_str().unwrap()).collect();
    assert_eq!(received, ["Only once"]);
}
