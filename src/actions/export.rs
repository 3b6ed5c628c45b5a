//! Exporting a whole conversation as Markdown. Rows that are not loaded are loaded first.

use leptos::prelude::*;
use pilothouse_core::protocol::SessionMetaStoreFields;
use pilothouse_core::protocol::event::NoticeLevel;
use pilothouse_core::render::export;

use super::Actions;
use crate::browser::clipboard;
use crate::store::server::Session;

impl Actions {
    pub fn copy_conversation(&self, session: Session) {
        self.with_all_rows(session, |session| {
            clipboard::copy(&markdown(session), move |copied| match copied {
                true => session.notify(NoticeLevel::Info, "Conversation copied to the clipboard.".to_owned()),
                false => session.notify(
                    NoticeLevel::Warning,
                    "Couldn't copy: the browser blocked access to the clipboard.".to_owned(),
                ),
            });
        });
    }

    /// Downloads the conversation as a file that is named after the title.
    pub fn download_conversation(&self, session: Session) {
        self.with_all_rows(session, |session| {
            let replace_special = |letter: char| if letter.is_alphanumeric() { letter } else { '-' };
            let title = session.meta.title().get_untracked();
            let name: String = title.chars().take(60).map(replace_special).collect();
            let name = name.split('-').filter(|part| !part.is_empty()).collect::<Vec<&str>>().join("-");
            clipboard::download(
                &format!("{}.md", if name.is_empty() { "conversation" } else { &name }),
                &markdown(session),
            );
        });
    }

    /// Runs `export` once all rows of an opened session are loaded.
    fn with_all_rows(&self, session: Session, export: impl FnOnce(Session) + 'static) {
        if session.first() == 0 {
            return export(session);
        }
        let on_loaded = move |is_loaded: bool| {
            if is_loaded {
                export(session);
            }
        };
        self.load_rows_back_to(session, 0, Box::new(on_loaded));
    }
}

fn markdown(session: Session) -> String {
    session.with_rows(|rows| export::conversation(&session.meta.title().get_untracked(), rows))
}
