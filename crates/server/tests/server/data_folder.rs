//! The data folder while the server runs: deleted, moved, replaced, closed, or with a damaged database. Nothing is
//! acknowledged that nobody finds again, no second server starts, and what was lost is said.

use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};

use pilothouse_core::SessionState;
use pilothouse_core::conversation::ask::Answer;
use pilothouse_core::protocol::{ErrorCode, HubCommand, SessionCommand};
use rusqlite::Connection;

use pilothouse_test_support::acp_script;
use pilothouse_test_support::client::{Client, prompt};
use pilothouse_test_support::server::{ServerSetup, TestServer};

use crate::{binary, server};

const PAGE: u64 = 4_096;

fn draft(session: &str, text: &str) -> HubCommand {
    HubCommand::SetDraft { session_id: session.to_owned(), text: text.to_owned() }
}

fn pin(session: &str) -> HubCommand {
    HubCommand::Pin { session_id: session.to_owned(), pinned: true }
}

/// Starts another server on a folder, which must fail, and returns its message.
fn second_server(data: &Path) -> String {
    let output = ServerSetup::new(binary()).command(data).output().unwrap();
    assert!(!output.status.success(), "a second server has started");
    String::from_utf8(output.stderr).unwrap()
}

fn beside(path: &Path, name: &str) -> PathBuf {
    path.with_file_name(format!("{}-{name}", path.file_name().unwrap().to_string_lossy()))
}

async fn until_problem(client: &mut Client, words: &str) {
    client
        .until_welcome(words, |welcome| {
            welcome.storage_problem.as_ref().is_some_and(|problem| problem.contains(words))
        })
        .await;
}

async fn until_no_problem(client: &mut Client) {
    client.until_welcome("the end of the problem", |welcome| welcome.storage_problem.is_none()).await;
}

/// Asserts that every kind of change is refused with these words.
async fn assert_refused(client: &mut Client, session: &str, words: &str) {
    let changes = [
        pin(session),
        draft(session, "nowhere"),
        HubCommand::DeleteSession { session_id: session.to_owned() },
        HubCommand::NewSession { agent: "demo".to_owned(), cwd: "/".to_owned() },
        HubCommand::AddAgent { name: "another".to_owned(), command: "x acp".to_owned() },
        HubCommand::CreatePairingLink { address: String::new() },
    ];
    for change in changes {
        let name = change.name();
        let error = client.ask_hub(change).await.expect_err(name);
        assert!(error.code == ErrorCode::NotStored && error.message.contains(words), "{name}: {error:?}");
    }
    let error = client.ask(session, prompt("lost", "Lost")).await.unwrap_err();
    assert!(error.code == ErrorCode::NotStored && error.message.contains(words), "{error:?}");
}

#[tokio::test]
async fn a_deleted_folder_is_a_problem_and_nothing_is_acknowledged() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    std::fs::remove_dir_all(&server.data).unwrap();
    // Without any write: the server looks at its folder.
    until_problem(&mut client, "was moved or deleted").await;
    assert_refused(&mut client, &session, "was moved or deleted").await;
    assert!(client.welcome.sessions.iter().any(|listed| listed.id == session), "the session is still listed");
    assert!(second_server(&server.data).contains("another Pilothouse is running"));
    assert!(!server.data.exists(), "the folder was created again");
    std::fs::create_dir(&server.data).unwrap();
    until_problem(&mut client, "was replaced by another one").await;
    assert_refused(&mut client, &session, "was replaced by another one").await;
    assert!(second_server(&server.data).contains("another Pilothouse is running"));
    let names: Vec<_> = std::fs::read_dir(&server.data).unwrap().flatten().collect();
    let unexpected = names.iter().filter(|entry| entry.file_name() != "lock");
    assert_eq!(unexpected.count(), 0, "something was written to the new folder: {names:?}");
}

#[tokio::test]
async fn a_folder_that_was_renamed_is_a_problem_until_it_is_back() {
    let (mut server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.ask_hub(draft(&session, "before")).await.unwrap();
    let moved = beside(&server.data, "moved");
    std::fs::rename(&server.data, &moved).unwrap();
    let error = client.ask_hub(draft(&session, "nowhere")).await.unwrap_err();
    assert!(error.message.contains("was moved or deleted. Move it back"), "{error:?}");
    until_problem(&mut client, "was moved or deleted").await;
    assert_refused(&mut client, &session, "was moved or deleted").await;
    assert!(second_server(&moved).contains("another Pilothouse is running"), "under its new name");
    std::fs::rename(&moved, &server.data).unwrap();
    until_no_problem(&mut client).await;
    client.ask_hub(draft(&session, "after")).await.unwrap();
    client.prompt(&session, "Hello").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    client.open(&session).await;
    assert_eq!(client.view(&session).meta.draft, "after");
    assert!(!client.rows(&session).iter().any(|row| row.text == "Lost"));
}

#[tokio::test]
async fn a_deleted_lock_file_lets_no_second_server_start() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    std::fs::remove_file(server.data.join("lock")).unwrap();
    assert!(second_server(&server.data).contains("another Pilothouse is running"));
    client.new_session(project.path()).await;
    assert_eq!(client.welcome.storage_problem, None, "the folder is locked all the same");
}

#[tokio::test]
async fn a_deleted_database_is_a_problem() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    let (log, moved) = (server.data.join("store.db-wal"), server.data.join("moved"));
    std::fs::rename(&log, &moved).unwrap();
    until_problem(&mut client, "the database in the data folder").await;
    let error = client.ask_hub(pin(&session)).await.unwrap_err();
    assert!(error.message.contains("was removed or replaced"), "{error:?}");
    std::fs::rename(&moved, &log).unwrap();
    until_no_problem(&mut client).await;
    client.ask_hub(pin(&session)).await.unwrap();
}

#[tokio::test]
async fn a_folder_without_write_permission_is_a_problem_until_it_has_it_again() {
    let project = tempfile::tempdir().unwrap();
    let mut setup = ServerSetup::new(binary()).project(project.path());
    // The permissions of files do not bind root, unless it gives up this right.
    if rustix::process::geteuid().is_root() {
        setup = setup.wrapped(&["setpriv", "--bounding-set=-dac_override,-dac_read_search"]);
    }
    let server = setup.start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    let set_mode = |mode| std::fs::set_permissions(&server.data, PermissionsExt::from_mode(mode)).unwrap();
    set_mode(0o500);
    until_problem(&mut client, "is read-only").await;
    assert_refused(&mut client, &session, "is read-only").await;
    set_mode(0o700);
    until_no_problem(&mut client).await;
    client.ask_hub(pin(&session)).await.unwrap();
}

/// An agent that asks before it goes on.
const ASKING: &str = r#"
while read -r line; do
    case "$line" in
    *'"initialize"'*) initialized "$(id "$line")" '{}' ;;
    *'"session/new"'*) answer "$(id "$line")" '{"sessionId":"s1"}' ;;
    *'"session/prompt"'*)
        prompt=$(id "$line")
        ask p1 session/request_permission '{"sessionId":"s1","toolCall":{"toolCallId":"c","kind":"execute","rawInput":{"command":"ls"}},"options":[{"optionId":"ok","name":"Allow","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}' ;;
    *'"id":"p1"'*) say "Done."; answer "$prompt" '{"stopReason":"end_turn"}' ;;
    esac
done"#;

fn asking_server(project: &Path) -> TestServer {
    let command = acp_script::write(project, "asking", ASKING);
    ServerSetup::new(binary()).project(project).agent(&format!("agent=acp:{command}")).start()
}

#[tokio::test]
async fn an_approval_and_a_recorded_name_are_refused_without_the_folder() {
    let project = tempfile::tempdir().unwrap();
    let server = asking_server(project.path());
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("agent", project.path()).await;
    client.prompt(&session, "ask").await.unwrap();
    client.until_state(&session, SessionState::WaitingApproval).await;
    let ask = client.view(&session).meta.asks[0].clone();
    let answer = |option: &str| SessionCommand::answer(&ask, Answer::Choose(option.to_owned()));
    let moved = beside(&server.data, "moved");
    std::fs::rename(&server.data, &moved).unwrap();
    std::fs::create_dir(&server.data).unwrap();
    let error = client.ask(&session, answer("ok")).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::NotStored, "{error:?}");
    let rename = SessionCommand::RenameSession { title: "Not stored".to_owned() };
    let error = client.ask(&session, rename).await.unwrap_err();
    assert!(error.message.contains("was replaced by another one"), "{error:?}");
    assert!(client.ask_hub(pin(&session)).await.is_err());
    assert_eq!(client.view(&session).meta.asks.len(), 1, "the question is still open");
    assert_eq!(std::fs::read_dir(&server.data).unwrap().count(), 0, "a file was written to the new folder");
    std::fs::remove_dir(&server.data).unwrap();
    std::fs::rename(&moved, &server.data).unwrap();
    until_no_problem(&mut client).await;
    client.ask(&session, answer("ok")).await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    let log = std::fs::read_to_string(server.data.join("approvals.jsonl")).unwrap();
    assert_eq!(log.lines().filter(|line| line.contains("\"approved\":true")).count(), 1, "{log}");
}

#[tokio::test]
async fn everything_in_the_data_folder_is_closed_to_other_users() {
    let project = tempfile::tempdir().unwrap();
    let mut server = asking_server(project.path());
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("agent", project.path()).await;
    client.prompt(&session, "ask").await.unwrap();
    client.until_state(&session, SessionState::WaitingApproval).await;
    let ask = client.view(&session).meta.asks[0].clone();
    client.ask(&session, SessionCommand::answer(&ask, Answer::Choose("ok".to_owned()))).await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    let deleted = client.new_session(project.path()).await;
    client.prompt(&deleted, "Hello").await.unwrap();
    client.until_state(&deleted, SessionState::Completed).await;
    client.ask_hub(HubCommand::DeleteSession { session_id: deleted }).await.unwrap();
    client
        .ask_hub(HubCommand::AddAgent { name: "added".to_owned(), command: "x --key=secret".to_owned() })
        .await
        .unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&server.data), 0o700);
    let recordings = server.data.join("agents/agent/sessions");
    let recording = std::fs::read_dir(&recordings).unwrap().next().unwrap().unwrap().path();
    let recording = std::fs::read_dir(recording).unwrap().next().unwrap().unwrap().path();
    for file in ["store.db", "store.db-wal", "store.db-shm", "search.db", "search.db-wal", "approvals.jsonl"]
    {
        assert_eq!(mode(&server.data.join(file)), 0o600, "{file}");
    }
    for file in ["control.sock", "agents.json"] {
        assert_eq!(mode(&server.data.join(file)), 0o600, "{file}");
    }
    assert_eq!(mode(&recording), 0o600);
    for folder in ["agents", "agents/agent", "agents/agent/sessions", "trash"] {
        assert_eq!(mode(&server.data.join(folder)), 0o700, "{folder}");
    }
    // What an earlier version or a copy has left open.
    let opened = ["agents", "trash", "approvals.jsonl", "store.db", "search.db"];
    for name in opened {
        let path = server.data.join(name);
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode(&path) | 0o055)).unwrap();
    }
    server.kill_and_restart();
    for name in opened {
        assert_eq!(mode(&server.data.join(name)) & 0o077, 0, "{name}");
    }
}

/// Stores pins, a draft and a scheduled message, kills the server, and merges the log into the database.
async fn filled(server: &mut TestServer, project: &Path) -> Vec<String> {
    let mut client = Client::connect(server).await;
    let mut sessions = Vec::new();
    for number in 0..3 {
        let session = client.new_session(project).await;
        client.ask_hub(pin(&session)).await.unwrap();
        client.ask_hub(draft(&session, &format!("draft {number}"))).await.unwrap();
        sessions.push(session);
    }
    client.prompt(&sessions[0], "/wait go").await.unwrap();
    client.until_text(&sessions[0], "exists.").await;
    client.ask(&sessions[0], prompt("scheduled", "Scheduled")).await.unwrap();
    server.kill();
    merge_log(server);
    sessions
}

fn merge_log(server: &TestServer) {
    let store = Connection::open(server.data.join("store.db")).unwrap();
    store.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
}

/// Overwrites the first page of a table.
fn damage(server: &TestServer, table: &str) {
    let path = server.data.join("store.db");
    let store = Connection::open(&path).unwrap();
    let query = "SELECT rootpage FROM sqlite_schema WHERE name = ?";
    let page: i64 = store.query_row(query, [table], |row| row.get(0)).unwrap();
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.write_all_at(&[0x5a; PAGE as usize], (page.cast_unsigned() - 1) * PAGE).unwrap();
    // Makes other connections forget what they have read.
    let version: i64 = store.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    store.execute_batch(&format!("PRAGMA user_version = {version}")).unwrap();
}

#[tokio::test]
async fn a_damaged_database_keeps_what_can_be_read_and_says_so_until_it_is_dismissed() {
    let (mut server, project) = server();
    let sessions = filled(&mut server, project.path()).await;
    damage(&server, "items");
    server.restart();
    // The same device: nobody is locked out.
    let mut client = Client::connect(&server).await;
    let notice = client.welcome.storage_notice.clone().expect("a notice");
    for words in
        ["1 device", "3 pins", "3 drafts", "could not be read: scheduled messages and open questions"]
    {
        assert!(notice.contains(words), "{words}: {notice}");
    }
    assert!(notice.contains("Conversations have files of their own and are not affected."), "{notice}");
    client.open(&sessions[1]).await;
    assert_eq!(client.view(&sessions[1]).meta.draft, "draft 1");
    assert!(client.welcome.sessions.iter().filter(|session| session.pinned).count() == 3);
    client.open(&sessions[0]).await;
    assert!(
        client.rows(&sessions[0]).iter().any(|row| row.text == "/wait go"),
        "the conversation is complete"
    );

    // It survives another restart, and every client sees it.
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    let mut other = Client::connect(&server).await;
    assert_eq!(client.welcome.storage_notice.as_ref(), Some(&notice));
    assert_eq!(other.welcome.storage_notice.as_ref(), Some(&notice));
    let dismiss = |notice: &str| HubCommand::DismissStorageNotice { notice: notice.to_owned() };
    assert_eq!(client.ask_hub(dismiss("another")).await.unwrap_err().code, ErrorCode::Gone);
    client.ask_hub(dismiss(&notice)).await.unwrap();
    other.until_welcome("the end of the notice", |welcome| welcome.storage_notice.is_none()).await;
    server.kill_and_restart();
    assert_eq!(Client::connect(&server).await.welcome.storage_notice, None);
}

#[tokio::test]
async fn a_database_that_cannot_be_read_at_all_does_not_keep_the_server_from_starting() {
    let (mut server, project) = server();
    filled(&mut server, project.path()).await;
    std::fs::write(server.data.join("store.db"), "no database ".repeat(1_000)).unwrap();
    server.restart();
    // The browser has lost its access; the printed link gives it back.
    let credential = pilothouse_test_support::http::credential(&server).await;
    let client = Client::connect_as(&server, &credential).await;
    let notice = client.welcome.storage_notice.expect("a notice");
    assert!(notice.contains("could not be read: devices, pins,"), "{notice}");
    assert!(notice.contains("needs a new link"), "{notice}");
    assert!(!client.welcome.sessions.is_empty(), "the conversations are listed");
}

#[tokio::test]
async fn damage_found_while_running_is_a_problem_and_the_next_start_repairs() {
    let (mut server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.ask_hub(draft(&session, "before")).await.unwrap();
    merge_log(&server);
    damage(&server, "extras");
    damage(&server, "prompts");
    let error = client.ask(&session, prompt("p", "Hello")).await.unwrap_err();
    assert!(error.message.contains("the database is damaged. Restart Pilothouse"), "{error:?}");
    until_problem(&mut client, "the database is damaged").await;
    // Other tables could still be written; nothing is acknowledged that the repair may lose.
    let error = client.ask_hub(draft(&session, "after")).await.unwrap_err();
    assert!(error.message.contains("the database is damaged"), "{error:?}");
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    assert_eq!(client.welcome.storage_problem, None);
    let notice = client.welcome.storage_notice.clone().expect("a notice");
    assert!(notice.contains("could not be read: unsent messages and notes in conversations"), "{notice}");
    client.open(&session).await;
    assert_eq!(client.view(&session).meta.draft, "before");
    client.prompt(&session, "Hello").await.unwrap();
}

#[tokio::test]
async fn a_search_index_that_is_damaged_or_a_folder_is_built_again() {
    let (mut server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "Where is the lantern?").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    let index = server.data.join("search.db");
    for is_folder in [false, true] {
        server.kill();
        let _ = std::fs::remove_file(&index);
        for suffix in ["wal", "shm"] {
            let _ = std::fs::remove_file(index.with_extension(format!("db-{suffix}")));
        }
        if is_folder {
            std::fs::create_dir(&index).unwrap();
        } else {
            std::fs::write(&index, "garbage ".repeat(1_000)).unwrap();
        }
        server.restart();
        let mut client = Client::connect(&server).await;
        let found = client.ask_hub(HubCommand::Search { query: "lantern".to_owned() }).await.unwrap();
        assert_eq!(found["hits"][0]["session_id"], session.as_str(), "{found}");
        assert_eq!(client.welcome.storage_notice, None, "nobody would notice");
    }
}
