//! The page-wide keyboard shortcuts and the dialog that lists them.

pub mod keys;

use leptos::prelude::*;
use pilothouse_core::conversation::ask::auto_approve::AutoApprove;
use pilothouse_core::conversation::ask::{Answer, Ask};
use pilothouse_core::protocol::SessionMetaStoreFields;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use self::keys::{KeyAction, KeyPress, Scope};
use super::asks::key_answers::key_answer;
use super::asks::reading::read_on;
use super::asks::send_answer;
use super::sidebar::sidebar_lists;
use crate::actions::{Actions, use_actions};
use crate::browser;
use crate::dom::build::rebuilt;
use crate::dom::element::{append, with_class, with_text};
use crate::routes::Route;
use crate::store::server::sessions::waiting;
use crate::store::sidebar::shown_ids;
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
        let action = keys::page_action(&key, typing);
        // In a text, Alt with a letter may type a character: leave it to the field.
        if typing
            && key.types_text()
            && action != Some(KeyAction::TurnOffAutoApprove)
            && target.as_ref().is_some_and(|field| !browser::field_value(field).is_empty())
        {
            return;
        }
        match action {
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
    let session = actions.current_session();
    match action {
        KeyAction::ShowShortcuts => actions.client.help.set(true),
        KeyAction::Search => {
            actions.client.show_sidebar();
            return focus_in_next_frame("input[name=search]");
        }
        KeyAction::ToggleSidebar => actions.client.toggle_sidebar(),
        KeyAction::NextWaiting => return go_to_next_waiting(actions),
        KeyAction::NewSession => actions.navigate_to(Route::New),
        KeyAction::FocusComposer => return !is_focused(COMPOSER) && focus_in_next_frame(COMPOSER),
        KeyAction::PreviousSession => return go_to_neighbour(actions, -1),
        KeyAction::NextSession => return go_to_neighbour(actions, 1),
        KeyAction::Approve => return answer(actions, action, "[data-answer=yes]"),
        KeyAction::Reject => return answer(actions, action, "[data-answer=no]"),
        KeyAction::Choose(number) => return answer(actions, action, &format!("[data-choice='{number}']")),
        KeyAction::Find | KeyAction::Stop | KeyAction::ScrollToEnd | KeyAction::TurnOffAutoApprove => {
            match (session, action) {
                (Some(_), KeyAction::Find) => {
                    let query = actions.client.finding.get_untracked().unwrap_or_default();
                    actions.client.finding.set(Some(query));
                }
                (Some(session), KeyAction::Stop) if session.is_active() => actions.stop(session),
                (Some(session), KeyAction::TurnOffAutoApprove)
                    if session.meta.auto_approve().get_untracked().is_on() =>
                {
                    actions.set_auto_approve(session, AutoApprove::Off, None)
                }
                (Some(_), KeyAction::ScrollToEnd) => actions.timeline.jump_to_end(),
                _ => return false,
            }
        }
        // The composer handles these.
        KeyAction::Send(_) | KeyAction::NewLine | KeyAction::RecallPrompt => return false,
    }
    true
}

/// Opens the next session that waits for the user. Returns false if there is none.
fn go_to_next_waiting(actions: &Actions) -> bool {
    let ids = actions.server.sessions().with_untracked(|sessions| waiting(sessions));
    let next = current_index(actions, &ids).map_or(0, |current| (current + 1) % ids.len());
    go_to_session(actions, ids.get(next))
}

/// Opens the session above (-1) or below (1) the current one in the sidebar. Returns false if there is none.
fn go_to_neighbour(actions: &Actions, offset: isize) -> bool {
    let ids = untrack(|| shown_ids(&sidebar_lists(*actions)));
    let next = match current_index(actions, &ids) {
        Some(current) => current.checked_add_signed(offset),
        None => Some(0),
    };
    go_to_session(actions, next.and_then(|next| ids.get(next)))
}

/// The index of the open session.
fn current_index(actions: &Actions, ids: &[String]) -> Option<usize> {
    let route = actions.route.get_untracked();
    route.session_id().and_then(|id| ids.iter().position(|known| known == id))
}

fn go_to_session(actions: &Actions, id: Option<&String>) -> bool {
    if let Some(id) = id {
        actions.navigate_to(Route::Session(id.clone()));
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

/// Answers the first ask of the current session that the key has an answer to and whose button for that
/// answer, which `button` selects, is visible. If none is visible, only scrolls to the first of the asks: the
/// user must see what they answer; and before approving, everything, so the key scrolls on until they have.
/// Returns false if the key answers no ask.
fn answer(actions: &Actions, action: KeyAction, button: &str) -> bool {
    // A popover above the session may show questions of another session.
    if document().query_selector(":popover-open").is_ok_and(|open| open.is_some()) {
        return false;
    }
    let Some(session) = actions.current_session() else { return false };
    let with_answer = |ask: &Ask| Some((ask.clone(), key_answer(action, ask)?, ask_card(&ask.id)?));
    let asks: Vec<(Ask, Answer, Element)> =
        session.meta.asks().with_untracked(|asks| asks.iter().filter_map(with_answer).collect());
    let first_card = asks.first().map(|(_, _, card)| card.clone());
    let may_send =
        |ask: &Ask, answer: &Answer| untrack(|| actions.client.read_asks.allow(&session.id(), ask, answer));
    let is_answer_visible =
        |card: &Element| card.query_selector(button).ok().flatten().is_some_and(|button| is_visible(&button));
    match (asks.into_iter().find(|(_, _, card)| is_answer_visible(card)), first_card) {
        (Some((ask, answer, card)), _) if !may_send(&ask, &answer) => read_on(&card),
        (Some((ask, answer, _)), _) => send_answer(*actions, session.id(), &ask, answer, false),
        (None, Some(card)) => card.scroll_into_view(),
        (None, None) => return false,
    }
    true
}

/// The card of an ask in the conversation.
fn ask_card(ask_id: &str) -> Option<Element> {
    let cards = document().query_selector_all(".session [data-ask-id]").ok()?;
    let mut cards = (0..cards.length()).filter_map(|index| cards.item(index)?.dyn_into::<Element>().ok());
    cards.find(|card| card.get_attribute("data-ask-id").as_deref() == Some(ask_id))
}

/// Whether a button is in view and nothing covers its centre.
fn is_visible(button: &Element) -> bool {
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
    let groups: [(&str, Scope); 3] = [
        ("Everywhere", Scope::Anywhere),
        ("When no text field has focus", Scope::NotTyping),
        ("In the message field", Scope::Composer),
    ];
    let content = move |place: &Element| {
        if !open.get() {
            return;
        }
        for (title, scope) in groups {
            let list = with_class("dl", "shortcuts");
            for binding in keys::BINDINGS.iter().filter(|binding| binding.scope == scope) {
                let keys = with_class("dd", "");
                binding.key_labels(mac).iter().for_each(|key| append(&keys, &with_text("kbd", "", key)));
                append(&list, &with_text("dt", "", binding.label));
                append(&list, &keys);
            }
            append(place, &with_text("h3", "shortcut-part", title));
            append(place, &list);
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
            {rebuilt("contents", content)}
        </Dialog>
    }
}
