//! A whole conversation leaves the page as Markdown; what is not held here is fetched first.

use leptos::prelude::*;
use pilothouse_core::protocol::SessionMetaStoreFields;
use pilothouse_core::protocol::event::NoticeLevel;
use pilothouse_core::render::export;

use super::Actions;
use crate::browser::clipboard;
use crate::store::server::Session;

impl Actions {
    pub fn copy_conversation(&self, session_id: &str) {
        self.with_whole(session_id, |session| {
            clipboard::copy(&markdown(session), move |copied| match copied {
                true => session.notify(NoticeLevel::Info, "The conversation is in the clipboard.".to_owned()),
                false => session.notify(NoticeLevel::Warning, "The browser does not allow it.".to_owned()),
            });
        });
    }

    pub fn save_conversation(&self, session_id: &str) {
        self.with_whole(session_id, |session| {
            let plain = |letter: char| if letter.is_alphanumeric() { letter } else { '-' };
            let name: String = session.meta.title().get_untracked().chars().take(60).map(plain).collect();
            let name = name.split('-').filter(|part| !part.is_empty()).collect::<Vec<&str>>().join("-");
            clipboard::download(
                &format!("{}.md", if name.is_empty() { "conversation" } else { &name }),
                &markdown(session),
            );
        });
    }

    /// Only of a session that is open here.
    fn with_whole(&self, session_id: &str, act: impl FnOnce(Session) + 'static) {
        let Some(session) = self.server.opened(session_id) else { return };
        if session.first() == 0 {
            return act(session);
        }
        self.fetch_until(session, 0, Box::new(move |found| _ = found.map(|_| act(session))));
    }
}

fn markdown(session: Session) -> String {
    session.with_rows(|rows| export::conversation(&session.meta.title().get_untracked(), rows))
}
