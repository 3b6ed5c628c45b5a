//! The completion menu for files of the project, open while an `@` mention is typed in the composer.

use std::time::Duration;

use leptos::html;
use leptos::prelude::*;

use crate::actions::{Actions, use_actions};
use crate::browser::debounce::Debounce;
use crate::reactive::{effect, memo};
use crate::store::server::Session;
use crate::widgets::listbox::{CompletionList, CompletionMenu, ListOption, MenuKey};

/// How long typing must pause before the server is asked.
const TYPING_PAUSE: Duration = Duration::from_millis(80);

/// The state of the file menu.
#[derive(Clone, Copy)]
pub struct FileMentions {
    actions: Actions,
    session: Session,
    pub menu: CompletionMenu,
    field: NodeRef<html::Textarea>,
    /// The caret's byte offset in the draft.
    caret: RwSignal<usize>,
    /// The mention at the caret: the byte offset of its `@`, and the text between the `@` and the caret.
    mention: Memo<Option<(usize, String)>>,
}

impl FileMentions {
    /// Creates the menu of a session's composer, in the current owner.
    pub fn new(session: Session, field: NodeRef<html::Textarea>) -> Self {
        let actions = use_actions();
        let draft = actions.client.drafts.of(&session.id());
        let (caret, found) = (RwSignal::new(0), RwSignal::new(None::<Vec<String>>));
        let mention = memo(move || {
            let at_caret = |draft: &String| {
                mention_at(draft, caret.get()).map(|(start, query)| (start, query.to_owned()))
            };
            // A shell command uses `@` for other purposes.
            draft.with(|draft| at_caret(draft).filter(|_| !draft.starts_with('!')))
        });
        let options =
            memo(move || found.with(|found| found.as_deref().map(file_options).unwrap_or_default()));
        let debounce = Debounce::new(TYPING_PAUSE);
        effect(move || {
            let Some((_, query)) = mention.get() else {
                debounce.cancel();
                return found.set(None);
            };
            let is_current = move |query: &str| {
                mention.try_with_untracked(|now| now.as_ref().is_some_and(|(_, now)| now == query))
                    == Some(true)
            };
            let request = move || {
                actions.find_files(session, query.clone(), move |paths| {
                    if is_current(&query) {
                        found.set(Some(paths));
                    }
                });
            };
            debounce.run(Box::new(request));
        });
        let enabled = memo(move || mention.with(Option::is_some) && found.with(Option::is_some));
        let menu = CompletionMenu::new("files", "Files", enabled, options);
        Self { actions, session, menu, field, caret, mention }
    }

    /// Reads the caret's position, after an event that may have moved it.
    pub fn update_caret(&self) {
        let Some(field) = self.field.get_untracked() else { return };
        let units = field.selection_start().ok().flatten().unwrap_or_default() as usize;
        let caret = utf16_to_byte(&field.value(), units);
        if self.caret.get_untracked() != caret {
            self.caret.set(caret);
        }
    }

    /// Handles a key of the composer. Returns whether the menu has used it.
    pub fn handle_key(&self, key: &str) -> bool {
        match self.menu.handle_key(key) {
            Some(MenuKey::Accept(_, active)) => {
                let path = self.menu.options.with_untracked(|options| Some(options.get(active)?.key.clone()));
                path.iter().for_each(|path| self.insert(path));
                true
            }
            Some(MenuKey::Handled) => true,
            None => false,
        }
    }

    fn insert(&self, path: &str) {
        let id = self.session.id();
        let draft = self.actions.client.drafts.of(&id).get_untracked();
        let Some((start, query)) = self.mention.get_untracked() else { return };
        let (text, caret) = completed(&draft, start, start + 1 + query.len(), path);
        let units = byte_to_utf16(&text, caret) as u32;
        self.actions.client.drafts.set(&id, text);
        self.caret.set(caret);
        let field = self.field;
        // The field gets the new text with the next render.
        request_animation_frame(move || {
            if let Some(field) = field.try_get_untracked().flatten() {
                let _ = field.set_selection_range(units, units);
            }
        });
    }
}

/// The list of the menu while it is open.
#[component]
pub fn FileMentionsList(mentions: FileMentions) -> impl IntoView {
    let pick = Callback::new(move |path: String| mentions.insert(&path));
    let message = Signal::derive(move || {
        let none = mentions.menu.options.with(Vec::is_empty);
        none.then(|| "No matching files".to_owned())
    });
    view! { <CompletionList menu=mentions.menu message pick /> }
}

/// The mention at the caret: the offset of an `@` at the start of a word, and the text between it and the caret.
fn mention_at(draft: &str, caret: usize) -> Option<(usize, &str)> {
    let before = draft.get(..caret)?;
    let start = before.rfind('@')?;
    let query = &before[start + 1..];
    let starts_word = before[..start].chars().next_back().is_none_or(char::is_whitespace);
    (starts_word && !query.contains(char::is_whitespace)).then_some((start, query))
}

/// The draft with a path in place of the mention, and the new caret. A folder gets no space, so that the user can
/// continue with a file in it.
fn completed(draft: &str, start: usize, caret: usize, path: &str) -> (String, usize) {
    let space = if path.ends_with('/') { "" } else { " " };
    let inserted = format!("@{path}{space}");
    let text = format!("{}{inserted}{}", &draft[..start], draft[caret..].trim_start());
    (text, start + inserted.len())
}

fn file_options(paths: &[String]) -> Vec<ListOption> {
    let option = |path: &String| {
        let (folder, name) = path.trim_end_matches('/').rsplit_once('/').unwrap_or(("", path));
        let name =
            if path.ends_with('/') && !name.ends_with('/') { format!("{name}/") } else { name.to_owned() };
        ListOption { key: path.clone(), name, description: folder.to_owned(), ..ListOption::default() }
    };
    paths.iter().map(option).collect()
}

/// Converts an offset in UTF-16 units, which the browser counts in, into a byte offset.
fn utf16_to_byte(text: &str, units: usize) -> usize {
    let mut seen = 0;
    for (byte, character) in text.char_indices() {
        if seen >= units {
            return byte;
        }
        seen += character.len_utf16();
    }
    text.len()
}

fn byte_to_utf16(text: &str, byte: usize) -> usize {
    text.get(..byte).unwrap_or(text).encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mention_begins_at_the_start_of_a_word() {
        assert_eq!(mention_at("see @src/ma", 11), Some((4, "src/ma")));
        assert_eq!(mention_at("@", 1), Some((0, "")));
        assert_eq!(mention_at("see @src and", 12), None);
        assert_eq!(mention_at("mail@example", 12), None);
        assert_eq!(mention_at("see @src and", 8), Some((4, "src")), "the caret is still in it");
    }

    #[test]
    fn a_path_replaces_the_mention() {
        assert_eq!(completed("see @ma now", 4, 7, "src/main.rs"), ("see @src/main.rs now".into(), 17));
        assert_eq!(completed("@s", 0, 2, "src/"), ("@src/".into(), 5));
        assert_eq!((utf16_to_byte("ä😀b", 3), byte_to_utf16("ä😀b", 6)), (6, 3));
    }

    #[test]
    fn an_option_shows_the_name_and_its_folder() {
        let options = file_options(&["src/ui/".into(), "README.md".into()]);
        assert_eq!((options[0].name.as_str(), options[0].description.as_str()), ("ui/", "src"));
        assert_eq!((options[1].name.as_str(), options[1].description.as_str()), ("README.md", ""));
    }
}
