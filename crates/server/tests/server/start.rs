//! How the program starts, refuses to start, and ends.

use std::process::Output;

use pilothouse_test_support::client::Client;
use pilothouse_test_support::process::{children, is_alive};
use pilothouse_test_support::server::ServerSetup;

use crate::{binary, server};

fn refused(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let setup = arguments.iter().fold(ServerSetup::new(binary()), ServerSetup::argument);
    let Output { status, stdout, stderr } = setup.command(folder.path()).output().unwrap();
    let text = String::from_utf8(stderr).unwrap();
    assert!(!status.success(), "{arguments:?}");
    assert_eq!(String::from_utf8_lossy(&stdout), "", "{arguments:?}");
    assert_eq!(text.lines().count(), 1, "one sentence: {text}");
    text
}

#[test]
fn wrong_arguments_get_one_clear_sentence() {
    assert!(refused(&["--no-such-option"]).contains("--no-such-option"));
    assert!(refused(&["--agent", "nonsense"]).contains("NAME=PROTOCOL:COMMAND"));
    assert!(refused(&["--cwd", "/nonexistent/folder"]).contains("does not exist"));
    assert!(refused(&["--config", "/nonexistent/config.toml"]).contains("cannot read the configuration"));
    assert!(refused(&["--allowed-host", "not a host"]).contains("is not a host"));
}

#[test]
fn a_data_folder_that_cannot_be_written_to_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let output = ServerSetup::new(binary()).command(&file.join("data")).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && text.contains("data folder"), "{text}");
}

#[test]
fn a_taken_port_is_refused_and_the_first_server_goes_on() {
    let (first, _project) = server();
    let folder = tempfile::tempdir().unwrap();
    let output = ServerSetup::new(binary()).port(first.port).command(folder.path()).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && text.contains("cannot listen on"), "{text}");
    assert!(is_alive(first.process_id()));
}

#[tokio::test]
async fn a_second_server_on_the_same_data_is_refused_and_the_agents_of_the_first_live_on() {
    let (first, project) = server();
    let mut page = Client::connect(&first).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "Hello").await.unwrap();
    let agents = children(first.process_id());
    let output = ServerSetup::new(binary()).command(&first.data).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && text.contains("another Pilothouse is running"), "{text}");
    assert!(agents.len() == 1 && is_alive(agents[0]));
}

#[tokio::test]
async fn sigterm_ends_the_server_and_its_agents_cleanly() {
    let (mut server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "Hello").await.unwrap();
    let agents = children(server.process_id());
    assert_eq!(agents.len(), 1, "one agent for one session");
    let status = tokio::task::spawn_blocking(move || server.terminate()).await.unwrap();
    assert_eq!(status.code(), Some(0));
    assert!(!is_alive(agents[0]), "the agent outlived its server");
}

#[tokio::test]
async fn nothing_secret_and_no_prompt_is_in_the_log() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "a very private prompt").await.unwrap();
    let log = server.log();
    assert!(log.contains("agent started"), "the log is written: {log}");
    assert!(!log.contains("very private") && !log.contains(&server.token), "{log}");
}
