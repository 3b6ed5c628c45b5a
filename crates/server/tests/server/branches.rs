//! A session file with several branches: none is hidden. The one that the session does not continue can be read and
//! continued in a new session.

use std::path::Path;

use pilothouse_core::SessionState;
use pilothouse_core::protocol::{BranchPage, Branches, ErrorCode, FoundRow, SessionCommand};
use serde_json::{Value, json};

use pilothouse_test_support::client::{Client, visible};
use pilothouse_test_support::server::TestServer;
use pilothouse_test_support::session_file::{append_aside, append_exchange, lines};

use crate::server;

/// A client with a session of two turns.
async fn client_with_two_turns(server: &TestServer, project: &Path) -> (Client, String) {
    let mut client = Client::connect(server).await;
    let session = client.new_session(project).await;
    for text in ["First question", "Second question"] {
        client.prompt(&session, text).await.unwrap();
        client.until_text(&session, text).await;
        client.until_state(&session, SessionState::Completed).await;
    }
    // Answered after the session has read its own messages from the file. What is appended then is another program's.
    client.ask(&session, SessionCommand::GetCommands).await.unwrap();
    (client, session)
}

/// The id of the entry before the user's message with this text.
fn entry_before(file: &Path, text: &str) -> Value {
    let is_message = |entry: &&Value| {
        entry["message"]["role"] == "user" && entry["message"]["content"].to_string().contains(text)
    };
    lines(file).iter().find(is_message).unwrap()["parentId"].clone()
}

fn get_branch(leaf: &str, before: Option<usize>, limit: usize) -> SessionCommand {
    SessionCommand::GetBranch { leaf: leaf.to_owned(), before, limit: Some(limit) }
}

async fn branch(client: &mut Client, session: &str, command: SessionCommand) -> BranchPage {
    serde_json::from_value(client.ask(session, command).await.unwrap()).unwrap()
}

fn only_leaf(branches: &Branches) -> &str {
    let [point] = branches.points.as_slice() else { panic!("{branches:?}") };
    let [branch] = point.branches.as_slice() else { panic!("{branches:?}") };
    &branch.leaf
}

#[tokio::test]
async fn what_was_said_before_another_program_went_back_stays_readable() {
    let (server, project) = server();
    let (mut client, session) = client_with_two_turns(&server, project.path()).await;
    let file = server.session_file(&session);
    let said = visible(client.rows(&session));
    let shared = client.rows(&session).iter().position(|row| row.text == "Second question").unwrap();
    let last = lines(&file).last().unwrap()["id"].clone();
    append_aside(&file, &entry_before(&file, "Second question"), "Another second question");
    client.until_text(&session, "Another second question").await;
    let branches = client.view(&session).meta.branches.clone();
    let point = &branches.points[0];
    assert_eq!((point.row, point.branches[0].preview.as_str()), (shared, "Second question"));
    let leaf = only_leaf(&branches).to_owned();
    assert_eq!(json!(leaf), last);
    while client.left_branches.is_empty() {
        client.receive_frame().await;
    }
    assert_eq!(client.left_branches, [leaf.as_str()]);
    assert_eq!(visible(client.rows(&session)).len(), shared + 1);

    let page = branch(&mut client, &session, get_branch(&leaf, None, 100)).await;
    assert_eq!((visible(&page.messages), page.current), (said.clone(), false));
    let back = &page.branches.points[0];
    assert_eq!((back.row, back.branches[0].current), (shared, true));
    // The same in pages of one row.
    let mut rows = Vec::new();
    let mut before = None;
    while before != Some(0) {
        let page = branch(&mut client, &session, get_branch(&leaf, before, 1)).await;
        assert_eq!((page.total, page.messages.len()), (said.len(), 1));
        before = Some(page.first);
        rows.splice(0..0, page.messages);
    }
    assert_eq!(visible(&rows), said);
    let gone = client.ask(&session, get_branch("unknown", None, 100)).await.unwrap_err();
    assert_eq!(gone.code, ErrorCode::Gone);

    // A client that opens the session later sees the same.
    let mut other = Client::connect(&server).await;
    other.open(&session).await;
    assert_eq!(other.view(&session).meta.branches, branches);
    assert!(other.left_branches.is_empty());
}

#[tokio::test]
async fn a_branch_from_before_the_session_was_opened_is_listed_and_opening_it_starts_nothing() {
    let (mut server, project) = server();
    let (client, session) = client_with_two_turns(&server, project.path()).await;
    drop(client);
    let file = server.session_file(&session);
    server.kill();
    append_aside(&file, &entry_before(&file, "First question"), "Another beginning");
    let before = std::fs::read(&file).unwrap();
    server.restart();
    let mut client = Client::connect(&server).await;
    client.open(&session).await;
    let leaf = only_leaf(&client.view(&session).meta.branches).to_owned();
    assert_eq!(client.view(&session).meta.branches.points[0].row, 0);
    let page = branch(&mut client, &session, get_branch(&leaf, None, 100)).await;
    assert_eq!(page.messages[0].text, "First question");
    assert_eq!(server.agents(), Vec::<u32>::new(), "an agent was started");
    assert_eq!(std::fs::read(&file).unwrap(), before, "the file was written");
}

#[tokio::test]
async fn a_branch_beside_the_conversation_is_listed_without_interrupting_it() {
    let (server, project) = server();
    let (mut client, session) = client_with_two_turns(&server, project.path()).await;
    let file = server.session_file(&session);
    let (epoch, leaf) = (client.view(&session).epoch.clone(), lines(&file).last().unwrap()["id"].clone());
    // In one write, so that the server does not see the branch as the active one in between.
    let copy = project.path().join("copy.jsonl");
    std::fs::copy(&file, &copy).unwrap();
    let aside = append_aside(&copy, &entry_before(&file, "Second question"), "Said aside");
    append_aside(&copy, &leaf, "Said on");
    let added = std::fs::read(&copy).unwrap().split_off(std::fs::read(&file).unwrap().len());
    std::io::Write::write_all(&mut std::fs::File::options().append(true).open(&file).unwrap(), &added)
        .unwrap();
    client.until_text(&session, "Said on").await;
    client.until(&session, "the branch", |view| !view.meta.branches.is_empty()).await;
    assert_eq!(only_leaf(&client.view(&session).meta.branches), aside);
    assert_eq!(client.view(&session).epoch, epoch, "the conversation was sent again");
    assert!(client.left_branches.is_empty());
    let mut other = Client::connect(&server).await;
    other.open(&session).await;
    assert_eq!(other.view(&session).meta.branches, client.view(&session).meta.branches);
}

#[tokio::test]
async fn an_entry_on_another_branch_is_found_there() {
    let (server, project) = server();
    let (mut client, session) = client_with_two_turns(&server, project.path()).await;
    let file = server.session_file(&session);
    let row = client.rows(&session).iter().position(|row| row.text == "Second question").unwrap();
    let entry = |text: &str| {
        let lines = lines(&file);
        let found = lines.iter().find(|entry| entry["message"]["content"].to_string().contains(text));
        SessionCommand::FindRow { entry: found.unwrap()["id"].as_str().unwrap().to_owned() }
    };
    append_aside(&file, &entry_before(&file, "Second question"), "Another question");
    client.until_text(&session, "Another question").await;
    let leaf = only_leaf(&client.view(&session).meta.branches).to_owned();
    for (text, branch) in [("Second question", Some(leaf)), ("Another question", None)] {
        let found = client.ask(&session, entry(text)).await.unwrap();
        let expected = FoundRow { row, branch };
        assert_eq!(serde_json::from_value::<FoundRow>(found).unwrap(), expected);
    }
}

#[tokio::test]
async fn a_branch_is_continued_in_a_new_session_and_the_file_stays_as_it_is() {
    let (server, project) = server();
    let (mut client, session) = client_with_two_turns(&server, project.path()).await;
    let file = server.session_file(&session);
    let said = visible(client.rows(&session));
    let parent = entry_before(&file, "Second question");
    append_aside(&file, &parent, "Another question");
    append_exchange(&file, "More", "Of the same");
    client.until_text(&session, "Of the same").await;
    let leaf = only_leaf(&client.view(&session).meta.branches).to_owned();
    let before = std::fs::read(&file).unwrap();
    let forked = client.ask(&session, SessionCommand::ForkBranch { leaf }).await.unwrap();
    assert_eq!(forked["text"], "", "all of it was said already");
    let fork = forked["session_id"].as_str().unwrap().to_owned();
    client.open(&fork).await;
    assert_eq!(visible(client.rows(&fork)), said);
    assert!(client.view(&fork).meta.branches.is_empty());
    client.prompt(&fork, "Third question").await.unwrap();
    client.until_state(&fork, SessionState::Completed).await;
    assert_eq!(std::fs::read(&file).unwrap(), before, "the file of the session was written");
    let gone = client.ask(&session, SessionCommand::ForkBranch { leaf: "unknown".into() }).await;
    assert_eq!(gone.unwrap_err().code, ErrorCode::Gone);
}
