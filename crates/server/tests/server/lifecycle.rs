//! The start and the end of the server process, and the cases in which it refuses to start.

use std::process::Output;

use pilothouse_test_support::client::Client;
use pilothouse_test_support::http;
use pilothouse_test_support::process::is_alive;
use pilothouse_test_support::server::{ServerSetup, code_in};

use crate::{binary, server};

/// Starts the server with arguments that it refuses, and returns its error message.
fn refuse_to_start(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let setup = arguments.iter().fold(ServerSetup::new(binary()), ServerSetup::argument);
    let Output { status, stdout, stderr } = setup.command(folder.path()).output().unwrap();
    let text = String::from_utf8(stderr).unwrap();
    assert!(!status.success(), "{arguments:?}");
    assert_eq!(String::from_utf8_lossy(&stdout), "", "{arguments:?}");
    assert_eq!(text.lines().count(), 1, "the message has more than one line: {text}");
    text
}

#[test]
fn invalid_arguments_are_refused_with_one_line() {
    assert!(refuse_to_start(&["--no-such-option"]).contains("--no-such-option"));
    assert!(refuse_to_start(&["--agent", "nonsense"]).contains("NAME=PROTOCOL:COMMAND"));
    assert!(refuse_to_start(&["--cwd", "/nonexistent/folder"]).contains("does not exist"));
    assert!(
        refuse_to_start(&["--config", "/nonexistent/config.toml"]).contains("cannot read the configuration")
    );
    for host in ["not a host", "*", "https://pilot.example/path"] {
        assert!(refuse_to_start(&["--allowed-host", host]).contains("is not a host"), "{host}");
    }
}

#[test]
fn an_existing_data_folder_is_closed_to_other_users() {
    use std::os::unix::fs::PermissionsExt;
    let (mut server, _project) = server();
    std::fs::set_permissions(&server.data, PermissionsExt::from_mode(0o755)).unwrap();
    server.kill_and_restart();
    let mode = std::fs::metadata(&server.data).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn a_data_folder_that_cannot_be_created_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let output = ServerSetup::new(binary()).command(&file.join("data")).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && text.contains("data folder"), "{text}");
}

#[test]
fn a_used_port_is_refused_and_the_first_server_keeps_running() {
    let (first, _project) = server();
    let folder = tempfile::tempdir().unwrap();
    let output = ServerSetup::new(binary()).port(first.port).command(folder.path()).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && text.contains("cannot listen on"), "{text}");
    assert!(is_alive(first.process_id()));
}

#[tokio::test]
async fn a_second_server_on_the_same_data_is_refused_and_the_first_keeps_its_agents() {
    let (first, project) = server();
    let mut client = Client::connect(&first).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "Hello").await.unwrap();
    let agents = first.programs();
    let output = ServerSetup::new(binary()).command(&first.data).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && text.contains("another Pilothouse is running"), "{text}");
    assert!(agents.len() == 1 && is_alive(agents[0]));
}

#[tokio::test]
async fn sigterm_ends_the_server_and_its_agents_cleanly() {
    let (mut server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "Hello").await.unwrap();
    let agents = server.programs();
    assert_eq!(agents.len(), 1, "not exactly one agent runs");
    let status = tokio::task::spawn_blocking(move || server.terminate()).await.unwrap();
    assert_eq!(status.code(), Some(0));
    assert!(!is_alive(agents[0]), "the agent outlived its server");
}

#[tokio::test]
async fn promise_38_the_log_contains_neither_prompts_nor_credentials() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "a very private prompt").await.unwrap();
    let log = server.log();
    assert!(log.contains("agent started"), "the log lacks the start of the agent: {log}");
    let (code, credential) = (code_in(&server.link), http::shared_credential(&server).await);
    let secret = credential.split_once('.').unwrap().1;
    for private in ["very private", &code, secret] {
        assert!(!log.contains(private), "{private}: {log}");
    }
}
