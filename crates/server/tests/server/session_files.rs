//! Session files that another program writes: every sidebar follows them by itself.

use std::io::Write;
use std::path::PathBuf;

use pilothouse_core::SessionState;
use pilothouse_core::limits::PAGE_ROWS;
use pilothouse_core::protocol::{MessagesPage, SessionCommand, SessionSummary};
use serde_json::{Value, json};

use pilothouse_test_support::client::Client;
use pilothouse_test_support::server::TestServer;

use crate::server;

fn file_of(server: &TestServer) -> PathBuf {
    server.data.join("demo/sessions/--elsewhere--/2026_made-elsewhere.jsonl")
}

fn append(path: &PathBuf, entry: &Value) {
    let mut file = std::fs::File::options().append(true).create(true).open(path).unwrap();
    file.write_all(format!("{entry}\n").as_bytes()).unwrap();
}

fn listed(page: &Client) -> Option<&SessionSummary> {
    page.welcome.sessions.iter().find(|session| session.id == "made-elsewhere")
}

async fn until(page: &mut Client, condition: impl Fn(Option<&SessionSummary>) -> bool) {
    while !condition(listed(page)) {
        page.receive_frame().await;
    }
}

fn message(id: &str, parent: Value, message: Value) -> Value {
    json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2026-01-01T00:00:00Z", "message": message})
}

#[tokio::test]
async fn a_session_made_grown_and_deleted_by_another_program_is_shown_by_itself() {
    let (server, _project) = server();
    let mut page = Client::connect(&server).await;
    let path = file_of(&server);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    append(
        &path,
        &json!({"type": "session", "id": "made-elsewhere", "cwd": "/elsewhere", "timestamp": "2026-01-01T00:00:00Z"}),
    );
    append(&path, &message("a", Value::Null, json!({"role": "user", "content": "Hello from the terminal"})));
    until(&mut page, |session| session.is_some_and(|session| session.title == "Hello from the terminal"))
        .await;
    assert_eq!(listed(&page).unwrap().state, SessionState::Paused);

    append(
        &path,
        &message("b", json!("a"), json!({"role": "assistant", "content": [], "stopReason": "stop"})),
    );
    until(&mut page, |session| session.is_some_and(|session| session.state == SessionState::Completed)).await;

    append(&path, &json!({"type": "session_info", "id": "c", "parentId": "b", "name": "A name"}));
    until(&mut page, |session| session.is_some_and(|session| session.title == "A name")).await;

    std::fs::remove_file(&path).unwrap();
    until(&mut page, |session| session.is_none()).await;

    // The whole folder goes and comes back.
    std::fs::remove_dir_all(server.data.join("demo/sessions")).unwrap();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    append(&path, &json!({"type": "session", "id": "made-elsewhere", "cwd": "/elsewhere"}));
    until(&mut page, |session| session.is_some()).await;
}

#[tokio::test]
async fn a_long_session_opens_by_its_end_and_older_rows_come_when_asked_for() {
    let (server, _project) = server();
    let path = file_of(&server);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let rows = 20 * PAGE_ROWS;
    let mut text = format!("{}\n", json!({"type": "session", "id": "made-elsewhere", "cwd": "/elsewhere"}));
    for number in 0..rows {
        let parent = number.checked_sub(1).map(|parent| format!("e{parent}"));
        let said = json!({"role": "user", "content": format!("Line {number}")});
        text += &format!("{}\n", message(&format!("e{number}"), json!(parent), said));
    }
    std::fs::write(&path, text).unwrap();
    let mut page = Client::connect(&server).await;
    page.open("made-elsewhere").await;
    assert_eq!(page.rows("made-elsewhere").len(), PAGE_ROWS);
    let mut first = page.view("made-elsewhere").controller.first();
    while first > 0 {
        let command = SessionCommand::GetMessages { before: first, limit: None };
        let answer = page.ask("made-elsewhere", command).await.unwrap();
        let older: MessagesPage = serde_json::from_value(answer).unwrap();
        assert_eq!((older.first + older.messages.len(), older.total), (first, rows));
        for (place, row) in older.messages.iter().enumerate() {
            assert_eq!(row.text, format!("Line {}", older.first + place));
        }
        first = older.first;
    }
    std::fs::remove_file(&path).unwrap();
    let command = SessionCommand::GetMessages { before: 5, limit: None };
    let refused = page.ask("made-elsewhere", command).await.unwrap_err();
    assert!(refused.contains("has changed") || refused.contains("no such session"), "{refused}");
}
