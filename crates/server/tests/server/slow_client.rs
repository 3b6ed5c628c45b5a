//! A client that does not read is disconnected, and delays no other client.

use std::path::Path;

use futures_util::StreamExt;
use pilothouse_core::SessionState;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use pilothouse_test_support::client::{Client, assert_same};

use crate::misbehaving_agents::{peak_memory, server_with_agent};

// All runs together exceed by far the queue of a client and the buffers of its socket. A single run does not.
const RUNS: usize = 30;
const UPDATES_PER_RUN: usize = 150;
const UPDATE_BYTES: usize = 16 * 1024;

#[tokio::test]
async fn promise_22_a_client_that_does_not_read_is_disconnected_and_delays_no_other() {
    let project = tempfile::tempdir().unwrap();
    write_agent(project.path());
    let command = format!("sh '{}/agent.sh'", project.path().display());
    let (server, project) = server_with_agent(&command, project);
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("faulty", project.path()).await;
    let mut stalled = Client::connect(&server).await;
    stalled.open(&session).await;
    let before = peak_memory(&server);
    // The reading client asserts that it receives every event.
    for _ in 0..RUNS {
        client.prompt(&session, "Write").await.unwrap();
        client.until_state(&session, SessionState::Completed).await;
    }
    assert!(client.events > RUNS * UPDATES_PER_RUN, "only {} events", client.events);
    eprintln!("a stalled client: the server grew by {} KiB", (peak_memory(&server) - before) / 1024);
    let mut socket = stalled.into_socket();
    let mut received = 0;
    let code = loop {
        match socket.next().await.expect("the connection ended without a close frame").unwrap() {
            Message::Close(frame) => break frame.map(|frame| u16::from(frame.code)),
            _ => received += 1,
        }
    };
    assert_eq!(code, Some(4001));
    assert!(received < client.events, "all events had been sent before the disconnection");
    let mut reconnected = Client::connect(&server).await;
    reconnected.open(&session).await;
    assert_same(reconnected.view(&session), client.view(&session));
}

/// Writes an agent that answers each prompt with a tool that has a lot of output.
fn write_agent(folder: &Path) {
    let mut lines = String::new();
    let mut add = |line: Value| lines.push_str(&format!("{line}\n"));
    let call = |kind: &str| json!({"type": kind, "toolCallId": "c", "toolName": "bash", "args": {}});
    let output = |text: &str| json!({"content": [{"type": "text", "text": text}]});
    add(json!({"type": "agent_start"}));
    add(call("tool_execution_start"));
    for number in 0..UPDATES_PER_RUN {
        let mut update = call("tool_execution_update");
        update["partialResult"] = output(&format!("{number} {}", "x".repeat(UPDATE_BYTES)));
        add(update);
    }
    let mut end = call("tool_execution_end");
    end["result"] = output("done");
    add(end);
    add(json!({"type": "agent_end", "messages": [], "willRetry": false}));
    add(json!({"type": "agent_settled"}));
    std::fs::write(folder.join("run.jsonl"), lines).unwrap();
    let script = r#"case "$*" in *--session-id*) ;; *) exit 1;; esac
    while read -r line; do case "$line" in
        *get_state*) echo '{"id":"1","type":"response","command":"get_state","success":true,"data":{}}';;
        *'"prompt"'*) id=${line#*\"id\":\"}; id=${id%%\"*}
            echo '{"id":"'$id'","type":"response","command":"prompt","success":true,"data":{"disposition":"started"}}'
            cat run.jsonl;;
    esac; done"#;
    std::fs::write(folder.join("agent.sh"), script).unwrap();
}
