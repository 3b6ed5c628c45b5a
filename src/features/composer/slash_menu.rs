//! The agent's own commands, above the composer while a `/` is being typed there.

use leptos::prelude::*;
use pilothouse_core::protocol::AgentCommand;
use pilothouse_core::protocol::SessionMetaStoreFields;

use super::slash::{completed, matching, typed_name};
use crate::actions::{Actions, use_actions};
use crate::store::server::Session;
use crate::widgets::listbox_menu::{ChoiceMenu, ChoiceMenuList, Pressed};

#[derive(Clone, Copy)]
pub struct SlashMenu {
    actions: Actions,
    session: Session,
    pub menu: ChoiceMenu,
    name: Memo<Option<String>>,
    commands: RwSignal<Option<Result<Vec<AgentCommand>, String>>>,
}

impl SlashMenu {
    /// For the composer of a session, in its owner.
    pub fn new(session: Session) -> Self {
        let actions = use_actions();
        let draft = actions.client.drafts.of(&session.id());
        let commands = RwSignal::new(None::<Result<Vec<AgentCommand>, String>>);
        let name = Memo::new(move |_| {
            let can = session.meta.capabilities().with(|can| can.commands);
            draft.with(|draft| typed_name(draft).filter(|_| can).map(str::to_owned))
        });
        let choices = Memo::new(move |_| {
            commands.with(|commands| match (commands, name.get()) {
                (Some(Ok(commands)), Some(name)) => matching(commands, &name),
                _ => Vec::new(),
            })
        });
        Effect::new(move |_| {
            // Asked for when the first one is typed, and again after a failure.
            let known = commands.with_untracked(|commands| matches!(commands, Some(Ok(_))));
            if name.with(Option::is_some) && !known {
                actions.commands(session, move |found| {
                    commands.try_set(Some(found));
                });
            }
        });
        let wanted = Memo::new(move |_| name.with(Option::is_some));
        let menu = ChoiceMenu::new("commands", "Commands", wanted, choices);
        Self { actions, session, menu, name, commands }
    }

    /// Whether the key was meant for the menu.
    pub fn takes(&self, key: &str) -> bool {
        let Some(pressed) = self.menu.press(key) else { return false };
        let Pressed::Wanted(by, marked) = pressed else { return true };
        let name = self.name.get_untracked().unwrap_or_default();
        let text = self.menu.choices.with_untracked(|choices| match by {
            "Enter" => completed(choices, marked, &name),
            _ => choices.get(marked).map(|choice| format!("/{} ", choice.key)),
        });
        let taken = text.is_some();
        text.into_iter().for_each(|text| self.write(text));
        taken
    }

    fn write(&self, text: String) {
        self.actions.client.drafts.set(&self.session.id(), text);
    }
}

#[component]
pub fn SlashMenuList(menu: SlashMenu) -> impl IntoView {
    let pick = Callback::new(move |name: String| menu.write(format!("/{name} ")));
    let words = Signal::derive(move || {
        let none = menu.menu.choices.with(Vec::is_empty);
        menu.commands.with(|commands| match commands {
            None => Some("Asking the agent for its commands…".to_owned()),
            Some(Err(error)) => Some(error.clone()),
            Some(Ok(_)) => {
                none.then(|| "No command is called like that. It is sent as it stands.".to_owned())
            }
        })
    });
    view! { <ChoiceMenuList menu=menu.menu words pick /> }
}
