//! The agent's own commands, above the composer while a `/` is being typed there. The composer keeps the keyboard and
//! asks here what a key does.

use leptos::prelude::*;
use pilothouse_core::wire::AgentCommand;

use super::choices::{Choice, Choices, moved, option_id};
use super::dynamic::{When, effect, live, memo};
use super::slash::{completed, matching, typed_name};
use crate::actions::{Actions, use_actions};
use crate::state::server::Session;

const LIST: &str = "commands";

#[derive(Clone, Copy)]
pub struct SlashMenu {
    actions: Actions,
    session: Session,
    name: Memo<Option<String>>,
    choices: Memo<Vec<Choice>>,
    marked: RwSignal<usize>,
    dismissed: RwSignal<bool>,
    commands: RwSignal<Option<Result<Vec<AgentCommand>, String>>>,
}

impl SlashMenu {
    /// For the composer of a session, in its owner.
    pub fn new(session: Session) -> Self {
        let actions = use_actions();
        let draft = actions.client.drafts.of(&session.id());
        let dismissed = RwSignal::new(false);
        let marked = RwSignal::new(0);
        let commands = RwSignal::new(None::<Result<Vec<AgentCommand>, String>>);
        let name = memo(move || {
            let can = session.capabilities.with(|can| can.commands);
            draft.with(|draft| typed_name(draft).filter(|_| can).map(str::to_owned))
        });
        let choices = memo(move || {
            commands.with(|commands| match (commands, name.get()) {
                (Some(Ok(commands)), Some(name)) => matching(commands, &name),
                _ => Vec::new(),
            })
        });
        effect(move || {
            marked.set(0);
            if name.with(Option::is_none) {
                return dismissed.set(false);
            }
            // Asked for when the first one is typed, and again after a failure.
            if commands.with_untracked(|commands| !matches!(commands, Some(Ok(_)))) {
                actions.commands(session, move |found| {
                    commands.try_set(Some(found));
                });
            }
        });
        Self { actions, session, name, choices, marked, dismissed, commands }
    }

    pub fn is_open(&self) -> bool {
        self.name.with(Option::is_some) && !self.dismissed.get()
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
        let name = self.name.get_untracked().unwrap_or_default();
        match key {
            "Escape" => self.dismissed.set(true),
            "Enter" => match completed(&choices, marked, &name) {
                Some(text) => self.write(text),
                None => return false,
            },
            "Tab" => match choices.get(marked) {
                Some(choice) => self.write(format!("/{} ", choice.key)),
                None => return false,
            },
            _ => return false,
        }
        true
    }

    fn write(&self, text: String) {
        self.actions.client.drafts.set(&self.session.id(), text);
    }
}

#[component]
pub fn SlashMenuList(menu: SlashMenu) -> impl IntoView {
    let pick = Callback::new(move |name: String| menu.write(format!("/{name} ")));
    let words = move || {
        let none = menu.choices.with(Vec::is_empty);
        menu.commands.with(|commands| match commands {
            None => Some("Asking the agent for its commands…".to_owned()),
            Some(Err(error)) => Some(error.clone()),
            Some(Ok(_)) => {
                none.then(|| "No command is called like that. It is sent as it stands.".to_owned())
            }
        })
    };
    view! {
        <When when=move || menu.is_open()>
            <div class="slash-menu">
                <When when=move || words().is_some()><p class="picker-words" role="status">{live(words)}</p></When>
                <Choices id=LIST label="Commands" choices=menu.choices marked=menu.marked pick />
            </div>
        </When>
    }
}
