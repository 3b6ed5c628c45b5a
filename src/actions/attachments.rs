//! Attachments into the composer: known by their content, made smaller where that is needed, and refused in words where
//! there is no room for them.

use leptos::prelude::*;
use leptos::task::spawn_local;
use pilothouse_core::Image;
use pilothouse_core::limits::{IMAGE_BYTES, IMAGE_FILE_BYTES};
use pilothouse_core::protocol::SessionMetaStoreFields;
use web_sys::{Blob, File};

use super::Actions;
use crate::browser;
use crate::browser::{files, image_resize};
use crate::store::client::image_rules;
use crate::store::client::image_rules::SIGNATURE_BYTES;
use crate::store::server::Session;

impl Actions {
    /// From the clipboard, a drop or the file picker.
    pub fn attach(&self, session: Session, chosen: Vec<File>) {
        let (actions, id) = (*self, session.id());
        self.client.attachments.problem.set(None);
        if !session.meta.capabilities().with_untracked(|can| can.images) {
            return self.refuse_picture(id, "This agent takes no images.".to_owned());
        }
        // One after the other, so that they stand in the order in which they were chosen.
        spawn_local(async move {
            let mut refused = None;
            for file in chosen {
                if let Err(why) = actions.take_picture(&id, &file).await {
                    refused.get_or_insert(why);
                }
            }
            if let Some(why) = refused {
                actions.refuse_picture(id, why);
            }
        });
    }

    async fn take_picture(&self, session_id: &str, file: &File) -> Result<(), String> {
        let mime_type = kind_of(file).await.ok_or("Only PNG, JPEG, GIF and WebP images can be sent.")?;
        // A film named like a picture must not fill the memory.
        if file.size() > IMAGE_FILE_BYTES as f64 {
            return Err(image_rules::too_large(file.size() as usize, IMAGE_FILE_BYTES));
        }
        let (content, mime_type) = fitting(file, mime_type).await;
        let room = |size: f64| {
            let waiting = self.client.attachments.images(session_id);
            image_rules::refusal(&waiting, size as usize).map_or(Ok(()), Err)
        };
        room(content.size())?;
        let data = files::read_base64(&content).await.ok_or("The image could not be read.")?;
        // Others may have been taken while this one was read.
        room(content.size())?;
        let image = Image { mime_type: mime_type.to_owned(), data, blob: String::new() };
        self.client.attachments.add(session_id, vec![image]);
        Ok(())
    }

    fn refuse_picture(&self, session_id: String, why: String) {
        self.client.attachments.problem.set(Some((session_id, why)));
    }
}

async fn kind_of(file: &File) -> Option<&'static str> {
    let first = file.slice_with_i32_and_i32(0, SIGNATURE_BYTES as i32).ok()?;
    let first = files::read_base64(&first).await?;
    image_rules::detect_mime_type(&browser::decode_base64_prefix(&first, SIGNATURE_BYTES))
}

/// The picture as it is, or drawn anew if it is larger than a model looks at or than a message takes. What cannot be
/// drawn stays as it is: whether there is room for it is asked afterwards.
async fn fitting(file: &File, mime_type: &'static str) -> (Blob, &'static str) {
    let as_it_is = || (Blob::from(file.clone()), mime_type);
    let Some(picture) = image_resize::decode(file).await else { return as_it_is() };
    let size = image_rules::target_size(picture.width(), picture.height(), file.size() as usize);
    let Some(size) = size else { return as_it_is() };
    for kind in image_rules::encodings_for(mime_type) {
        if let Some(made) = image_resize::resize(&picture, size, kind).await
            && made.size() <= IMAGE_BYTES as f64
        {
            return (made, kind);
        }
    }
    as_it_is()
}
