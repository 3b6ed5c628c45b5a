//! Caps on what agents and clients send: what is too long is cut with a mark, memory stays bounded, and nothing is lost
//! without a word.

use futures_util::{SinkExt, StreamExt};
use pilothouse_core::conversation::ask::Answer;
use pilothouse_core::limits::{CLIENT_FRAME_BYTES, OPEN_ASKS, READ_FRAME_BYTES, ROW_TEXT_BYTES};
use pilothouse_core::protocol::{ErrorCode, SessionCommand};
use pilothouse_core::{Kind, SessionState, UiMessage};
use pilothouse_test_support::client::{Client, prompt};
use pilothouse_test_support::server::{ServerSetup, TestServer};
use pilothouse_test_support::{PATIENCE, acp_script};
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use crate::misbehaving_agents::{peak_memory, server_with_agent};
use crate::{binary, server};

const DELTAS: usize = 30_000;
const DELTA_BYTES: usize = 10_000;

/// Writes the output of a run, which is one message with many deltas, and a program that plays it in pi's protocol.
fn write_flooding_pi(folder: &std::path::Path) -> String {
    // The lines of the middle are repeated by the shell, so that the file stays small.
    let update =
        |update: serde_json::Value| json!({"type": "message_update", "assistantMessageEvent": update});
    let delta = update(json!({"type": "text_delta", "contentIndex": 0, "delta": "x".repeat(DELTA_BYTES)}));
    let lines: String = (0..100).map(|_| format!("{delta}\n")).collect();
    std::fs::write(folder.join("deltas.jsonl"), lines).unwrap();
    let message = json!({"role": "assistant", "content": [], "stopReason": "pending", "timestamp": 7});
    let start = json!({"type": "message_start", "message": message});
    let script = format!(
        r#"case "$*" in *--session-id*) ;; *) exit 1;; esac
    while read -r line; do case "$line" in
        *get_state*) echo '{{"id":"1","type":"response","command":"get_state","success":true,"data":{{}}}}';;
        *'"prompt"'*) id=${{line#*\"id\":\"}}; id=${{id%%\"*}}
            echo '{{"id":"'$id'","type":"response","command":"prompt","success":true,"data":{{"disposition":"started"}}}}'
            echo '{{"type":"agent_start"}}'; echo '{start}'
            n=0; while [ $n -lt {} ]; do cat deltas.jsonl; n=$((n+1)); done
            echo '{{"type":"agent_end","messages":[],"willRetry":false}}'; echo '{{"type":"agent_settled"}}';;
    esac; done"#,
        DELTAS / 100
    );
    std::fs::write(folder.join("agent.sh"), script).unwrap();
    format!("sh '{}/agent.sh'", folder.display())
}

fn of_kind(client: &Client, session: &str, kind: Kind) -> Vec<UiMessage> {
    client.rows(session).iter().filter(|row| row.kind == kind).cloned().collect()
}

/// The one answer, which is cut at the cap.
fn assert_cut(rows: &[UiMessage]) {
    let [row] = rows else { panic!("{} rows", rows.len()) };
    assert_eq!(
        (row.text.len(), row.left_out),
        (ROW_TEXT_BYTES, (DELTAS * DELTA_BYTES - ROW_TEXT_BYTES) as u64)
    );
}

async fn run_flood(server: &TestServer, client: &mut Client, session: &str) {
    let before = peak_memory(server);
    client.send(session, prompt("flood", "Write")).await;
    client.until_state(session, SessionState::Completed).await;
    let growth = peak_memory(server) - before;
    eprintln!("{DELTAS} deltas of {DELTA_BYTES} bytes: the server grew by {} MiB", growth >> 20);
    assert!(growth < 150 << 20, "the server grew by {growth} bytes");
    assert_cut(&of_kind(client, session, Kind::Assistant));
    // The same after a reload from memory.
    let mut other = Client::connect(server).await;
    other.open(session).await;
    assert_eq!(other.rows(session), client.rows(session));
}

#[tokio::test]
async fn thirty_thousand_deltas_are_one_row_with_a_mark_in_bounded_memory() {
    let project = tempfile::tempdir().unwrap();
    let command = write_flooding_pi(project.path());
    let (server, project) = server_with_agent(&command, project);
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("faulty", project.path()).await;
    run_flood(&server, &mut client, &session).await;
}

#[tokio::test]
async fn a_recorded_answer_that_is_too_long_has_the_same_row_after_a_restart() {
    let project = tempfile::tempdir().unwrap();
    let text = "x".repeat(DELTA_BYTES);
    let chunk = json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}});
    let line =
        json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": chunk}});
    let lines: String = (0..100).map(|_| format!("{line}\n")).collect();
    std::fs::write(project.path().join("chunks.jsonl"), lines).unwrap();
    let script = format!(
        r#"
while read -r line; do
    case "$line" in
    *'"initialize"'*) initialized "$(id "$line")" ;;
    *'"session/new"'*) answer "$(id "$line")" '{{"sessionId":"s1"}}' ;;
    *'"session/prompt"'*) prompt=$(id "$line"); n=0; while [ $n -lt {} ]; do cat chunks.jsonl; n=$((n+1)); done
        answer $prompt '{{"stopReason":"end_turn"}}' ;;
    esac
done"#,
        DELTAS / 100
    );
    let command = acp_script::write(project.path(), "flood", &script);
    let setup = ServerSetup::new(binary()).project(project.path()).agent(&format!("agent=acp:{command}"));
    let mut server = setup.start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("agent", project.path()).await;
    run_flood(&server, &mut client, &session).await;
    let before = client.rows(&session).to_vec();
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    client.open(&session).await;
    assert_cut(&of_kind(&client, &session, Kind::Assistant));
    assert_eq!(client.rows(&session).len(), before.len());
    assert_eq!(client.rows(&session).last().map(|row| &row.text), before.last().map(|row| &row.text));
}

#[tokio::test]
async fn three_thousand_asks_cost_no_more_than_their_number() {
    let project = tempfile::tempdir().unwrap();
    let ask = |number: usize| {
        let title = format!("Question {number} {}", "x".repeat(200));
        json!({"type": "extension_ui_request", "id": number.to_string(), "method": "input", "title": title})
    };
    let lines: String = (0..3_000).map(|number| format!("{}\n", ask(number))).collect();
    std::fs::write(project.path().join("asks.jsonl"), lines).unwrap();
    let script = r#"case "$*" in *--session-id*) ;; *) exit 1;; esac
    while read -r line; do case "$line" in
        *get_state*) echo '{"id":"1","type":"response","command":"get_state","success":true,"data":{}}';;
        *extension_ui_response*) echo x >> answers;;
        *'"prompt"'*) id=${line#*\"id\":\"}; id=${id%%\"*}
            echo '{"id":"'$id'","type":"response","command":"prompt","success":true,"data":{"disposition":"started"}}'
            echo '{"type":"agent_start"}'; cat asks.jsonl;;
    esac; done"#;
    std::fs::write(project.path().join("agent.sh"), script).unwrap();
    let command = format!("cd '{0}'; exec sh '{0}/agent.sh'", project.path().display());
    let command = format!("sh -c \"{command} \\\"\\$@\\\"\" sh");
    let (server, project) = server_with_agent(&command, project);
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("faulty", project.path()).await;
    client.send(&session, prompt("p", "Ask")).await;
    let answers =
        || std::fs::read_to_string(project.path().join("answers")).unwrap_or_default().lines().count();
    let start = std::time::Instant::now();
    while answers() < 3_000 - OPEN_ASKS {
        assert!(start.elapsed() < PATIENCE, "{} were dismissed", answers());
        client.receive_frame_if_any().await;
        assert!(client.views.get(&session).is_none_or(|view| view.meta.asks.len() <= OPEN_ASKS));
    }
    client.until(&session, "the open asks", |view| view.meta.asks.len() == OPEN_ASKS).await;
    assert_eq!(client.notices.iter().filter(|text| text.contains("too many questions")).count(), 1);
    // The whole list is sent once for many changes, not with each.
    eprintln!("3,000 asks: {} events, {} asks in summaries", client.events, client.summarized_asks);
    assert!(client.summarized_asks < 20_000, "{} asks in summaries", client.summarized_asks);
    assert!(client.events < 3 * OPEN_ASKS, "{} events", client.events);
    client.ask(&session, SessionCommand::Abort).await.unwrap();
    client.until(&session, "no asks", |view| view.meta.asks.is_empty()).await;
}

#[tokio::test]
async fn three_thousand_asks_that_the_agent_withdraws_are_three_thousand_rows() {
    let project = tempfile::tempdir().unwrap();
    let line = |number: usize| {
        let params = json!({"sessionId": "s1", "message": format!("Question {number}"), "requestedSchema": {"properties": {}}});
        let ask = json!({"jsonrpc": "2.0", "id": number, "method": "elicitation/create", "params": params});
        let withdraw =
            json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": number}});
        format!("{ask}\n{withdraw}\n")
    };
    std::fs::write(project.path().join("asks.jsonl"), (1_000..4_000).map(line).collect::<String>()).unwrap();
    let script = r#"
while read -r line; do
    case "$line" in
    *'"initialize"'*) initialized "$(id "$line")" ;;
    *'"session/new"'*) answer "$(id "$line")" '{"sessionId":"s1"}' ;;
    *'"session/prompt"'*) prompt=$(id "$line"); cat asks.jsonl; answer $prompt '{"stopReason":"end_turn"}' ;;
    esac
done"#;
    let command = acp_script::write(project.path(), "asks", script);
    let setup = ServerSetup::new(binary()).project(project.path()).agent(&format!("agent=acp:{command}"));
    let server = setup.start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("agent", project.path()).await;
    // A client that follows fifteen thousand events may be too slow.
    let mut client = Client::connect(&server).await;
    client.send(&session, prompt("p", "Ask")).await;
    client
        .until_welcome("the end of the run", |welcome| {
            let mut sessions = welcome.sessions.iter();
            sessions.any(|known| known.id == session && known.state == SessionState::Completed)
        })
        .await;
    client.open_with_all_rows(&session).await;
    assert_eq!(of_kind(&client, &session, Kind::System).len(), 3_000);
    assert!(client.view(&session).meta.asks.is_empty());
    eprintln!("3,000 withdrawn asks: {} in summaries", client.summarized_asks);
    assert!(client.summarized_asks < 3_000, "{} asks in summaries", client.summarized_asks);
}

#[tokio::test]
async fn an_approval_that_is_too_large_to_be_shown_can_only_be_rejected() {
    let project = tempfile::tempdir().unwrap();
    let command = "x".repeat(2_000_000);
    let call =
        json!({"toolCallId": "c", "kind": "execute", "title": "Run", "rawInput": {"command": command}});
    let options = json!([
        {"optionId": "yes", "name": "Allow", "kind": "allow_once"}, {"optionId": "no", "name": "Reject", "kind": "reject_once"}
    ]);
    let params = json!({"sessionId": "s1", "toolCall": call, "options": options});
    let request =
        json!({"jsonrpc": "2.0", "id": "p", "method": "session/request_permission", "params": params});
    std::fs::write(project.path().join("ask.json"), format!("{request}\n")).unwrap();
    let script = r#"
while read -r line; do
    case "$line" in
    *'"initialize"'*) initialized "$(id "$line")" ;;
    *'"session/new"'*) answer "$(id "$line")" '{"sessionId":"s1"}' ;;
    *'"session/prompt"'*) prompt=$(id "$line"); cat ask.json ;;
    *'"outcome"'*) echo "$line" > outcome; answer $prompt '{"stopReason":"end_turn"}' ;;
    esac
done"#;
    let command = acp_script::write(project.path(), "large-ask", script);
    let setup = ServerSetup::new(binary()).project(project.path()).agent(&format!("agent=acp:{command}"));
    let server = setup.start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("agent", project.path()).await;
    client.prompt(&session, "Go").await.unwrap();
    client.until_state(&session, SessionState::WaitingApproval).await;
    let ask = client.view(&session).meta.asks[0].clone();
    assert!(
        ask.left_out > 1_000_000 && ask.size() < 200_000,
        "{} bytes, {} left out",
        ask.size(),
        ask.left_out
    );
    let choose = |id: &str| SessionCommand::answer(&ask, Answer::Choose(id.to_owned()));
    let error = client.ask(&session, choose("yes")).await.unwrap_err();
    assert!(
        error.code == ErrorCode::InvalidRequest && error.message.contains("can only be rejected"),
        "{error:?}"
    );
    assert!(!project.path().join("outcome").exists(), "the agent got an answer");
    client.ask(&session, choose("no")).await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    assert!(std::fs::read_to_string(project.path().join("outcome")).unwrap().contains("\"no\""));
}

#[tokio::test]
async fn promise_25_a_frame_above_the_cap_gets_an_error_and_one_that_cannot_be_read_a_close_code() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    let frame = |id: &str, length: usize| {
        let frame = |message: &str| {
            json!({"id": id, "type": "prompt", "session_id": session, "client_id": "c", "message": message})
                .to_string()
        };
        let rest = frame("").len();
        frame(&"x".repeat(length - rest))
    };
    // At the cap it is read, and then refused as a prompt.
    for (id, length) in [("below", CLIENT_FRAME_BYTES - 1), ("at", CLIENT_FRAME_BYTES)] {
        client.send_text(&frame(id, length)).await;
        let error = client.response(id).await.unwrap_err();
        assert!(
            error.message.contains("limit") && !error.message.contains("to be sent"),
            "{}",
            error.message
        );
    }
    client.send_text(&frame("above", CLIENT_FRAME_BYTES + 1)).await;
    let error = client.response("above").await.unwrap_err();
    assert!(error.message.contains("too large to be sent (33.5 MB)"), "{}", error.message);
    client.prompt(&session, "Hello").await.expect("the connection goes on");
    let (mut sink, mut stream) = client.into_socket().split();
    let large = frame("huge", READ_FRAME_BYTES + 1);
    // The server does not read all of it.
    let sending = tokio::spawn(async move { sink.send(Message::text(large)).await });
    let code = loop {
        let message = stream.next().await.expect("the connection ended without a close frame").unwrap();
        if let Message::Close(frame) = message {
            break frame.map(|frame| (u16::from(frame.code), frame.reason.to_string()));
        }
    };
    assert_eq!(code, Some((4009, "frame too large".to_owned())));
    sending.abort();
}
