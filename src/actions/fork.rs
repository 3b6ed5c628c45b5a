//! Going back in a conversation: a new session that ends before one of the person's messages, to say it differently.
//! What was said stays where it is.

use leptos::task::spawn_local;
use pilothouse_core::Image;
use pilothouse_core::conversation::queue::Lane;
use pilothouse_core::protocol::event::NoticeLevel;
use pilothouse_core::protocol::{Forked, SessionCommand};

use super::Actions;
use crate::browser::files;
use crate::net::read_answer;
use crate::routes;
use crate::routes::Route;
use crate::store::server::Session;

impl Actions {
    /// The message is in the composer of the new session, with its pictures, to be changed and sent.
    pub fn fork(&self, session: Session, row: usize, images: Vec<Image>) {
        let (actions, from) = (*self, session.id());
        self.fork_and(session, row, move |forked| {
            let id = forked.session_id;
            actions.client.drafts.set(&id, forked.text);
            actions.go(Route::Session(id.clone()));
            spawn_local(async move { actions.client.attachments.add(&id, fetched(from, images).await) });
        });
    }

    /// The message goes out anew in the new session, with other words and the same pictures.
    pub fn resend(&self, session: Session, row: usize, text: String, images: Vec<Image>) {
        if text.trim().is_empty() && images.is_empty() {
            return session.notify(NoticeLevel::Warning, "An empty message is not sent.".to_owned());
        }
        let (actions, from) = (*self, session.id());
        self.fork_and(session, row, move |forked| {
            actions.client.message_edit.end();
            let id = forked.session_id;
            spawn_local(async move {
                let pictures = fetched(from, images).await;
                actions.client.drafts.set(&id, text);
                actions.client.attachments.add(&id, pictures);
                actions.go(Route::Session(id.clone()));
                actions.send_draft(actions.open(&id), Lane::Steer);
            });
        });
    }

    fn fork_and(&self, session: Session, row: usize, then: impl FnOnce(Forked) + 'static) {
        self.ask_in(session, SessionCommand::Fork { row }, move |session, outcome| {
            match read_answer::<Forked>(outcome) {
                Ok(forked) => then(forked),
                Err(error) => session.notify(NoticeLevel::Warning, error),
            }
        });
    }
}

/// The pictures of a session's message, to be sent in another.
async fn fetched(session_id: String, images: Vec<Image>) -> Vec<Image> {
    let mut pictures = Vec::new();
    for Image { mime_type, data, blob } in images {
        let address = routes::blob_address(&session_id, &blob);
        let data = if data.is_empty() { files::fetch_base64(&address).await } else { Some(data) };
        pictures.extend(data.map(|data| Image { data, blob: String::new(), mime_type }));
    }
    pictures
}
