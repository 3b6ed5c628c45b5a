//! Agents that flood, write invalid lines, stall or die at their start: memory stays bounded, and other sessions
//! are not affected.

use pilothouse_core::limits::AGENT_LINE_BYTES;
use pilothouse_core::protocol::{ErrorCode, SessionCommand};
use pilothouse_core::{Kind, SessionState, SessionView};

use pilothouse_test_support::client::{Client, prompt};
use pilothouse_test_support::process::until_gone;
use pilothouse_test_support::server::{ServerSetup, TestServer};

use crate::binary;

/// Starts a server that offers the demo agent with these faults as `faulty`.
fn server_with_fault(fault: &str) -> (TestServer, tempfile::TempDir) {
    let command = format!("'{}' demo-agent --fault {fault}", binary().display());
    server_with_agent(&command, tempfile::tempdir().unwrap())
}

/// Starts a server that offers an agent with this command as `faulty`.
pub fn server_with_agent(command: &str, project: tempfile::TempDir) -> (TestServer, tempfile::TempDir) {
    let setup = ServerSetup::new(binary())
        .project(project.path())
        .env("PI_CODING_AGENT_DIR", project.path().join("agent"))
        .agent(&format!("faulty=pi:{command}"));
    (setup.start(), project)
}

/// The peak memory of the server so far, in bytes.
pub fn peak_memory(server: &TestServer) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.process_id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse::<usize>().unwrap() * 1024
}

fn user_messages(view: &SessionView) -> usize {
    view.controller.rows().iter().filter(|row| row.kind == Kind::User).count()
}

/// A session after a run with a flooding agent.
struct Flooded {
    _server: TestServer,
    client: Client,
    session: String,
    /// The growth of the server's peak memory during the run, in bytes.
    growth: usize,
}

/// Runs a prompt with a flooding agent while another session completes three prompts.
async fn flood(fault: &str) -> Flooded {
    let (server, project) = server_with_fault(fault);
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("faulty", project.path()).await;
    let mut other_client = Client::connect(&server).await;
    let other_session = other_client.new_session(project.path()).await;
    other_client.prompt(&other_session, "Hello").await.unwrap();
    other_client.until_state(&other_session, SessionState::Completed).await;
    let before = peak_memory(&server);
    client.send(&session, prompt("flood", "Hello")).await;
    for number in 1..=3 {
        other_client.prompt(&other_session, &format!("Message {number}")).await.unwrap();
        other_client
            .until(&other_session, "the run of the other session", |view| {
                user_messages(view) == number + 1 && view.meta.state == SessionState::Completed
            })
            .await;
    }
    client.until_state(&session, SessionState::Completed).await;
    let growth = peak_memory(&server) - before;
    eprintln!("{fault}: the server grew by {} KiB", growth / 1024);
    Flooded { _server: server, client, session, growth }
}

impl Flooded {
    fn rows_of_kind(&self, kind: Kind) -> usize {
        self.client.rows(&self.session).iter().filter(|row| row.kind == kind).count()
    }
}

#[tokio::test]
async fn promise_24_a_line_of_100_megabytes_is_skipped_with_a_notice_in_bounded_memory() {
    let mut flooded = flood("flood@10").await;
    let notices = &flooded.client.notices;
    assert!(notices.iter().any(|text| text.contains("100000000 bytes")), "{notices:?}");
    // The longest accepted line, and the buffers that collect it.
    assert!(flooded.growth < 3 * AGENT_LINE_BYTES, "the server grew by {} bytes", flooded.growth);
    assert!(flooded.rows_of_kind(Kind::Assistant) > 0, "the answer is missing");
    flooded.client.prompt(&flooded.session, "Continue").await.unwrap();
    flooded.client.until_text(&flooded.session, "Continue").await;
}

#[tokio::test]
async fn promise_24_a_million_lines_pass_in_bounded_memory() {
    let flooded = flood("lines@10").await;
    assert!(flooded.growth < 2 * AGENT_LINE_BYTES, "the server grew by {} bytes", flooded.growth);
    assert!(flooded.rows_of_kind(Kind::Assistant) > 0, "the answer is missing");
}

#[tokio::test]
async fn promise_27_invalid_lines_end_neither_the_run_nor_the_session() {
    let flooded = flood("junk@10").await;
    assert!(flooded.rows_of_kind(Kind::Assistant) > 0, "the answer is missing");
    assert_eq!(flooded.rows_of_kind(Kind::Error), 0);
}

#[tokio::test]
async fn promise_30_a_stop_ends_an_agent_that_stalls() {
    for faults in ["stall@10", "stall@10 --fault ignore-term"] {
        let (server, project) = server_with_fault(faults);
        let mut client = Client::connect(&server).await;
        let session = client.new_session_of("faulty", project.path()).await;
        client.prompt(&session, "Hello").await.unwrap();
        client.until_state(&session, SessionState::Streaming).await;
        let agent = server.agents()[0];
        client.ask(&session, SessionCommand::Abort).await.unwrap();
        client.until_state(&session, SessionState::Stopped).await;
        until_gone(agent);
        client
            .until(&session, "the end of the run", |view| {
                !view.controller.has_open_call() && !view.controller.is_running()
            })
            .await;
    }
}

#[tokio::test]
async fn promise_32_an_agent_that_dies_at_its_start_is_reported_once_and_started_again_by_a_retry() {
    let project = tempfile::tempdir().unwrap();
    let script = format!(
        "case \"$*\" in *--session-id*) test -f died || {{ touch died; set -- \"$@\" --fault die@0:7; }};; esac
         exec '{}' demo-agent \"$@\"",
        binary().display()
    );
    std::fs::write(project.path().join("agent.sh"), script).unwrap();
    let command = format!("sh '{}/agent.sh'", project.path().display());
    let (server, project) = server_with_agent(&command, project);
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("faulty", project.path()).await;
    assert_eq!(client.prompt(&session, "Hello").await.unwrap_err().code, ErrorCode::AgentFailed);
    client.until_state(&session, SessionState::Error).await;
    let texts = |client: &Client, kind: Kind| {
        let rows = client.rows(&session).iter().filter(|row| row.kind == kind);
        rows.map(|row| row.text.clone()).collect::<Vec<_>>()
    };
    let errors = texts(&client, Kind::Error);
    assert!(errors.len() == 1 && errors[0].contains("exited with code 7"), "{errors:?}");
    assert!(errors[0].contains("dying with code 7"), "the error lacks the last lines of stderr: {errors:?}");
    client.ask(&session, SessionCommand::Retry).await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    assert_eq!(texts(&client, Kind::User), ["Hello"], "the retry sends the prompt again");
    assert_eq!(texts(&client, Kind::Error), errors);
}
