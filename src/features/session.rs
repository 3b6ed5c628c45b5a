//! The screen of one session: title bar, timeline, queue and composer.

pub mod about_agent;
pub mod branch;
mod elsewhere_banner;
mod extension_panels;
mod notices;
mod plan_panel;

use leptos::prelude::*;
use leptos_router::hooks::use_location;
use pilothouse_core::protocol::SessionMetaStoreFields;
use pilothouse_core::protocol::{CommandError, ErrorCode};

use self::elsewhere_banner::elsewhere_banner;
use self::extension_panels::{extension_panels, offered_text};
use self::notices::notices;
use self::plan_panel::plan_panel;
use super::announcements::announce_turns;
use super::composer::Composer;
use super::find::FindBar;
use super::queue::queue;
use super::sidebar::session_label::level_name;
use super::timeline::Timeline;
use super::title_bar::TitleBar;
use crate::actions::{Actions, use_actions};
use crate::browser::files;
use crate::net::ConnectionState;
use crate::reactive::{effect, memo};
use crate::routes::Route;
use crate::store::server::{Loading, Session};
use crate::widgets::focus;
use crate::widgets::icon::{Glyph, Icon};

/// A session, once it is loaded; until then a placeholder, or why it cannot be opened.
#[component]
pub fn SessionPage(session: Session) -> impl IntoView {
    let loading = memo(move || session.loading.get());
    let actions = use_actions();
    let unread = memo(move || actions.server.summary(&session.id()).is_some_and(|summary| summary.unread));
    effect(move || {
        let connected = actions.client.connection.get() == ConnectionState::Open;
        let finished = !session.meta.state().get().is_active();
        if unread.get() && connected && finished && !actions.client.hidden.get() {
            actions.mark_read(&session.id());
        }
    });
    effect(move || {
        if session.meta.state().get().is_active() {
            super::asks::preload();
        }
    });
    follow_fragment(session);
    announce_turns(session);
    view! {
        <main
            class="session"
            data-session-id=session.id()
            data-state=move || session.meta.state().get().name()
            data-auto-approve=move || level_name(session.meta.auto_approve().get())
            data-elsewhere=move || session.meta.external_writer().get().then_some("")
            data-seq=move || session.seq.get().to_string()
            on:drop=move |event| attach_dropped(actions, session, &event)
        >
            <TitleBar session />
            {move || match loading.get() {
                Loading::Waiting => view! { <div class="session-wait" role="status">"Loading conversation…"</div> }.into_any(),
                Loading::Missing(reason) => missing_session(reason),
                Loading::Ready => {
                    view! {
                        <FindBar session />
                        <Timeline session />
                        {notices(session)}
                        {elsewhere_banner(session)}
                        {plan_panel(session)}
                        {queue(session)}
                        {extension_panels(session)}
                        {offered_text(session)}
                        <Composer session />
                    }
                        .into_any()
                }
            }}
        </main>
    }
}

/// Attaches files dropped anywhere in the session to the next message.
fn attach_dropped(actions: Actions, session: Session, event: &leptos::ev::DragEvent) {
    let dropped = files::from_transfer(event.data_transfer());
    if !dropped.is_empty() {
        event.prevent_default();
        actions.attach(session, dropped);
        focus::focus(focus::COMPOSER);
    }
}

/// Shows the message that the fragment of the address names, once the conversation is loaded and whenever the fragment
/// changes.
fn follow_fragment(session: Session) {
    let actions = use_actions();
    let hash = use_location().hash;
    let is_ready = memo(move || session.loading.get() == Loading::Ready);
    effect(move || {
        let fragment = hash.get();
        if is_ready.get() {
            actions.show_fragment(session, fragment.trim_start_matches('#'));
        }
    });
}

fn missing_session(reason: CommandError) -> AnyView {
    view! { <MissingSession reason /> }.into_any()
}

/// The placeholder for a session that does not exist or cannot be opened.
#[component]
fn MissingSession(reason: CommandError) -> impl IntoView {
    let actions = use_actions();
    let (title, explanation) = if reason.code == ErrorCode::NoSuchSession {
        let explanation = "It may have been deleted, or the link is for another machine.";
        ("Session not found", explanation.to_owned())
    } else {
        ("Couldn't open this session", reason.message)
    };
    view! {
        <div class="empty-state">
            <h2>{title}</h2>
            <p>{explanation}</p>
            <button type="button" class="button primary" on:click=move |_| actions.navigate_to(Route::New)>
                <Glyph icon=Icon::Plus />
                "New session"
            </button>
        </div>
    }
}
