//! A list of which one is picked, by the pointer or from a field that keeps the keyboard. The field's component moves
//! the mark; nothing here listens to keys.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::icon::{Glyph, Icon};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    pub key: String,
    pub name: String,
    pub words: String,
    /// Where it comes from.
    pub note: String,
    /// It is the one that holds now.
    pub current: bool,
}

#[component]
pub fn Choices(
    /// Of the list; an option's is this, a dash and its number.
    id: &'static str,
    label: &'static str,
    choices: Memo<Vec<Choice>>,
    /// Which one Enter would pick.
    marked: RwSignal<usize>,
    pick: Callback<String>,
) -> impl IntoView {
    Effect::new(move |_| {
        choices.track();
        show_option(id, marked.get());
    });
    let option = move |(index, choice): (usize, Choice)| {
        let Choice { key, name, words, note, current } = choice;
        view! {
            <li
                id=option_id(id, index)
                class="choice-option"
                role="option"
                aria-selected=move || (marked.get() == index).to_string()
                aria-current=current.then_some("true")
                on:mousedown=move |event| {
                    // The field keeps the keyboard.
                    event.prevent_default();
                }
                on:click=move |_| pick.run(key.clone())
            >
                <span class="choice-option-name">{name}</span>
                <span class="choice-option-words">{words}</span>
                <span class="choice-option-note">{note}</span>
                <Show when=move || current><Glyph icon=Icon::Check /></Show>
            </li>
        }
        .into_any()
    };
    let numbered = move || choices.get().into_iter().enumerate().collect::<Vec<_>>();
    let key = |(index, choice): &(usize, Choice)| format!("{index} {} {}", choice.current, choice.key);
    view! { <ul id=id class="choices" role="listbox" aria-label=label><For each=numbered key=key children=option /></ul> }
}

pub fn option_id(list: &str, index: usize) -> String {
    format!("{list}-{index}")
}

/// Where a key moves the mark, if it is one that does.
pub fn moved(key: &str, marked: usize, count: usize) -> Option<usize> {
    let last = count.checked_sub(1)?;
    match key {
        "ArrowDown" => Some(if marked >= last { 0 } else { marked + 1 }),
        "ArrowUp" => Some(if marked == 0 { last } else { marked - 1 }),
        _ => None,
    }
}

/// Scrolls the list, and nothing around it, until the option is in view.
fn show_option(list: &str, index: usize) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_goes_round_and_other_keys_leave_it() {
        assert_eq!(moved("ArrowDown", 0, 2), Some(1));
        assert_eq!(moved("ArrowDown", 1, 2), Some(0));
        assert_eq!(moved("ArrowUp", 0, 2), Some(1));
        assert_eq!(moved("ArrowDown", 5, 2), Some(0), "a list that has become shorter");
        assert_eq!(moved("ArrowDown", 0, 0), None);
        assert_eq!(moved("a", 0, 2), None);
    }
}
