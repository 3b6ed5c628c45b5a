//! One owner per session file: the server follows what another program writes, and writes nothing itself until the
//! user takes over.

use std::path::Path;

use pilothouse_core::SessionState;
use pilothouse_core::conversation::ui_message::Kind;
use pilothouse_core::protocol::{ErrorCode, SessionCommand};
use serde_json::json;

use pilothouse_test_support::client::{Client, visible};
use pilothouse_test_support::process::until_gone;
use pilothouse_test_support::server::TestServer;
use pilothouse_test_support::session_file::{
    append_entry, append_exchange, append_message, assert_one_branch,
};

use crate::server;

/// Appends a prompt and its answer, as another program does.
pub fn write_exchange(file: &Path, number: u64) {
    append_exchange(file, &format!("External question {number}"), &format!("External answer {number}"));
}

/// A client with a session whose first run is completed.
async fn client_with_session(server: &TestServer, project: &Path) -> (Client, String) {
    let mut client = Client::connect(server).await;
    let session = client.new_session(project).await;
    client.prompt(&session, "Hello").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    (client, session)
}

#[tokio::test]
async fn a_session_that_another_program_continues_is_followed_until_the_user_takes_over() {
    let (server, project) = server();
    let (mut client, session) = client_with_session(&server, project.path()).await;
    let (agent, file) = (server.agent(), server.session_file(&session));
    write_exchange(&file, 1);
    client.until(&session, "the external writer", |view| view.meta.external_writer).await;
    client.until_text(&session, "External answer 1").await;
    client.until_state(&session, SessionState::Completed).await;
    // The server ends its own agent, whose context no longer matches the file.
    until_gone(agent);
    write_exchange(&file, 2);
    client.until_text(&session, "External answer 2").await;
    let listed =
        |client: &Client| client.welcome.sessions.iter().find(|known| known.id == session).unwrap().clone();
    assert!(listed(&client).external_writer, "the session list does not show the external writer");

    let before = std::fs::read(&file).unwrap();
    let bash =
        SessionCommand::Bash { client_id: "b".into(), command: "true".into(), exclude_from_context: false };
    for refused in [
        client.prompt(&session, "Our own question").await,
        client.ask(&session, bash).await,
        client.ask(&session, SessionCommand::RenameSession { title: "Mine".into() }).await,
        client.ask(&session, SessionCommand::SetThinkingLevel { level: "high".into() }).await,
    ] {
        assert_eq!(refused.unwrap_err().code, ErrorCode::ExternalWriter);
    }
    assert_eq!(std::fs::read(&file).unwrap(), before, "the file was written");

    client.ask(&session, SessionCommand::TakeOver).await.unwrap();
    client.prompt(&session, "Our own question").await.unwrap();
    client
        .until(&session, "the answer of our agent", |view| {
            view.meta.state == SessionState::Completed
                && view.controller.rows().last().is_some_and(|row| row.kind == Kind::Assistant)
                && view.controller.rows().iter().any(|row| row.text == "Our own question")
        })
        .await;
    let mut other = Client::connect(&server).await;
    other.open(&session).await;
    assert_eq!(visible(other.rows(&session)), visible(client.rows(&session)));
    assert_one_branch(&file);
}

#[tokio::test]
async fn tool_calls_results_and_shell_commands_of_another_program_are_followed() {
    let (server, project) = server();
    let (mut client, session) = client_with_session(&server, project.path()).await;
    let (agent, file) = (server.agent(), server.session_file(&session));
    append_message(&file, json!({"role": "user", "content": "List the files"}));
    let call = json!({"type": "toolCall", "id": "call-1", "name": "bash", "arguments": {"command": "ls"}});
    append_message(&file, json!({"role": "assistant", "stopReason": "toolUse", "content": [call]}));
    let step = |client: &Client| {
        let row = client.rows(&session).iter().rev().find(|row| row.tool_step.is_some()).cloned();
        row.and_then(|row| row.tool_step)
    };
    client.until(&session, "the tool call", |view| view.controller.has_open_call()).await;
    until_gone(agent);
    let result = json!({"role": "toolResult", "toolCallId": "call-1", "toolName": "bash", "isError": false,
        "content": [{"type": "text", "text": "README.md"}]});
    append_message(&file, result);
    client.until(&session, "the result", |view| !view.controller.has_open_call()).await;
    assert_eq!(step(&client).unwrap().result.as_deref(), Some("README.md"));
    let command = json!({"role": "bashExecution", "command": "pwd", "output": "/harbour", "exitCode": 0,
        "cancelled": false, "truncated": false});
    append_message(&file, command);
    client
        .until(&session, "the shell command", |view| {
            view.controller.rows().iter().any(|row| row.kind == Kind::Bash)
        })
        .await;
    let mut other = Client::connect(&server).await;
    other.open(&session).await;
    assert_eq!(visible(other.rows(&session)), visible(client.rows(&session)));
}

#[tokio::test]
async fn a_title_set_by_another_program_is_shown() {
    let (server, project) = server();
    let (mut client, session) = client_with_session(&server, project.path()).await;
    let title = json!({"type": "session_info", "name": "External title"});
    append_entry(&server.session_file(&session), title);
    client.until(&session, "the title", |view| view.meta.title == "External title").await;
    assert!(
        !client.view(&session).meta.external_writer,
        "a title alone does not make another program the writer"
    );
}
