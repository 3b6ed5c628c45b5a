//! The page-wide keyboard shortcuts and the dialog that lists them.

pub mod keys;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use self::keys::{KeyAction, KeyPress, Scope};
use crate::actions::{Actions, use_actions};
use crate::browser;
use crate::routes::Route;
use crate::store::server::sessions::waiting;
use crate::widgets::dialog::Dialog;
use crate::widgets::focus::COMPOSER;
use crate::widgets::icon::{Glyph, Icon};

/// Handles the page-wide shortcuts as long as the current owner lives.
pub fn listen() {
    let actions = use_actions();
    let handle = window_event_listener(leptos::ev::keydown, move |event| {
        if event.default_prevented() || is_dialog_open() {
            return;
        }
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let typing = target.as_ref().is_some_and(|target| {
            target.matches("input:not([type=radio]), textarea, select, [contenteditable]").unwrap_or_default()
        });
        // Pressed again in the find bar, the shortcut opens the browser's own search.
        let in_find_bar =
            target.as_ref().is_some_and(|target| target.matches("input[name=find]").unwrap_or_default());
        let key = KeyPress::of(&event);
        // In a text, Alt with a letter may type a character: leave it to the field.
        if typing
            && key.types_text()
            && target.as_ref().is_some_and(|field| !browser::field_value(field).is_empty())
        {
            return;
        }
        match keys::page_action(&key, typing) {
            Some(KeyAction::Find) if in_find_bar => {}
            // A key held too long must not answer the next question as well.
            Some(KeyAction::Approve | KeyAction::Reject | KeyAction::Choose(_)) if key.repeated => {
                event.prevent_default()
            }
            Some(action) if perform(&actions, action) => event.prevent_default(),
            _ => {}
        }
    });
    on_cleanup(move || handle.remove());
}

/// Performs an action. Returns false if it does not apply, so that the key keeps its default effect.
fn perform(actions: &Actions, action: KeyAction) -> bool {
    let session = actions.current();
    match action {
        KeyAction::ShowShortcuts => actions.client.help.set(true),
        KeyAction::Search => {
            actions.client.show_sidebar();
            return focus_in_next_frame("input[name=search]");
        }
        KeyAction::ToggleSidebar => actions.client.toggle_sidebar(),
        KeyAction::NextWaiting => return go_to_next_waiting(actions),
        KeyAction::NewSession => actions.go(Route::New),
        KeyAction::FocusComposer => return !is_focused(COMPOSER) && focus_in_next_frame(COMPOSER),
        KeyAction::PreviousSession => return go_to_neighbour(actions, -1),
        KeyAction::NextSession => return go_to_neighbour(actions, 1),
        KeyAction::Approve => return click_answer("[data-answer=yes]"),
        KeyAction::Reject => return click_answer("[data-answer=no]"),
        KeyAction::Choose(number) => return click_answer(&format!("[data-choice='{number}']")),
        KeyAction::Find | KeyAction::Stop | KeyAction::ScrollToEnd => match (session, action) {
            (Some(_), KeyAction::Find) => {
                let query = actions.client.finding.get_untracked().unwrap_or_default();
                actions.client.finding.set(Some(query));
            }
            (Some(session), KeyAction::Stop) if session.is_active() => actions.stop(session),
            (Some(_), KeyAction::ScrollToEnd) => actions.timeline.jump_to_end(),
            _ => return false,
        },
        // The composer handles these.
        KeyAction::Send(_) | KeyAction::NewLine | KeyAction::RecallPrompt => return false,
    }
    true
}

/// Opens the next session that waits for the user. Returns false if there is none.
fn go_to_next_waiting(actions: &Actions) -> bool {
    let ids = actions.server.sessions.with_untracked(|sessions| waiting(sessions));
    let next = current_index(actions, &ids).map_or(0, |current| (current + 1) % ids.len());
    go_to_session(actions, ids.get(next))
}

/// Opens the session above (-1) or below (1) the current one in the sidebar. Returns false if there is none.
fn go_to_neighbour(actions: &Actions, offset: isize) -> bool {
    let Ok(rows) = document().query_selector_all(".sidebar [data-session-id]") else { return false };
    let ids: Vec<String> = (0..rows.length())
        .filter_map(|index| rows.item(index)?.dyn_into::<Element>().ok()?.get_attribute("data-session-id"))
        .collect();
    let next = match current_index(actions, &ids) {
        Some(current) => current.checked_add_signed(offset),
        None => Some(0),
    };
    go_to_session(actions, next.and_then(|next| ids.get(next)))
}

/// The index of the open session.
fn current_index(actions: &Actions, ids: &[String]) -> Option<usize> {
    match actions.route.get_untracked() {
        Route::Session(id) => ids.iter().position(|known| *known == id),
        Route::New => None,
    }
}

fn go_to_session(actions: &Actions, id: Option<&String>) -> bool {
    if let Some(id) = id {
        actions.go(Route::Session(id.clone()));
    }
    id.is_some()
}

fn focus_in_next_frame(selector: &str) -> bool {
    let Ok(Some(field)) = document().query_selector(selector) else { return false };
    // A drawer that the same key opens must be visible first.
    request_animation_frame(move || drop(field.unchecked_into::<HtmlElement>().focus()));
    true
}

fn is_focused(selector: &str) -> bool {
    document().active_element().is_some_and(|element| element.matches(selector).unwrap_or_default())
}

/// Clicks the first visible answer button that matches, of all questions of this session. If the button is not visible,
/// only scrolls to its question: the user must see what they answer. Returns false if no button matches.
fn click_answer(selector: &str) -> bool {
    // A popover above the session may show questions of another session.
    if document().query_selector(":popover-open").is_ok_and(|open| open.is_some()) {
        return false;
    }
    let Ok(buttons) = document().query_selector_all(&format!(".session [data-ask-id] {selector}")) else {
        return false;
    };
    let buttons: Vec<HtmlElement> =
        (0..buttons.length()).filter_map(|index| buttons.item(index)?.dyn_into().ok()).collect();
    match (buttons.iter().find(|button| is_visible(button)), buttons.first()) {
        (Some(button), _) => button.click(),
        (None, Some(button)) => {
            let card = button.closest("[data-ask-id]").ok().flatten();
            card.iter().for_each(Element::scroll_into_view);
        }
        (None, None) => return false,
    }
    true
}

/// Whether a button is in view and nothing covers its centre.
fn is_visible(button: &HtmlElement) -> bool {
    let rect = button.get_bounding_client_rect();
    let (x, y) = (rect.left() + rect.width() / 2.0, rect.top() + rect.height() / 2.0);
    let topmost = document().element_from_point(x as f32, y as f32);
    topmost.is_some_and(|topmost| button.contains(Some(&topmost)))
}

fn is_dialog_open() -> bool {
    document().query_selector("dialog[open]").ok().flatten().is_some()
}

/// The dialog that lists all shortcuts.
#[component]
pub fn ShortcutList() -> impl IntoView {
    let open = use_actions().client.help;
    let close = Callback::new(move |()| open.set(false));
    let mac = browser::is_mac();
    let group = move |title: &'static str, scopes: &'static [Scope]| {
        let bindings = keys::BINDINGS.iter().filter(move |binding| scopes.contains(&binding.scope));
        let entries = bindings.map(|binding| {
            let keys =
                binding.key_labels(mac).into_iter().map(|key| view! { <kbd>{key}</kbd> }).collect_view();
            view! { <dt>{binding.label}</dt> <dd>{keys}</dd> }
        });
        view! {
            <h3 class="shortcut-part">{title}</h3>
            <dl class="shortcuts">{entries.collect_view()}</dl>
        }
    };
    view! {
        <Dialog open close class="confirm help" label="Keyboard shortcuts">
            <div class="help-head">
                <h2 class="confirm-title">"Keyboard shortcuts"</h2>
                <button type="button" class="button icon-only quiet" aria-label="Close" on:click=move |_| open.set(false)>
                    <Glyph icon=Icon::Close />
                </button>
            </div>
            <Show when=move || open.get()>
                {group("Everywhere", &[Scope::Anywhere])}
                {group("Where nothing is written", &[Scope::NotTyping])}
                {group("In the message", &[Scope::Composer])}
            </Show>
        </Dialog>
    }
}
