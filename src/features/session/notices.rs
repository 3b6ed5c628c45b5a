//! The agent's notices outside the conversation. Each stays until the user dismisses it.

use leptos::prelude::*;
use pilothouse_core::protocol::event::NoticeLevel;
use pilothouse_core::render::failure::failure_text;

use crate::store::server::Session;
use crate::store::server::notice::Notice;
use crate::widgets::icon::{Glyph, Icon};

/// The notices of a session.
#[component]
pub fn Notices(session: Session) -> impl IntoView {
    let row = move |notice: Notice| {
        let (class, icon) = match notice.level {
            NoticeLevel::Info => ("notice", Icon::Info),
            NoticeLevel::Warning => ("notice warning", Icon::Alert),
            NoticeLevel::Error => ("notice failure", Icon::Alert),
        };
        let text = match notice.level {
            NoticeLevel::Info => notice.text,
            _ => failure_text(&notice.text).into_owned(),
        };
        view! {
            <div class=class>
                <Glyph icon />
                <span class="notice-text">{text}</span>
                <button
                    type="button"
                    class="button icon-only quiet"
                    aria-label="Dismiss"
                    on:click=move |_| session.dismiss_notice(notice.number)
                >
                    <Glyph icon=Icon::Close />
                </button>
            </div>
        }
        .into_any()
    };
    view! {
        <div class="notices" role="status">
            <For each=move || session.notices.get() key=|notice| notice.number.to_string() children=row />
        </div>
    }
}
