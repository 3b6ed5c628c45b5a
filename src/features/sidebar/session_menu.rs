//! The menu of actions on a whole session. The title bar has a button for it; the sidebar's rows share one menu in
//! `session_list`.

use leptos::prelude::*;
use pilothouse_core::protocol::SessionMetaStoreFields;
use web_sys::Element;

use super::session_label::session_title;
use crate::actions::{Actions, use_actions};
use crate::dom::build::{button, hand_built};
use crate::dom::element::{append, set, with_class, with_text};
use crate::features::session::about_agent;
use crate::store::server::{Loading, Session};
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::popover::{Popover, close_popover};

/// The menu button of the title bar.
#[component]
pub fn SessionMenu(id: String) -> impl IntoView {
    let face = || view! { <Glyph icon=Icon::More /> };
    view! {
        <Popover label="Session menu" class="button icon-only quiet" face=face.into() panel_class="menu" role="menu">
            {session_menu_items(id.clone(), false)}
        </Popover>
    }
}

/// The items of a session's menu. In a sidebar row, renaming happens in the row.
pub fn session_menu_items(id: String, in_sidebar: bool) -> AnyView {
    let actions = use_actions();
    hand_built("contents", move |place| build(place, actions, &id, in_sidebar))
}

fn build(place: &Element, actions: Actions, id: &str, in_sidebar: bool) {
    let summary = actions.server.summary(id).unwrap_or_default();
    // The capabilities of a session that is not loaded are unknown: offer renaming, the server may still refuse it.
    let is_ready = |session: &Session| session.loading.get_untracked() == Loading::Ready;
    let opened = actions.server.opened(id).filter(is_ready);
    let can = opened.map(|session| session.meta.capabilities().get_untracked());
    let can_rename = can.as_ref().is_none_or(|can| can.rename);
    let can_compact = can.is_some_and(|can| can.compact);
    let working = summary.state.is_active();
    let item = |icon, label, action: fn(Actions, &str)| {
        let id = id.to_owned();
        let item = button("menu-item", Some(icon), label, move || {
            close_popover();
            action(actions, &id);
        });
        set(&item, "role", "menuitem");
        append(place, &item);
        item
    };
    // The find bar belongs to the open session. On a touch screen this item replaces the shortcut.
    if !in_sidebar && opened.is_some() {
        item(Icon::Search, "Find in conversation", |actions, _| {
            let query = actions.client.finding.get_untracked().unwrap_or_default();
            actions.client.finding.set(Some(query));
        });
    }
    if can_rename {
        item(
            Icon::Edit,
            "Rename",
            match in_sidebar {
                true => |actions, id| actions.start_renaming(id.to_owned(), true),
                false => |actions, id| actions.start_renaming(id.to_owned(), false),
            },
        );
    }
    match summary.pinned {
        true => item(Icon::Pin, "Unpin", |actions, id| actions.pin(id, false)),
        false => item(Icon::Pin, "Pin", |actions, id| actions.pin(id, true)),
    };
    match summary.archived {
        true => item(Icon::Archive, "Unarchive", |actions, id| actions.archive(id, false)),
        false => item(Icon::Archive, "Archive", |actions, id| actions.archive(id, true)),
    };
    if can_compact {
        let compact = item(Icon::Compact, "Compact now", |actions, id| actions.compact(id));
        if working {
            set(&compact, "disabled", "");
            append(place, &with_text("p", "menu-words", "Available when the agent is idle"));
        }
    }
    if opened.is_some() {
        item(Icon::Copy, "Copy as Markdown", |actions, id| {
            actions.server.opened(id).into_iter().for_each(|session| actions.copy_conversation(session));
        });
        item(Icon::File, "Save as Markdown", |actions, id| {
            actions.server.opened(id).into_iter().for_each(|session| actions.download_conversation(session));
        });
        item(Icon::Info, "About this agent", |actions, id| {
            actions.server.opened(id).into_iter().for_each(|session| about_agent::show(actions, session));
        });
    }
    append(place, &with_class("hr", "menu-line"));
    item(Icon::Trash, "Delete…", |actions, id| {
        let summary = actions.server.summary(id).unwrap_or_default();
        actions.delete(id.to_owned(), &session_title(&summary));
    });
}
