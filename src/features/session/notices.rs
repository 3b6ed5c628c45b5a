//! The agent's notices outside the conversation. Each stays until the user dismisses it.

use leptos::prelude::*;
use pilothouse_core::protocol::event::NoticeLevel;
use pilothouse_core::render::failure::failure_text;

use crate::dom::build::{glyph, icon_button, link, rebuilt, with_children};
use crate::dom::element::{append, set, with_text};
use crate::routes::Route;
use crate::store::server::Session;
use crate::widgets::icon::Icon;

/// The notices of a session.
pub fn notices(session: Session) -> AnyView {
    rebuilt("notices", move |place| {
        set(place, "role", "status");
        for notice in session.notices.get() {
            let (class, icon) = match notice.level {
                NoticeLevel::Info => ("notice", Icon::Info),
                NoticeLevel::Warning => ("notice warning", Icon::Alert),
                NoticeLevel::Error => ("notice failure", Icon::Alert),
            };
            let text = match notice.level {
                NoticeLevel::Info => notice.text,
                _ => failure_text(&notice.text).into_owned(),
            };
            let dismiss = icon_button("button icon-only quiet", Icon::Close, "Dismiss", move || {
                session.dismiss_notice(notice.number);
            });
            let text = with_text("span", "notice-text", &text);
            if let Some(leaf) = notice.branch {
                let route = Route::Branch { session: session.id(), leaf };
                append(&text, &link("notice-link", &route, "Show the other branch"));
            }
            append(place, &with_children("div", class, &[&glyph(icon), &text, &dismiss]));
        }
    })
}
