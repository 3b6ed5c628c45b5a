//! Searching all sessions: titles at once, what was said and done in them after a short pause.

use std::time::Duration;

use leptos::prelude::*;
use pilothouse_core::protocol::{Piece, SearchHit, SearchResults as Found};

use super::shortcuts::keys::Key;
use super::sidebar::session_list::SessionList;
use super::sidebar::session_title::title_words;
use crate::actions::{Actions, use_actions};
use crate::store::server::sessions::{Hits, by_session, titled};
use crate::widgets::icon::{Glyph, Icon};

/// How long typing rests before the server is asked.
const PAUSE: Duration = Duration::from_millis(250);

/// When the server is asked once more.
const AGAIN: Duration = Duration::from_millis(1_500);

/// A single letter is in everything.
const SHORTEST: usize = 2;

#[component]
pub fn SearchField() -> impl IntoView {
    let query = use_actions().client.query;
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        if Key::name_of(&event) == "Escape" && !query.with_untracked(String::is_empty) {
            event.stop_propagation();
            query.set(String::new());
        }
    };
    view! {
        <div class="search" role="search" aria-label="All sessions">
            <Glyph icon=Icon::Search />
            <input
                class="search-field"
                name="search"
                type="search"
                aria-label="Search sessions"
                placeholder="Search"
                autocomplete="off"
                prop:value=query
                on:input:target=move |event| query.set(event.target().value())
                on:keydown=on_key
            />
        </div>
    }
}

#[derive(Clone, PartialEq)]
enum State {
    Short,
    Asking,
    Found(Found),
    Failed(String),
}

/// Asks the server, and once more a little later: what was just said takes a moment to be found.
fn ask(actions: Actions, state: RwSignal<State>, wanted: String, again: bool) {
    let query = actions.client.query;
    // Else it is a question, or an answer, that nobody waits for any more.
    let still = move |wanted: &str| query.try_with_untracked(|now| now.trim() == wanted) == Some(true);
    if !still(&wanted) {
        return;
    }
    let asked = wanted.clone();
    actions.search(wanted, move |found| {
        // What was found stands, whatever becomes of the second question.
        if still(&asked) && (again || found.is_ok()) {
            state.try_set(found.map_or_else(State::Failed, State::Found));
            if again {
                set_timeout(move || ask(actions, state, asked, false), AGAIN);
            }
        }
    });
}

#[component]
pub fn SearchResults() -> impl IntoView {
    let actions = use_actions();
    let query = actions.client.query;
    let state = RwSignal::new(State::Short);
    Effect::new(move |_| {
        let wanted = query.get().trim().to_owned();
        if wanted.chars().count() < SHORTEST {
            return state.set(State::Short);
        }
        state.set(State::Asking);
        set_timeout(move || ask(actions, state, wanted, true), PAUSE);
    });
    let titles =
        Memo::new(move |_| query.with(|query| actions.server.sessions.with(|all| titled(all, query))));
    let hits = Memo::new(move |_| {
        state.with(|state| match state {
            State::Found(found) => by_session(found),
            _ => Vec::new(),
        })
    });
    let words = Memo::new(move |_| {
        let nothing = titles.with(Vec::is_empty);
        state.with(|state| match state {
            State::Short if nothing => {
                Some("No title has that. Type more to search what was said.".to_owned())
            }
            State::Short => None,
            State::Asking => Some("Searching conversations…".to_owned()),
            State::Failed(error) => Some(format!("The search failed: {error}")),
            State::Found(found) if found.hits.is_empty() && nothing => {
                Some("Nothing found in titles, messages or tool output.".to_owned())
            }
            State::Found(found) => {
                found.more.then(|| "There is more: add a word to narrow it down.".to_owned())
            }
        })
    });
    view! {
        <Show when=move || !titles.with(Vec::is_empty)>
            <section class="folder" aria-label="Titles">
                <h2 class="folder-name">"Titles"</h2>
                <SessionList ids=titles />
            </section>
        </Show>
        <For each=move || hits.get() key=Hits::key children=move |hits| view! { <HitsOfSession hits /> }.into_any() />
        <p class="sidebar-empty" role="status">{move || words.get()}</p>
    }
}

#[component]
fn HitsOfSession(hits: Hits) -> impl IntoView {
    let actions = use_actions();
    let id = StoredValue::new(hits.session_id);
    let title = move || id.with_value(|id| actions.server.summary(id)).map(|summary| title_words(&summary));
    let hit = move |hit: SearchHit| {
        let SearchHit { entry, kind, snippet, .. } = hit;
        let pieces = snippet.into_iter().map(|Piece { text, found }| match found {
            true => view! { <mark>{text}</mark> }.into_any(),
            false => text.into_any(),
        });
        view! {
            <li>
                <button
                    type="button"
                    class="hit"
                    data-kind=kind.name()
                    on:click=move |_| actions.go_to(id.get_value(), entry.clone())
                >
                    {pieces.collect_view()}
                </button>
            </li>
        }
    };
    view! {
        <section class="folder" data-hits-of=id.get_value()>
            <h2 class="folder-name">{title}</h2>
            <ul>{hits.hits.into_iter().map(hit).collect_view()}</ul>
        </section>
    }
}
