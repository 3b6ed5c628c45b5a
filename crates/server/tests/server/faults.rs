//! Agents that die, and agents that are not there.

use std::path::Path;

use pilothouse_core::protocol::SessionCommand;
use pilothouse_core::{Kind, SessionState};

use pilothouse_test_support::client::{Client, prompt};
use pilothouse_test_support::process::{is_alive, signal, until_child, until_gone};
use pilothouse_test_support::server::ServerSetup;

use crate::{binary, server};

#[tokio::test]
async fn case_72_a_killed_agent_is_a_visible_error_within_a_second_and_the_session_goes_on() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "/wait-tool never").await.unwrap();
    page.until(&session, "a running tool", |view| view.controller.has_open_call()).await;
    let agent = server.agent();
    let tool = until_child(agent);
    let killed = std::time::Instant::now();
    signal(agent, "KILL");
    page.until_state(&session, SessionState::Error).await;
    let spun_on = killed.elapsed();
    assert!(spun_on.as_millis() < 1_000, "the spinner went on for {spun_on:?}");
    assert!(!page.view(&session).controller.has_open_call(), "no spinner is left");
    let last = page.rows(&session).last().unwrap();
    assert!(last.kind == Kind::Error && last.text.contains("signal 9"), "{last:?}");
    until_gone(tool);

    page.prompt(&session, "Are you back?").await.unwrap();
    page.until_state(&session, SessionState::Completed).await;
}

#[tokio::test]
async fn what_was_scheduled_with_an_agent_that_died_reaches_the_next() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "/wait-tool never").await.unwrap();
    page.until(&session, "a running tool", |view| view.controller.has_open_call()).await;
    page.ask(&session, prompt("kept", "Do not forget me")).await.unwrap();
    signal(server.agent(), "KILL");
    page.until_state(&session, SessionState::Error).await;
    assert_eq!(page.view(&session).meta.queue.items().len(), 1, "still scheduled");
    page.prompt(&session, "Are you back?").await.unwrap();
    page.until(&session, "both", |view| {
        view.meta.queue.is_empty() && view.controller.rows().iter().any(|row| row.text == "Do not forget me")
    })
    .await;
    page.until_state(&session, SessionState::Completed).await;
    let row = page.rows(&session).iter().find(|row| row.text == "Do not forget me").unwrap();
    assert_eq!(row.id, "u-kept");
}

#[tokio::test]
async fn an_agent_that_cannot_be_started_says_why() {
    let server = ServerSetup::new(binary()).agent("gone=pi:/nonexistent/agent").start();
    let mut page = Client::connect(&server).await;
    let listed = page.welcome.agents.iter().find(|agent| agent.name == "gone").unwrap();
    assert!(listed.problem.as_ref().unwrap().contains("not found"));
    let session = page.new_session_of("gone", Path::new("/")).await;
    assert!(page.prompt(&session, "Hello").await.unwrap_err().contains("could not start"));
    page.until_state(&session, SessionState::Error).await;
}

#[tokio::test]
async fn an_agent_that_ignores_stop_is_ended_with_all_it_started() {
    let project = tempfile::tempdir().unwrap();
    // Speaks just enough to start a run, then ignores everything, with a child that does the same.
    let script = r#"case "$*" in *--session-id*) ;; *) exit 1;; esac
        trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & echo $! > child
        while read -r line; do case "$line" in
            *get_state*) echo '{"id":"1","type":"response","command":"get_state","success":true,"data":{}}';;
            *'"prompt"'*) echo '{"id":"3","type":"response","command":"prompt","success":true,"data":{}}'; echo '{"type":"agent_start"}';;
        esac; done; while :; do sleep 1; done"#;
    std::fs::write(project.path().join("agent.sh"), script).unwrap();
    let setup = ServerSetup::new(binary()).project(project.path());
    let server = setup.agent(&format!("deaf=pi:sh {}/agent.sh", project.path().display())).start();
    let mut page = Client::connect(&server).await;
    let session = page.new_session_of("deaf", project.path()).await;
    page.prompt(&session, "Hello").await.unwrap();
    page.until_state(&session, SessionState::Streaming).await;
    let agent = server.agent();
    let child: u32 = std::fs::read_to_string(project.path().join("child")).unwrap().trim().parse().unwrap();
    page.ask(&session, SessionCommand::Abort).await.unwrap();
    page.until_state(&session, SessionState::Stopped).await;
    until_gone(agent);
    until_gone(child);
    assert_eq!(page.view(&session).meta.state, SessionState::Stopped, "a stop of ours is never an error");
}

#[tokio::test]
async fn what_a_killed_server_left_running_is_ended_by_the_next() {
    let project = tempfile::tempdir().unwrap();
    // Asked who it is, it says nothing and ends: nobody has to wait for that.
    let script =
        r#"case "$*" in *--session-id*) ;; *) exit 1;; esac; trap '' TERM; while :; do sleep 1; done"#;
    std::fs::write(project.path().join("agent.sh"), script).unwrap();
    let setup = ServerSetup::new(binary()).project(project.path());
    let mut server = setup.agent(&format!("deaf=pi:sh {}/agent.sh", project.path().display())).start();
    let mut page = Client::connect(&server).await;
    let session = page.new_session_of("deaf", project.path()).await;
    page.send(&session, prompt("p", "Hello")).await;
    page.until_state(&session, SessionState::Creating).await;
    let agent = server.agent();
    server.kill();
    assert!(is_alive(agent), "this agent does not care that its server is gone");
    server.restart();
    until_gone(agent);
}
