//! The state of the connection: an indicator in the title bar, and a banner when it is lost.

use leptos::prelude::*;

use crate::actions::use_actions;
use crate::browser;
use crate::dom::build::{button, glyph, icon_button, rebuilt, with_attributes, with_children};
use crate::dom::element::{append, set, with_text};
use crate::net::ConnectionState;
use crate::reactive::memo;
use crate::widgets::icon::Icon;

/// A banner above the screen while the connection is lost, the page is outdated or the server cannot write to disk, and
/// until it is dismissed if the server's database was repaired.
pub fn connection_banner() -> AnyView {
    let actions = use_actions();
    let client = actions.client;
    let message = memo(move || {
        if client.outdated.get() {
            let text = "Pilothouse has been updated. Reload the page to continue.";
            Some((Icon::Plug, text.to_owned()))
        } else if client.connection.get() == ConnectionState::Lost {
            Some((Icon::Plug, "Connection lost. Reconnecting… Your messages are kept.".to_owned()))
        } else {
            let problem = actions.server.storage_problem.get().map(|problem| {
                format!("The server can't save changes: {problem}. Your drafts stay in this browser.")
            });
            problem.or_else(|| actions.server.storage_notice.get()).map(|text| (Icon::Alert, text))
        }
    });
    rebuilt("banner-place", move |place| {
        set(place, "role", "status");
        let Some((icon, text)) = message.get() else { return };
        let banner = with_children("div", "banner", &[&glyph(icon), &with_text("span", "", &text)]);
        if client.outdated.get() {
            append(&banner, &button("button quiet", None, "Reload", browser::reload));
        }
        if actions.server.storage_notice.with(|notice| notice.as_ref() == Some(&text)) {
            let dismiss = move || actions.dismiss_storage_notice(text.clone());
            append(&banner, &icon_button("button icon-only quiet", Icon::Close, "Dismiss", dismiss));
        }
        append(place, &banner);
    })
}

/// A coloured dot with a label, for the title bar.
pub fn connection_indicator() -> AnyView {
    let connection = use_actions().client.connection;
    rebuilt("connection-mark", move |place| {
        let state = connection.get();
        let label = match state {
            ConnectionState::Connecting => "Connecting…",
            ConnectionState::Open => "Connected",
            ConnectionState::Lost => "Reconnecting…",
        };
        set(place, "data-of", state.name());
        set(place, "title", label);
        append(place, &with_attributes("span", &[("class", "connection-dot"), ("aria-hidden", "true")]));
        append(place, &with_text("span", "connection-words", label));
    })
}
