//! Forking: creates a session that ends before one of the user's messages, to send that message differently.
//! The original session does not change.

use leptos::task::spawn_local;
use pilothouse_core::Image;
use pilothouse_core::conversation::queue::Lane;
use pilothouse_core::protocol::event::NoticeLevel;
use pilothouse_core::protocol::{Forked, SessionCommand};

use super::Actions;
use crate::browser::files;
use crate::net::{access, read_answer};
use crate::routes;
use crate::routes::Route;
use crate::store::server::Session;

impl Actions {
    /// Forks before a message, and puts the message with its images into the composer of the new session.
    pub fn fork(&self, session: Session, row: usize, images: Vec<Image>) {
        let (actions, source_id) = (*self, session.id());
        self.request_fork(session, Some(row), move |forked| {
            let id = forked.session_id;
            actions.client.drafts.set(&id, forked.text);
            actions.navigate_to(Route::Session(id.clone()));
            spawn_local(async move {
                actions.client.attachments.add(&id, fetch_images(source_id, images).await);
            });
        });
    }

    /// Forks before a message, and sends the edited text with the message's images in the new session.
    pub fn fork_and_send(&self, session: Session, row: usize, text: String, images: Vec<Image>) {
        if text.trim().is_empty() && images.is_empty() {
            return session
                .notify(NoticeLevel::Warning, "The message is empty. Type something to send.".to_owned());
        }
        let (actions, source_id) = (*self, session.id());
        self.request_fork(session, Some(row), move |forked| {
            actions.client.message_edit.end();
            let id = forked.session_id;
            spawn_local(async move {
                let images = fetch_images(source_id, images).await;
                actions.client.drafts.set(&id, text);
                actions.client.attachments.add(&id, images);
                actions.navigate_to(Route::Session(id.clone()));
                actions.send_draft(actions.open(&id), Lane::Steer);
            });
        });
    }

    pub(super) fn request_fork(
        &self,
        session: Session,
        row: Option<usize>,
        on_success: impl FnOnce(Forked) + 'static,
    ) {
        self.request_in_session(session, SessionCommand::Fork { row }, move |session, outcome| {
            match read_answer::<Forked>(outcome) {
                Ok(forked) => on_success(forked),
                Err(error) => session.notify(NoticeLevel::Warning, error),
            }
        });
    }
}

/// Fetches the data of a session's images, so that they can be sent in another session. Skips images that
/// cannot be fetched.
async fn fetch_images(session_id: String, images: Vec<Image>) -> Vec<Image> {
    let mut fetched = Vec::new();
    for Image { mime_type, data, blob } in images {
        let address = routes::blob_address(&session_id, &blob);
        let data = if data.is_empty() { fetch_base64(&address).await } else { Some(data) };
        fetched.extend(data.map(|data| Image { data, blob: String::new(), mime_type }));
    }
    fetched
}

async fn fetch_base64(address: &str) -> Option<String> {
    files::read_base64(&access::fetch(address).await?).await
}
