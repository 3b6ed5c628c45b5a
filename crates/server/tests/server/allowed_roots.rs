//! Clients choose folders inside the allowed ones only (promise 28).

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use pilothouse_core::protocol::{DirectoryListing, ErrorCode, HubCommand, SessionCommand};
use pilothouse_core::{Kind, SessionState, SessionView};

use serde_json::json;

use pilothouse_test_support::acp_script;
use pilothouse_test_support::client::Client;
use pilothouse_test_support::server::{ServerSetup, TestServer};
use pilothouse_test_support::session_file::SessionFile;

use crate::binary;

struct Folders {
    _folder: tempfile::TempDir,
    top: PathBuf,
}

impl Folders {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for path in ["allowed/project/src", "allowed-not", "outside/secret"] {
            std::fs::create_dir_all(top.join(path)).unwrap();
        }
        symlink(top.join("outside"), top.join("allowed/out")).unwrap();
        Self { _folder: folder, top }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.top.join(name)
    }

    fn setup(&self) -> ServerSetup {
        ServerSetup::new(binary())
            .project(&self.path("allowed/project"))
            .allowed_roots(&[&self.path("allowed")])
    }
}

fn new_session(cwd: &str) -> HubCommand {
    HubCommand::NewSession { agent: "demo".to_owned(), cwd: cwd.to_owned() }
}

fn list(path: &str) -> HubCommand {
    HubCommand::ListDirectory { path: path.to_owned() }
}

fn import(agent: &str, id: &str, cwd: &str) -> HubCommand {
    HubCommand::ImportSession {
        agent: agent.to_owned(),
        agent_session_id: id.to_owned(),
        cwd: cwd.to_owned(),
        title: String::new(),
    }
}

#[tokio::test]
async fn promise_28_paths_out_of_the_allowed_folders_are_refused() {
    let folders = Folders::new();
    let server = folders.setup().start();
    let mut client = Client::connect(&server).await;
    let top = folders.top.to_string_lossy().into_owned();
    let outside = "outside the allowed folders";
    for (path, code, words) in [
        ("/etc", ErrorCode::InvalidRequest, outside),
        ("/", ErrorCode::InvalidRequest, outside),
        ("~", ErrorCode::InvalidRequest, outside),
        ("TOP/allowed/..", ErrorCode::InvalidRequest, outside),
        ("TOP/allowed/project/../../outside", ErrorCode::InvalidRequest, outside),
        ("TOP/allowed-not", ErrorCode::InvalidRequest, outside),
        ("TOP/allowed/out", ErrorCode::InvalidRequest, outside),
        ("TOP/allowed/out/secret", ErrorCode::InvalidRequest, outside),
        ("TOP/missing", ErrorCode::InvalidRequest, outside),
        ("TOP/allowed/%2e%2e", ErrorCode::Gone, "doesn't exist"),
        ("TOP/allowed/..%2foutside", ErrorCode::Gone, "doesn't exist"),
        ("TOP/allowed/missing", ErrorCode::Gone, "doesn't exist"),
        ("../outside", ErrorCode::InvalidRequest, "not a full path"),
        ("file:///etc", ErrorCode::InvalidRequest, "not a full path"),
        ("TOP/allowed\0/../outside", ErrorCode::InvalidRequest, "NUL"),
    ] {
        let path = path.replace("TOP", &top);
        for command in [list(&path), new_session(&path), import("demo", "s", &path)] {
            let name = command.name();
            let error = client.ask_hub(command).await.expect_err(&path);
            assert!(error.code == code && error.message.contains(words), "{name} {path}: {error:?}");
        }
    }
    let error = client.ask_hub(list("/etc")).await.unwrap_err().message;
    assert!(error.contains(&format!("({top}/allowed)")) && error.contains("--allowed-root"), "{error}");
    assert!(client.welcome.sessions.is_empty(), "a session was created");
    for path in ["", "TOP/allowed", "TOP/allowed/project/../project/src", "TOP/outside/../allowed"] {
        let path = path.replace("TOP", &top);
        client.ask_hub(list(&path)).await.unwrap();
        client.ask_hub(new_session(&path)).await.unwrap();
    }
}

#[tokio::test]
async fn the_way_up_ends_at_an_allowed_folder_which_offers_the_others() {
    let folders = Folders::new();
    let (allowed, secret) = (folders.path("allowed"), folders.path("outside/secret"));
    let setup = ServerSetup::new(binary()).project(&folders.path("allowed/project"));
    let server = setup.allowed_roots(&[&allowed, &secret]).start();
    let mut client = Client::connect(&server).await;
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let mut listed = async |path: &str| -> DirectoryListing {
        serde_json::from_value(client.ask_hub(list(path)).await.unwrap()).unwrap()
    };
    let start = listed("").await;
    assert_eq!(
        (start.path, start.parent.clone()),
        (text(&folders.path("allowed/project")), Some(text(&allowed)))
    );
    let top = listed(&start.parent.unwrap()).await;
    assert_eq!((top.parent, top.folders, top.roots), (None, vec!["project".to_owned()], vec![text(&secret)]));
}

#[tokio::test]
async fn by_default_home_and_the_start_folder_are_allowed() {
    let folders = Folders::new();
    let home = folders.path("outside");
    let setup = ServerSetup::new(binary()).project(&folders.path("allowed/project")).allowed_roots(&[]);
    let server = setup.env("HOME", &home).start();
    let mut client = Client::connect(&server).await;
    client.ask_hub(list("~/secret")).await.unwrap();
    client.ask_hub(list("")).await.unwrap();
    for path in [folders.path("allowed"), "/etc".into()] {
        let error = client.ask_hub(list(&path.to_string_lossy())).await.unwrap_err();
        assert!(error.message.contains("outside the allowed folders"), "{error:?}");
    }
}

#[tokio::test]
async fn a_session_in_a_folder_outside_that_its_agent_has_is_continued() {
    let folders = Folders::new();
    let server = folders.setup().start();
    let outside = folders.path("outside");
    let mut file = SessionFile::numbered(1, &outside.to_string_lossy());
    file.user("Hello from the terminal");
    file.assistant(json!([{"type": "text", "text": "Hello"}]));
    // The demo agent's name for the folder.
    let name = outside.to_string_lossy().trim_start_matches('/').replace('/', "-");
    let id = file.write(&server.demo_sessions().join(format!("--{name}--")));
    let mut client = Client::connect(&server).await;
    client.open(&id).await;
    client.prompt(&id, "Go on").await.unwrap();
    let is_answered = |view: &SessionView| {
        let rows = view.controller.rows();
        let answers = rows.iter().filter(|row| row.kind == Kind::Assistant).count();
        view.meta.state == SessionState::Completed && answers == 2
    };
    client.until(&id, "the answer", is_answered).await;
    let found = client.ask(&id, SessionCommand::FindFiles { query: "secret".to_owned() }).await.unwrap();
    assert_eq!(found["paths"][0], "secret/");
    let row = client.rows(&id).iter().position(|row| row.text == "Go on").unwrap();
    let forked = client.ask(&id, SessionCommand::Fork { row: Some(row) }).await.unwrap();
    assert!(forked["session_id"].is_string(), "{forked}");
    assert!(client.ask_hub(new_session(&outside.to_string_lossy())).await.is_err());
}

#[tokio::test]
async fn files_are_not_searched_in_a_folder_that_became_a_link_out() {
    let folders = Folders::new();
    let server = folders.setup().start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(&folders.path("allowed/project/src")).await;
    let find = || SessionCommand::FindFiles { query: "secret".to_owned() };
    assert_eq!(client.ask(&session, find()).await.unwrap()["paths"].as_array().unwrap().len(), 0);
    std::fs::remove_dir(folders.path("allowed/project/src")).unwrap();
    symlink(folders.path("outside"), folders.path("allowed/project/src")).unwrap();
    let error = client.ask(&session, find()).await.unwrap_err();
    assert!(error.message.contains("outside the allowed folders"), "{error:?}");
}

/// An agent with a session in a folder that is named in its environment.
const LISTING: &str = r#"
while read -r line; do
    case "$line" in
    *'"initialize"'*) initialized "$(id "$line")" '{"loadSession":true,"sessionCapabilities":{"list":{}}}' ;;
    *'"session/list"'*) answer "$(id "$line")" '{"sessions":[{"sessionId":"s1","cwd":"'"$OUTSIDE"'","title":"Old work"}]}' ;;
    *'"session/load"'*)
        update '{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Do it"}}'
        answer "$(id "$line")" '{}' ;;
    esac
done"#;

fn listing_server(folders: &Folders) -> TestServer {
    let command = acp_script::write(&folders.top, "listing", LISTING);
    folders.setup().agent(&format!("agent=acp:{command}")).env("OUTSIDE", folders.path("outside")).start()
}

#[tokio::test]
async fn an_import_from_outside_needs_the_agents_own_word_for_the_folder() {
    let folders = Folders::new();
    let server = listing_server(&folders);
    let mut client = Client::connect(&server).await;
    let outside = folders.path("outside").to_string_lossy().into_owned();
    assert!(client.ask_hub(import("agent", "s1", &outside)).await.is_err(), "the agent has not listed it");
    let listed = HubCommand::ListAgentSessions { agent: "agent".to_owned(), cursor: None };
    client.ask_hub(listed).await.unwrap();
    for (id, folder) in
        [("s1", "/etc".to_owned()), ("s2", outside.clone()), ("s1", format!("{outside}/secret"))]
    {
        let error = client.ask_hub(import("agent", id, &folder)).await.unwrap_err();
        assert!(error.message.contains("outside the allowed folders"), "{id} {folder}: {error:?}");
    }
    let created = client.ask_hub(import("agent", "s1", &outside)).await.unwrap();
    let session = created["session_id"].as_str().unwrap().to_owned();
    client.open(&session).await;
    client.until_text(&session, "Do it").await;
}
