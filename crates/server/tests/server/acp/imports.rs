//! Loading sessions that only their agent knows.

use pilothouse_core::protocol::{ErrorCode, HubCommand, SessionCommand};
use pilothouse_core::{Kind, SessionState};
use pilothouse_test_support::acp_script;
use pilothouse_test_support::client::{Client, prompt};
use pilothouse_test_support::rows;
use pilothouse_test_support::wait::until_true;

use super::services::go;
use super::setup;

fn import(folder: &std::path::Path) -> HubCommand {
    HubCommand::ImportSession {
        agent: "agent".to_owned(),
        agent_session_id: "s1".to_owned(),
        cwd: folder.to_string_lossy().into_owned(),
        title: "Old work".to_owned(),
    }
}

/// Begins to load the session of an agent, and opens it.
async fn imported(client: &mut Client, folder: &std::path::Path) -> String {
    let created = client.ask_hub(import(folder)).await.unwrap();
    let session = created["session_id"].as_str().unwrap().to_owned();
    client.open(&session).await;
    session
}

#[tokio::test]
async fn a_session_of_the_agent_is_listed_and_imported_once() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"
    while read -r line; do
        echo "$line" >>received.log
        case "$line" in
        *'"initialize"'*) initialized "$(id "$line")" '{"loadSession":true,"sessionCapabilities":{"list":{}}}' ;;
        *'"session/list"'*) answer "$(id "$line")" '{"sessions":[{"sessionId":"s1","cwd":"'"$PWD"'","title":"Old work","updatedAt":"2026-11-16T02:00:00Z"}]}' ;;
        *'"session/load"'*)
            update '{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Do it"}}'
            say "Done long ago"
            answer "$(id "$line")" '{}'
            say " and more" ;;
        *'"session/prompt"'*) say "Again"; answer "$(id "$line")" '{"stopReason":"end_turn"}' ;;
        esac
    done"#;
    let mut server =
        setup(&acp_script::write(folder.path(), "listing", script)).project(folder.path()).start();
    let mut client = Client::connect(&server).await;
    let list = || HubCommand::ListAgentSessions { agent: "agent".to_owned(), cursor: None };
    let listed = client.ask_hub(list()).await.unwrap();
    assert_eq!(listed["sessions"][0]["title"], "Old work", "{listed}");
    let import = || import(folder.path());
    let created = client.ask_hub(import()).await.unwrap();
    let session = created["session_id"].as_str().unwrap().to_owned();
    client.open(&session).await;
    client.until_state(&session, SessionState::Completed).await;
    let texts =
        |client: &Client| client.rows(&session).iter().map(|row| row.text.clone()).collect::<Vec<_>>();
    assert_eq!(texts(&client), ["Do it", "Done long ago and more"]);
    // The list of sessions has its file after it was read again.
    client.ask_hub(HubCommand::ListSessions).await.unwrap();
    let listed = client.ask_hub(list()).await.unwrap();
    assert_eq!(listed["sessions"].as_array().unwrap().len(), 0, "{listed}");
    assert_eq!(
        client.ask_hub(import()).await.unwrap()["session_id"],
        session.as_str(),
        "it is imported once"
    );
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    client.open(&session).await;
    client.prompt(&session, "More").await.unwrap();
    client.until_text(&session, "Again").await;
    client.until_state(&session, SessionState::Completed).await;
    assert_eq!(texts(&client), ["Do it", "Done long ago and more", "More", "Again"], "the replay is muted");
}

/// An agent with an earlier session, which it replays when the file `go` exists. It dies if it finds `die`.
const SLOW_REPLAY: &str = r#"
while read -r line; do
    case "$line" in
    *'"initialize"'*) initialized "$(id "$line")" '{"loadSession":true}' ;;
    *'"session/load"'*)
        update '{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Do it"}}'
        say "First"
        update '{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Go on"}}'
        until [ -e go ] || [ -e die ]; do sleep 0.02; done
        if [ -e die ]; then rm die; exit 1; fi
        say "Second"
        answer "$(id "$line")" '{}' ;;
    *'"session/prompt"'*) say "Again"; answer "$(id "$line")" '{"stopReason":"end_turn"}' ;;
    esac
done"#;

#[tokio::test]
async fn an_interrupted_import_is_repeated_from_the_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let mut server =
        setup(&acp_script::write(folder.path(), "slow", SLOW_REPLAY)).project(folder.path()).start();
    let mut client = Client::connect(&server).await;
    let import = || import(folder.path());
    let mut other = Client::connect(&server).await;
    let (first, second) = tokio::join!(client.ask_hub(import()), other.ask_hub(import()));
    assert_eq!(first, second, "two clients import it once");
    let session = first.unwrap()["session_id"].as_str().unwrap().to_owned();
    client.open(&session).await;
    client.until_text(&session, "First").await;
    server.kill_and_restart();

    let mut client = Client::connect(&server).await;
    client.open(&session).await;
    assert_eq!(client.view(&session).meta.title, "Old work");
    assert_eq!(client.view(&session).meta.state, SessionState::Paused);
    assert!(client.rows(&session).is_empty(), "{:?}", client.rows(&session));
    client.ask(&session, SessionCommand::ResumeSession).await.unwrap();
    client.until_text(&session, "First").await;
    std::fs::write(folder.path().join("die"), "").unwrap();
    client.until_state(&session, SessionState::Error).await;
    let texts =
        |client: &Client| client.rows(&session).iter().map(|row| row.text.clone()).collect::<Vec<_>>();
    assert!(!texts(&client).contains(&"First".to_owned()), "{:?}", texts(&client));
    let failed = rows::render(client.rows(&session));
    let mut reader = Client::connect(&server).await;
    reader.open(&session).await;
    assert_eq!(rows::render(reader.rows(&session)), failed);

    go(folder.path());
    client.ask(&session, SessionCommand::Retry).await.unwrap();
    client.until_text(&session, "Second").await;
    client.until_state(&session, SessionState::Completed).await;
    client.prompt(&session, "More").await.unwrap();
    client.until_text(&session, "Again").await;
    client.until_state(&session, SessionState::Completed).await;
    let live = rows::render(client.rows(&session));
    let shown = texts(&client);
    let conversation: Vec<&str> =
        shown.iter().map(String::as_str).filter(|text| !text.contains("exit")).collect();
    assert_eq!(conversation, ["Do it", "First", "Go on", "Second", "More", "Again"]);
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    client.open(&session).await;
    assert_eq!(rows::render(client.rows(&session)), live);
}

#[tokio::test]
async fn a_message_sent_while_a_session_is_loaded_is_sent_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let server = setup(&acp_script::write(folder.path(), "slow", SLOW_REPLAY)).project(folder.path()).start();
    let mut client = Client::connect(&server).await;
    let session = imported(&mut client, folder.path()).await;
    client.until_text(&session, "First").await;
    client.ask(&session, prompt("more", "More")).await.unwrap();
    let rename = SessionCommand::RenameSession { title: "Mine".to_owned() };
    assert_eq!(client.ask(&session, rename).await.unwrap_err().code, ErrorCode::Busy);
    go(folder.path());
    client.until_text(&session, "Again").await;
    client.until_state(&session, SessionState::Completed).await;
    let users: Vec<&str> = client
        .rows(&session)
        .iter()
        .filter(|row| row.kind == Kind::User)
        .map(|row| row.text.as_str())
        .collect();
    assert_eq!(users, ["Do it", "Go on", "More"]);
    assert!(client.view(&session).meta.queue.is_empty());
}

/// An agent with earlier sessions, of which `s1` cannot be loaded while the file `broken` exists.
const BROKEN: &str = r#"
while read -r line; do
    echo "$line" >>received.log
    case "$line" in
    *'"initialize"'*) initialized "$(id "$line")" '{"loadSession":true,"sessionCapabilities":{"list":{},"delete":{}}}' ;;
    *'"session/new"'*) answer "$(id "$line")" '{"sessionId":"s2"}' ;;
    *'"session/load"'*)
        if [ -e broken ]; then fail "$(id "$line")" -32603 "The file is damaged"
        else say "Done long ago"; answer "$(id "$line")" '{}'; fi ;;
    *'"session/delete"'*) answer "$(id "$line")" '{}' ;;
    *'"session/prompt"'*) answer "$(id "$line")" '{"stopReason":"end_turn"}' ;;
    esac
done"#;

#[tokio::test]
async fn a_session_that_cannot_be_loaded_says_why_and_is_loaded_by_retry() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("broken"), "").unwrap();
    let server = setup(&acp_script::write(folder.path(), "broken", BROKEN)).project(folder.path()).start();
    let mut client = Client::connect(&server).await;
    let session = imported(&mut client, folder.path()).await;
    client.until_state(&session, SessionState::Error).await;
    let is_reason = |client: &Client| {
        let rows = client.rows(&session);
        rows.iter().any(|row| row.kind == Kind::Error && row.text.contains("The file is damaged"))
    };
    assert!(is_reason(&client), "{:?}", client.rows(&session));
    let mut reader = Client::connect(&server).await;
    reader.open(&session).await;
    assert!(is_reason(&reader), "{:?}", reader.rows(&session));
    std::fs::remove_file(folder.path().join("broken")).unwrap();
    client.ask(&session, SessionCommand::Retry).await.unwrap();
    client.until_text(&session, "Done long ago").await;
    client.until_state(&session, SessionState::Completed).await;
}

#[tokio::test]
async fn deleting_a_session_that_was_not_loaded_keeps_it_at_the_agent() {
    // Before and after its file was read.
    for listed in [false, true] {
        delete_unloaded(listed).await;
    }
}

async fn delete_unloaded(listed: bool) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("broken"), "").unwrap();
    let server = setup(&acp_script::write(folder.path(), "broken", BROKEN)).project(folder.path()).start();
    let mut client = Client::connect(&server).await;
    let session = imported(&mut client, folder.path()).await;
    client.until_state(&session, SessionState::Error).await;
    if listed {
        client.ask_hub(HubCommand::ListSessions).await.unwrap();
    }
    client.ask_hub(HubCommand::DeleteSession { session_id: session }).await.unwrap();
    let other = client.new_session_of("agent", folder.path()).await;
    client.prompt(&other, "hello").await.unwrap();
    client.until_state(&other, SessionState::Completed).await;
    client.ask_hub(HubCommand::ListSessions).await.unwrap();
    client.ask_hub(HubCommand::DeleteSession { session_id: other }).await.unwrap();
    let deleted = || {
        let log = std::fs::read_to_string(folder.path().join("received.log")).unwrap();
        log.lines().filter(|line| line.contains("session/delete")).map(str::to_owned).collect::<Vec<_>>()
    };
    until_true("the other session to be deleted", || !deleted().is_empty()).await;
    assert!(deleted().iter().all(|line| line.contains(r#""s2""#)), "{:?}", deleted());
}
