//! One session: title bar, timeline, queue, composer.

mod extension_panels;
mod notices;

use leptos::prelude::*;
use leptos_router::hooks::use_location;
use pilothouse_core::protocol::SessionMetaStoreFields;
use pilothouse_core::protocol::{CommandError, ErrorCode};

use self::extension_panels::{ElsewhereBanner, Extensions, OfferedText};
use self::notices::Notices;
use super::announcements::announce;
use super::composer::Composer;
use super::find::FindBar;
use super::queue::Queue;
use super::timeline::Timeline;
use super::title_bar::TitleBar;
use crate::actions::{Actions, use_actions};
use crate::browser::files;
use crate::net::ConnectionState;
use crate::routes::Route;
use crate::store::server::{Loading, Session};
use crate::widgets::focus;
use crate::widgets::icon::{Glyph, Icon};

#[component]
pub fn SessionPage(session: Session) -> impl IntoView {
    let loading = Memo::new(move |_| session.loading.get());
    let actions = use_actions();
    let tab = actions.client.title;
    Effect::new(move |_| {
        let (title, own) = (session.meta.title().get(), session.meta.window_title().get());
        let parts = [title.as_str(), own.as_str(), "Pilothouse"];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        tab.set(parts.join(" · "));
    });
    let unread =
        Memo::new(move |_| actions.server.summary(&session.id()).is_some_and(|summary| summary.unread));
    Effect::new(move |_| {
        let connected = actions.client.connection.get() == ConnectionState::Open;
        let at_rest = !session.meta.state().get().is_active();
        if unread.get() && connected && at_rest && !actions.client.hidden.get() {
            actions.mark_read(&session.id());
        }
    });
    follow_fragment(session);
    on_cleanup(move || drop(tab.try_set(String::new())));
    announce(session);
    view! {
        <main
            class="session"
            data-session-id=session.id()
            data-state=move || session.meta.state().get().name()
            data-seq=move || session.seq.get().to_string()
            on:drop=move |event| take_dropped(actions, session, &event)
        >
            <TitleBar session />
            {move || match loading.get() {
                Loading::Waiting => view! { <div class="session-wait" role="status">"Loading the conversation…"</div> }.into_any(),
                Loading::Missing(reason) => missing(reason),
                Loading::Ready => {
                    view! {
                        <FindBar session />
                        <Timeline session />
                        <Notices session />
                        <ElsewhereBanner session />
                        <Queue session />
                        <Extensions session />
                        <OfferedText session />
                        <Composer session />
                    }
                        .into_any()
                }
            }}
        </main>
    }
}

/// Wherever files are let go in a session, they are meant for the next message.
fn take_dropped(actions: Actions, session: Session, event: &leptos::ev::DragEvent) {
    let carried = files::carried(event.data_transfer());
    if !carried.is_empty() {
        event.prevent_default();
        actions.attach(session, carried);
        focus::focus(focus::COMPOSER);
    }
}

/// Shows the message that the fragment of the address names, once the conversation is loaded and whenever the fragment
/// changes.
fn follow_fragment(session: Session) {
    let actions = use_actions();
    let hash = use_location().hash;
    let is_ready = Memo::new(move |_| session.loading.get() == Loading::Ready);
    Effect::new(move |_| {
        let fragment = hash.get();
        if is_ready.get() {
            actions.show_fragment(session, fragment.trim_start_matches('#'));
        }
    });
}

fn missing(reason: CommandError) -> AnyView {
    view! { <MissingSession reason /> }.into_any()
}

/// An address at which nothing can be shown. What the server says about it is told if it is more than that.
#[component]
fn MissingSession(reason: CommandError) -> impl IntoView {
    let actions = use_actions();
    let (title, words) = if reason.code == ErrorCode::NoSuchSession {
        let words = "It may have been deleted, or the link is from another machine.";
        ("This session is not here", words.to_owned())
    } else {
        ("This session cannot be opened", reason.message)
    };
    view! {
        <div class="empty-state">
            <h2>{title}</h2>
            <p>{words}</p>
            <button type="button" class="button primary" on:click=move |_| actions.go(Route::New)>
                <Glyph icon=Icon::Plus />
                "New session"
            </button>
        </div>
    }
}
