//! A conversation: what streams is what a second page, a reload and a restart show.

use pilothouse_core::{Kind, Phase, SessionState};
use std::collections::HashMap;

use pilothouse_test_support::client::{Client, visible};
use pilothouse_test_support::process::children;
use pilothouse_test_support::server::ServerSetup;

use crate::{binary, server};

#[tokio::test]
async fn a_prompt_with_text_thinking_and_tools_streams_and_reads_the_same_after_a_restart() {
    let (mut first, project) = server();
    let mut page = Client::connect(&first).await;
    let session = page.new_session(project.path()).await;
    assert_eq!(page.view(&session).meta.state, SessionState::Idle);
    for text in ["Hello", "/think", "/tools", "/tour"] {
        page.prompt(&session, text).await.unwrap();
        page.until_state(&session, SessionState::Completed).await;
    }
    let kinds: Vec<Kind> = page.rows(&session).iter().map(|row| row.kind).collect();
    for kind in [Kind::User, Kind::Assistant, Kind::Thinking, Kind::Tool] {
        assert!(kinds.contains(&kind), "{kind:?} in {kinds:?}");
    }
    let open = page.rows(&session).iter().filter_map(|row| row.tool_step.as_ref());
    assert!(open.clone().all(|step| !step.phase.is_open()), "a finished run has no running row");
    assert!(open.clone().any(|step| step.phase == Phase::Error), "the demo shows a failing tool, too");
    let live = visible(page.rows(&session));

    let mut second = Client::connect(&first).await;
    second.open(&session).await;
    assert_eq!(visible(second.rows(&session)), live, "a second page");
    let last = second.view(&session).seq;
    page.until(&session, "the last event", |view| view.seq >= last).await;
    assert!(second.view(&session) == page.view(&session), "all of what it shows");

    first.kill_and_restart();
    let mut third = Client::connect(&first).await;
    let listed = third.welcome.sessions.iter().find(|listed| listed.id == session).expect("still listed");
    assert_eq!((listed.title.as_str(), listed.state), ("Hello", SessionState::Completed));
    third.open(&session).await;
    assert_eq!(visible(third.rows(&session)), live, "after a restart of the server");
}

#[tokio::test]
async fn a_page_that_joins_at_any_moment_ends_with_the_same_rows() {
    let project = tempfile::tempdir().unwrap();
    let server = ServerSetup::new(binary()).pace("40").project(project.path()).start();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "/tour").await.unwrap();
    let mut joined = Vec::new();
    let mut seen = 0;
    while page.view(&session).meta.state.is_active() {
        page.receive_frame().await;
        if page.events >= seen + 12 && joined.len() < 20 {
            seen = page.events;
            let mut other = Client::connect(&server).await;
            other.open(&session).await;
            joined.push(other);
        }
    }
    assert!(joined.len() >= 5, "only {} joined in mid-stream", joined.len());
    let end = page.view(&session).seq;
    let rows = visible(page.rows(&session));
    for mut other in joined {
        other.until(&session, "the end", |view| view.seq >= end).await;
        assert_eq!(visible(other.rows(&session)), rows);
    }
}

#[tokio::test]
async fn case_68_opening_a_session_starts_nothing_and_changes_nothing() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    let mut other = Client::connect(&server).await;
    other.open(&session).await;
    assert!(children(server.process_id()).is_empty());
    page.prompt(&session, "Hello").await.unwrap();
    page.until_state(&session, SessionState::Completed).await;
    let agents = children(server.process_id());
    let mut third = Client::connect(&server).await;
    third.open(&session).await;
    assert_eq!(children(server.process_id()), agents);
}

#[tokio::test]
async fn a_prompt_of_one_page_appears_in_the_other_and_in_every_list() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let mut other = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    other.open(&session).await;
    page.prompt(&session, "From the first page").await.unwrap();
    other.until_text(&session, "From the first page").await;
    other.until_state(&session, SessionState::Completed).await;
    let titles: HashMap<&str, &str> =
        other.welcome.sessions.iter().map(|listed| (listed.id.as_str(), listed.title.as_str())).collect();
    assert_eq!(titles[session.as_str()], "From the first page");
}
