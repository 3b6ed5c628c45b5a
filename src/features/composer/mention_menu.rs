//! Files of the project, above the composer while an `@` is being typed there.

use std::time::Duration;

use leptos::html;
use leptos::prelude::*;

use super::mention::{byte_of, choices, completed, typed, units_of};
use crate::actions::{Actions, use_actions};
use crate::store::server::Session;
use crate::widgets::listbox_menu::{ChoiceMenu, ChoiceMenuList, Pressed};

/// How long typing rests before the server is asked.
const PAUSE: Duration = Duration::from_millis(80);

#[derive(Clone, Copy)]
pub struct MentionMenu {
    actions: Actions,
    session: Session,
    pub menu: ChoiceMenu,
    field: NodeRef<html::Textarea>,
    /// Where the caret is, in bytes.
    caret: RwSignal<usize>,
    letters: Memo<Option<(usize, String)>>,
}

impl MentionMenu {
    /// For the composer of a session, in its owner.
    pub fn new(session: Session, field: NodeRef<html::Textarea>) -> Self {
        let actions = use_actions();
        let draft = actions.client.drafts.of(&session.id());
        let (caret, found) = (RwSignal::new(0), RwSignal::new(None::<Vec<String>>));
        let letters = Memo::new(move |_| {
            let of_draft =
                |draft: &String| typed(draft, caret.get()).map(|(at, letters)| (at, letters.to_owned()));
            // A shell has its own use for the sign.
            draft.with(|draft| of_draft(draft).filter(|_| !draft.starts_with('!')))
        });
        let list = Memo::new(move |_| found.with(|found| found.as_deref().map(choices).unwrap_or_default()));
        Effect::new(move |_| {
            let Some((_, wanted)) = letters.get() else {
                return found.set(None);
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
        let wanted = Memo::new(move |_| letters.with(Option::is_some) && found.with(Option::is_some));
        let menu = ChoiceMenu::new("files", "Files", wanted, list);
        Self { actions, session, menu, field, caret, letters }
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

    /// Whether the key was meant for the menu.
    pub fn takes(&self, key: &str) -> bool {
        match self.menu.press(key) {
            Some(Pressed::Wanted(_, marked)) => {
                let path = self.menu.choices.with_untracked(|choices| Some(choices.get(marked)?.key.clone()));
                path.iter().for_each(|path| self.write(path));
                true
            }
            Some(Pressed::Done) => true,
            None => false,
        }
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
    let words = Signal::derive(move || {
        let nothing = menu.menu.choices.with(Vec::is_empty);
        nothing.then(|| "No file of this folder has these letters in its path.".to_owned())
    });
    view! { <ChoiceMenuList menu=menu.menu words pick /> }
}
