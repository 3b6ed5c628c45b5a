//! One owner per session file: what another program writes is shown and followed, and nothing is written here until
//! the person takes over.

use std::io::Write;
use std::path::Path;

use pilothouse_core::SessionState;
use pilothouse_core::conversation::ui_message::Kind;
use pilothouse_core::protocol::Command;
use serde_json::{Value, json};

use pilothouse_test_support::client::{Client, visible};
use pilothouse_test_support::process::until_gone;

use crate::server;

/// Another program says something and gets an answer.
pub fn go_on_elsewhere(file: &Path, number: u64) {
    let text = std::fs::read_to_string(file).unwrap();
    let leaf: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let time = 4_000_000_000_000 + number;
    let entry = |id: &str, parent: &Value, message: Value| json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2096-10-02T07:06:40.000Z", "message": message});
    let user = format!("user{number}");
    let said = json!({"role": "user", "content": format!("Asked elsewhere {number}"), "timestamp": time});
    let answer = json!({"role": "assistant", "stopReason": "stop", "timestamp": time + 1,
        "content": [{"type": "text", "text": format!("Answered elsewhere {number}")}]});
    let lines = [entry(&user, &leaf["id"], said), entry(&format!("reply{number}"), &json!(user), answer)];
    let mut file = std::fs::File::options().append(true).open(file).unwrap();
    for line in lines {
        writeln!(file, "{line}").unwrap();
    }
}

#[tokio::test]
async fn a_session_that_another_program_continues_is_followed_and_taken_over_only_when_asked() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "Hello").await.unwrap();
    page.until_state(&session, SessionState::Completed).await;
    let (agent, file) = (server.agent(), server.session_file(&session));
    go_on_elsewhere(&file, 1);
    page.until(&session, "the other program", |view| view.elsewhere).await;
    page.until_text(&session, "Answered elsewhere 1").await;
    page.until_state(&session, SessionState::Completed).await;
    // What our own process has in mind is no longer what stands in the file.
    until_gone(agent);
    go_on_elsewhere(&file, 2);
    page.until_text(&session, "Answered elsewhere 2").await;
    let listed =
        |page: &Client| page.welcome.sessions.iter().find(|known| known.id == session).unwrap().clone();
    assert!(listed(&page).elsewhere, "the sidebar knows it, too");

    let before = std::fs::read(&file).unwrap();
    let bash = Command::Bash { client_id: "b".into(), command: "true".into(), exclude_from_context: false };
    for refused in [
        page.prompt(&session, "And here").await,
        page.ask(Some(&session), bash).await,
        page.ask(Some(&session), Command::RenameSession { title: "Mine".into() }).await,
        page.ask(Some(&session), Command::SetThinkingLevel { level: "high".into() }).await,
    ] {
        assert!(refused.unwrap_err().contains("Another program"));
    }
    assert_eq!(std::fs::read(&file).unwrap(), before, "nothing was written");

    page.ask(Some(&session), Command::TakeOver).await.unwrap();
    page.prompt(&session, "And here").await.unwrap();
    page.until(&session, "our own answer", |view| {
        view.state == SessionState::Completed
            && view.controller.rows().last().is_some_and(|row| row.kind == Kind::Assistant)
            && view.controller.rows().iter().any(|row| row.text == "And here")
    })
    .await;
    let mut other = Client::connect(&server).await;
    other.open(&session).await;
    assert_eq!(visible(other.rows(&session)), visible(page.rows(&session)));
    // The file did not branch.
    let text = std::fs::read_to_string(&file).unwrap();
    let entries: Vec<Value> = text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    for pair in entries.windows(2) {
        assert_eq!(pair[1]["parentId"], pair[0]["id"], "{pair:?}");
    }
}

/// Appends one message to the file as another program would.
fn append_elsewhere(file: &Path, id: &str, message: Value) {
    let text = std::fs::read_to_string(file).unwrap();
    let leaf: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let entry = json!({"type": "message", "id": id, "parentId": leaf["id"], "timestamp": "2096-10-02T07:06:41.000Z", "message": message});
    writeln!(std::fs::File::options().append(true).open(file).unwrap(), "{entry}").unwrap();
}

#[tokio::test]
async fn what_a_tool_says_elsewhere_and_a_command_run_there_are_followed_each_by_itself() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "Hello").await.unwrap();
    page.until_state(&session, SessionState::Completed).await;
    let (agent, file) = (server.agent(), server.session_file(&session));
    append_elsewhere(
        &file,
        "u",
        json!({"role": "user", "content": "List it", "timestamp": 4_000_000_000_001_u64}),
    );
    let call = json!({"type": "toolCall", "id": "call-1", "name": "bash", "arguments": {"command": "ls"}});
    append_elsewhere(
        &file,
        "a",
        json!({"role": "assistant", "stopReason": "toolUse", "timestamp": 4_000_000_000_002_u64, "content": [call]}),
    );
    let step = |page: &Client| {
        let row = page.rows(&session).iter().rev().find(|row| row.tool_step.is_some()).cloned();
        row.and_then(|row| row.tool_step)
    };
    page.until(&session, "the call", |view| view.controller.has_open_call()).await;
    until_gone(agent);
    let result = json!({"role": "toolResult", "toolCallId": "call-1", "toolName": "bash", "isError": false,
        "timestamp": 4_000_000_000_003_u64, "content": [{"type": "text", "text": "README.md"}]});
    append_elsewhere(&file, "r", result);
    page.until(&session, "the result", |view| !view.controller.has_open_call()).await;
    assert_eq!(step(&page).unwrap().result.as_deref(), Some("README.md"));
    let command = json!({"role": "bashExecution", "command": "pwd", "output": "/harbour", "exitCode": 0,
        "cancelled": false, "truncated": false, "timestamp": 4_000_000_000_004_u64});
    append_elsewhere(&file, "b", command);
    page.until(&session, "the command", |view| {
        view.controller.rows().iter().any(|row| row.kind == Kind::Bash)
    })
    .await;
    let mut other = Client::connect(&server).await;
    other.open(&session).await;
    assert_eq!(visible(other.rows(&session)), visible(page.rows(&session)));
}

#[tokio::test]
async fn another_name_given_elsewhere_is_shown() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "Hello").await.unwrap();
    page.until_state(&session, SessionState::Completed).await;
    let file = server.session_file(&session);
    let text = std::fs::read_to_string(&file).unwrap();
    let leaf: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let named =
        json!({"type": "session_info", "id": "named", "parentId": leaf["id"], "name": "Named elsewhere"});
    writeln!(std::fs::File::options().append(true).open(&file).unwrap(), "{named}").unwrap();
    page.until(&session, "the name", |view| view.title == "Named elsewhere").await;
    assert!(!page.view(&session).elsewhere, "a name alone is no work");
}
