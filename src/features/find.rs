//! The find bar of the open conversation. The server searches, so collapsed rows and rows not loaded yet are found, too.

use std::time::Duration;

use leptos::html;
use leptos::prelude::*;
use pilothouse_core::protocol::FoundRows;

use super::shortcuts::keys::KeyPress;
use crate::actions::timeline::FirstMatch;
use crate::actions::use_actions;
use crate::browser::debounce::Debounce;
use crate::net::ConnectionState;
use crate::reactive::{effect, memo};
use crate::store::server::Session;
use crate::widgets::icon::{Glyph, Icon};

/// How long typing must pause before the server is asked.
const TYPING_PAUSE: Duration = Duration::from_millis(200);

/// The find bar while `client.finding` holds a query.
#[component]
pub fn FindBar(session: Session) -> impl IntoView {
    let actions = use_actions();
    let finding = actions.client.finding;
    let open = memo(move || finding.with(Option::is_some));
    let close = move || finding.set(None);
    // The query does not carry over to the next conversation.
    on_cleanup(close);
    move || open.get().then(|| find_field(session, Box::new(close)))
}

fn find_field(session: Session, close: Box<dyn Fn() + Send + Sync>) -> AnyView {
    view! { <FindField session close /> }.into_any()
}

/// The field with the number of hits and the buttons to step through them.
#[component]
fn FindField(
    session: Session,
    /// Closes the find bar.
    close: Box<dyn Fn() + Send + Sync>,
) -> impl IntoView {
    let actions = use_actions();
    let finding = actions.client.finding;
    // The positions of the rows with hits; None before the first answer and after a failure.
    let found_rows = RwSignal::new(None::<Vec<usize>>);
    let error = RwSignal::new(String::new());
    // The index of the current row in `found_rows`.
    let current = RwSignal::new(0usize);
    let field = NodeRef::<html::Input>::new();
    let close = StoredValue::new(close);
    effect(move || {
        if let Some(field) = field.get() {
            let _ = field.focus();
            field.select();
        }
    });
    let hit = actions.client.hit;
    let go_to = move |index: usize, first_match: FirstMatch| {
        current.set(index);
        hit.set((0, 0));
        if let Some(position) = found_rows.with_untracked(|rows| rows.as_ref()?.get(index).copied()) {
            actions.show_row(session, position, first_match);
        }
    };
    let step = move |forwards: bool| {
        let count = found_rows.with_untracked(|rows| rows.as_ref().map_or(0, Vec::len));
        if count == 0 {
            return;
        }
        // First step through the hits inside the current row.
        if let Some(hit_in_row) = actions.timeline.step_match(forwards) {
            hit.set(hit_in_row);
        } else {
            let first_match = if forwards { FirstMatch::Topmost } else { FirstMatch::Lowest };
            go_to((current.get_untracked() + if forwards { 1 } else { count - 1 }) % count, first_match);
        }
    };
    let debounce = Debounce::new(TYPING_PAUSE);
    let search = move |query: String| {
        let is_current =
            move |query: &str| finding.try_with_untracked(|now| now.as_deref() == Some(query)) == Some(true);
        let request = move || {
            let requested = query.clone();
            actions.find_rows(session, query, move |result| {
                if !is_current(&requested) {
                    return;
                }
                error.set(result.as_ref().err().cloned().unwrap_or_default());
                let Ok(FoundRows { rows, .. }) = result else { return found_rows.set(None) };
                if rows.is_empty() {
                    actions.timeline.clear_matches();
                }
                let last = rows.len().saturating_sub(1);
                found_rows.set(Some(rows));
                go_to(last, FirstMatch::Lowest);
            });
        };
        debounce.run(Box::new(request));
    };
    effect(move || {
        let query = finding.get().unwrap_or_default();
        if query.trim().is_empty() {
            debounce.cancel();
            error.set(String::new());
            actions.timeline.clear_matches();
            return found_rows.set(None);
        }
        search(query);
    });
    // Repeat a failed search once the connection is back.
    effect(move || {
        let connected = actions.client.connection.get() == ConnectionState::Open;
        if connected && error.with_untracked(|error| !error.is_empty()) {
            search(finding.get_untracked().unwrap_or_default());
        }
    });
    let status = move || match found_rows.get() {
        None => error.get(),
        Some(rows) if rows.is_empty() => "No results".to_owned(),
        Some(rows) => match hit.get() {
            (index, count @ 2..) => {
                format!("{} of {}, match {} of {count}", current.get() + 1, rows.len(), index + 1)
            }
            _ => format!("{} of {}", current.get() + 1, rows.len()),
        },
    };
    let on_keydown = move |event: leptos::ev::KeyboardEvent| match KeyPress::name_of(&event).as_str() {
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
                aria-label="Find in conversation"
                placeholder="Find in conversation"
                autocomplete="off"
                prop:value=move || finding.get().unwrap_or_default()
                on:input:target=move |event| finding.set(Some(event.target().value()))
                on:keydown=on_keydown
            />
            <span class="find-words" role="status">{status}</span>
            <button type="button" class="button icon-only quiet" aria-label="Previous match" title="Previous match (Enter)" on:click=move |_| step(false)>
                <Glyph icon=Icon::ArrowUp />
            </button>
            <button type="button" class="button icon-only quiet" aria-label="Next match" title="Next match (Shift+Enter)" on:click=move |_| step(true)>
                <Glyph icon=Icon::ArrowDown />
            </button>
            <button type="button" class="button icon-only quiet" aria-label="Close" title="Close (Escape)" on:click=move |_| close.with_value(|close| close())>
                <Glyph icon=Icon::Close />
            </button>
        </div>
    }
}
