//! Scheduled messages: changed, taken away and given back while the agent works, each of them sent once or never.

use pilothouse_core::conversation::queue::{Lane, Scheduled};
use pilothouse_core::conversation::ui_message::Kind;
use pilothouse_core::protocol::{QueueEdit, SessionCommand};
use pilothouse_core::{SessionState, SessionView};

use pilothouse_test_support::client::Client;
use pilothouse_test_support::server::TestServer;

use crate::server;

pub struct Scene {
    pub server: TestServer,
    project: tempfile::TempDir,
    pub page: Client,
    pub session: String,
}

/// An agent that waits for the file `go`, and these messages behind it.
pub async fn scene(texts: &[&str]) -> Scene {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "/wait-tool go").await.unwrap();
    page.until(&session, "the tool", |view| view.controller.has_open_call()).await;
    for text in texts {
        page.prompt(&session, text).await.unwrap();
    }
    page.until(&session, "the queue", |view| view.meta.queue.items().len() == texts.len()).await;
    Scene { server, project, page, session }
}

impl Scene {
    fn item(&self, text: &str) -> Scheduled {
        let items = self.page.view(&self.session).meta.queue.items();
        items
            .iter()
            .find(|item| item.text == text)
            .unwrap_or_else(|| panic!("no {text} in {items:?}"))
            .clone()
    }

    async fn edit(&mut self, item: &Scheduled, edit: QueueEdit) -> Result<serde_json::Value, String> {
        let (item_id, revision) = (item.id.clone(), item.revision);
        self.page.ask(&self.session, SessionCommand::EditQueued { item_id, revision, edit }).await
    }

    async fn remove(&mut self, item: &Scheduled) -> Result<serde_json::Value, String> {
        let (item_id, revision) = (item.id.clone(), item.revision);
        self.page.ask(&self.session, SessionCommand::RemoveQueued { item_id, revision }).await
    }

    pub fn go(&self) {
        std::fs::write(self.project.path().join("go"), "").unwrap();
    }

    pub async fn until(&mut self, what: &str, condition: impl Fn(&SessionView) -> bool) {
        self.page.until(&self.session, what, condition).await;
    }

    /// What the person has said, as the conversation shows it, after the one that waits.
    fn said(&self) -> Vec<String> {
        let rows = self.page.rows(&self.session).iter();
        rows.filter(|row| row.kind == Kind::User).skip(1).map(|row| row.text.clone()).collect()
    }
}

fn queue_of(view: &SessionView) -> Vec<&str> {
    view.meta.queue.items().iter().map(|item| item.text.as_str()).collect()
}

#[tokio::test]
async fn a_removed_message_is_never_sent_and_the_others_are_sent_once() {
    let mut scene = scene(&["one", "two", "three"]).await;
    let two = scene.item("two");
    scene.remove(&two).await.unwrap();
    scene.until("two of them", |view| queue_of(view) == ["one", "three"]).await;
    scene.go();
    scene
        .until("the end", |view| view.meta.state == SessionState::Completed && view.meta.queue.is_empty())
        .await;
    assert_eq!(scene.said(), ["one", "three"]);
    assert!(scene.remove(&two).await.unwrap_err().contains("no longer scheduled"));
}

#[tokio::test]
async fn a_message_under_edit_is_held_and_its_new_words_are_sent() {
    let mut scene = scene(&["one", "two"]).await;
    let one = scene.item("one");
    scene.edit(&one, QueueEdit::Begin).await.unwrap();
    assert!(scene.edit(&one, QueueEdit::Begin).await.unwrap_err().contains("changed in the meantime"));
    scene.go();
    scene
        .until("the other", |view| view.meta.state == SessionState::Completed && queue_of(view) == ["one"])
        .await;
    assert_eq!(scene.said(), ["two"]);
    let one = scene.item("one");
    assert!(one.under_edit);
    let images = Vec::new();
    scene.edit(&one, QueueEdit::Finish { text: "one, better".into(), images }).await.unwrap();
    scene
        .until("its run", |view| view.meta.queue.is_empty() && view.meta.state == SessionState::Completed)
        .await;
    assert_eq!(scene.said(), ["two", "one, better"]);
}

#[tokio::test]
async fn an_edit_that_is_broken_off_sends_the_message_as_it_was() {
    let mut scene = scene(&["one"]).await;
    let one = scene.item("one");
    scene.edit(&one, QueueEdit::Begin).await.unwrap();
    let one = scene.item("one");
    let empty = QueueEdit::Finish { text: "  ".into(), images: Vec::new() };
    assert!(scene.edit(&one, empty).await.unwrap_err().contains("empty"));
    scene.edit(&one, QueueEdit::Cancel).await.unwrap();
    scene.go();
    scene
        .until("the end", |view| view.meta.state == SessionState::Completed && view.meta.queue.is_empty())
        .await;
    assert_eq!(scene.said(), ["one"]);
}

#[tokio::test]
async fn a_page_that_goes_away_in_mid_edit_does_not_hold_the_message_back() {
    let mut scene = scene(&["one"]).await;
    let mut other = Client::connect(&scene.server).await;
    other.open(&scene.session).await;
    let one = scene.item("one");
    let begin =
        SessionCommand::EditQueued { item_id: one.id, revision: one.revision, edit: QueueEdit::Begin };
    other.ask(&scene.session, begin).await.unwrap();
    scene.until("the edit", |view| view.meta.queue.items()[0].under_edit).await;
    drop(other.disconnect());
    scene.until("its end", |view| !view.meta.queue.items()[0].under_edit).await;
    scene.go();
    scene
        .until("the end", |view| view.meta.state == SessionState::Completed && view.meta.queue.is_empty())
        .await;
    assert_eq!(scene.said(), ["one"]);
}

#[tokio::test]
async fn what_is_scheduled_while_another_is_changed_keeps_its_place() {
    let mut scene = scene(&["one", "two"]).await;
    let two = scene.item("two");
    // Not waited for: the next message arrives while the agent's queue is being cleared.
    let (item_id, revision) = (two.id, two.revision);
    let removing = scene.page.send(&scene.session, SessionCommand::RemoveQueued { item_id, revision }).await;
    scene.page.prompt(&scene.session, "three").await.unwrap();
    scene.page.response(&removing).await.unwrap();
    scene.go();
    scene
        .until("the end", |view| view.meta.state == SessionState::Completed && view.meta.queue.is_empty())
        .await;
    assert_eq!(scene.said(), ["one", "three"]);
}

#[tokio::test]
async fn restored_messages_come_back_with_their_pictures_and_can_be_sent_again() {
    let mut scene = scene(&[]).await;
    let picture = include_bytes!("../../../demo-agent/src/scenes/lighthouse.png");
    let data = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, picture);
    let image = pilothouse_core::conversation::ui_message::Image {
        mime_type: "image/png".into(),
        data,
        ..Default::default()
    };
    let command = SessionCommand::Prompt {
        client_id: "with-picture".into(),
        message: "look".into(),
        images: vec![image],
        streaming_behavior: Lane::FollowUp,
    };
    scene.page.ask(&scene.session, command).await.unwrap();
    let restored = scene.page.ask(&scene.session, SessionCommand::ClearQueue).await.unwrap();
    let items: Vec<Scheduled> = serde_json::from_value(restored["restored"].clone()).unwrap();
    assert_eq!((items.len(), items[0].images.len()), (1, 1));
    assert!(items[0].images[0].data.is_empty() && !items[0].images[0].blob.is_empty(), "named, not sent");
    scene.go();
    scene.until("the end", |view| view.meta.state == SessionState::Completed).await;
    let again = SessionCommand::Prompt {
        client_id: "again".into(),
        message: "look".into(),
        images: items[0].images.clone(),
        streaming_behavior: Lane::Steer,
    };
    scene.page.ask(&scene.session, again).await.unwrap();
    scene.until("its row", |view| view.controller.rows().iter().any(|row| row.images.len() == 1)).await;
}

#[tokio::test]
async fn what_a_stop_gives_back_can_be_asked_for_again() {
    let mut scene = scene(&["one"]).await;
    let frame = |session: &str| format!(r#"{{"id":"the-stop","type":"abort","session_id":"{session}"}}"#);
    let session = scene.session.clone();
    scene.page.send_text(&frame(&session)).await;
    let first = scene.page.response("the-stop").await.unwrap();
    assert_eq!(first["restored"][0]["text"], "one");
    // The answer was lost with the connection.
    let mut back = Client::connect(&scene.server).await;
    back.send_text(&frame(&session)).await;
    assert_eq!(back.response("the-stop").await.unwrap(), first);
}
