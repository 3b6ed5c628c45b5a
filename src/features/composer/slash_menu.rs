//! The completion menu for the agent's slash commands, open while the composer's text begins with `/`.

use leptos::prelude::*;
use pilothouse_core::protocol::AgentCommand;
use pilothouse_core::protocol::SessionMetaStoreFields;

use crate::actions::{Actions, use_actions};
use crate::reactive::{effect, memo};
use crate::store::server::Session;
use crate::widgets::listbox::{CompletionList, CompletionMenu, ListOption, MenuKey};

/// The state of the slash-command menu.
#[derive(Clone, Copy)]
pub struct SlashMenu {
    actions: Actions,
    session: Session,
    pub menu: CompletionMenu,
    /// The command name being typed.
    name: Memo<Option<String>>,
    /// The agent's commands, once they were requested.
    commands: RwSignal<Option<Result<Vec<AgentCommand>, String>>>,
}

impl SlashMenu {
    /// Creates the menu of a session's composer, in the current owner.
    pub fn new(session: Session) -> Self {
        let actions = use_actions();
        let draft = actions.client.drafts.of(&session.id());
        let commands = RwSignal::new(None::<Result<Vec<AgentCommand>, String>>);
        let name = memo(move || {
            let has_commands = session.meta.capabilities().with(|can| can.commands);
            draft.with(|draft| typed_name(draft).filter(|_| has_commands).map(str::to_owned))
        });
        let options = memo(move || {
            commands.with(|commands| match (commands, name.get()) {
                (Some(Ok(commands)), Some(name)) => matching(commands, &name),
                _ => Vec::new(),
            })
        });
        effect(move || {
            // Requested with the first `/`, and again after a failure.
            let known = commands.with_untracked(|commands| matches!(commands, Some(Ok(_))));
            if name.with(Option::is_some) && !known {
                actions.list_commands(session, move |found| {
                    commands.try_set(Some(found));
                });
            }
        });
        let enabled = memo(move || name.with(Option::is_some));
        let menu = CompletionMenu::new("commands", "Commands", enabled, options);
        Self { actions, session, menu, name, commands }
    }

    /// Handles a key of the composer. Returns whether the menu has used it.
    pub fn handle_key(&self, key: &str) -> bool {
        let (accepted_by, active) = match self.menu.handle_key(key) {
            Some(MenuKey::Accept(key, active)) => (key, active),
            Some(MenuKey::Handled) => return true,
            None => return false,
        };
        let name = self.name.get_untracked().unwrap_or_default();
        let text = self.menu.options.with_untracked(|options| match accepted_by {
            "Enter" => completed(options, active, &name),
            _ => options.get(active).map(|option| format!("/{} ", option.key)),
        });
        let used = text.is_some();
        text.into_iter().for_each(|text| self.set_draft(text));
        used
    }

    fn set_draft(&self, text: String) {
        self.actions.client.drafts.set(&self.session.id(), text);
    }
}

/// The list of the menu while it is open.
#[component]
pub fn SlashMenuList(menu: SlashMenu) -> impl IntoView {
    let pick = Callback::new(move |name: String| menu.set_draft(format!("/{name} ")));
    let message = Signal::derive(move || {
        let none = menu.menu.options.with(Vec::is_empty);
        menu.commands.with(|commands| match commands {
            None => Some("Loading commands…".to_owned()),
            Some(Err(error)) => Some(error.clone()),
            Some(Ok(_)) => {
                none.then(|| "No matching commands. Press Enter to send it as a message.".to_owned())
            }
        })
    });
    view! { <CompletionList menu=menu.menu message pick /> }
}

/// The command name being typed; None once whitespace follows it.
fn typed_name(draft: &str) -> Option<&str> {
    draft.strip_prefix('/').filter(|rest| !rest.contains(char::is_whitespace))
}

/// The commands that contain `name`; those that begin with it come first.
fn matching(commands: &[AgentCommand], name: &str) -> Vec<ListOption> {
    let name = name.to_lowercase();
    let match_position = |command: &AgentCommand| command.name.to_lowercase().find(&name);
    let option = |command: &AgentCommand| ListOption {
        key: command.name.clone(),
        name: format!("/{}", command.name),
        description: command.description.clone(),
        source: source_label(&command.source).to_owned(),
        current: false,
    };
    let prefixed = commands.iter().filter(|command| match_position(command) == Some(0));
    let others = commands.iter().filter(|command| match_position(command).is_some_and(|at| at > 0));
    prefixed.chain(others).map(option).collect()
}

/// The draft that Enter replaces the typed name with. None for a complete name: that is sent.
fn completed(options: &[ListOption], active: usize, name: &str) -> Option<String> {
    let is_complete = options.iter().any(|option| option.key == name);
    options.get(active).filter(|_| !is_complete).map(|option| format!("/{} ", option.key))
}

fn source_label(source: &str) -> &str {
    match source {
        "prompt" => "template",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands() -> Vec<AgentCommand> {
        let command = |name: &str| AgentCommand {
            name: name.into(),
            description: String::new(),
            source: "prompt".into(),
        };
        vec![command("review"), command("view"), command("viewer")]
    }

    #[test]
    fn a_name_ends_at_the_first_whitespace() {
        assert_eq!(typed_name("/"), Some(""));
        assert_eq!(typed_name("/rev"), Some("rev"));
        for draft in ["/rev x", "/rev\n", "rev", " /rev", ""] {
            assert_eq!(typed_name(draft), None, "{draft:?}");
        }
    }

    #[test]
    fn prefix_matches_come_first() {
        let names = |name: &str| -> Vec<String> {
            matching(&commands(), name).into_iter().map(|option| option.key).collect()
        };
        assert_eq!(names("view"), ["view", "viewer", "review"]);
        assert_eq!(names("VIEWER"), ["viewer"]);
        assert!(names("nothing").is_empty());
    }

    #[test]
    fn enter_completes_a_prefix_and_sends_a_complete_or_unknown_name() {
        let all = commands();
        assert_eq!(completed(&matching(&all, "rev"), 0, "rev").as_deref(), Some("/review "));
        assert_eq!(completed(&matching(&all, "view"), 0, "view"), None);
        assert_eq!(completed(&matching(&all, "nothing"), 0, "nothing"), None);
    }
}
