//! Session files of another program: the list of sessions follows them, and long ones are read in pages.

use std::io::Write;
use std::path::PathBuf;

use pilothouse_core::SessionState;
use pilothouse_core::limits::PAGE_ROWS;
use pilothouse_core::protocol::{ErrorCode, MessagesPage, SessionCommand, SessionSummary};
use serde_json::{Value, json};

use pilothouse_test_support::client::Client;
use pilothouse_test_support::server::TestServer;

use crate::server;

fn session_path(server: &TestServer) -> PathBuf {
    server.data.join("demo/sessions/--external--/2026_external.jsonl")
}

fn append(path: &PathBuf, entry: &Value) {
    let mut file = std::fs::File::options().append(true).create(true).open(path).unwrap();
    file.write_all(format!("{entry}\n").as_bytes()).unwrap();
}

fn listed(client: &Client) -> Option<&SessionSummary> {
    client.welcome.sessions.iter().find(|session| session.id == "external")
}

async fn until_listed(client: &mut Client, condition: impl Fn(Option<&SessionSummary>) -> bool) {
    while !condition(listed(client)) {
        client.receive_frame().await;
    }
}

fn message(id: &str, parent: Value, message: Value) -> Value {
    json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2026-01-01T00:00:00Z", "message": message})
}

#[tokio::test]
async fn a_session_that_another_program_creates_continues_and_deletes_is_followed() {
    let (server, _project) = server();
    let mut client = Client::connect(&server).await;
    let path = session_path(&server);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    append(
        &path,
        &json!({"type": "session", "id": "external", "cwd": "/external", "timestamp": "2026-01-01T00:00:00Z"}),
    );
    append(&path, &message("a", Value::Null, json!({"role": "user", "content": "Hello from the terminal"})));
    until_listed(&mut client, |session| {
        session.is_some_and(|session| session.title == "Hello from the terminal")
    })
    .await;
    assert_eq!(listed(&client).unwrap().state, SessionState::Paused);

    append(
        &path,
        &message("b", json!("a"), json!({"role": "assistant", "content": [], "stopReason": "stop"})),
    );
    until_listed(&mut client, |session| {
        session.is_some_and(|session| session.state == SessionState::Completed)
    })
    .await;

    append(&path, &json!({"type": "session_info", "id": "c", "parentId": "b", "name": "A name"}));
    until_listed(&mut client, |session| session.is_some_and(|session| session.title == "A name")).await;

    std::fs::remove_file(&path).unwrap();
    until_listed(&mut client, |session| session.is_none()).await;

    // The whole folder is deleted and created again.
    std::fs::remove_dir_all(server.data.join("demo/sessions")).unwrap();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    append(&path, &json!({"type": "session", "id": "external", "cwd": "/external"}));
    until_listed(&mut client, |session| session.is_some()).await;
}

#[tokio::test]
async fn a_long_session_opens_with_its_last_rows_and_older_ones_are_fetched_in_pages() {
    let (server, _project) = server();
    let path = session_path(&server);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let rows = 20 * PAGE_ROWS;
    let mut text = format!("{}\n", json!({"type": "session", "id": "external", "cwd": "/external"}));
    for number in 0..rows {
        let parent = number.checked_sub(1).map(|parent| format!("e{parent}"));
        let content = json!({"role": "user", "content": format!("Line {number}")});
        text += &format!("{}\n", message(&format!("e{number}"), json!(parent), content));
    }
    std::fs::write(&path, text).unwrap();
    let mut client = Client::connect(&server).await;
    client.open("external").await;
    assert_eq!(client.rows("external").len(), PAGE_ROWS);
    let mut first = client.view("external").controller.first();
    while first > 0 {
        let command = SessionCommand::GetMessages { before: first, limit: None };
        let answer = client.ask("external", command).await.unwrap();
        let older: MessagesPage = serde_json::from_value(answer).unwrap();
        assert_eq!((older.first + older.messages.len(), older.total), (first, rows));
        for (index, row) in older.messages.iter().enumerate() {
            assert_eq!(row.text, format!("Line {}", older.first + index));
        }
        first = older.first;
    }
    std::fs::remove_file(&path).unwrap();
    let command = SessionCommand::GetMessages { before: 5, limit: None };
    let refused = client.ask("external", command).await.unwrap_err();
    assert!(matches!(refused.code, ErrorCode::Gone | ErrorCode::NoSuchSession), "{refused:?}");
}
