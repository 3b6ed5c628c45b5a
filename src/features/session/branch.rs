//! The screen of another branch of a session's file. It can be read, copied, and continued in a new session.

use leptos::prelude::*;
use pilothouse_core::protocol::SessionMetaStoreFields;
use pilothouse_core::protocol::event::NoticeLevel;

use super::notices::notices;
use super::{follow_fragment, missing_session};
use crate::actions::use_actions;
use crate::dom::build::{button, link, rebuilt};
use crate::dom::element::{append, set, with_text};
use crate::features::sidebar::session_label::title_or_placeholder;
use crate::features::timeline::Timeline;
use crate::features::title_bar::SessionsButton;
use crate::reactive::memo;
use crate::routes::Route;
use crate::store::server::{Loading, Session};
use crate::widgets::icon::Icon;

/// The branch that ends with the entry `leaf`.
pub fn branch_screen(id: String, leaf: String) -> AnyView {
    let actions = use_actions();
    // Its title is shown, and whether its agent can fork. It is ready when the user goes back to it.
    let session = untrack(|| actions.open(&id));
    let branch = Session::of_branch(&id, leaf.clone());
    let is_current = RwSignal::new(false);
    actions.load_branch(branch, leaf.clone(), move |current| is_current.set(current));
    follow_fragment(branch);
    let loading = memo(move || branch.loading.get());
    view! {
        <main class="session branch" data-session-id=id data-branch=leaf>
            <header class="title-bar">
                <SessionsButton />
                {branch_title(session)}
            </header>
            {move || match loading.get() {
                Loading::Waiting => view! { <div class="session-wait" role="status">"Loading conversation…"</div> }.into_any(),
                Loading::Missing(reason) => missing_session(reason),
                Loading::Ready => {
                    view! {
                        <Timeline session=branch />
                        {notices(branch)}
                        {branch_bar(session, branch, is_current)}
                    }
                        .into_any()
                }
            }}
        </main>
    }
    .into_any()
}

fn branch_title(session: Session) -> AnyView {
    let actions = use_actions();
    rebuilt("title-block branch-title", move |place| {
        let summary = actions.server.summary(&session.id()).map(|summary| summary.title);
        let title = format!("Other branch of {}", title_or_placeholder(&summary.unwrap_or_default()));
        let heading = with_text("h1", "title", &title);
        set(&heading, "title", &title);
        append(place, &heading);
        append(place, &link("button quiet", &Route::Session(session.id()), "Current branch"));
    })
}

/// What can be done with the branch, instead of a composer.
fn branch_bar(session: Session, branch: Session, is_current: RwSignal<bool>) -> AnyView {
    let actions = use_actions();
    let creating = RwSignal::new(false);
    rebuilt("beside offer branch-bar", move |place| {
        let words = match is_current.get() {
            true => "Read-only. The current branch continues from here.",
            false => "Read-only",
        };
        append(place, &with_text("span", "offer-words", words));
        if session.meta.capabilities().with(|can| can.fork) {
            let label = if creating.get() { "Creating session…" } else { "Continue in a new session" };
            let continue_here = button("button", Some(Icon::Fork), label, move || {
                creating.set(true);
                let leaf = branch.branch().unwrap_or_default();
                actions.continue_branch(&branch.id(), leaf, move |error| {
                    if branch.is_alive() {
                        creating.set(false);
                        branch.notify(NoticeLevel::Warning, error);
                    }
                });
            });
            if creating.get() {
                set(&continue_here, "disabled", "");
            }
            append(place, &continue_here);
        }
        let copy = button("button", Some(Icon::Copy), "Copy as Markdown", move || {
            actions.copy_conversation(branch);
        });
        append(place, &copy);
    })
}
