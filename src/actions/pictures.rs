//! Pictures into the composer: read, known by their content, and refused in words where there is no room for them.

use leptos::prelude::*;
use pilothouse_core::Image;

use super::Actions;
use crate::browser::{self, files};
use crate::state::client::picture_rules::{self, TELLING_BYTES};
use crate::state::server::Session;

impl Actions {
    /// From the clipboard, a drop or the file picker.
    pub fn attach(&self, session: Session, chosen: Vec<web_sys::File>) {
        self.client.pictures.problem.set(None);
        if !session.capabilities.with_untracked(|can| can.images) {
            return self.refuse_picture("This agent takes no images.".to_owned());
        }
        let (actions, id) = (*self, session.id());
        for file in chosen {
            // Before it is read: a film dropped by mistake must not fill the memory.
            if let Some(why) = self.no_room(&id, file.size()) {
                return self.refuse_picture(why);
            }
            let (id, size) = (id.clone(), file.size());
            files::read(&file, move |data| actions.take_picture(&id, data, size));
        }
    }

    fn take_picture(&self, session_id: &str, data: Option<String>, size: f64) {
        let Some(data) = data else {
            return self.refuse_picture("The image could not be read.".to_owned());
        };
        let Some(mime_type) = picture_rules::kind_of(&browser::first_bytes(&data, TELLING_BYTES)) else {
            return self.refuse_picture("Only PNG, JPEG, GIF and WebP images can be sent.".to_owned());
        };
        // Others may have been taken while this one was read.
        match self.no_room(session_id, size) {
            Some(why) => self.refuse_picture(why),
            None => self
                .client
                .pictures
                .add(session_id, vec![Image { mime_type: mime_type.to_owned(), data, blob: String::new() }]),
        }
    }

    fn no_room(&self, session_id: &str, size: f64) -> Option<String> {
        picture_rules::refusal(&self.client.pictures.images(session_id), size as usize)
    }

    fn refuse_picture(&self, why: String) {
        self.client.pictures.problem.set(Some(why));
    }
}
