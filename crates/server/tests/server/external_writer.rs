//! One owner per session file: the server follows what another program writes, and writes nothing itself until the
//! user takes over.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use pilothouse_core::SessionState;
use pilothouse_core::conversation::ui_message::Kind;
use pilothouse_core::protocol::{ErrorCode, SessionCommand};
use serde_json::json;

use pilothouse_test_support::client::{Client, prompt, visible};
use pilothouse_test_support::process::until_gone;
use pilothouse_test_support::server::TestServer;
use pilothouse_test_support::session_file::{
    SessionFile, append_branch, append_entry, append_exchange, append_message, assert_one_branch, lines,
};

use crate::server;

/// The time some seconds ago, as in messages.
fn seconds_ago(seconds: u64) -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u64::try_from(now.as_millis()).unwrap() - seconds * 1_000
}

/// Writes a session in which a program was prompted some seconds ago and runs a command since.
fn write_session_at_work(server: &TestServer, project: &Path, age: u64) -> String {
    let mut file = SessionFile::numbered(1, &project.to_string_lossy());
    file.message(json!({"role": "user", "content": "Run the tests", "timestamp": seconds_ago(age)}));
    let call =
        json!({"type": "toolCall", "id": "call-1", "name": "bash", "arguments": {"command": "cargo test"}});
    let timestamp = seconds_ago(age) + 1;
    file.message(
        json!({"role": "assistant", "stopReason": "toolUse", "content": [call], "timestamp": timestamp}),
    );
    let folder = project.to_string_lossy().trim_start_matches('/').replace('/', "-");
    file.write(&server.demo_sessions().join(format!("--{folder}--")))
}

/// A process that looks like pi.
struct Program {
    process: Child,
    _folder: tempfile::TempDir,
}

impl Program {
    /// Starts a shell, which ignores these arguments, in the project.
    fn start(project: &Path, arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("pi");
        std::os::unix::fs::symlink("/bin/sh", &program).unwrap();
        let mut command = Command::new(program);
        command.args(["-s", "x"]).args(arguments).current_dir(project).env_clear().stdin(Stdio::piped());
        Self { process: command.spawn().unwrap(), _folder: folder }
    }

    fn id(&self) -> Option<u32> {
        Some(self.process.id())
    }

    fn end(mut self) {
        drop(self.process.stdin.take());
        self.process.wait().unwrap();
    }
}

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

#[tokio::test]
async fn a_session_at_work_elsewhere_is_shown_at_the_first_look_and_starts_nothing() {
    let (mut server, project) = server();
    let session = write_session_at_work(&server, project.path(), 20);
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    let row = client.welcome.sessions.iter().find(|known| known.id == session).unwrap();
    assert!(row.external_writer, "the sidebar does not show it: {row:?}");
    client.open(&session).await;
    let meta = &client.view(&session).meta;
    assert!(meta.external_writer && meta.state == SessionState::Paused, "{meta:?}");
    let program = meta.external_program.clone().unwrap();
    assert_eq!((program.program.as_str(), program.process_id), ("Another program", None));
    assert_eq!(program.activity, "running bash: cargo test");
    assert!(client.view(&session).controller.has_open_call(), "the call is shown as ended");

    let command = |command: &str| match command {
        "resume" => SessionCommand::ResumeSession,
        "retry" => SessionCommand::Retry,
        "compact" => SessionCommand::Compact { instructions: None },
        "rename" => SessionCommand::RenameSession { title: "Mine".into() },
        "model" => SessionCommand::SetModel { provider: "demo".into(), model_id: "demo".into() },
        "level" => SessionCommand::SetThinkingLevel { level: "high".into() },
        "prompt" => prompt("c1", "Go on"),
        _ => SessionCommand::Bash {
            client_id: "b1".into(),
            command: "true".into(),
            exclude_from_context: false,
        },
    };
    for name in ["resume", "retry", "compact", "rename", "model", "level", "prompt", "bash"] {
        let refused = client.ask(&session, command(name)).await;
        assert_eq!(refused.unwrap_err().code, ErrorCode::ExternalWriter, "{name}");
    }
    assert_eq!(server.agents(), Vec::<u32>::new(), "an agent was started");

    client.ask(&session, SessionCommand::TakeOver).await.unwrap();
    client.until(&session, "the takeover", |view| !view.meta.external_writer).await;
    for text in ["One", "Two", "Three"] {
        client.prompt(&session, text).await.unwrap();
        client.until_state(&session, SessionState::Completed).await;
    }
    assert_one_branch(&server.session_file(&session));
}

#[tokio::test]
async fn an_old_unfinished_turn_of_another_program_can_be_resumed() {
    let (mut server, project) = server();
    let session = write_session_at_work(&server, project.path(), 3_600);
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    client.open(&session).await;
    assert!(!client.view(&session).meta.external_writer);
    client.ask(&session, SessionCommand::ResumeSession).await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_program_that_has_the_session_open_is_asked_about_once() {
    let (server, project) = server();
    let (mut client, session) = client_with_session(&server, project.path()).await;
    let file = server.session_file(&session);
    let program = Program::start(project.path(), &["--session", &file.to_string_lossy()]);
    let refused = client.prompt(&session, "While it is open").await;
    assert_eq!(refused.unwrap_err().code, ErrorCode::ExternalWriter);
    let shown = client.view(&session).meta.external_program.clone().unwrap();
    assert_eq!((shown.program.as_str(), shown.process_id), ("pi", program.id()));
    assert_eq!(shown.activity, "idle");

    client.ask(&session, SessionCommand::TakeOver).await.unwrap();
    for text in ["One", "Two", "Three"] {
        client.prompt(&session, text).await.unwrap();
        client.until_state(&session, SessionState::Completed).await;
        client.until(&session, "the end of the run", |view| view.meta.context_usage.is_some()).await;
    }
    assert!(!client.view(&session).meta.external_writer);

    write_exchange(&file, 1);
    client.until(&session, "the program, which has written", |view| view.meta.external_writer).await;
    client.until_text(&session, "External answer 1").await;
    client
        .until(&session, "its process", |view| {
            view.meta.external_program.as_ref().is_some_and(|shown| shown.process_id.is_some())
        })
        .await;
    let refused = client.prompt(&session, "Again").await;
    assert_eq!(refused.unwrap_err().code, ErrorCode::ExternalWriter);
    program.end();
    client.until(&session, "the end of the program", |view| !view.meta.external_writer).await;
    client.prompt(&session, "Again").await.unwrap();
    assert_one_branch(&file);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_program_that_hides_its_arguments_is_recognized_by_its_messages() {
    let (server, project) = server();
    let (mut client, session) = client_with_session(&server, project.path()).await;
    let file = server.session_file(&session);
    let program = Program::start(project.path(), &[]);
    // It may have any session.
    client.prompt(&session, "Not asked").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    client.until(&session, "the context usage", |view| view.meta.context_usage.is_some()).await;
    write_exchange(&file, 1);
    client
        .until(&session, "its process", |view| {
            view.meta.external_program.as_ref().is_some_and(|shown| shown.process_id == program.id())
        })
        .await;
    program.end();
    client.until(&session, "the end of the program", |view| !view.meta.external_writer).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_turn_whose_program_has_ended_can_be_resumed() {
    let (mut server, project) = server();
    let session = write_session_at_work(&server, project.path(), 20);
    let file = server.session_file(&session);
    let program = Program::start(project.path(), &["--session", &file.to_string_lossy()]);
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    client.open(&session).await;
    let shown = client.view(&session).meta.external_program.clone().unwrap();
    assert_eq!(shown.process_id, program.id());
    program.end();
    client.until(&session, "the end of the program", |view| !view.meta.external_writer).await;
    assert!(!client.view(&session).controller.has_open_call(), "the call is shown as running");
    client.ask(&session, SessionCommand::ResumeSession).await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn another_program_that_appears_after_a_takeover_is_asked_about() {
    let (server, project) = server();
    let (mut client, session) = client_with_session(&server, project.path()).await;
    let file = server.session_file(&session);
    let first = Program::start(project.path(), &["--session", &file.to_string_lossy()]);
    client.prompt(&session, "One").await.unwrap_err();
    client.ask(&session, SessionCommand::TakeOver).await.unwrap();
    client.prompt(&session, "One").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    let second = Program::start(project.path(), &["--session-id", &session]);
    client.until(&session, "the other program", |view| view.meta.external_writer).await;
    let shown = client.view(&session).meta.external_program.clone().unwrap();
    assert_eq!(shown.process_id, second.id());
    first.end();
    second.end();
    client.until(&session, "the end of both", |view| !view.meta.external_writer).await;
}

#[tokio::test]
async fn a_fork_has_the_conversation_so_far_and_is_not_elsewhere() {
    let (mut server, project) = server();
    let session = write_session_at_work(&server, project.path(), 20);
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    client.open(&session).await;
    let before = std::fs::read(server.session_file(&session)).unwrap();
    let forked = client.ask(&session, SessionCommand::Fork { row: None }).await.unwrap();
    let fork = forked["session_id"].as_str().unwrap().to_owned();
    assert_eq!(std::fs::read(server.session_file(&session)).unwrap(), before, "the file was written");
    client.open(&fork).await;
    assert!(!client.view(&fork).meta.external_writer, "it is shown as running elsewhere");
    assert_eq!(client.rows(&fork)[0].text, "Run the tests");
    client.prompt(&fork, "Go on here").await.unwrap();
    client.until_state(&fork, SessionState::Completed).await;
    assert!(client.view(&session).meta.external_writer, "the other program is still at work");
}

#[tokio::test]
async fn a_program_that_continues_from_an_earlier_message_is_announced() {
    let (server, project) = server();
    let (mut client, session) = client_with_session(&server, project.path()).await;
    client.prompt(&session, "Said here only").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    client.until(&session, "the context usage", |view| view.meta.context_usage.is_some()).await;
    let file = server.session_file(&session);
    let entries = lines(&file);
    let first =
        entries.iter().rposition(|entry| entry["message"]["content"].to_string().contains("Said here only"));
    let parent = entries[first.unwrap()]["parentId"].clone();
    append_branch(&file, &parent, json!({"role": "user", "content": "Said in the terminal"}));
    client.until_text(&session, "Said in the terminal").await;
    client.until(&session, "the external writer", |view| view.meta.external_writer).await;
    while client.left_branches.is_empty() {
        client.receive_frame().await;
    }
    assert!(std::fs::read_to_string(&file).unwrap().contains("Said here only"));
}
