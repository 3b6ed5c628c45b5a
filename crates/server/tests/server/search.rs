//! Words in tool output lead to their entry, over the socket.

use pilothouse_core::limits::QUERY_BYTES;
use pilothouse_core::protocol::{HubCommand, SearchHit, SearchResults};
use pilothouse_core::{Kind, SessionState};

use pilothouse_test_support::client::Client;
use pilothouse_test_support::server::ServerSetup;

use crate::{binary, server};

async fn search(page: &mut Client, query: &str) -> Result<Vec<SearchHit>, String> {
    let answer = page.ask_hub(HubCommand::Search { query: query.to_owned() }).await?;
    Ok(serde_json::from_value::<SearchResults>(answer).unwrap().hits)
}

/// Looks again until the index has it: files are indexed behind everybody's back.
async fn until_found(page: &mut Client, query: &str) -> SearchHit {
    let start = std::time::Instant::now();
    loop {
        page.ask_hub(HubCommand::ListSessions).await.unwrap();
        let hits = search(page, query).await.unwrap();
        if let Some(hit) = hits.into_iter().find(|hit| hit.entry.is_some()) {
            return hit;
        }
        assert!(start.elapsed().as_secs() < 30, "{query} is not found");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_word_in_tool_output_leads_to_its_entry() {
    let word = "Zanzi-barnacle";
    let project = tempfile::tempdir().unwrap();
    std::fs::write(project.path().join("README.md"), format!("# Shells\n\nOn a {word}s' reef.\n")).unwrap();
    let mut server = ServerSetup::new(binary()).project(project.path()).start();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    // The demo reads what it finds in the folder.
    page.prompt(&session, "/tools").await.unwrap();
    page.until_state(&session, SessionState::Completed).await;

    let hit = until_found(&mut page, "zi-BARN").await;
    assert_eq!(hit.session_id, session);
    assert!(hit.snippet.iter().any(|piece| piece.found && piece.text == "zi-barn"), "{hit:?}");
    assert_eq!(hit.kind, Kind::Tool);
    let entry = hit.entry.unwrap();
    let file = std::fs::read_to_string(server.session_file(&session)).unwrap();
    let line = file.lines().find(|line| line.contains(&format!("\"id\":\"{entry}\""))).unwrap();
    assert!(line.contains("toolResult") && line.contains(word), "{line}");

    server.kill_and_restart();
    let mut page = Client::connect(&server).await;
    assert_eq!(until_found(&mut page, word).await.entry, Some(entry), "after a restart");
    std::fs::remove_file(server.session_file(&session)).unwrap();
    page.ask_hub(HubCommand::ListSessions).await.unwrap();
    assert_eq!(search(&mut page, word).await.unwrap(), [], "what is deleted is found no longer");
}

#[tokio::test]
async fn a_search_for_nothing_or_too_much_gets_a_sentence() {
    let (server, _project) = server();
    let mut page = Client::connect(&server).await;
    for (query, part) in [
        (String::new(), "Type some words"),
        (" \n".to_owned(), "Type some words"),
        ("x".repeat(QUERY_BYTES + 1), "too long"),
    ] {
        let error = search(&mut page, &query).await.unwrap_err();
        assert!(error.contains(part), "{error}");
    }
    for query in ["\"", "a AND", "\0", "x\" OR \"y", &"\u{1f6a2}".repeat(QUERY_BYTES / 4)] {
        assert_eq!(search(&mut page, query).await.unwrap(), []);
    }
}
