//! A list above the composer while something is being typed there that it completes. The composer keeps the keyboard
//! and asks here what a key does.

use leptos::prelude::*;

use super::listbox::{Choice, Choices, moved, option_id};

#[derive(Clone, Copy)]
pub struct ChoiceMenu {
    id: &'static str,
    label: &'static str,
    /// Something is being typed that it completes.
    wanted: Memo<bool>,
    pub choices: Memo<Vec<Choice>>,
    marked: RwSignal<usize>,
    dismissed: RwSignal<bool>,
}

/// What a key means to an open menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pressed {
    /// The menu has dealt with it.
    Done,
    /// The marked one is wanted, by this key.
    Wanted(&'static str, usize),
}

impl ChoiceMenu {
    pub fn new(
        id: &'static str,
        label: &'static str,
        wanted: Memo<bool>,
        choices: Memo<Vec<Choice>>,
    ) -> Self {
        let menu =
            Self { id, label, wanted, choices, marked: RwSignal::new(0), dismissed: RwSignal::new(false) };
        Effect::new(move |_| {
            choices.track();
            menu.marked.set(0);
        });
        Effect::new(move |_| {
            if !wanted.get() {
                menu.dismissed.set(false);
            }
        });
        menu
    }

    pub fn is_open(&self) -> bool {
        self.wanted.get() && !self.dismissed.get()
    }

    /// The option that a screen reader is to read.
    pub fn marked_option(&self) -> Option<String> {
        (self.is_open() && !self.choices.with(Vec::is_empty)).then(|| option_id(self.id, self.marked.get()))
    }

    pub fn list_id(&self) -> Option<&'static str> {
        self.is_open().then_some(self.id)
    }

    /// None if the key is not meant for the menu.
    pub fn press(&self, key: &str) -> Option<Pressed> {
        if !untrack(|| self.is_open()) {
            return None;
        }
        let (marked, count) = (self.marked.get_untracked(), self.choices.with_untracked(Vec::len));
        if let Some(next) = moved(key, marked, count) {
            self.marked.set(next);
            return Some(Pressed::Done);
        }
        match key {
            "Escape" => {
                self.dismissed.set(true);
                Some(Pressed::Done)
            }
            "Enter" if count > 0 => Some(Pressed::Wanted("Enter", marked)),
            "Tab" if count > 0 => Some(Pressed::Wanted("Tab", marked)),
            _ => None,
        }
    }
}

#[component]
pub fn ChoiceMenuList(
    menu: ChoiceMenu,
    /// What is to be said above the list.
    #[prop(into)]
    words: Signal<Option<String>>,
    pick: Callback<String>,
) -> impl IntoView {
    view! {
        <Show when=move || menu.is_open()>
            <div class="slash-menu">
                <Show when=move || words.with(Option::is_some)>
                    <p class="picker-words" role="status">{move || words.get()}</p>
                </Show>
                <Choices id=menu.id label=menu.label choices=menu.choices marked=menu.marked pick />
            </div>
        </Show>
    }
}
