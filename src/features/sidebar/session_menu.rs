//! What can be done with a session as a whole, behind three dots: in the title bar, and by `session_list`
//! for the rows of the sidebar.

use leptos::prelude::*;
use pilothouse_core::protocol::SessionMetaStoreFields;

use super::session_title::title_words;
use crate::actions::use_actions;
use crate::store::server::{Loading, Session};
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::popover::{Popover, close_popover};

#[component]
pub fn SessionMenu(id: String) -> impl IntoView {
    let face = || view! { <Glyph icon=Icon::More /> };
    view! {
        <Popover label="Session menu" class="button icon-only quiet" face=face.into() panel="menu" role="menu">
            <SessionMenuItems id=id.clone() in_sidebar=false />
        </Popover>
    }
}

#[component]
pub fn SessionMenuItems(id: String, in_sidebar: bool) -> impl IntoView {
    let actions = use_actions();
    let id = StoredValue::new(id);
    let summary = Memo::new(move |_| id.with_value(|id| actions.server.summary(id)).unwrap_or_default());
    // What a session that is not open here can do is not known: a refusal would say so.
    let opened = id.with_value(|id| actions.server.opened(id));
    let ready = |session: &Session| session.loading.get_untracked() == Loading::Ready;
    let opened = opened.filter(ready);
    let can = opened.map(|session| session.meta.capabilities().get_untracked());
    let can_rename = can.as_ref().is_none_or(|can| can.rename);
    let can_compact = can.is_some_and(|can| can.compact);
    let working = summary.with_untracked(|summary| summary.state.is_active());
    let (pinned, archived) = summary.with_untracked(|summary| (summary.pinned, summary.archived));
    let item = move |icon: Icon, words: &'static str, act: fn(&crate::actions::Actions, &str)| {
        item(icon, words, false, move || id.with_value(|id| act(&actions, id)))
    };
    let rename = move || id.with_value(|id| actions.start_renaming(id.clone(), in_sidebar));
    let delete = move || {
        let title = summary.with_untracked(title_words);
        actions.delete(id.get_value(), &title);
    };
    let find = move || {
        let words = actions.client.finding.get_untracked().unwrap_or_default();
        actions.client.finding.set(Some(words));
    };
    view! {
        // In the session that is looked at; who has no keys has this.
        {(!in_sidebar && opened.is_some()).then(|| self::item(Icon::Search, "Find in the conversation", false, find))}
        {can_rename.then(|| self::item(Icon::Edit, "Rename", false, rename))}
        {match pinned {
            true => item(Icon::Pin, "Unpin", |actions, id| actions.pin(id, false)),
            false => item(Icon::Pin, "Pin", |actions, id| actions.pin(id, true)),
        }}
        {match archived {
            true => item(Icon::Archive, "Take out of the archive", |actions, id| actions.archive(id, false)),
            false => item(Icon::Archive, "Archive", |actions, id| actions.archive(id, true)),
        }}
        {can_compact.then(|| {
            self::item(Icon::Compact, "Compact now", working, move || id.with_value(|id| actions.compact(id)))
        })}
        {(can_compact && working).then(|| view! { <p class="menu-words">"Compacting is possible when the agent rests."</p> })}
        {opened.is_some().then(|| {
            let copy = move || id.with_value(|id| actions.copy_conversation(id));
            let save = move || id.with_value(|id| actions.save_conversation(id));
            view! {
                {self::item(Icon::Copy, "Copy as Markdown", false, copy)}
                {self::item(Icon::File, "Save as Markdown", false, save)}
            }
        })}
        <hr class="menu-line" />
        {self::item(Icon::Trash, "Delete…", false, delete)}
    }
}

fn item(icon: Icon, words: &'static str, disabled: bool, act: impl Fn() + 'static) -> AnyView {
    let chosen = move |_| {
        close_popover();
        act();
    };
    view! {
        <button type="button" class="menu-item" role="menuitem" disabled=move || disabled on:click=chosen>
            <Glyph icon />
            {words}
        </button>
    }
    .into_any()
}
