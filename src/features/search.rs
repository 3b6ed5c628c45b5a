//! The search over all sessions: titles are matched in the page at once, contents by the server after a short
//! pause.

use std::time::Duration;

use leptos::prelude::*;
use pilothouse_core::protocol::{Piece, SearchHit, SearchResults as FoundHits};
use web_sys::Element;

use super::shortcuts::keys::KeyPress;
use super::sidebar::session_label::session_title;
use super::sidebar::session_list::session_list;
use crate::actions::{Actions, use_actions};
use crate::browser::debounce::Debounce;
use crate::dom::build::{button, rebuilt, with_children};
use crate::dom::element::{append, set, with_class, with_text};
use crate::reactive::{effect, memo};
use crate::store::server::sessions::{SessionHits, group_hits};
use crate::store::sidebar::{SessionGroup, SidebarList, list_of};
use crate::widgets::icon::{Glyph, Icon};

/// How long typing must pause before the server is asked.
const TYPING_PAUSE: Duration = Duration::from_millis(250);

/// The delay before the server is asked a second time, because it indexes new messages late.
const SECOND_REQUEST_DELAY: Duration = Duration::from_millis(1_500);

/// The shortest query that is sent: a single character matches everything.
const MIN_CHARACTERS: usize = 2;

/// The search field of the sidebar.
#[component]
pub fn SearchField() -> impl IntoView {
    let query = use_actions().client.query;
    let on_keydown = move |event: leptos::ev::KeyboardEvent| {
        if KeyPress::name_of(&event) == "Escape" && !query.with_untracked(String::is_empty) {
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
                on:keydown=on_keydown
            />
        </div>
    }
}

/// The state of the search in contents.
#[derive(Clone, PartialEq)]
enum SearchState {
    TooShort,
    Searching,
    Found(FoundHits),
    Failed(String),
}

/// Asks the server; if `repeat`, once more a little later, because new messages are indexed with a delay.
fn request(actions: Actions, state: RwSignal<SearchState>, query: String, repeat: bool) {
    let current_query = actions.client.query;
    // Outdated requests are not sent, and outdated answers are dropped.
    let is_current =
        move |query: &str| current_query.try_with_untracked(|now| now.trim() == query) == Some(true);
    if !is_current(&query) {
        return;
    }
    let requested = query.clone();
    actions.search(query, move |result| {
        // A failure of the second request does not replace the results of the first.
        if is_current(&requested) && (repeat || result.is_ok()) {
            state.try_set(result.map_or_else(SearchState::Failed, SearchState::Found));
            if repeat {
                set_timeout(move || request(actions, state, requested, false), SECOND_REQUEST_DELAY);
            }
        }
    });
}

/// The results: sessions by title, then hits in contents by session.
#[component]
pub fn SearchResults(
    /// The lists of the sidebar, which are the sessions with a matching title.
    lists: Memo<Vec<SidebarList>>,
) -> impl IntoView {
    let actions = use_actions();
    let query = actions.client.query;
    let state = RwSignal::new(SearchState::TooShort);
    let debounce = Debounce::new(TYPING_PAUSE);
    effect(move || {
        let trimmed = query.get().trim().to_owned();
        if trimmed.chars().count() < MIN_CHARACTERS {
            debounce.cancel();
            return state.set(SearchState::TooShort);
        }
        state.set(SearchState::Searching);
        debounce.run(Box::new(move || request(actions, state, trimmed, true)));
    });
    let no_titles = memo(move || lists.with(|lists| list_of(lists, &SessionGroup::MatchingTitle).is_none()));
    let hits = memo(move || {
        state.with(|state| match state {
            SearchState::Found(found) => group_hits(found),
            _ => Vec::new(),
        })
    });
    let message = memo(move || {
        let no_titles = no_titles.get();
        state.with(|state| match state {
            SearchState::TooShort if no_titles => {
                Some("No matching titles. Keep typing to search messages.".to_owned())
            }
            SearchState::TooShort => None,
            SearchState::Searching => Some("Searching messages…".to_owned()),
            SearchState::Failed(error) => Some(format!("Search failed: {error}")),
            SearchState::Found(found) if found.hits.is_empty() && no_titles => {
                Some("No results in titles, messages or tool output".to_owned())
            }
            SearchState::Found(found) => {
                found.more.then(|| "More results not shown. Add a word to narrow the search.".to_owned())
            }
        })
    });
    view! {
        {rebuilt("contents", move |place| {
            if !no_titles.get() {
                let section = with_children("section", "folder", &[&with_text("h2", "folder-name", "Titles")]);
                set(&section, "aria-label", "Titles");
                session_list(&section, actions, lists, SessionGroup::MatchingTitle);
                append(place, &section);
            }
        })}
        {rebuilt("contents", move |place| {
            for hits in hits.get() {
                append(place, &untrack(|| hits_of_session(actions, hits)));
            }
        })}
        <p class="sidebar-empty" role="status">{move || message.get()}</p>
    }
}

/// The hits in one session.
fn hits_of_session(actions: Actions, hits: SessionHits) -> Element {
    let title = actions.server.summary(&hits.session_id).map(|summary| session_title(&summary));
    let heading = with_text("h2", "folder-name", &title.unwrap_or_default());
    let list = with_class("ul", "");
    for SearchHit { entry, kind, snippet, .. } in hits.hits {
        let id = hits.session_id.clone();
        let hit = button("hit", None, "", move || actions.navigate_to_entry(id.clone(), entry.clone()));
        set(&hit, "data-kind", kind.name());
        for Piece { text, found } in snippet {
            append(&hit, &with_text(if found { "mark" } else { "span" }, "", &text));
        }
        append(&list, &with_children("li", "", &[&hit]));
    }
    let section = with_children("section", "folder", &[&heading, &list]);
    set(&section, "data-hits-of", &hits.session_id);
    section
}
