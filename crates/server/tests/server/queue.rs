//! Scheduled messages: edited, removed and returned while the agent works. Each is sent once or never.

use pilothouse_core::conversation::queue::{Lane, Scheduled};
use pilothouse_core::conversation::ui_message::Kind;
use pilothouse_core::protocol::{CommandError, ErrorCode, QueueEdit, SessionCommand};
use pilothouse_core::{SessionState, SessionView};

use pilothouse_test_support::client::Client;
use pilothouse_test_support::server::TestServer;

use crate::server;

/// A session whose run continues when the file `go` exists.
pub struct Scene {
    pub server: TestServer,
    project: tempfile::TempDir,
    pub client: Client,
    pub session: String,
}

/// Starts a run that waits for the file `go`, and schedules these messages.
pub async fn scene(texts: &[&str]) -> Scene {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "/wait-tool go").await.unwrap();
    client.until(&session, "the tool", |view| view.controller.has_open_call()).await;
    for text in texts {
        client.prompt(&session, text).await.unwrap();
    }
    client.until(&session, "the queue", |view| view.meta.queue.items().len() == texts.len()).await;
    Scene { server, project, client, session }
}

impl Scene {
    fn item(&self, text: &str) -> Scheduled {
        let items = self.client.view(&self.session).meta.queue.items();
        items
            .iter()
            .find(|item| item.text == text)
            .unwrap_or_else(|| panic!("{text:?} is not in the queue: {items:?}"))
            .clone()
    }

    async fn edit(&mut self, item: &Scheduled, edit: QueueEdit) -> Result<serde_json::Value, CommandError> {
        let (item_id, revision) = (item.id.clone(), item.revision);
        self.client.ask(&self.session, SessionCommand::EditQueued { item_id, revision, edit }).await
    }

    async fn remove(&mut self, item: &Scheduled) -> Result<serde_json::Value, CommandError> {
        let (item_id, revision) = (item.id.clone(), item.revision);
        self.client.ask(&self.session, SessionCommand::RemoveQueued { item_id, revision }).await
    }

    /// Lets the run continue.
    pub fn go(&self) {
        std::fs::write(self.project.path().join("go"), "").unwrap();
    }

    pub async fn until(&mut self, what: &str, condition: impl Fn(&SessionView) -> bool) {
        self.client.until(&self.session, what, condition).await;
    }

    /// The texts of the user's messages after the one that waits.
    fn sent(&self) -> Vec<String> {
        let rows = self.client.rows(&self.session).iter();
        rows.filter(|row| row.kind == Kind::User).skip(1).map(|row| row.text.clone()).collect()
    }
}

fn queued(view: &SessionView) -> Vec<&str> {
    view.meta.queue.items().iter().map(|item| item.text.as_str()).collect()
}

#[tokio::test]
async fn promise_36_a_removed_message_is_never_sent_and_the_others_are_sent_once() {
    let mut scene = scene(&["one", "two", "three"]).await;
    let two = scene.item("two");
    scene.remove(&two).await.unwrap();
    scene.until("the removal", |view| queued(view) == ["one", "three"]).await;
    scene.go();
    scene
        .until("the end", |view| view.meta.state == SessionState::Completed && view.meta.queue.is_empty())
        .await;
    assert_eq!(scene.sent(), ["one", "three"]);
    assert_eq!(scene.remove(&two).await.unwrap_err().code, ErrorCode::Gone);
}

#[tokio::test]
async fn promise_36_a_message_under_edit_is_held_and_sent_with_its_new_text() {
    let mut scene = scene(&["one", "two"]).await;
    let one = scene.item("one");
    scene.edit(&one, QueueEdit::Begin).await.unwrap();
    assert_eq!(scene.edit(&one, QueueEdit::Begin).await.unwrap_err().code, ErrorCode::Conflict);
    scene.go();
    scene
        .until("the end of the other message", |view| {
            view.meta.state == SessionState::Completed && queued(view) == ["one"]
        })
        .await;
    assert_eq!(scene.sent(), ["two"]);
    let one = scene.item("one");
    assert!(one.under_edit);
    let images = Vec::new();
    scene.edit(&one, QueueEdit::Finish { text: "one, better".into(), images }).await.unwrap();
    scene
        .until("the end of the edited message", |view| {
            view.meta.queue.is_empty() && view.meta.state == SessionState::Completed
        })
        .await;
    assert_eq!(scene.sent(), ["two", "one, better"]);
}

#[tokio::test]
async fn a_cancelled_edit_leaves_the_message_unchanged() {
    let mut scene = scene(&["one"]).await;
    let one = scene.item("one");
    scene.edit(&one, QueueEdit::Begin).await.unwrap();
    let one = scene.item("one");
    let empty = QueueEdit::Finish { text: "  ".into(), images: Vec::new() };
    assert_eq!(scene.edit(&one, empty).await.unwrap_err().code, ErrorCode::InvalidRequest);
    scene.edit(&one, QueueEdit::Cancel).await.unwrap();
    scene.go();
    scene
        .until("the end", |view| view.meta.state == SessionState::Completed && view.meta.queue.is_empty())
        .await;
    assert_eq!(scene.sent(), ["one"]);
}

#[tokio::test]
async fn a_disconnected_client_does_not_hold_the_message_that_it_was_editing() {
    let mut scene = scene(&["one"]).await;
    let mut other = Client::connect(&scene.server).await;
    other.open(&scene.session).await;
    let one = scene.item("one");
    let begin =
        SessionCommand::EditQueued { item_id: one.id, revision: one.revision, edit: QueueEdit::Begin };
    other.ask(&scene.session, begin).await.unwrap();
    scene.until("the edit", |view| view.meta.queue.items()[0].under_edit).await;
    drop(other.disconnect());
    scene.until("the end of the edit", |view| !view.meta.queue.items()[0].under_edit).await;
    scene.go();
    scene
        .until("the end", |view| view.meta.state == SessionState::Completed && view.meta.queue.is_empty())
        .await;
    assert_eq!(scene.sent(), ["one"]);
}

#[tokio::test]
async fn a_message_scheduled_during_a_removal_keeps_its_place() {
    let mut scene = scene(&["one", "two"]).await;
    let two = scene.item("two");
    // The next message arrives while the agent's queue is being cleared.
    let (item_id, revision) = (two.id, two.revision);
    let removing =
        scene.client.send(&scene.session, SessionCommand::RemoveQueued { item_id, revision }).await;
    scene.client.prompt(&scene.session, "three").await.unwrap();
    scene.client.response(&removing).await.unwrap();
    scene.go();
    scene
        .until("the end", |view| view.meta.state == SessionState::Completed && view.meta.queue.is_empty())
        .await;
    assert_eq!(scene.sent(), ["one", "three"]);
}

#[tokio::test]
async fn returned_messages_keep_their_images_and_can_be_sent_again() {
    let mut scene = scene(&[]).await;
    let file = include_bytes!("../../../demo-agent/src/scenes/lighthouse.png");
    let data = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, file);
    let image = pilothouse_core::conversation::ui_message::Image {
        mime_type: "image/png".into(),
        data,
        ..Default::default()
    };
    let command = SessionCommand::Prompt {
        client_id: "with-image".into(),
        message: "look".into(),
        images: vec![image],
        streaming_behavior: Lane::FollowUp,
    };
    scene.client.ask(&scene.session, command).await.unwrap();
    let restored = scene.client.ask(&scene.session, SessionCommand::ClearQueue).await.unwrap();
    let items: Vec<Scheduled> = serde_json::from_value(restored["restored"].clone()).unwrap();
    assert_eq!((items.len(), items[0].images.len()), (1, 1));
    assert!(
        items[0].images[0].data.is_empty() && !items[0].images[0].blob.is_empty(),
        "the reply contains the image instead of its name"
    );
    scene.go();
    scene.until("the end", |view| view.meta.state == SessionState::Completed).await;
    let again = SessionCommand::Prompt {
        client_id: "again".into(),
        message: "look".into(),
        images: items[0].images.clone(),
        streaming_behavior: Lane::Steer,
    };
    scene.client.ask(&scene.session, again).await.unwrap();
    scene
        .until("the row with the image", |view| {
            view.controller.rows().iter().any(|row| row.images.len() == 1)
        })
        .await;
}

#[tokio::test]
async fn a_repeated_stop_returns_the_same_messages() {
    let mut scene = scene(&["one"]).await;
    let frame = |session: &str| format!(r#"{{"id":"the-stop","type":"abort","session_id":"{session}"}}"#);
    let session = scene.session.clone();
    scene.client.send_text(&frame(&session)).await;
    let first = scene.client.response("the-stop").await.unwrap();
    assert_eq!(first["restored"][0]["text"], "one");
    // A client that lost the reply with its connection sends the command again.
    let mut client = Client::connect(&scene.server).await;
    client.send_text(&frame(&session)).await;
    assert_eq!(client.response("the-stop").await.unwrap(), first);
}
