//! Promises 22, 24, 27, 30 and 32: agents that flood, stall, write junk or die at once, and a page that does not read.

use std::path::Path;

use futures_util::StreamExt;
use pilothouse_core::limits::AGENT_LINE_BYTES;
use pilothouse_core::protocol::SessionCommand;
use pilothouse_core::{Kind, SessionState};
use tokio_tungstenite::tungstenite::Message;

use pilothouse_test_support::client::{Client, assert_same, prompt};
use pilothouse_test_support::process::until_gone;
use pilothouse_test_support::server::{ServerSetup, TestServer};

use crate::binary;

/// A server with an agent that goes wrong, beside the demo.
fn server_with(fault: &str) -> (TestServer, tempfile::TempDir) {
    let command = format!("'{}' demo-agent --fault {fault}", binary().display());
    server_with_agent(&command, tempfile::tempdir().unwrap())
}

fn server_with_agent(command: &str, project: tempfile::TempDir) -> (TestServer, tempfile::TempDir) {
    let setup = ServerSetup::new(binary())
        .project(project.path())
        .env("PI_CODING_AGENT_DIR", project.path().join("agent"))
        .agent(&format!("wrong=pi:{command}"));
    (setup.start(), project)
}

/// The most memory the server has ever had, in bytes.
fn peak(server: &TestServer) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.process_id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse::<usize>().unwrap() * 1024
}

/// Lets an agent flood while another session goes on; tells how much memory it took.
async fn flood(fault: &str) -> (TestServer, Client, String, usize) {
    let (server, project) = server_with(fault);
    let mut page = Client::connect(&server).await;
    let flooding = page.new_session_of("wrong", project.path()).await;
    let mut neighbour = Client::connect(&server).await;
    let quiet = neighbour.new_session(project.path()).await;
    neighbour.prompt(&quiet, "Hello").await.unwrap();
    neighbour.until_state(&quiet, SessionState::Completed).await;
    let before = peak(&server);
    page.send(&flooding, prompt("flood", "Hello")).await;
    for number in 0..3 {
        let answers =
            |client: &Client| client.rows(&quiet).iter().filter(|row| row.kind == Kind::User).count();
        let known = answers(&neighbour);
        neighbour.prompt(&quiet, &format!("Are you there? {number}")).await.unwrap();
        neighbour
            .until(&quiet, "its own run", |view| {
                let said = view.controller.rows().iter().filter(|row| row.kind == Kind::User).count();
                said > known && view.meta.state == SessionState::Completed
            })
            .await;
    }
    page.until_state(&flooding, SessionState::Completed).await;
    let grown = peak(&server) - before;
    eprintln!("{fault}: the server grew by {} KiB", grown / 1024);
    (server, page, flooding, grown)
}

#[tokio::test]
async fn promise_24_a_line_of_100_megabytes_is_left_out_with_a_notice_in_bounded_memory() {
    let (_server, mut page, session, grown) = flood("flood@10").await;
    assert!(page.notices.iter().any(|text| text.contains("100000000 bytes")), "{:?}", page.notices);
    // The longest line that is taken, and what it takes to gather it.
    assert!(grown < 3 * AGENT_LINE_BYTES, "it grew by {grown} bytes");
    assert!(page.rows(&session).iter().any(|row| row.kind == Kind::Assistant), "the run itself is whole");
    page.prompt(&session, "And on").await.unwrap();
    page.until_text(&session, "And on").await;
}

#[tokio::test]
async fn promise_24_a_million_lines_pass_in_bounded_memory() {
    let (_server, page, session, grown) = flood("lines@10").await;
    assert!(grown < 2 * AGENT_LINE_BYTES, "it grew by {grown} bytes");
    assert!(page.rows(&session).iter().any(|row| row.kind == Kind::Assistant), "the run itself is whole");
}

#[tokio::test]
async fn promise_27_junk_ends_neither_the_run_nor_the_session() {
    let (_server, page, session, _) = flood("junk@10").await;
    assert!(page.rows(&session).iter().any(|row| row.kind == Kind::Assistant));
    assert_eq!(page.rows(&session).iter().filter(|row| row.kind == Kind::Error).count(), 0);
}

#[tokio::test]
async fn promise_30_an_agent_that_stalls_is_ended_by_a_stop() {
    for faults in ["stall@10", "stall@10 --fault ignore-term"] {
        let (server, project) = server_with(faults);
        let mut page = Client::connect(&server).await;
        let session = page.new_session_of("wrong", project.path()).await;
        page.prompt(&session, "Hello").await.unwrap();
        page.until_state(&session, SessionState::Streaming).await;
        let agent = server.agents()[0];
        let stopped = std::time::Instant::now();
        page.ask(&session, SessionCommand::Abort).await.unwrap();
        page.until_state(&session, SessionState::Stopped).await;
        until_gone(agent);
        eprintln!("{faults}: gone after {:?}", stopped.elapsed());
        page.until(&session, "the end of all that ran", |view| {
            !view.controller.has_open_call() && !view.controller.is_running()
        })
        .await;
    }
}

#[tokio::test]
async fn promise_32_an_agent_that_dies_at_its_start_says_so_once_and_is_asked_again() {
    let project = tempfile::tempdir().unwrap();
    let script = format!(
        "case \"$*\" in *--session-id*) test -f died || {{ touch died; set -- \"$@\" --fault die@0:7; }};; esac
         exec '{}' demo-agent \"$@\"",
        binary().display()
    );
    std::fs::write(project.path().join("agent.sh"), script).unwrap();
    let command = format!("sh '{}/agent.sh'", project.path().display());
    let (server, project) = server_with_agent(&command, project);
    let mut page = Client::connect(&server).await;
    let session = page.new_session_of("wrong", project.path()).await;
    page.prompt(&session, "Hello").await.unwrap_err();
    page.until_state(&session, SessionState::Error).await;
    let errors = |page: &Client| {
        let rows = page.rows(&session).iter().filter(|row| row.kind == Kind::Error);
        rows.map(|row| row.text.clone()).collect::<Vec<_>>()
    };
    let told = errors(&page);
    assert!(told.len() == 1 && told[0].contains("exit code 7"), "{told:?}");
    assert!(told[0].contains("dying with code 7"), "with its last words: {told:?}");
    // What it did not live to take is sent again, and nothing else.
    page.ask(&session, SessionCommand::Retry).await.unwrap();
    page.until_state(&session, SessionState::Completed).await;
    let said = page.rows(&session).iter().filter(|row| row.kind == Kind::User && row.text == "Hello").count();
    assert_eq!((said, errors(&page).len()), (1, 1));
}

/// All together far beyond what a page may leave unread, and what the system holds for it; one run is not.
const POURED_RUNS: usize = 30;
const POURED_LINES: usize = 150;
const POURED_LINE: usize = 16 * 1024;

#[tokio::test]
async fn promise_22_a_page_that_does_not_read_is_cut_off_and_delays_nobody() {
    let project = tempfile::tempdir().unwrap();
    pour(project.path());
    let command = format!("sh '{}/agent.sh'", project.path().display());
    let (server, project) = server_with_agent(&command, project);
    let mut page = Client::connect(&server).await;
    let session = page.new_session_of("wrong", project.path()).await;
    let mut stalled = Client::connect(&server).await;
    stalled.open(&session).await;
    let before = peak(&server);
    // Nobody reads the other socket, and every event comes here: the client sees to that.
    for _ in 0..POURED_RUNS {
        page.prompt(&session, "Pour").await.unwrap();
        page.until_state(&session, SessionState::Completed).await;
    }
    assert!(page.events > POURED_RUNS * POURED_LINES, "only {} events", page.events);
    eprintln!("a stalled page: the server grew by {} KiB", (peak(&server) - before) / 1024);
    let mut left = stalled.into_socket();
    let mut read = 0;
    let code = loop {
        match left.next().await.expect("a close frame comes first").unwrap() {
            Message::Close(frame) => break frame.map(|frame| u16::from(frame.code)),
            _ => read += 1,
        }
    };
    assert_eq!(code, Some(4001));
    assert!(read < page.events, "it was cut off after all had been sent");
    let mut back = Client::connect(&server).await;
    back.open(&session).await;
    assert_same(back.view(&session), page.view(&session));
}

/// An agent whose one tool writes and writes.
fn pour(folder: &Path) {
    let mut lines = String::new();
    let mut say = |line: serde_json::Value| lines.push_str(&format!("{line}\n"));
    let call =
        |kind: &str| serde_json::json!({"type": kind, "toolCallId": "c", "toolName": "bash", "args": {}});
    say(serde_json::json!({"type": "agent_start"}));
    say(call("tool_execution_start"));
    for number in 0..POURED_LINES {
        let text = format!("{number} {}", "x".repeat(POURED_LINE));
        let mut update = call("tool_execution_update");
        update["partialResult"] = serde_json::json!({"content": [{"type": "text", "text": text}]});
        say(update);
    }
    let mut end = call("tool_execution_end");
    end["result"] = serde_json::json!({"content": [{"type": "text", "text": "done"}]});
    say(end);
    say(serde_json::json!({"type": "agent_end", "messages": [], "willRetry": false}));
    say(serde_json::json!({"type": "agent_settled"}));
    std::fs::write(folder.join("poured.jsonl"), lines).unwrap();
    let script = r#"case "$*" in *--session-id*) ;; *) exit 1;; esac
    while read -r line; do case "$line" in
        *get_state*) echo '{"id":"1","type":"response","command":"get_state","success":true,"data":{}}';;
        *'"prompt"'*) id=${line#*\"id\":\"}; id=${id%%\"*}
            echo '{"id":"'$id'","type":"response","command":"prompt","success":true,"data":{"disposition":"started"}}'
            cat poured.jsonl;;
    esac; done"#;
    std::fs::write(folder.join("agent.sh"), script).unwrap();
}
