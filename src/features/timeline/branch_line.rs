//! The line at a place where other branches of the session's file leave the conversation, with a link to each.

use leptos::prelude::*;
use pilothouse_core::protocol::{Branch, SessionMetaStoreFields};
use web_sys::Element;

use crate::actions::Actions;
use crate::dom::build::{glyph, link, with_children};
use crate::dom::element::{append, clear, set, with_class, with_text};
use crate::dom::keyed_list::render_effect;
use crate::routes::Route;
use crate::store::server::Session;
use crate::widgets::icon::Icon;
use crate::widgets::relative_time::time_ago;

/// Whether other branches leave the conversation after this number of rows. Tracked.
pub fn has_branches(session: Session, row: usize) -> bool {
    session.meta.branches().with(|branches| branches.at(row).is_some())
}

/// The line after this number of rows.
pub fn build(actions: Actions, session: Session, row: usize) -> Element {
    let line = with_class("div", "branches");
    set(&line, "role", "group");
    let shown = line.clone();
    render_effect(Box::new(move || {
        clear(&shown);
        session.meta.branches().with(|branches| {
            let Some(point) = branches.at(row) else { return };
            let words = match point.count() {
                1 => "1 other branch from here".to_owned(),
                count => format!("{count} other branches from here"),
            };
            set(&shown, "aria-label", &words);
            append(
                &shown,
                &with_children(
                    "span",
                    "branches-words",
                    &[&glyph(Icon::Fork), &with_text("span", "", &words)],
                ),
            );
            point.branches.iter().for_each(|branch| append(&shown, &branch_link(actions, session, branch)));
            let earlier =
                branches.points.first().filter(|first| first.row == row).map_or(0, |_| branches.earlier);
            for (count, place) in [(point.more, ""), (earlier, " further up")] {
                if count > 0 {
                    append(&shown, &with_text("span", "", &format!("and {count} more{place}")));
                }
            }
        });
    }));
    line
}

fn branch_link(actions: Actions, session: Session, branch: &Branch) -> Element {
    let (session, leaf) = (session.id(), branch.leaf.clone());
    let messages = match branch.messages {
        1 => "1 message".to_owned(),
        count => format!("{count} messages"),
    };
    let title = match branch.time {
        0 => messages,
        time => format!("{messages}, {}", time_ago(time, actions.client.now.get_untracked())),
    };
    let (route, text) = match branch.current {
        true => (Route::Session(session), "Current branch"),
        false if branch.preview.is_empty() => (Route::Branch { session, leaf }, "Untitled"),
        false => (Route::Branch { session, leaf }, branch.preview.as_str()),
    };
    let link = link("branch-link", &route, text);
    set(&link, "title", &title);
    link
}
