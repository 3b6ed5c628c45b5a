//! What was typed and not sent, per session. Survives switching sessions and reloading the page.

use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::*;
use pilothouse_core::conversation::queue::restored_text;

use super::InputMode;
use crate::browser;

/// Storage is slow and typing is not: a draft is written when the typing rests.
const REST: Duration = Duration::from_millis(400);

#[derive(Clone, Copy)]
pub struct Drafts {
    owner: StoredValue<Owner>,
    drafts: StoredValue<HashMap<String, RwSignal<String>>>,
    unsaved: StoredValue<Vec<String>>,
    /// Who wants to know that the typing in a session rests.
    resting: StoredValue<Option<Resting>, LocalStorage>,
}

type Resting = Rc<dyn Fn(&str, &str)>;

impl Default for Drafts {
    /// Lives as long as the owner it is made in: the page's.
    fn default() -> Self {
        Self {
            owner: StoredValue::new(Owner::current().unwrap_or_default()),
            drafts: StoredValue::default(),
            unsaved: StoredValue::default(),
            resting: StoredValue::new_local(None),
        }
    }
}

impl Drafts {
    pub fn of(&self, session_id: &str) -> RwSignal<String> {
        if let Some(draft) = self.drafts.with_value(|drafts| drafts.get(session_id).copied()) {
            return draft;
        }
        let text = browser::recall(&key(session_id)).unwrap_or_default();
        let draft = self.owner.with_value(|owner| owner.with(|| RwSignal::new(text)));
        self.drafts.update_value(|drafts| {
            drafts.insert(session_id.to_owned(), draft);
        });
        draft
    }

    pub fn set(&self, session_id: &str, text: String) {
        self.of(session_id).set(text);
        let waiting = self.unsaved.with_value(|unsaved| !unsaved.is_empty());
        self.unsaved.update_value(|unsaved| {
            if !unsaved.iter().any(|id| id == session_id) {
                unsaved.push(session_id.to_owned());
            }
        });
        if !waiting {
            let drafts = *self;
            set_timeout(move || drafts.save(), REST);
        }
    }

    /// Puts texts before what is being typed, such as a queue that was taken back.
    pub fn put_before(&self, session_id: &str, texts: &[String]) {
        if texts.is_empty() {
            return;
        }
        let draft = self.of(session_id).get_untracked();
        let mut text = restored_text(texts.iter().map(String::as_str), &draft);
        // Several texts are never a command, whatever the first of them was.
        let several = texts.len() > 1 || !draft.trim().is_empty();
        if several && InputMode::of(&text) == InputMode::Shell {
            text.insert(0, ' ');
        }
        self.set(session_id, text);
    }

    /// Writes down what is not yet written, also when the page is about to go.
    pub fn save(&self) {
        let unsaved = self.unsaved.try_update_value(std::mem::take).unwrap_or_default();
        let resting = self.resting.get_value();
        for session_id in unsaved {
            self.of(&session_id).with_untracked(|text| {
                browser::remember(&key(&session_id), text);
                if let Some(resting) = &resting {
                    resting(&session_id, text);
                }
            });
        }
    }

    pub fn when_resting(&self, told: impl Fn(&str, &str) + 'static) {
        self.resting.set_value(Some(Rc::new(told)));
    }
}

fn key(session_id: &str) -> String {
    format!("draft:{session_id}")
}
