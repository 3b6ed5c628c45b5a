//! One owner per session file: what another program writes is shown and followed, and nothing is written here until
//! the person takes over.

use std::path::Path;

use pilothouse_core::SessionState;
use pilothouse_core::conversation::ui_message::Kind;
use pilothouse_core::protocol::SessionCommand;
use serde_json::json;

use pilothouse_test_support::client::{Client, visible};
use pilothouse_test_support::process::until_gone;
use pilothouse_test_support::session_file::{
    append_entry, append_exchange, append_message, assert_one_branch,
};

use crate::server;

/// Another program says something and gets an answer.
pub fn go_on_elsewhere(file: &Path, number: u64) {
    append_exchange(file, &format!("Asked elsewhere {number}"), &format!("Answered elsewhere {number}"));
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
    page.until(&session, "the other program", |view| view.meta.external_writer).await;
    page.until_text(&session, "Answered elsewhere 1").await;
    page.until_state(&session, SessionState::Completed).await;
    // What our own process has in mind is no longer what stands in the file.
    until_gone(agent);
    go_on_elsewhere(&file, 2);
    page.until_text(&session, "Answered elsewhere 2").await;
    let listed =
        |page: &Client| page.welcome.sessions.iter().find(|known| known.id == session).unwrap().clone();
    assert!(listed(&page).external_writer, "the sidebar knows it, too");

    let before = std::fs::read(&file).unwrap();
    let bash =
        SessionCommand::Bash { client_id: "b".into(), command: "true".into(), exclude_from_context: false };
    for refused in [
        page.prompt(&session, "And here").await,
        page.ask(&session, bash).await,
        page.ask(&session, SessionCommand::RenameSession { title: "Mine".into() }).await,
        page.ask(&session, SessionCommand::SetThinkingLevel { level: "high".into() }).await,
    ] {
        assert!(refused.unwrap_err().contains("Another program"));
    }
    assert_eq!(std::fs::read(&file).unwrap(), before, "nothing was written");

    page.ask(&session, SessionCommand::TakeOver).await.unwrap();
    page.prompt(&session, "And here").await.unwrap();
    page.until(&session, "our own answer", |view| {
        view.meta.state == SessionState::Completed
            && view.controller.rows().last().is_some_and(|row| row.kind == Kind::Assistant)
            && view.controller.rows().iter().any(|row| row.text == "And here")
    })
    .await;
    let mut other = Client::connect(&server).await;
    other.open(&session).await;
    assert_eq!(visible(other.rows(&session)), visible(page.rows(&session)));
    assert_one_branch(&file);
}

#[tokio::test]
async fn what_a_tool_says_elsewhere_and_a_command_run_there_are_followed_each_by_itself() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "Hello").await.unwrap();
    page.until_state(&session, SessionState::Completed).await;
    let (agent, file) = (server.agent(), server.session_file(&session));
    append_message(&file, json!({"role": "user", "content": "List it"}));
    let call = json!({"type": "toolCall", "id": "call-1", "name": "bash", "arguments": {"command": "ls"}});
    append_message(&file, json!({"role": "assistant", "stopReason": "toolUse", "content": [call]}));
    let step = |page: &Client| {
        let row = page.rows(&session).iter().rev().find(|row| row.tool_step.is_some()).cloned();
        row.and_then(|row| row.tool_step)
    };
    page.until(&session, "the call", |view| view.controller.has_open_call()).await;
    until_gone(agent);
    let result = json!({"role": "toolResult", "toolCallId": "call-1", "toolName": "bash", "isError": false,
        "content": [{"type": "text", "text": "README.md"}]});
    append_message(&file, result);
    page.until(&session, "the result", |view| !view.controller.has_open_call()).await;
    assert_eq!(step(&page).unwrap().result.as_deref(), Some("README.md"));
    let command = json!({"role": "bashExecution", "command": "pwd", "output": "/harbour", "exitCode": 0,
        "cancelled": false, "truncated": false});
    append_message(&file, command);
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
    let named = json!({"type": "session_info", "name": "Named elsewhere"});
    append_entry(&server.session_file(&session), named);
    page.until(&session, "the name", |view| view.meta.title == "Named elsewhere").await;
    assert!(!page.view(&session).meta.external_writer, "a name alone is no work");
}
