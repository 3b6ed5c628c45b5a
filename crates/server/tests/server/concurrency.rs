//! Concurrent commands to one session: each is carried out completely or refused with a reason.

use pilothouse_core::SessionState;
use pilothouse_core::conversation::ui_message::Kind;
use pilothouse_core::protocol::{ErrorCode, HubCommand, SessionCommand};

use pilothouse_test_support::client::{Client, prompt, visible};
use pilothouse_test_support::process::signal;
use pilothouse_test_support::server::ServerSetup;
use pilothouse_test_support::session_file::assert_one_branch;

use crate::external_writer::write_exchange;
use crate::queue::scene;
use crate::{binary, server};

#[tokio::test]
async fn a_prompt_during_a_rename_waits_for_it_and_the_file_does_not_branch() {
    let (mut server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "Hello").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    client.open(&session).await;
    let renamed = client.send(&session, SessionCommand::RenameSession { title: "A new name".into() }).await;
    let prompted = client.send(&session, prompt("c1", "Sent at once")).await;
    client.response(&renamed).await.unwrap();
    client.response(&prompted).await.unwrap();
    client
        .until(&session, "the answer", |view| {
            view.meta.state == SessionState::Completed
                && view.controller.rows().iter().any(|row| row.text == "Sent at once")
        })
        .await;
    assert_eq!(client.view(&session).meta.title, "A new name");
    assert_one_branch(&server.session_file(&session));
}

#[tokio::test]
async fn a_prompt_during_a_deletion_is_refused_and_nothing_of_the_session_stays() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let mut other = Client::connect(&server).await;
    for round in 0..8 {
        let session = client.new_session(project.path()).await;
        other.open(&session).await;
        client.prompt(&session, "Hello").await.unwrap();
        client.until_state(&session, SessionState::Completed).await;
        let deleted = client.send_hub(HubCommand::DeleteSession { session_id: session.clone() }).await;
        let mut requests = Vec::new();
        for number in 0..round {
            requests.push(other.send(&session, prompt(&format!("c{round}-{number}"), "Hello again")).await);
        }
        client.response(&deleted).await.unwrap();
        for request in requests {
            // A prompt that arrived before the deletion may have been accepted.
            if let Err(error) = other.response(&request).await {
                use ErrorCode::{AgentFailed, Busy, Closing, NoSuchSession};
                assert!(matches!(error.code, Closing | NoSuchSession | AgentFailed | Busy), "{error:?}");
            }
        }
        assert_eq!(
            other.prompt(&session, "After the deletion").await.unwrap_err().code,
            ErrorCode::NoSuchSession
        );
        let listed = client.ask_hub(HubCommand::ListSessions).await.unwrap();
        assert_eq!(listed["sessions"], serde_json::json!([]));
    }
    assert_eq!(server.agents(), Vec::<u32>::new());
}

#[tokio::test]
async fn entries_of_another_program_are_noticed_before_a_prompt_is_accepted() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "Hello").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    // The context usage is the last event of a run.
    client.until(&session, "the context usage", |view| view.meta.context_usage.is_some()).await;
    let file = server.session_file(&session);
    write_exchange(&file, 1);
    let refused = client.prompt(&session, "Our own question").await;
    assert_eq!(refused.unwrap_err().code, ErrorCode::ExternalWriter);
    client.until_text(&session, "External answer 1").await;
    let deleted = client.ask_hub(HubCommand::DeleteSession { session_id: session.clone() }).await;
    assert_eq!(deleted.unwrap_err().code, ErrorCode::ExternalWriter);
    assert!(file.exists());
    assert_one_branch(&file);
}

#[tokio::test]
async fn entries_that_another_program_writes_during_a_run_are_shown_after_the_run() {
    let mut scene = scene(&[]).await;
    let file = scene.server.session_file(&scene.session);
    write_exchange(&file, 1);
    scene.go();
    scene.until("the external writer", |view| view.meta.external_writer).await;
    // The file has two branches now. The last one is shown.
    let session = scene.session.clone();
    let mut other = Client::connect(&scene.server).await;
    other.open(&session).await;
    let epoch = other.view(&session).epoch.clone();
    scene.until("the reloaded file", |view| view.epoch == epoch && !view.meta.state.is_active()).await;
    assert_eq!(visible(other.rows(&session)), visible(scene.client.rows(&session)));
    let refused = scene.client.prompt(&session, "Our own question").await;
    assert_eq!(refused.unwrap_err().code, ErrorCode::ExternalWriter);
}

#[tokio::test]
async fn a_message_can_be_removed_while_it_is_being_scheduled() {
    let mut scene = scene(&[]).await;
    let session = scene.session.clone();
    for number in 0..10 {
        let (id, text) = (format!("c{number}"), format!("Message {number}"));
        let scheduled = scene.client.send(&session, prompt(&id, &text)).await;
        let remove = SessionCommand::RemoveQueued { item_id: id, revision: 0 };
        let removed = scene.client.send(&session, remove).await;
        scene.client.response(&scheduled).await.unwrap();
        scene.client.response(&removed).await.unwrap();
    }
    scene.go();
    scene.until("the end", |view| view.meta.state == SessionState::Completed).await;
    let prompts = scene.client.rows(&session).iter().filter(|row| row.kind == Kind::User);
    assert_eq!(prompts.map(|row| row.text.as_str()).collect::<Vec<_>>(), ["/wait-tool go"]);
}

#[tokio::test]
async fn a_stop_while_a_message_is_being_scheduled_returns_the_message() {
    let mut scene = scene(&[]).await;
    let session = scene.session.clone();
    let scheduled = scene.client.send(&session, prompt("c1", "Never mind")).await;
    let stopped = scene.client.send(&session, SessionCommand::Abort).await;
    scene.client.response(&scheduled).await.unwrap();
    let returned = scene.client.response(&stopped).await.unwrap();
    assert_eq!(returned["restored"][0]["text"], "Never mind");
    scene.until("the stop", |view| view.meta.state == SessionState::Stopped).await;
    scene.client.prompt(&session, "Something else").await.unwrap();
    scene.until("the answer", |view| view.meta.state == SessionState::Completed).await;
    assert!(scene.client.rows(&session).iter().all(|row| row.text != "Never mind"));
}

#[tokio::test]
async fn scheduled_messages_stay_when_the_agent_cannot_be_started() {
    let project = tempfile::tempdir().unwrap();
    let work = project.path().join("work");
    std::fs::create_dir(&work).unwrap();
    let mut server = ServerSetup::new(binary()).project(project.path()).start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(&work).await;
    client.prompt(&session, "/wait-tool never").await.unwrap();
    client.until(&session, "the tool", |view| view.controller.has_open_call()).await;
    client.prompt(&session, "And then this").await.unwrap();
    signal(server.agent(), "KILL");
    server.kill_and_restart();
    std::fs::remove_dir_all(&work).unwrap();
    let mut client = Client::connect(&server).await;
    client.open(&session).await;
    for _ in 0..2 {
        let refused = client.ask(&session, SessionCommand::ResumeSession).await;
        assert_eq!(refused.unwrap_err().code, ErrorCode::Gone);
        let waiting: Vec<&str> =
            client.view(&session).meta.queue.items().iter().map(|item| item.text.as_str()).collect();
        assert_eq!(waiting, ["And then this"]);
    }
    std::fs::create_dir(&work).unwrap();
    client.ask(&session, SessionCommand::ResumeSession).await.unwrap();
    client
        .until(&session, "the answer", |view| {
            view.meta.state == SessionState::Completed
                && view.controller.rows().iter().any(|row| row.text == "And then this")
        })
        .await;
}
