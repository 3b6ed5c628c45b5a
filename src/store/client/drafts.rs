//! The composer's unsent text, per session. Drafts survive switching sessions and reloading the page.

use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::*;
use pilothouse_core::conversation::queue::restored_text;

use super::InputMode;
use crate::browser::local_storage;

/// Drafts are saved this long after the first unsaved change, because writing to storage is slow.
const SAVE_DELAY: Duration = Duration::from_millis(400);

#[derive(Clone, Copy)]
pub struct Drafts {
    owner: StoredValue<Owner>,
    drafts: StoredValue<HashMap<String, RwSignal<String>>>,
    unsaved: StoredValue<Vec<String>>,
    /// Called with the session id and the text of each saved draft.
    on_save: StoredValue<Option<OnSave>, LocalStorage>,
}

type OnSave = Rc<dyn Fn(&str, &str)>;

impl Default for Drafts {
    /// Creates the signals in the current owner, which must be the page's.
    fn default() -> Self {
        Self {
            owner: StoredValue::new(Owner::current().unwrap_or_default()),
            drafts: StoredValue::default(),
            unsaved: StoredValue::default(),
            on_save: StoredValue::new_local(None),
        }
    }
}

impl Drafts {
    pub fn of(&self, session_id: &str) -> RwSignal<String> {
        if let Some(draft) = self.drafts.with_value(|drafts| drafts.get(session_id).copied()) {
            return draft;
        }
        let text = local_storage::get(&key(session_id)).unwrap_or_default();
        let draft = self.owner.with_value(|owner| owner.with(|| RwSignal::new(text)));
        self.drafts.update_value(|drafts| {
            drafts.insert(session_id.to_owned(), draft);
        });
        draft
    }

    pub fn set(&self, session_id: &str, text: String) {
        self.of(session_id).set(text);
        let scheduled = self.unsaved.with_value(|unsaved| !unsaved.is_empty());
        self.unsaved.update_value(|unsaved| {
            if !unsaved.iter().any(|id| id == session_id) {
                unsaved.push(session_id.to_owned());
            }
        });
        if !scheduled {
            let drafts = *self;
            set_timeout(move || drafts.save(), SAVE_DELAY);
        }
    }

    /// Inserts texts before the draft, such as scheduled messages that were restored to the editor.
    pub fn put_before(&self, session_id: &str, texts: &[String]) {
        if texts.is_empty() {
            return;
        }
        let draft = self.of(session_id).get_untracked();
        let mut text = restored_text(texts.iter().map(String::as_str), &draft);
        // Joined texts are never a shell command, even if the first one starts with `!`.
        let several = texts.len() > 1 || !draft.trim().is_empty();
        if several && InputMode::of(&text) == InputMode::Shell {
            text.insert(0, ' ');
        }
        self.set(session_id, text);
    }

    /// Saves all unsaved drafts. Also called before the page is unloaded.
    pub fn save(&self) {
        let unsaved = self.unsaved.try_update_value(std::mem::take).unwrap_or_default();
        let on_save = self.on_save.get_value();
        for session_id in unsaved {
            self.of(&session_id).with_untracked(|text| {
                local_storage::set(&key(&session_id), text);
                if let Some(on_save) = &on_save {
                    on_save(&session_id, text);
                }
            });
        }
    }

    pub fn on_save(&self, callback: impl Fn(&str, &str) + 'static) {
        self.on_save.set_value(Some(Rc::new(callback)));
    }
}

fn key(session_id: &str) -> String {
    format!("draft:{session_id}")
}
