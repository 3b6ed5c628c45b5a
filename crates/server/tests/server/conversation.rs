//! A conversation shows the same rows live, to a second client, and after a restart.

use std::collections::HashMap;

use pilothouse_core::{Kind, Phase, SessionState};

use pilothouse_test_support::client::{Client, synchronise, visible};
use pilothouse_test_support::process::children;
use pilothouse_test_support::server::ServerSetup;

use crate::durability::until_session_stored;
use crate::{binary, server};

#[tokio::test]
async fn text_thinking_and_tools_look_the_same_live_and_after_a_restart() {
    let (mut server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    assert_eq!(client.view(&session).meta.state, SessionState::Idle);
    for text in ["Hello", "/think", "/tools", "/tour"] {
        client.prompt(&session, text).await.unwrap();
        client.until_state(&session, SessionState::Completed).await;
    }
    let kinds: Vec<Kind> = client.rows(&session).iter().map(|row| row.kind).collect();
    for kind in [Kind::User, Kind::Assistant, Kind::Thinking, Kind::Tool] {
        assert!(kinds.contains(&kind), "no row of kind {kind:?} in {kinds:?}");
    }
    let steps = client.rows(&session).iter().filter_map(|row| row.tool_step.as_ref());
    assert!(steps.clone().all(|step| !step.phase.is_open()), "a finished run has a running row");
    assert!(steps.clone().any(|step| step.phase == Phase::Error), "the demo shows no failing tool");
    let live = visible(client.rows(&session));

    let mut second = Client::connect(&server).await;
    second.open(&session).await;
    assert_eq!(visible(second.rows(&session)), live, "a second client has other rows");
    synchronise(&mut client, &mut second, &session).await;
    assert_eq!(second.view(&session), client.view(&session));

    until_session_stored(&mut client, &session).await;
    server.kill_and_restart();
    let mut third = Client::connect(&server).await;
    let listed =
        third.welcome.sessions.iter().find(|listed| listed.id == session).expect("the session is not listed");
    assert_eq!((listed.title.as_str(), listed.state), ("Hello", SessionState::Completed));
    third.open(&session).await;
    assert_eq!(visible(third.rows(&session)), live, "the rows changed with the restart");
}

#[tokio::test]
async fn a_client_that_joins_during_a_run_ends_with_the_same_rows() {
    let project = tempfile::tempdir().unwrap();
    let server = ServerSetup::new(binary()).pace("40").project(project.path()).start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "/tour").await.unwrap();
    let mut joined = Vec::new();
    let mut seen = 0;
    while client.view(&session).meta.state.is_active() {
        client.receive_frame().await;
        if client.events >= seen + 12 && joined.len() < 20 {
            seen = client.events;
            let mut other = Client::connect(&server).await;
            other.open(&session).await;
            joined.push(other);
        }
    }
    assert!(joined.len() >= 5, "only {} clients joined during the run", joined.len());
    let end = client.view(&session).seq;
    let rows = visible(client.rows(&session));
    for mut other in joined {
        other.until(&session, "the end", |view| view.seq >= end).await;
        assert_eq!(visible(other.rows(&session)), rows);
    }
}

#[tokio::test]
async fn case_68_opening_a_session_starts_nothing_and_changes_nothing() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    let mut other = Client::connect(&server).await;
    other.open(&session).await;
    assert!(children(server.process_id()).is_empty());
    client.prompt(&session, "Hello").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    let agents = server.programs();
    let mut third = Client::connect(&server).await;
    third.open(&session).await;
    assert_eq!(server.programs(), agents);
}

#[tokio::test]
async fn a_prompt_of_one_client_appears_in_the_conversation_and_the_list_of_another() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let mut other = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    other.open(&session).await;
    client.prompt(&session, "From the first client").await.unwrap();
    other.until_text(&session, "From the first client").await;
    other.until_state(&session, SessionState::Completed).await;
    let titles: HashMap<&str, &str> =
        other.welcome.sessions.iter().map(|listed| (listed.id.as_str(), listed.title.as_str())).collect();
    assert_eq!(titles[session.as_str()], "From the first client");
}
