//! The menu of actions on a whole session. The title bar has a button for it; the sidebar's rows share one menu in
//! `session_list`.

use leptos::prelude::*;
use pilothouse_core::protocol::SessionMetaStoreFields;

use super::session_label::session_title;
use crate::actions::{Actions, use_actions};
use crate::reactive::memo;
use crate::store::server::{Loading, Session};
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::popover::{Popover, close_popover};

/// The menu button of the title bar.
#[component]
pub fn SessionMenu(id: String) -> impl IntoView {
    let face = || view! { <Glyph icon=Icon::More /> };
    view! {
        <Popover label="Session menu" class="button icon-only quiet" face=face.into() panel_class="menu" role="menu">
            <SessionMenuItems id=id.clone() in_sidebar=false />
        </Popover>
    }
}

/// The items of a session's menu.
#[component]
pub fn SessionMenuItems(
    /// The session's id.
    id: String,
    /// Whether the menu belongs to a sidebar row, where renaming happens in the row.
    in_sidebar: bool,
) -> impl IntoView {
    let actions = use_actions();
    let id = StoredValue::new(id);
    let summary = memo(move || id.with_value(|id| actions.server.summary(id)).unwrap_or_default());
    // The capabilities of a session that is not loaded are unknown: offer renaming, the server may still refuse it.
    let opened = id.with_value(|id| actions.server.opened(id));
    let is_ready = |session: &Session| session.loading.get_untracked() == Loading::Ready;
    let opened = opened.filter(is_ready);
    let can = opened.map(|session| session.meta.capabilities().get_untracked());
    let can_rename = can.as_ref().is_none_or(|can| can.rename);
    let can_compact = can.is_some_and(|can| can.compact);
    let working = summary.with_untracked(|summary| summary.state.is_active());
    let (pinned, archived) = summary.with_untracked(|summary| (summary.pinned, summary.archived));
    let item = move |icon: Icon, label: &'static str, action: fn(&Actions, &str)| {
        item(icon, label, false, move || id.with_value(|id| action(&actions, id)))
    };
    let rename = move || id.with_value(|id| actions.start_renaming(id.clone(), in_sidebar));
    let delete = move || {
        let title = summary.with_untracked(session_title);
        actions.delete(id.get_value(), &title);
    };
    let find = move || {
        let query = actions.client.finding.get_untracked().unwrap_or_default();
        actions.client.finding.set(Some(query));
    };
    view! {
        // The find bar belongs to the open session. On a touch screen this item replaces the shortcut.
        {(!in_sidebar && opened.is_some()).then(|| self::item(Icon::Search, "Find in conversation", false, find))}
        {can_rename.then(|| self::item(Icon::Edit, "Rename", false, rename))}
        {match pinned {
            true => item(Icon::Pin, "Unpin", |actions, id| actions.pin(id, false)),
            false => item(Icon::Pin, "Pin", |actions, id| actions.pin(id, true)),
        }}
        {match archived {
            true => item(Icon::Archive, "Unarchive", |actions, id| actions.archive(id, false)),
            false => item(Icon::Archive, "Archive", |actions, id| actions.archive(id, true)),
        }}
        {can_compact.then(|| {
            self::item(Icon::Compact, "Compact now", working, move || id.with_value(|id| actions.compact(id)))
        })}
        {(can_compact && working).then(|| view! { <p class="menu-words">"Available when the agent is idle"</p> })}
        {opened.is_some().then(|| {
            let copy = move || id.with_value(|id| actions.copy_conversation(id));
            let save = move || id.with_value(|id| actions.download_conversation(id));
            view! {
                {self::item(Icon::Copy, "Copy as Markdown", false, copy)}
                {self::item(Icon::File, "Save as Markdown", false, save)}
            }
        })}
        <hr class="menu-line" />
        {self::item(Icon::Trash, "Delete…", false, delete)}
    }
}

fn item(icon: Icon, label: &'static str, disabled: bool, action: impl Fn() + 'static) -> AnyView {
    let on_click = move |_| {
        close_popover();
        action();
    };
    view! {
        <button type="button" class="menu-item" role="menuitem" disabled=move || disabled on:click=on_click>
            <Glyph icon />
            {label}
        </button>
    }
    .into_any()
}
