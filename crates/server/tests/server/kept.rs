//! What is kept over a kill -9 of the server and a restart: everything that was acknowledged, and what was being said.

use pilothouse_core::SessionState;
use pilothouse_core::conversation::ui_message::{Kind, Mark};
use pilothouse_core::protocol::{HubCommand, SessionCommand};

use pilothouse_test_support::client::{Client, prompt, visible};
use pilothouse_test_support::process::signal;
use pilothouse_test_support::server::TestServer;

use crate::server;

/// Kills the server, starts it again, and connects.
async fn restarted(server: &mut TestServer) -> Client {
    server.kill_and_restart();
    Client::connect(server).await
}

#[tokio::test]
async fn a_reply_that_was_cut_off_is_there_again_and_marked() {
    let (mut server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "Hello").await.unwrap();
    page.until_state(&session, SessionState::Completed).await;
    page.prompt(&session, "/wait go").await.unwrap();
    page.until_text(&session, "exists.").await;
    let shown = page.rows(&session).last().unwrap().clone();
    // What is being said is noted a moment later.
    noted(&server, &shown.text).await;
    let mut back = restarted(&mut server).await;
    back.open(&session).await;
    let row = back.rows(&session).last().unwrap().clone();
    assert_eq!((row.text, row.mark), (shown.text, Some(Mark::Interrupted)), "{}", server.log());
    assert_eq!(back.view(&session).meta.state, SessionState::Paused);

    // It keeps its place when the conversation goes on, also over the next restart.
    back.prompt(&session, "Hello again").await.unwrap();
    back.until_state(&session, SessionState::Completed).await;
    let live = visible(back.rows(&session));
    let mut last = restarted(&mut server).await;
    last.open(&session).await;
    assert_eq!(visible(last.rows(&session)), live);
}

/// Waits until the store has this text.
pub async fn noted(server: &TestServer, text: &str) {
    let path = server.data.join("store.db");
    for _ in 0..600 {
        let found = [path.clone(), path.with_extension("db-wal")].iter().any(|file| {
            let bytes = std::fs::read(file).unwrap_or_default();
            bytes.windows(text.len()).any(|window| window == text.as_bytes())
        });
        if found {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("never noted");
}

#[tokio::test]
async fn the_queue_is_there_again_and_is_sent_when_the_person_goes_on() {
    let (mut server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "/wait-tool go").await.unwrap();
    page.until(&session, "the tool", |view| view.controller.has_open_call()).await;
    page.ask(&session, prompt("later-1", "first of the queue")).await.unwrap();
    page.ask(&session, prompt("later-2", "second of the queue")).await.unwrap();
    let mut back = restarted(&mut server).await;
    back.open(&session).await;
    let queue: Vec<String> =
        back.view(&session).meta.queue.items().iter().map(|item| item.text.clone()).collect();
    assert_eq!(queue, ["first of the queue", "second of the queue"]);
    assert_eq!(back.view(&session).meta.state, SessionState::Paused);
    // Sent again after the lost connection: the server still knows it.
    back.ask(&session, prompt("later-1", "first of the queue")).await.unwrap();
    back.ask(&session, SessionCommand::ResumeSession).await.unwrap();
    back.until(&session, "the end", |view| {
        view.meta.state == SessionState::Completed && view.meta.queue.is_empty()
    })
    .await;
    let said = back.rows(&session).iter().filter(|row| row.kind == Kind::User).map(|row| row.text.as_str());
    assert_eq!(said.collect::<Vec<_>>(), ["/wait-tool go", "first of the queue", "second of the queue"]);
}

#[tokio::test]
async fn an_approval_that_was_open_is_closed_and_says_so() {
    let (mut server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "/approve").await.unwrap();
    page.until_state(&session, SessionState::WaitingApproval).await;
    let title = page.view(&session).meta.asks[0].title.clone();
    let mut back = restarted(&mut server).await;
    back.open(&session).await;
    let view = back.view(&session);
    assert_eq!((view.meta.asks.len(), view.meta.state), (0, SessionState::Paused));
    let row = view.controller.rows().iter().find(|row| row.kind == Kind::System).unwrap();
    assert!(row.text.contains("Not answered") && row.text.contains(&title), "{}", row.text);
}

#[tokio::test]
async fn an_answer_and_a_crash_stay_in_the_conversation() {
    let (mut server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "/approve").await.unwrap();
    page.until_state(&session, SessionState::WaitingApproval).await;
    let ask_id = page.view(&session).meta.asks[0].id.clone();
    let answer = pilothouse_core::conversation::ask::Answer::Choose(
        page.view(&session).meta.asks[0].options[0].clone(),
    );
    page.ask(&session, SessionCommand::Answer { ask_id, answer }).await.unwrap();
    page.until_state(&session, SessionState::Completed).await;
    assert!(page.rows(&session).iter().any(|row| row.text.contains("You chose")));
    page.prompt(&session, "/wait go").await.unwrap();
    page.until_text(&session, "exists.").await;
    signal(server.agent(), "KILL");
    page.until_state(&session, SessionState::Error).await;
    page.prompt(&session, "And on").await.unwrap();
    page.until_state(&session, SessionState::Completed).await;
    let live = visible(page.rows(&session));
    assert!(live.iter().any(|row| row.contains("exit code") || row.contains("signal")), "{live:#?}");
    let mut back = restarted(&mut server).await;
    back.open(&session).await;
    assert_eq!(visible(back.rows(&session)), live);
}

#[tokio::test]
async fn pins_drafts_and_read_marks_are_kept_and_shown_to_every_page() {
    let (mut server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "Hello").await.unwrap();
    page.until_state(&session, SessionState::Completed).await;
    let of =
        |page: &Client| page.welcome.sessions.iter().find(|listed| listed.id == session).unwrap().clone();
    page.ask_hub(HubCommand::MarkRead { session_id: session.clone() }).await.unwrap();
    page.ask_hub(HubCommand::Pin { session_id: session.clone(), pinned: true }).await.unwrap();
    page.ask_hub(HubCommand::SetDraft { session_id: session.clone(), text: "half a thought".into() })
        .await
        .unwrap();
    assert!(of(&page).pinned && !of(&page).unread && !of(&page).archived);
    // Something happens that nobody has read.
    page.prompt(&session, "More").await.unwrap();
    page.until_state(&session, SessionState::Completed).await;
    while !of(&page).unread {
        page.receive_frame().await;
    }
    let mut back = restarted(&mut server).await;
    assert!(of(&back).pinned && of(&back).unread);
    back.open(&session).await;
    assert_eq!(back.view(&session).meta.draft, "half a thought");
    back.ask_hub(HubCommand::Archive { session_id: session.clone(), archived: true }).await.unwrap();
    back.ask_hub(HubCommand::MarkRead { session_id: session.clone() }).await.unwrap();
    assert!(of(&back).archived && !of(&back).unread);
    let unknown = back.ask_hub(HubCommand::Pin { session_id: "nobody".to_owned(), pinned: true }).await;
    assert!(unknown.unwrap_err().contains("no such session"));
}
