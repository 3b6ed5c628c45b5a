//! What was written so far in answer to a question, and not sent. One text wherever the question is shown; kept by the
//! tab, so that it survives a look at another session and a reload. Never sent anywhere.

use std::cell::RefCell;

use leptos::prelude::*;

use crate::browser;

/// Before what is kept: who has emptied a field that came filled has written something, too.
const WRITTEN: char = '=';

thread_local! {
    /// Of the questions that were shown and wait.
    static TEXTS: RefCell<Vec<(String, ArcRwSignal<String>)>> = const { RefCell::new(Vec::new()) };
}

pub struct HalfAnswer {
    key: String,
    text: ArcRwSignal<String>,
}

impl HalfAnswer {
    /// What was written, or else what the question came with.
    pub fn of(session_id: &str, ask_id: &str, prefill: &str) -> Self {
        let key = format!("pilothouse.answer.{session_id}.{ask_id}");
        let text = TEXTS.with_borrow_mut(|texts| {
            if let Some((_, text)) = texts.iter().find(|(known, _)| *known == key) {
                return text.clone();
            }
            let kept =
                browser::recall_in_tab(&key).and_then(|kept| kept.strip_prefix(WRITTEN).map(String::from));
            let text = ArcRwSignal::new(kept.unwrap_or_else(|| prefill.to_owned()));
            texts.push((key.clone(), text.clone()));
            text
        });
        Self { key, text }
    }

    pub fn text(&self) -> RwSignal<String> {
        self.text.clone().into()
    }

    pub fn write(&self, text: String) {
        self.text.set(text);
        self.keep();
    }

    pub fn keep(&self) {
        self.text.with_untracked(|text| browser::remember_in_tab(&self.key, &format!("{WRITTEN}{text}")));
    }

    /// It is on its way: who asks anew under the same name asks something else.
    pub fn forget(&self) {
        TEXTS.with_borrow_mut(|texts| texts.retain(|(key, _)| *key != self.key));
        browser::forget_in_tab(&self.key);
    }
}
