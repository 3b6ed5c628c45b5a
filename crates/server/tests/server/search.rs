//! Search: hits in tool output name their entry; invalid queries are refused.

use pilothouse_core::limits::QUERY_BYTES;
use pilothouse_core::protocol::{CommandError, ErrorCode, HubCommand, SearchHit, SearchResults};
use pilothouse_core::{Kind, SessionState};

use pilothouse_test_support::client::Client;
use pilothouse_test_support::server::ServerSetup;
use pilothouse_test_support::wait;

use crate::{binary, server};

async fn search(client: &mut Client, query: &str) -> Result<Vec<SearchHit>, CommandError> {
    let answer = client.ask_hub(HubCommand::Search { query: query.to_owned() }).await?;
    Ok(serde_json::from_value::<SearchResults>(answer).unwrap().hits)
}

/// Repeats a search until it has a hit in an entry. Session files are indexed in the background.
async fn until_found(client: &mut Client, query: &str) -> SearchHit {
    let look = async || {
        client.ask_hub(HubCommand::ListSessions).await.unwrap();
        let hits = search(client, query).await.unwrap();
        hits.into_iter().find(|hit| hit.entry.is_some())
    };
    wait::until_some(&format!("a hit of {query:?}"), look).await
}

#[tokio::test]
async fn a_hit_in_tool_output_names_its_entry() {
    let word = "Zanzi-barnacle";
    let project = tempfile::tempdir().unwrap();
    std::fs::write(project.path().join("README.md"), format!("# Shells\n\nOn a {word}s' reef.\n")).unwrap();
    let mut server = ServerSetup::new(binary()).project(project.path()).start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    // The tools of the demo read the files in the folder.
    client.prompt(&session, "/tools").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;

    let hit = until_found(&mut client, "zi-BARN").await;
    assert_eq!(hit.session_id, session);
    assert!(hit.snippet.iter().any(|piece| piece.found && piece.text == "zi-barn"), "{hit:?}");
    assert_eq!(hit.kind, Kind::Tool);
    let entry = hit.entry.unwrap();
    let file = std::fs::read_to_string(server.session_file(&session)).unwrap();
    let line = file.lines().find(|line| line.contains(&format!("\"id\":\"{entry}\""))).unwrap();
    assert!(line.contains("toolResult") && line.contains(word), "{line}");

    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    assert_eq!(until_found(&mut client, word).await.entry, Some(entry), "another hit after a restart");
    std::fs::remove_file(server.session_file(&session)).unwrap();
    client.ask_hub(HubCommand::ListSessions).await.unwrap();
    assert_eq!(search(&mut client, word).await.unwrap(), [], "a deleted session is still found");
}

#[tokio::test]
async fn empty_and_long_queries_are_refused_with_a_reason() {
    let (server, _project) = server();
    let mut client = Client::connect(&server).await;
    for (query, reason) in [
        (String::new(), "Enter a search term"),
        (" \n".to_owned(), "Enter a search term"),
        ("x".repeat(QUERY_BYTES + 1), "too long"),
    ] {
        let error = search(&mut client, &query).await.unwrap_err();
        assert!(error.code == ErrorCode::InvalidRequest && error.message.contains(reason), "{error:?}");
    }
    for query in ["\"", "a AND", "\0", "x\" OR \"y", &"\u{1f6a2}".repeat(QUERY_BYTES / 4)] {
        assert_eq!(search(&mut client, query).await.unwrap(), []);
    }
}
