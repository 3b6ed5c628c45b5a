//! The one place from which a screen reader is spoken to: how turns begin and end, what waits, what is back. What it
//! says is decided in `state::server::hearing`.

mod wording;

use leptos::prelude::*;
use pilothouse_core::protocol::SessionMetaStoreFields;
use pilothouse_core::render::failure::failure_text;
use pilothouse_core::render::visible_text::visible_string;
use pilothouse_core::{Kind, UiMessage};

use self::wording::{TurnState, news};
use super::notifications::calls::{States, calls};
use super::sidebar::session_title::title_or_new;
use crate::actions::use_actions;
use crate::net::ConnectionState;
use crate::routes::Route;
use crate::store::server::{Loading, Session};

/// The region itself, and what is told whatever is open.
#[component]
pub fn Announcer() -> impl IntoView {
    let actions = use_actions();
    let announced = actions.client.announced;
    // Its loss is told by the banner.
    Effect::new(move |before: Option<ConnectionState>| {
        let now = actions.client.connection.get();
        if before == Some(ConnectionState::Lost) && now == ConnectionState::Open {
            announced.set("Connected again.".to_owned());
        }
        now
    });
    let states = StoredValue::new(States::new());
    Effect::new(move |_| {
        let calls = actions
            .server
            .sessions
            .with(|sessions| states.try_update_value(|states| calls(states, sessions)).unwrap_or_default());
        let open = |id: &str| matches!(actions.route.get_untracked(), Route::Session(open) if open == id);
        for call in calls.into_iter().filter(|call| !open(&call.session_id)) {
            announced.set(format!("{}: {}", title_or_new(&call.title), call.words));
        }
    });
    view! { <div class="visually-hidden" role="status" data-announcer="">{move || announced.get()}</div> }
}

/// Tells from now on what happens in the session that is shown.
pub fn announce(session: Session) {
    let announced = use_actions().client.announced;
    let heard = StoredValue::new(None::<TurnState>);
    Effect::new(move |_| {
        if session.loading.with(|loading| *loading != Loading::Ready) {
            return;
        }
        let now = TurnState {
            state: session.meta.state().get(),
            question: session.meta.asks().with(|asks| asks.last().map(|ask| visible_string(&ask.title))),
            retrying: session.meta.retry().with(Option::is_some),
            compacting: session.meta.compacting().get(),
        };
        let last = session.with_rows(last_words);
        let before = heard.try_update_value(|heard| heard.replace(now.clone())).flatten();
        if let Some(words) = before.and_then(|before| news(&before, &now, &last)) {
            announced.set(words);
        }
    });
}

/// What the agent said since the person did.
fn last_words(rows: &[UiMessage]) -> String {
    let spoken = |row: &&UiMessage| matches!(row.kind, Kind::User | Kind::Assistant | Kind::Error);
    let last = rows.iter().rev().find(spoken).filter(|row| row.kind != Kind::User);
    let words = |row: &UiMessage| match row.kind {
        Kind::Error => failure_text(&row.text).into_owned(),
        _ => row.text.clone(),
    };
    last.map(words).unwrap_or_default()
}
