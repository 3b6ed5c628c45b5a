//! What the keys of the whole page do, and the list of them.

pub mod keys;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use self::keys::{Act, Key, Scope};
use crate::actions::{Actions, use_actions};
use crate::browser;
use crate::routes::Route;
use crate::store::server::sessions::waiting;
use crate::widgets::dialog::Dialog;
use crate::widgets::icon::{Glyph, Icon};

/// Listens as long as the page stands there.
pub fn listen() {
    let actions = use_actions();
    let handle = window_event_listener(leptos::ev::keydown, move |event| {
        if event.default_prevented() || a_dialog_is_open() {
            return;
        }
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let writing = target.as_ref().is_some_and(|target| {
            target.matches("input:not([type=radio]), textarea, select, [contenteditable]").unwrap_or_default()
        });
        // Asked for twice, the browser's own search opens.
        let in_find =
            target.as_ref().is_some_and(|target| target.matches("input[name=find]").unwrap_or_default());
        let key = Key::of(&event);
        // A sign in the middle of what somebody writes is a sign.
        if writing && key.types() && target.as_ref().is_some_and(|field| !browser::value_of(field).is_empty())
        {
            return;
        }
        match keys::on_page(&key, writing) {
            Some(Act::Find) if in_find => {}
            // A key that is held a moment too long must not answer the next question as well.
            Some(Act::Approve | Act::Reject | Act::Choose(_)) if key.repeated => event.prevent_default(),
            Some(act) if perform(&actions, act) => event.prevent_default(),
            _ => {}
        }
    });
    on_cleanup(move || handle.remove());
}

/// False if there is nothing to do it to.
fn perform(actions: &Actions, act: Act) -> bool {
    let session = actions.current();
    match act {
        Act::Help => actions.client.help.set(true),
        Act::Search => {
            actions.client.show_sidebar();
            return focus("input[name=search]");
        }
        Act::Sidebar => actions.client.toggle_sidebar(),
        Act::Waiting => return to_waiting(actions),
        Act::New => actions.go(Route::New),
        Act::Write => return !is_focused("textarea[name=prompt]") && focus("textarea[name=prompt]"),
        Act::Previous => return step(actions, -1),
        Act::Next => return step(actions, 1),
        Act::Approve => return answer("[data-answer=yes]"),
        Act::Reject => return answer("[data-answer=no]"),
        Act::Choose(number) => return answer(&format!("[data-choice='{number}']")),
        Act::Find | Act::Stop | Act::Latest => match (session, act) {
            (Some(_), Act::Find) => {
                let words = actions.client.finding.get_untracked().unwrap_or_default();
                actions.client.finding.set(Some(words));
            }
            (Some(session), Act::Stop) if session.is_active() => actions.stop(session),
            (Some(_), Act::Latest) => actions.timeline.jump_to_end(),
            _ => return false,
        },
        // The composer's own.
        Act::Send(_) | Act::Break | Act::Recall => return false,
    }
    true
}

/// To the next session that waits on the person.
fn to_waiting(actions: &Actions) -> bool {
    let ids = actions.server.sessions.with_untracked(|sessions| waiting(sessions));
    let here = match actions.route.get_untracked() {
        Route::Session(id) => ids.iter().position(|known| *known == id),
        Route::New => None,
    };
    let next = ids.get(here.map_or(0, |here| (here + 1) % ids.len()));
    if let Some(id) = next {
        actions.go(Route::Session(id.clone()));
    }
    next.is_some()
}

/// To the session above or below, as the sidebar shows them.
fn step(actions: &Actions, by: i32) -> bool {
    let Ok(rows) = document().query_selector_all(".sidebar [data-session-id]") else { return false };
    let ids: Vec<String> = (0..rows.length())
        .filter_map(|index| rows.item(index)?.dyn_into::<Element>().ok()?.get_attribute("data-session-id"))
        .collect();
    let here = match actions.route.get_untracked() {
        Route::Session(id) => ids.iter().position(|known| *known == id),
        Route::New => None,
    };
    let next = match here {
        Some(here) => here.checked_add_signed(by as isize),
        None => Some(0),
    };
    let next = next.and_then(|next| ids.get(next));
    if let Some(id) = next {
        actions.go(Route::Session(id.clone()));
    }
    next.is_some()
}

fn focus(selector: &str) -> bool {
    let Ok(Some(field)) = document().query_selector(selector) else { return false };
    // A drawer has to be there first.
    request_animation_frame(move || drop(field.unchecked_into::<HtmlElement>().focus()));
    true
}

fn is_focused(selector: &str) -> bool {
    document().active_element().is_some_and(|element| element.matches(selector).unwrap_or_default())
}

/// Answers the first question of this session that is seen and has this answer. One that is not seen is brought into
/// view first: nobody answers what they have not read.
fn answer(selector: &str) -> bool {
    // What is open above the session may ask for something else.
    if document().query_selector(":popover-open").is_ok_and(|open| open.is_some()) {
        return false;
    }
    let Ok(buttons) = document().query_selector_all(&format!(".session [data-ask-id] {selector}")) else {
        return false;
    };
    let buttons: Vec<HtmlElement> =
        (0..buttons.length()).filter_map(|index| buttons.item(index)?.dyn_into().ok()).collect();
    match (buttons.iter().find(|button| is_seen(button)), buttons.first()) {
        (Some(button), _) => button.click(),
        (None, Some(button)) => {
            let card = button.closest("[data-ask-id]").ok().flatten();
            card.iter().for_each(Element::scroll_into_view);
        }
        (None, None) => return false,
    }
    true
}

/// Whether a button can be pressed where it stands: nothing is before it, and it is in view.
fn is_seen(button: &HtmlElement) -> bool {
    let place = button.get_bounding_client_rect();
    let (x, y) = (place.left() + place.width() / 2.0, place.top() + place.height() / 2.0);
    let there = document().element_from_point(x as f32, y as f32);
    there.is_some_and(|there| button.contains(Some(&there)))
}

fn a_dialog_is_open() -> bool {
    document().query_selector("dialog[open]").ok().flatten().is_some()
}

#[component]
pub fn ShortcutList() -> impl IntoView {
    let help = use_actions().client.help;
    let close = Callback::new(move |()| help.set(false));
    let mac = browser::is_mac();
    let part = move |title: &'static str, scopes: &'static [Scope]| {
        let bindings = keys::TABLE.iter().filter(move |binding| scopes.contains(&binding.scope));
        let lines = bindings.map(|binding| {
            let keys = binding.keys(mac).into_iter().map(|key| view! { <kbd>{key}</kbd> }).collect_view();
            view! { <dt>{binding.words}</dt> <dd>{keys}</dd> }
        });
        view! {
            <h3 class="shortcut-part">{title}</h3>
            <dl class="shortcuts">{lines.collect_view()}</dl>
        }
    };
    view! {
        <Dialog open=help close class="confirm help" label="Keyboard shortcuts">
            <div class="help-head">
                <h2 class="confirm-title">"Keyboard shortcuts"</h2>
                <button type="button" class="button icon-only quiet" aria-label="Close" on:click=move |_| help.set(false)>
                    <Glyph icon=Icon::Close />
                </button>
            </div>
            <Show when=move || help.get()>
                {part("Everywhere", &[Scope::Anywhere])}
                {part("Where nothing is written", &[Scope::Outside])}
                {part("In the message", &[Scope::Composer])}
            </Show>
        </Dialog>
    }
}
