//! A listbox: one option is active and can be picked, by pointer or from a text field that keeps the focus. `listbox`
//! renders the options; `CompletionMenu` shows one above the composer and handles the field's keys.

use crate::reactive::{effect, memo};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::icon::Icon;
use crate::dom::build::{glyph, hand_built, on, with_attributes};
use crate::dom::element::{append, clear, set, with_text};
use crate::dom::keyed_list::render_effect;

/// One option of a listbox.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListOption {
    /// Identifies the option; passed to `pick`.
    pub key: String,
    pub name: String,
    pub description: String,
    /// Its source, such as a model's provider.
    pub source: String,
    /// Whether it is the one in use.
    pub current: bool,
}

/// The options as a `role="listbox"` list.
pub fn listbox(
    // The list's id; see `option_id` for those of its options.
    id: &'static str,
    // The list's accessible name.
    label: &'static str,
    options: Memo<Vec<ListOption>>,
    // The index of the active option, the one Enter picks.
    active: Memo<usize>,
    // Called with the key of a clicked option.
    pick: Callback<String>,
) -> AnyView {
    hand_built("contents", move |place| {
        let list = with_attributes(
            "ul",
            &[("id", id), ("class", "choices"), ("role", "listbox"), ("aria-label", label)],
        );
        append(place, &list);
        let (shown, marked) = (list.clone(), list);
        render_effect(Box::new(move || {
            clear(&shown);
            for (index, option) in options.get().into_iter().enumerate() {
                append(&shown, &option_element(&option_id(id, index), option, pick));
            }
        }));
        render_effect(Box::new(move || {
            options.track();
            let mut next = marked.first_element_child();
            let mut index = 0;
            while let Some(option) = next {
                set(&option, "aria-selected", if index == active.get() { "true" } else { "false" });
                next = option.next_element_sibling();
                index += 1;
            }
        }));
        effect(move || {
            options.track();
            scroll_to_option(id, active.get());
        });
    })
}

fn option_element(id: &str, option: ListOption, pick: Callback<String>) -> Element {
    let ListOption { key, name, description, source, current } = option;
    let item = with_attributes("li", &[("id", id), ("class", "choice-option"), ("role", "option")]);
    append(&item, &with_text("span", "choice-option-name", &name));
    append(&item, &with_text("span", "choice-option-words", &description));
    append(&item, &with_text("span", "choice-option-note", &source));
    if current {
        set(&item, "aria-current", "true");
        append(&item, &glyph(Icon::Check));
    }
    // Keeps the focus in the text field.
    on(&item, "mousedown", |event| event.prevent_default());
    on(&item, "click", move |_| pick.run(key.clone()));
    item
}

/// The id of an option's element, for `aria-activedescendant`.
pub fn option_id(list: &str, index: usize) -> String {
    format!("{list}-{index}")
}

/// The option that becomes active by an arrow key, wrapping around at the ends. None for other keys.
pub fn next_active(key: &str, active: usize, count: usize) -> Option<usize> {
    let last = count.checked_sub(1)?;
    match key {
        "ArrowDown" => Some(if active >= last { 0 } else { active + 1 }),
        "ArrowUp" => Some(if active == 0 { last } else { active - 1 }),
        _ => None,
    }
}

/// Scrolls only the list, not its ancestors, as `scroll_into_view` would.
fn scroll_to_option(list: &str, index: usize) {
    let element = |id: &str| document().get_element_by_id(id)?.dyn_into::<HtmlElement>().ok();
    if let (Some(list), Some(option)) = (element(list), element(&option_id(list, index))) {
        let (top, bottom) = (option.offset_top(), option.offset_top() + option.offset_height());
        if top < list.scroll_top() {
            list.set_scroll_top(top);
        } else if bottom > list.scroll_top() + list.client_height() {
            list.set_scroll_top(bottom - list.client_height());
        }
    }
}

/// A listbox above the composer that completes what is being typed. The composer keeps the focus and passes its keys
/// to `handle_key`.
#[derive(Clone, Copy)]
pub struct CompletionMenu {
    id: &'static str,
    label: &'static str,
    /// Whether the text before the caret can be completed.
    enabled: Memo<bool>,
    pub options: Memo<Vec<ListOption>>,
    /// The index of the active option. Starts at the first one whenever the options change.
    active: RestartingCounter,
    /// How often Escape was pressed since `enabled` changed: the menu stays closed until that changes again.
    escapes: RestartingCounter,
}

/// A number that starts at 0 again whenever something else changes: then it is another signal.
type RestartingCounter = Memo<RwSignal<usize>>;

fn restart_with<T: Send + Sync + 'static>(source: Memo<T>) -> RestartingCounter {
    memo(move || {
        // Not only tracked: the source would be computed later, and count as a change then.
        source.with(|_| ());
        RwSignal::new(0)
    })
}

/// The result of a key press in an open menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MenuKey {
    /// The menu has handled it.
    Handled,
    /// This key accepts the option with this index.
    Accept(&'static str, usize),
}

impl CompletionMenu {
    pub fn new(
        id: &'static str,
        label: &'static str,
        enabled: Memo<bool>,
        options: Memo<Vec<ListOption>>,
    ) -> Self {
        let (active, escapes) = (restart_with(options), restart_with(enabled));
        Self { id, label, enabled, options, active, escapes }
    }

    pub fn is_open(&self) -> bool {
        self.enabled.get() && self.escapes.get().get() == 0
    }

    /// The id of the active option, for `aria-activedescendant`.
    pub fn active_option(&self) -> Option<String> {
        (self.is_open() && !self.options.with(Vec::is_empty))
            .then(|| option_id(self.id, self.active.get().get()))
    }

    /// The id of the open list, for `aria-controls`.
    pub fn list_id(&self) -> Option<&'static str> {
        self.is_open().then_some(self.id)
    }

    /// Handles a key of the text field. Returns None if the key is not for the menu.
    pub fn handle_key(&self, key: &str) -> Option<MenuKey> {
        if !untrack(|| self.is_open()) {
            return None;
        }
        let active_index = self.active.get_untracked();
        let (active, count) = (active_index.get_untracked(), self.options.with_untracked(Vec::len));
        if let Some(next) = next_active(key, active, count) {
            active_index.set(next);
            return Some(MenuKey::Handled);
        }
        match key {
            "Escape" => {
                self.escapes.get_untracked().update(|count| *count += 1);
                Some(MenuKey::Handled)
            }
            "Enter" if count > 0 => Some(MenuKey::Accept("Enter", active)),
            "Tab" if count > 0 => Some(MenuKey::Accept("Tab", active)),
            _ => None,
        }
    }
}

/// The list of an open completion menu.
#[component]
pub fn CompletionList(
    menu: CompletionMenu,
    /// A message above the options, such as why there are none.
    #[prop(into)]
    message: Signal<Option<String>>,
    /// Called with the key of a clicked option.
    pick: Callback<String>,
) -> impl IntoView {
    let active = memo(move || menu.active.get().get());
    view! {
        <Show when=move || menu.is_open()>
            <div class="slash-menu">
                <Show when=move || message.with(Option::is_some)>
                    <p class="picker-words" role="status">{move || message.get()}</p>
                </Show>
                {listbox(menu.id, menu.label, menu.options, active, pick)}
            </div>
        </Show>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_menu_starts_at_its_first_option_and_is_reopened_by_another_completion() {
        let owner = Owner::new();
        owner.with(|| {
            let typed = RwSignal::new(Some(2));
            let options = memo(move || vec![ListOption::default(); typed.get().unwrap_or_default()]);
            let enabled = memo(move || typed.with(Option::is_some));
            let menu = CompletionMenu::new("m", "Menu", enabled, options);
            assert_eq!(menu.handle_key("ArrowDown"), Some(MenuKey::Handled));
            assert_eq!(menu.handle_key("Enter"), Some(MenuKey::Accept("Enter", 1)));
            typed.set(Some(3));
            assert_eq!(menu.handle_key("Enter"), Some(MenuKey::Accept("Enter", 0)));
            assert_eq!(menu.handle_key("Escape"), Some(MenuKey::Handled));
            assert_eq!(menu.handle_key("Enter"), None);
            typed.set(Some(4));
            assert!(!menu.is_open(), "the same completion with more text");
            typed.set(None);
            assert!(!menu.is_open());
            typed.set(Some(2));
            assert!(menu.is_open());
        });
    }

    #[test]
    fn arrow_keys_wrap_around_and_other_keys_do_nothing() {
        assert_eq!(next_active("ArrowDown", 0, 2), Some(1));
        assert_eq!(next_active("ArrowDown", 1, 2), Some(0));
        assert_eq!(next_active("ArrowUp", 0, 2), Some(1));
        assert_eq!(next_active("ArrowDown", 5, 2), Some(0), "a list that has become shorter");
        assert_eq!(next_active("ArrowDown", 0, 0), None);
        assert_eq!(next_active("a", 0, 2), None);
    }
}
