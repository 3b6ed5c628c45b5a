//! Agents that misbehave: a clear state each time, and no session that hangs.

use pilothouse_core::conversation::ask::Answer;
use pilothouse_core::protocol::SessionCommand;
use pilothouse_core::{Kind, SessionState};
use pilothouse_test_support::acp_script;
use pilothouse_test_support::client::Client;
use pilothouse_test_support::server::TestServer;

use super::setup;

async fn session_with(script: &str) -> (tempfile::TempDir, TestServer, Client, String) {
    let folder = tempfile::tempdir().unwrap();
    let server = setup(&acp_script::write(folder.path(), "hostile", script)).project(folder.path()).start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("agent", folder.path()).await;
    (folder, server, client, session)
}

/// An agent that opens a session and then runs `on_prompt`, with the id of the prompt in `$prompt`.
fn on_prompt(on_prompt: &str) -> String {
    format!(
        r#"
while read -r line; do
    case "$line" in
    *'"initialize"'*) initialized "$(id "$line")" ;;
    *'"session/new"'*) answer "$(id "$line")" '{{"sessionId":"s1"}}' ;;
    *'"session/prompt"'*) prompt=$(id "$line"); {on_prompt} ;;
    esac
done"#
    )
}

#[tokio::test]
async fn an_agent_that_never_answers_can_be_stopped_while_it_starts() {
    let (_folder, server, mut client, session) = session_with("while read -r line; do :; done").await;
    let request = client.send(&session, pilothouse_test_support::client::prompt("p", "hello")).await;
    client.until_state(&session, SessionState::Creating).await;
    client.ask(&session, SessionCommand::Abort).await.unwrap();
    client.until_state(&session, SessionState::Stopped).await;
    let error = client.response(&request).await.unwrap_err();
    assert!(error.message.contains("stopped before it was ready"), "{}", error.message);
    let process = || pilothouse_test_support::process::children(server.process_id());
    pilothouse_test_support::wait::until_true("the end of the process", || process().is_empty()).await;
}

#[tokio::test]
async fn another_version_of_the_protocol_is_explained() {
    let script = r#"while read -r line; do answer "$(id "$line")" '{"protocolVersion":2}'; done"#;
    let (_folder, _server, mut client, session) = session_with(script).await;
    let error = client.prompt(&session, "hello").await.unwrap_err();
    assert!(
        error.message.contains("version 2") && error.message.contains("only version 1"),
        "{}",
        error.message
    );
    client.until_state(&session, SessionState::Error).await;
}

#[tokio::test]
async fn an_agent_may_die_in_every_phase() {
    for (script, part) in [
        ("echo 'no config' >&2; exit 3".to_owned(), "no config"),
        (
            r#"read -r line; initialized "$(id "$line")"; read -r line; echo 'no session' >&2; exit 4"#
                .to_owned(),
            "no session",
        ),
        (on_prompt("say half; echo 'in the middle' >&2; exit 5"), "in the middle"),
        (
            on_prompt(
                r#"update '{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","status":"in_progress"}'; kill -9 $$"#,
            ),
            "signal 9",
        ),
    ] {
        let (_folder, _server, mut client, session) = session_with(&script).await;
        let _ = client.prompt(&session, "hello").await;
        client.until_state(&session, SessionState::Error).await;
        client
            .until(&session, "the reason", |view| {
                let rows = view.controller.rows();
                rows.iter().any(|row| row.kind == Kind::Error && row.text.contains(part))
            })
            .await;
        assert!(!client.view(&session).controller.has_open_call(), "every running row is closed");
    }
}

#[tokio::test]
async fn noise_wrong_messages_and_double_answers_change_nothing() {
    let script = on_prompt(
        r#"echo 'npm warn something'; echo '[]'; echo '{"jsonrpc":"2.0","id":99,"result":{}}'
        echo '{"jsonrpc":"2.0","method":"session/update"}'
        update '{"sessionUpdate":"from_the_future","x":1}'
        printf '{"jsonrpc":"2.0","id":"x","method":"terminal/create","params":{}}\n'
        say "fine"; answer $prompt '{"stopReason":"end_turn"}'; answer $prompt '{"stopReason":"refusal"}'"#,
    );
    let (_folder, _server, mut client, session) = session_with(&script).await;
    for _ in 0..2 {
        client.prompt(&session, "hello").await.unwrap();
        client.until_state(&session, SessionState::Completed).await;
    }
    let texts: Vec<&str> = client.rows(&session).iter().map(|row| row.text.as_str()).collect();
    assert_eq!(texts, ["hello", "fine", "hello", "fine"]);
}

#[tokio::test]
async fn a_permission_for_an_unknown_call_is_answered_and_leaves_no_running_row() {
    let script = on_prompt(
        r#"printf '{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"never-seen"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"allow_once"}]}}\n'
        read -r line; answer $prompt '{"stopReason":"end_turn"}'"#,
    );
    let (_folder, _server, mut client, session) = session_with(&script).await;
    client.prompt(&session, "hello").await.unwrap();
    client.until_state(&session, SessionState::WaitingApproval).await;
    let ask = client.view(&session).meta.asks[0].clone();
    let answer = SessionCommand::answer(&ask, Answer::Choose("n".to_owned()));
    client.ask(&session, answer.clone()).await.unwrap();
    assert!(client.ask(&session, answer).await.is_err(), "it is answered once");
    client.until_state(&session, SessionState::Completed).await;
    let rows = client.rows(&session);
    assert!(rows.iter().all(|row| row.kind != Kind::Tool), "{rows:?}");
    assert!(rows[1].text.starts_with("You rejected"), "\"No\" declines, whatever its kind says: {rows:?}");
}

#[tokio::test]
async fn a_flood_is_bounded_and_the_session_goes_on() {
    let script = on_prompt(
        r#"printf '{"jsonrpc":"2.0","method":"session/update","params":"%s"}\n' "$(head -c 40000000 /dev/zero | tr '\0' x)"
        for i in $(seq 1 3000); do say "$i "; done; answer $prompt '{"stopReason":"end_turn"}'"#,
    );
    let (_folder, _server, mut client, session) = session_with(&script).await;
    client.prompt(&session, "hello").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    assert!(client.rows(&session)[1].text.ends_with("3000 "));
}

#[tokio::test]
async fn an_agent_that_does_not_follow_a_stop_is_ended() {
    let script = on_prompt("say working; while read -r line; do :; done");
    let (_folder, server, mut client, session) = session_with(&script).await;
    client.prompt(&session, "hello").await.unwrap();
    client.until_text(&session, "working").await;
    client.ask(&session, SessionCommand::Abort).await.unwrap();
    let process = || pilothouse_test_support::process::children(server.process_id());
    pilothouse_test_support::wait::until_true("the end of the process", || process().is_empty()).await;
    client.until(&session, "the end of the run", |view| !view.controller.is_running()).await;
    assert_eq!(client.view(&session).meta.state, SessionState::Stopped);
    assert!(client.rows(&session).iter().all(|row| row.kind != Kind::Error), "{:?}", client.rows(&session));
}

#[tokio::test]
async fn an_agent_may_die_while_it_waits_for_an_answer() {
    let script = on_prompt(
        r#"ask p1 session/request_permission '{"sessionId":"s1","toolCall":{"toolCallId":"c","kind":"execute","rawInput":{"command":"ls"}},"options":[{"optionId":"ok","name":"Allow","kind":"allow_once"}]}'; until [ -e die ]; do sleep 0.02; done; exit 9"#,
    );
    let (folder, _server, mut client, session) = session_with(&script).await;
    client.prompt(&session, "hello").await.unwrap();
    client.until_state(&session, SessionState::WaitingApproval).await;
    std::fs::write(folder.path().join("die"), "").unwrap();
    client.until_state(&session, SessionState::Error).await;
    let view = client.view(&session);
    assert!(view.meta.asks.is_empty() && !view.controller.has_open_call());
}
