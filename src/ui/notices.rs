//! What the agent wants known beside the conversation. Stays until it is dismissed.

use leptos::prelude::*;
use pilothouse_core::event::NoticeLevel;

use super::icon::{Glyph, Icon};
use crate::state::server::Session;

#[component]
pub fn Notices(session: Session) -> impl IntoView {
    view! {
        <div class="notices" role="status">
            <For
                each=move || session.notices.get()
                key=|notice| notice.number
                children=move |notice| {
                    let (class, icon) = match notice.level {
                        NoticeLevel::Info => ("notice", Icon::Info),
                        NoticeLevel::Warning => ("notice warning", Icon::Alert),
                        NoticeLevel::Error => ("notice failure", Icon::Alert),
                    };
                    view! {
                        <div class=class>
                            <Glyph icon />
                            <span class="notice-text">{notice.text}</span>
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
                }
            />
        </div>
    }
}
