//! Two things that are asked of one session at the same moment: each is done whole or refused with words.

use pilothouse_core::SessionState;
use pilothouse_core::conversation::ui_message::Kind;
use pilothouse_core::protocol::{HubCommand, SessionCommand};

use pilothouse_test_support::client::{Client, prompt, visible};
use pilothouse_test_support::process::signal;
use pilothouse_test_support::server::ServerSetup;
use pilothouse_test_support::session_file::assert_one_branch;

use crate::elsewhere::go_on_elsewhere;
use crate::queue::scene;
use crate::{binary, server};

#[tokio::test]
async fn a_prompt_that_meets_a_renaming_waits_for_it_and_the_file_does_not_branch() {
    let (mut first, project) = server();
    let mut page = Client::connect(&first).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "Hello").await.unwrap();
    page.until_state(&session, SessionState::Completed).await;
    first.kill_and_restart();
    let mut page = Client::connect(&first).await;
    page.open(&session).await;
    let renamed = page.send(&session, SessionCommand::RenameSession { title: "A new name".into() }).await;
    let prompted = page.send(&session, prompt("c1", "And at once")).await;
    page.response(&renamed).await.unwrap();
    page.response(&prompted).await.unwrap();
    page.until(&session, "the answer", |view| {
        view.meta.state == SessionState::Completed
            && view.controller.rows().iter().any(|row| row.text == "And at once")
    })
    .await;
    assert_eq!(page.view(&session).meta.title, "A new name");
    assert_one_branch(&first.session_file(&session));
}

#[tokio::test]
async fn a_prompt_that_meets_a_deletion_is_refused_with_words_and_nothing_of_the_session_stays() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let mut other = Client::connect(&server).await;
    for round in 0..8 {
        let session = page.new_session(project.path()).await;
        other.open(&session).await;
        page.prompt(&session, "Hello").await.unwrap();
        page.until_state(&session, SessionState::Completed).await;
        let deleted = page.send_hub(HubCommand::DeleteSession { session_id: session.clone() }).await;
        let mut answers = Vec::new();
        for number in 0..round {
            answers.push(other.send(&session, prompt(&format!("c{round}-{number}"), "Still there?")).await);
        }
        page.response(&deleted).await.unwrap();
        for answer in answers {
            // One that was quicker than the deletion was taken; every other is told why not.
            if let Err(why) = other.response(&answer).await {
                let words = ["being closed", "no such session", "process ended", "being stopped"];
                assert!(words.iter().any(|word| why.contains(word)), "{why}");
            }
        }
        assert!(other.prompt(&session, "And now?").await.unwrap_err().contains("no such session"));
        let listed = page.ask_hub(HubCommand::ListSessions).await.unwrap();
        assert_eq!(listed["sessions"].as_array().unwrap().len(), 0);
    }
    assert_eq!(server.agents(), Vec::<u32>::new());
}

#[tokio::test]
async fn what_another_program_wrote_a_moment_ago_is_seen_before_a_prompt_is_taken() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "Hello").await.unwrap();
    page.until_state(&session, SessionState::Completed).await;
    // The numbers of the run come last: the process has nothing to say any more.
    page.until(&session, "the numbers", |view| view.meta.context_usage.is_some()).await;
    let file = server.session_file(&session);
    go_on_elsewhere(&file, 1);
    let refused = page.prompt(&session, "And here").await;
    assert!(refused.unwrap_err().contains("Another program"));
    page.until_text(&session, "Answered elsewhere 1").await;
    let deleted = page.ask_hub(HubCommand::DeleteSession { session_id: session.clone() }).await;
    assert!(deleted.unwrap_err().contains("Another program"));
    assert!(file.exists());
    assert_one_branch(&file);
}

#[tokio::test]
async fn what_another_program_writes_while_our_own_agent_works_is_told_and_shown_when_it_rests() {
    let mut scene = scene(&[]).await;
    let file = scene.server.session_file(&scene.session);
    go_on_elsewhere(&file, 1);
    scene.go();
    scene.until("the other program", |view| view.meta.external_writer).await;
    // The file branched: what stands on its last branch is what a reload shows.
    let session = scene.session.clone();
    let mut other = Client::connect(&scene.server).await;
    other.open(&session).await;
    let epoch = other.view(&session).epoch.clone();
    scene.until("the file as it is", |view| view.epoch == epoch && !view.meta.state.is_active()).await;
    assert_eq!(visible(other.rows(&session)), visible(scene.page.rows(&session)));
    let refused = scene.page.prompt(&session, "And here").await;
    assert!(refused.unwrap_err().contains("Another program"));
}

#[tokio::test]
async fn a_message_can_be_removed_in_the_very_moment_in_which_it_is_scheduled() {
    let mut scene = scene(&[]).await;
    let session = scene.session.clone();
    for number in 0..10 {
        let (id, text) = (format!("c{number}"), format!("Message {number}"));
        let scheduled = scene.page.send(&session, prompt(&id, &text)).await;
        let remove = SessionCommand::RemoveQueued { item_id: id, revision: 0 };
        let removed = scene.page.send(&session, remove).await;
        scene.page.response(&scheduled).await.unwrap();
        scene.page.response(&removed).await.unwrap();
    }
    scene.go();
    scene.until("the end", |view| view.meta.state == SessionState::Completed).await;
    let said = scene.page.rows(&session).iter().filter(|row| row.kind == Kind::User).count();
    assert_eq!(said, 1, "none of them was sent");
}

#[tokio::test]
async fn a_stop_in_the_moment_in_which_a_message_is_scheduled_gives_it_back_and_nothing_runs_on() {
    let mut scene = scene(&[]).await;
    let session = scene.session.clone();
    let scheduled = scene.page.send(&session, prompt("c1", "Never mind")).await;
    let stopped = scene.page.send(&session, SessionCommand::Abort).await;
    scene.page.response(&scheduled).await.unwrap();
    let given_back = scene.page.response(&stopped).await.unwrap();
    assert_eq!(given_back["restored"][0]["text"], "Never mind");
    scene.until("the stop", |view| view.meta.state == SessionState::Stopped).await;
    scene.page.prompt(&session, "Something else").await.unwrap();
    scene.until("the answer", |view| view.meta.state == SessionState::Completed).await;
    assert!(scene.page.rows(&session).iter().all(|row| row.text != "Never mind"));
}

#[tokio::test]
async fn what_was_acknowledged_stays_when_the_agent_cannot_be_started_to_resume_it() {
    let project = tempfile::tempdir().unwrap();
    let work = project.path().join("work");
    std::fs::create_dir(&work).unwrap();
    let mut server = ServerSetup::new(binary()).project(project.path()).start();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(&work).await;
    page.prompt(&session, "/wait-tool never").await.unwrap();
    page.until(&session, "the tool", |view| view.controller.has_open_call()).await;
    page.prompt(&session, "And then this").await.unwrap();
    signal(server.agent(), "KILL");
    server.kill_and_restart();
    std::fs::remove_dir_all(&work).unwrap();
    let mut page = Client::connect(&server).await;
    page.open(&session).await;
    for _ in 0..2 {
        let refused = page.ask(&session, SessionCommand::ResumeSession).await;
        assert!(refused.unwrap_err().contains("no longer exists"));
        let waiting: Vec<&str> =
            page.view(&session).meta.queue.items().iter().map(|item| item.text.as_str()).collect();
        assert_eq!(waiting, ["And then this"]);
    }
    std::fs::create_dir(&work).unwrap();
    page.ask(&session, SessionCommand::ResumeSession).await.unwrap();
    page.until(&session, "the answer", |view| {
        view.meta.state == SessionState::Completed
            && view.controller.rows().iter().any(|row| row.text == "And then this")
    })
    .await;
}
