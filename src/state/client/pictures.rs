//! Pictures that wait in the composer, per session. They live as long as the page: a reload forgets them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use leptos::prelude::*;
use pilothouse_core::Image;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Tells elements apart: the same picture may be there twice.
    pub key: u64,
    pub image: Image,
}

static NEXT_KEY: AtomicU64 = AtomicU64::new(0);

#[derive(Clone, Copy)]
pub struct Pictures {
    owner: StoredValue<Owner>,
    trays: StoredValue<HashMap<String, RwSignal<Vec<Picture>>>>,
    /// Why the last one was not taken.
    pub problem: RwSignal<Option<String>>,
}

impl Pictures {
    /// Lives as long as the owner it is made in: the page's.
    pub(super) fn new() -> Self {
        Self {
            owner: StoredValue::new(Owner::current().unwrap_or_default()),
            trays: StoredValue::default(),
            problem: RwSignal::default(),
        }
    }

    pub fn of(&self, session_id: &str) -> RwSignal<Vec<Picture>> {
        if let Some(tray) = self.trays.with_value(|trays| trays.get(session_id).copied()) {
            return tray;
        }
        let tray = self.owner.with_value(|owner| owner.with(RwSignal::default));
        self.trays.update_value(|trays| {
            trays.insert(session_id.to_owned(), tray);
        });
        tray
    }

    pub fn images(&self, session_id: &str) -> Vec<Image> {
        self.of(session_id).with_untracked(|tray| tray.iter().map(|picture| picture.image.clone()).collect())
    }

    pub fn add(&self, session_id: &str, images: Vec<Image>) {
        if !images.is_empty() {
            let key = || NEXT_KEY.fetch_add(1, Ordering::Relaxed);
            let added = images.into_iter().map(|image| Picture { key: key(), image });
            self.of(session_id).update(|tray| tray.extend(added));
        }
    }

    pub fn remove(&self, session_id: &str, key: u64) {
        self.problem.set(None);
        self.of(session_id).update(|tray| tray.retain(|picture| picture.key != key));
    }

    pub fn clear(&self, session_id: &str) {
        self.problem.set(None);
        self.of(session_id).update(Vec::clear);
    }
}
