//! The composer's attachments, per session. They are saved in IndexedDB and restored after a reload.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use leptos::prelude::*;
use leptos::task::spawn_local;
use pilothouse_core::Image;

use crate::browser::{indexed_db, local_storage};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Identifies the attachment: the same image may be attached twice.
    pub key: u64,
    pub image: Image,
}

static NEXT_KEY: AtomicU64 = AtomicU64::new(0);

impl Attachment {
    fn new(image: Image) -> Self {
        Self { key: NEXT_KEY.fetch_add(1, Ordering::Relaxed), image }
    }
}

#[derive(Clone, Copy)]
pub struct Attachments {
    owner: StoredValue<Owner>,
    trays: StoredValue<HashMap<String, RwSignal<Vec<Attachment>>>>,
    /// The session in which an image was refused, and the reason.
    pub problem: RwSignal<Option<(String, String)>>,
}

impl Default for Attachments {
    /// Creates the signals in the current owner, which must be the page's.
    fn default() -> Self {
        Self {
            owner: StoredValue::new(Owner::current().unwrap_or_default()),
            trays: StoredValue::default(),
            problem: RwSignal::default(),
        }
    }
}

impl Attachments {
    pub fn of(&self, session_id: &str) -> RwSignal<Vec<Attachment>> {
        if let Some(tray) = self.trays.with_value(|trays| trays.get(session_id).copied()) {
            return tray;
        }
        let tray = self.owner.with_value(|owner| owner.with(RwSignal::default));
        self.trays.update_value(|trays| {
            trays.insert(session_id.to_owned(), tray);
        });
        // A flag in `localStorage` saves most sessions the slow database request.
        if local_storage::get(&key(session_id)).is_some() {
            self.restore(session_id.to_owned(), tray);
        }
        tray
    }

    /// Loads the saved attachments and puts them before those that were added in the meantime. If those were sent
    /// already, the restored ones were not part of that message, so they stay attached and are saved again.
    fn restore(&self, session_id: String, tray: RwSignal<Vec<Attachment>>) {
        let attachments = *self;
        spawn_local(async move {
            let saved = decode_images(&indexed_db::get(&key(&session_id)).await);
            if saved.is_empty() {
                return;
            }
            // The session may have been removed in the meantime.
            if !attachments.trays.with_value(|trays| trays.contains_key(&session_id)) {
                return;
            }
            let saved: Vec<Attachment> = saved.into_iter().map(Attachment::new).collect();
            tray.try_update(|tray| tray.splice(..0, saved).for_each(drop));
            attachments.save(&session_id);
        });
    }

    fn save(&self, session_id: &str) {
        let (tray, session_id) = (self.of(session_id), session_id.to_owned());
        spawn_local(async move {
            let current = || {
                let attachments = tray.try_get_untracked().unwrap_or_default();
                local_storage::set(&key(&session_id), if attachments.is_empty() { "" } else { "kept" });
                encode_images(attachments.into_iter().map(|attachment| attachment.image))
            };
            indexed_db::put(&key(&session_id), current).await;
        });
    }

    pub fn images(&self, session_id: &str) -> Vec<Image> {
        let tray = self.of(session_id);
        tray.with_untracked(|tray| tray.iter().map(|attachment| attachment.image.clone()).collect())
    }

    pub fn add(&self, session_id: &str, images: Vec<Image>) {
        if !images.is_empty() {
            self.of(session_id).update(|tray| tray.extend(images.into_iter().map(Attachment::new)));
            self.save(session_id);
        }
    }

    pub fn remove(&self, session_id: &str, key: u64) {
        self.problem.set(None);
        self.of(session_id).update(|tray| tray.retain(|attachment| attachment.key != key));
        self.save(session_id);
    }

    /// Removes all attachments after they were sent.
    pub fn clear(&self, session_id: &str) {
        self.problem.set(None);
        let tray = self.of(session_id);
        if !tray.with_untracked(Vec::is_empty) {
            tray.update(Vec::clear);
            self.save(session_id);
        }
    }

    /// Deletes the attachments of a removed session, including saved ones that were never loaded.
    pub fn forget(&self, session_id: &str) {
        if let Some(tray) = self.trays.try_update_value(|trays| trays.remove(session_id)).flatten() {
            tray.update(Vec::clear);
        }
        let key = key(session_id);
        local_storage::set(&key, "");
        spawn_local(async move { indexed_db::put(&key, Vec::new).await });
    }
}

fn key(session_id: &str) -> String {
    format!("pictures:{session_id}")
}

/// Encodes each image as three texts for IndexedDB.
pub(super) fn encode_images(images: impl Iterator<Item = Image>) -> Vec<String> {
    images.flat_map(|Image { mime_type, data, blob }| [mime_type, data, blob]).collect()
}

pub(super) fn decode_images(texts: &[String]) -> Vec<Image> {
    let (images, _) = texts.as_chunks();
    let image = |[mime_type, data, blob]: &[String; 3]| Image {
        mime_type: mime_type.clone(),
        data: data.clone(),
        blob: blob.clone(),
    };
    images.iter().map(image).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saved_images_are_restored_unchanged() {
        let image = |data: &str, blob: &str| Image {
            mime_type: "image/png".into(),
            data: data.into(),
            blob: blob.into(),
        };
        let images = vec![image("AAAA", ""), image("", "b1")];
        assert_eq!(decode_images(&encode_images(images.clone().into_iter())), images);
        assert_eq!(decode_images(&["image/png".to_owned()]), [], "an incomplete image is dropped");
    }
}
