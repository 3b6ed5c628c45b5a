//! Agents that die, that cannot be started, and that do not stop.

use std::path::Path;
use std::time::Instant;

use pilothouse_core::protocol::{ErrorCode, SessionCommand};
use pilothouse_core::{Kind, SessionState};

use pilothouse_test_support::client::{Client, prompt};
use pilothouse_test_support::process::{signal, until_child, until_gone};
use pilothouse_test_support::server::ServerSetup;

use crate::{binary, server};

/// Reporting the death of an agent may take at most this many times as long as the two starts of an agent in the
/// same test. It takes about half as long; a timeout of seconds takes hundreds of times as long.
const REPORT_RATIO: u32 = 25;

#[tokio::test]
async fn case_72_a_killed_agent_is_reported_at_once_and_the_session_continues() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    let start = Instant::now();
    client.prompt(&session, "/wait-tool never").await.unwrap();
    client.until(&session, "a running tool", |view| view.controller.has_open_call()).await;
    let first_start = start.elapsed();

    let agent = server.agent();
    let tool = until_child(agent);
    let start = Instant::now();
    signal(agent, "KILL");
    client.until_state(&session, SessionState::Error).await;
    let report = start.elapsed();
    assert!(!client.view(&session).controller.has_open_call(), "the tool is still shown as running");
    let last = client.rows(&session).last().unwrap();
    assert_eq!((last.kind, last.text.as_str()), (Kind::Error, "The agent was terminated by signal 9."));
    until_gone(tool);

    let start = Instant::now();
    client.prompt(&session, "Hello again").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    let starts = first_start + start.elapsed();
    assert!(report < REPORT_RATIO * starts, "reported after {report:?}; two starts took {starts:?}");
}

#[tokio::test]
async fn a_message_scheduled_with_an_agent_that_died_reaches_the_next() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "/wait-tool never").await.unwrap();
    client.until(&session, "a running tool", |view| view.controller.has_open_call()).await;
    client.ask(&session, prompt("scheduled", "Do not forget me")).await.unwrap();
    signal(server.agent(), "KILL");
    client.until_state(&session, SessionState::Error).await;
    let queue: Vec<&str> =
        client.view(&session).meta.queue.items().iter().map(|item| item.text.as_str()).collect();
    assert_eq!(queue, ["Do not forget me"]);
    client.prompt(&session, "Hello again").await.unwrap();
    client
        .until(&session, "the scheduled message", |view| {
            view.meta.queue.is_empty()
                && view.controller.rows().iter().any(|row| row.text == "Do not forget me")
        })
        .await;
    client.until_state(&session, SessionState::Completed).await;
    let row = client.rows(&session).iter().find(|row| row.text == "Do not forget me").unwrap();
    assert_eq!(row.id, "u-scheduled");
}

#[tokio::test]
async fn an_agent_that_cannot_be_started_is_reported_with_the_reason() {
    let server = ServerSetup::new(binary()).agent("gone=pi:/nonexistent/agent").start();
    let mut client = Client::connect(&server).await;
    let listed = client.welcome.agents.iter().find(|agent| agent.name == "gone").unwrap();
    assert!(listed.problem.as_ref().unwrap().contains("not found"));
    let session = client.new_session_of("gone", Path::new("/")).await;
    let error = client.prompt(&session, "Hello").await.unwrap_err();
    assert!(error.code == ErrorCode::AgentFailed && error.message.contains("could not start"), "{error:?}");
    client.until_state(&session, SessionState::Error).await;
}

#[tokio::test]
async fn an_agent_that_ignores_a_stop_is_killed_with_its_children() {
    let project = tempfile::tempdir().unwrap();
    // The agent starts a run, then ignores every command and signal. So does its child.
    let script = r#"case "$*" in *--session-id*) ;; *) exit 1;; esac
        trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & echo $! > child
        while read -r line; do case "$line" in
            *get_state*) echo '{"id":"1","type":"response","command":"get_state","success":true,"data":{}}';;
            *'"prompt"'*) echo '{"id":"3","type":"response","command":"prompt","success":true,"data":{}}'; echo '{"type":"agent_start"}';;
        esac; done; while :; do sleep 1; done"#;
    std::fs::write(project.path().join("agent.sh"), script).unwrap();
    let setup = ServerSetup::new(binary()).project(project.path());
    let server = setup.agent(&format!("stubborn=pi:sh {}/agent.sh", project.path().display())).start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("stubborn", project.path()).await;
    client.prompt(&session, "Hello").await.unwrap();
    client.until_state(&session, SessionState::Streaming).await;
    let agent = server.agent();
    let child: u32 = std::fs::read_to_string(project.path().join("child")).unwrap().trim().parse().unwrap();
    client.ask(&session, SessionCommand::Abort).await.unwrap();
    client.until_state(&session, SessionState::Stopped).await;
    until_gone(agent);
    until_gone(child);
    assert_eq!(client.view(&session).meta.state, SessionState::Stopped, "a requested stop is not an error");
}

#[tokio::test]
async fn an_agent_that_ignores_the_end_of_its_input_ends_with_a_killed_server() {
    let project = tempfile::tempdir().unwrap();
    // The agent exits at once when it is probed for its version.
    let script =
        r#"case "$*" in *--session-id*) ;; *) exit 1;; esac; trap '' TERM; while :; do sleep 1; done"#;
    std::fs::write(project.path().join("agent.sh"), script).unwrap();
    let setup = ServerSetup::new(binary()).project(project.path());
    let mut server = setup.agent(&format!("stubborn=pi:sh {}/agent.sh", project.path().display())).start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("stubborn", project.path()).await;
    client.send(&session, prompt("p", "Hello")).await;
    client.until_state(&session, SessionState::Creating).await;
    let agent = server.agent();
    server.kill();
    until_gone(agent);
}
