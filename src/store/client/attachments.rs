//! Attachments that wait in the composer, per session. The browser keeps them over a reload, if it can.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use leptos::prelude::*;
use leptos::task::spawn_local;
use pilothouse_core::Image;

use crate::browser;
use crate::browser::indexed_db;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Tells elements apart: the same picture may be there twice.
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
    /// In which session one was not taken, and why.
    pub problem: RwSignal<Option<(String, String)>>,
}

impl Default for Attachments {
    /// Lives as long as the owner it is made in: the page's.
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
        // Most sessions have none, and the database takes a while to tell so.
        if browser::recall(&key(session_id)).is_some() {
            self.fetch_kept(session_id.to_owned(), tray);
        }
        tray
    }

    /// What was kept stands before what was added since the page asked for it. Should that have been sent already,
    /// the kept ones were not among it: they go on waiting, and are kept anew.
    fn fetch_kept(&self, session_id: String, tray: RwSignal<Vec<Attachment>>) {
        let pictures = *self;
        spawn_local(async move {
            let kept = from_texts(&indexed_db::get(&key(&session_id)).await);
            if kept.is_empty() {
                return;
            }
            // The session may be gone by now.
            if !pictures.trays.with_value(|trays| trays.contains_key(&session_id)) {
                return;
            }
            let kept: Vec<Attachment> = kept.into_iter().map(Attachment::new).collect();
            tray.try_update(|tray| tray.splice(..0, kept).for_each(drop));
            pictures.keep(&session_id);
        });
    }

    fn keep(&self, session_id: &str) {
        let (tray, session_id) = (self.of(session_id), session_id.to_owned());
        spawn_local(async move {
            let now = || {
                let waiting = tray.try_get_untracked().unwrap_or_default();
                browser::remember(&key(&session_id), if waiting.is_empty() { "" } else { "kept" });
                to_texts(waiting.into_iter().map(|picture| picture.image))
            };
            indexed_db::put(&key(&session_id), now).await;
        });
    }

    pub fn images(&self, session_id: &str) -> Vec<Image> {
        self.of(session_id).with_untracked(|tray| tray.iter().map(|picture| picture.image.clone()).collect())
    }

    pub fn add(&self, session_id: &str, images: Vec<Image>) {
        if !images.is_empty() {
            self.of(session_id).update(|tray| tray.extend(images.into_iter().map(Attachment::new)));
            self.keep(session_id);
        }
    }

    pub fn remove(&self, session_id: &str, key: u64) {
        self.problem.set(None);
        self.of(session_id).update(|tray| tray.retain(|picture| picture.key != key));
        self.keep(session_id);
    }

    /// They were sent.
    pub fn clear(&self, session_id: &str) {
        self.problem.set(None);
        let tray = self.of(session_id);
        if !tray.with_untracked(Vec::is_empty) {
            tray.update(Vec::clear);
            self.keep(session_id);
        }
    }

    /// The session is gone, whether it was looked at here or not.
    pub fn forget(&self, session_id: &str) {
        if let Some(tray) = self.trays.try_update_value(|trays| trays.remove(session_id)).flatten() {
            tray.update(Vec::clear);
        }
        let key = key(session_id);
        browser::remember(&key, "");
        spawn_local(async move { indexed_db::put(&key, Vec::new).await });
    }
}

fn key(session_id: &str) -> String {
    format!("pictures:{session_id}")
}

/// Three texts each.
pub(super) fn to_texts(images: impl Iterator<Item = Image>) -> Vec<String> {
    images.flat_map(|Image { mime_type, data, blob }| [mime_type, data, blob]).collect()
}

pub(super) fn from_texts(texts: &[String]) -> Vec<Image> {
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
    fn what_is_kept_of_pictures_makes_the_same_pictures() {
        let image = |data: &str, blob: &str| Image {
            mime_type: "image/png".into(),
            data: data.into(),
            blob: blob.into(),
        };
        let images = vec![image("AAAA", ""), image("", "b1")];
        assert_eq!(from_texts(&to_texts(images.clone().into_iter())), images);
        assert_eq!(from_texts(&["image/png".to_owned()]), [], "a part of one is none");
    }
}
