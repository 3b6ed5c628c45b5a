//! Finding words in the conversation that is open, also in rows that are closed or not even here yet.

use std::time::Duration;

use leptos::html;
use leptos::prelude::*;
use pilothouse_core::protocol::FoundRows;

use super::shortcuts::keys::Key;
use crate::actions::timeline::FirstMatch;
use crate::actions::use_actions;
use crate::net::ConnectionState;
use crate::store::server::Session;
use crate::widgets::icon::{Glyph, Icon};

/// How long typing rests before the server is asked.
const PAUSE: Duration = Duration::from_millis(200);

#[component]
pub fn FindBar(session: Session) -> impl IntoView {
    let actions = use_actions();
    let finding = actions.client.finding;
    let open = Memo::new(move |_| finding.with(Option::is_some));
    let close = move || finding.set(None);
    // What is looked for in one conversation is not looked for in the next.
    on_cleanup(close);
    move || open.get().then(|| field(session, Box::new(close)))
}

fn field(session: Session, close: Box<dyn Fn() + Send + Sync>) -> AnyView {
    view! { <Field session close /> }.into_any()
}

#[component]
fn Field(session: Session, close: Box<dyn Fn() + Send + Sync>) -> impl IntoView {
    let actions = use_actions();
    let finding = actions.client.finding;
    let found = RwSignal::new(None::<Vec<usize>>);
    let trouble = RwSignal::new(String::new());
    let at = RwSignal::new(0usize);
    let field = NodeRef::<html::Input>::new();
    let close = StoredValue::new(close);
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            let _ = field.focus();
            field.select();
        }
    });
    let hit = actions.client.hit;
    let go = move |index: usize, first_match: FirstMatch| {
        at.set(index);
        hit.set((0, 0));
        if let Some(position) = found.with_untracked(|found| found.as_ref()?.get(index).copied()) {
            actions.show_row(session, position, first_match);
        }
    };
    let step = move |forwards: bool| {
        let count = found.with_untracked(|found| found.as_ref().map_or(0, Vec::len));
        if count == 0 {
            return;
        }
        if let Some(place) = actions.timeline.step_match(forwards) {
            hit.set(place);
        } else {
            let first_match = if forwards { FirstMatch::Topmost } else { FirstMatch::Lowest };
            go((at.get_untracked() + if forwards { 1 } else { count - 1 }) % count, first_match);
        }
    };
    let ask = move |query: String| {
        let still =
            move |query: &str| finding.try_with_untracked(|now| now.as_deref() == Some(query)) == Some(true);
        let ask = move || {
            if !still(&query) {
                return;
            }
            let asked = query.clone();
            actions.find_rows(session, query, move |outcome| {
                if !still(&asked) {
                    return;
                }
                trouble.set(outcome.as_ref().err().cloned().unwrap_or_default());
                let Ok(FoundRows { rows, .. }) = outcome else { return found.set(None) };
                if rows.is_empty() {
                    actions.timeline.clear_matches();
                }
                let last = rows.len().saturating_sub(1);
                found.set(Some(rows));
                go(last, FirstMatch::Lowest);
            });
        };
        set_timeout(ask, PAUSE);
    };
    Effect::new(move |_| {
        let query = finding.get().unwrap_or_default();
        if query.trim().is_empty() {
            trouble.set(String::new());
            actions.timeline.clear_matches();
            return found.set(None);
        }
        ask(query);
    });
    // What could not be looked for is, as soon as it can.
    Effect::new(move |_| {
        let open = actions.client.connection.get() == ConnectionState::Open;
        if open && trouble.with_untracked(|trouble| !trouble.is_empty()) {
            ask(finding.get_untracked().unwrap_or_default());
        }
    });
    let words = move || match found.get() {
        None => trouble.get(),
        Some(rows) if rows.is_empty() => "Nothing found".to_owned(),
        Some(rows) => match hit.get() {
            (place, count @ 2..) => {
                format!("{} of {}, place {} of {count}", at.get() + 1, rows.len(), place + 1)
            }
            _ => format!("{} of {}", at.get() + 1, rows.len()),
        },
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| match Key::name_of(&event).as_str() {
        "Enter" => {
            event.prevent_default();
            step(event.shift_key());
        }
        "Escape" => {
            event.stop_propagation();
            close.with_value(|close| close());
        }
        _ => {}
    };
    view! {
        <div class="find-bar" role="search" aria-label="This conversation">
            <Glyph icon=Icon::Search />
            <input
                node_ref=field
                name="find"
                type="text"
                aria-label="Find in the conversation"
                placeholder="Find in the conversation"
                autocomplete="off"
                prop:value=move || finding.get().unwrap_or_default()
                on:input:target=move |event| finding.set(Some(event.target().value()))
                on:keydown=on_key
            />
            <span class="find-words" role="status">{words}</span>
            <button type="button" class="button icon-only quiet" aria-label="Earlier" title="Earlier (Enter)" on:click=move |_| step(false)>
                <Glyph icon=Icon::ArrowUp />
            </button>
            <button type="button" class="button icon-only quiet" aria-label="Later" title="Later (Shift+Enter)" on:click=move |_| step(true)>
                <Glyph icon=Icon::ArrowDown />
            </button>
            <button type="button" class="button icon-only quiet" aria-label="Close" title="Close (Escape)" on:click=move |_| close.with_value(|close| close())>
                <Glyph icon=Icon::Close />
            </button>
        </div>
    }
}
