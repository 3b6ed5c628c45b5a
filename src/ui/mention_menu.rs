//! Files of the project, above the composer while an `@` is being typed there. The composer keeps the keyboard and asks
//! here what a key does.

use std::time::Duration;

use leptos::html;
use leptos::prelude::*;

use super::choices::{Choice, Choices, moved, option_id};
use super::dynamic::{When, effect, live, memo};
use super::mention::{byte_of, choices, completed, typed, units_of};
use crate::actions::{Actions, use_actions};
use crate::state::server::Session;

const LIST: &str = "files";

/// How long typing rests before the server is asked.
const PAUSE: Duration = Duration::from_millis(80);

#[derive(Clone, Copy)]
pub struct MentionMenu {
    actions: Actions,
    session: Session,
    field: NodeRef<html::Textarea>,
    /// Where the caret is, in bytes.
    caret: RwSignal<usize>,
    letters: Memo<Option<(usize, String)>>,
    found: RwSignal<Option<Vec<String>>>,
    choices: Memo<Vec<Choice>>,
    marked: RwSignal<usize>,
    dismissed: RwSignal<bool>,
}

impl MentionMenu {
    /// For the composer of a session, in its owner.
    pub fn new(session: Session, field: NodeRef<html::Textarea>) -> Self {
        let actions = use_actions();
        let draft = actions.client.drafts.of(&session.id());
        let (caret, marked) = (RwSignal::new(0), RwSignal::new(0));
        let (dismissed, found) = (RwSignal::new(false), RwSignal::new(None::<Vec<String>>));
        let letters = memo(move || {
            let of_draft =
                |draft: &String| typed(draft, caret.get()).map(|(at, letters)| (at, letters.to_owned()));
            // A shell has its own use for the sign.
            draft.with(|draft| of_draft(draft).filter(|_| !draft.starts_with('!')))
        });
        let list = memo(move || found.with(|found| found.as_deref().map(choices).unwrap_or_default()));
        effect(move || {
            marked.set(0);
            let Some((_, wanted)) = letters.get() else {
                found.set(None);
                return dismissed.set(false);
            };
            let still = move |wanted: &str| {
                letters.try_with_untracked(|now| now.as_ref().is_some_and(|(_, now)| now == wanted))
                    == Some(true)
            };
            set_timeout(
                move || {
                    if still(&wanted) {
                        actions.files(session, wanted.clone(), move |paths| {
                            if still(&wanted) {
                                found.set(Some(paths));
                            }
                        });
                    }
                },
                PAUSE,
            );
        });
        Self { actions, session, field, caret, letters, found, choices: list, marked, dismissed }
    }

    /// The caret may have moved.
    pub fn look(&self) {
        let Some(field) = self.field.get_untracked() else { return };
        let units = field.selection_start().ok().flatten().unwrap_or_default() as usize;
        let caret = byte_of(&field.value(), units);
        if self.caret.get_untracked() != caret {
            self.caret.set(caret);
        }
    }

    pub fn is_open(&self) -> bool {
        self.letters.with(Option::is_some) && !self.dismissed.get() && self.found.with(Option::is_some)
    }

    /// The option that a screen reader is to read.
    pub fn marked_option(&self) -> Option<String> {
        (self.is_open() && !self.choices.with(Vec::is_empty)).then(|| option_id(LIST, self.marked.get()))
    }

    pub fn list_id(&self) -> Option<&'static str> {
        self.is_open().then_some(LIST)
    }

    /// Whether the key was meant for the menu.
    pub fn takes(&self, key: &str) -> bool {
        if !untrack(|| self.is_open()) {
            return false;
        }
        let (choices, marked) = (self.choices.get_untracked(), self.marked.get_untracked());
        if let Some(next) = moved(key, marked, choices.len()) {
            self.marked.set(next);
            return true;
        }
        match (key, choices.get(marked)) {
            ("Escape", _) => self.dismissed.set(true),
            ("Enter" | "Tab", Some(choice)) => self.write(&choice.key),
            _ => return false,
        }
        true
    }

    fn write(&self, path: &str) {
        let id = self.session.id();
        let draft = self.actions.client.drafts.of(&id).get_untracked();
        let Some((at, letters)) = self.letters.get_untracked() else { return };
        let (text, caret) = completed(&draft, at, at + 1 + letters.len(), path);
        let units = units_of(&text, caret) as u32;
        self.actions.client.drafts.set(&id, text);
        self.caret.set(caret);
        let field = self.field;
        // Once the field has the text.
        request_animation_frame(move || {
            if let Some(field) = field.try_get_untracked().flatten() {
                let _ = field.set_selection_range(units, units);
            }
        });
    }
}

#[component]
pub fn MentionMenuList(menu: MentionMenu) -> impl IntoView {
    let pick = Callback::new(move |path: String| menu.write(&path));
    let nothing = move || menu.choices.with(Vec::is_empty);
    view! {
        <When when=move || menu.is_open()>
            <div class="slash-menu">
                <When when=nothing><p class="picker-words" role="status">{live(|| "No file of this folder has these letters in its path.")}</p></When>
                <Choices id=LIST label="Files" choices=menu.choices marked=menu.marked pick />
            </div>
        </When>
    }
}
