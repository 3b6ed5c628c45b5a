//! The state of the connection: an indicator in the title bar, and a banner when it is lost.

use leptos::prelude::*;

use crate::actions::use_actions;
use crate::browser;
use crate::net::ConnectionState;
use crate::reactive::memo;
use crate::widgets::icon::{Glyph, Icon};

/// A banner above the screen while the connection is lost, the page is outdated or the server cannot write to disk.
#[component]
pub fn ConnectionBanner() -> impl IntoView {
    let actions = use_actions();
    let client = actions.client;
    let message = memo(move || {
        if client.outdated.get() {
            let text = "Pilothouse has been updated. Reload the page to continue.";
            Some((Icon::Plug, text.to_owned()))
        } else if client.connection.get() == ConnectionState::Lost {
            Some((Icon::Plug, "Connection lost. Reconnecting… Your messages are kept.".to_owned()))
        } else {
            let problem = actions.server.storage_problem.get()?;
            Some((
                Icon::Alert,
                format!("The server can't save changes: {problem}. Your drafts stay in this browser."),
            ))
        }
    });
    view! {
        <div class="banner-place" role="status">
            {move || {
                message
                    .get()
                    .map(|(icon, text)| {
                        view! {
                            <div class="banner">
                                <Glyph icon />
                                <span>{text}</span>
                                <Show when=move || client.outdated.get()>
                                    <button type="button" class="button quiet" on:click=move |_| browser::reload()>
                                        "Reload"
                                    </button>
                                </Show>
                            </div>
                        }
                    })
                    .into_any()
            }}
        </div>
    }
}

/// A coloured dot with a label, for the title bar.
#[component]
pub fn ConnectionIndicator() -> impl IntoView {
    let connection = use_actions().client.connection;
    let label = move || match connection.get() {
        ConnectionState::Connecting => "Connecting…",
        ConnectionState::Open => "Connected",
        ConnectionState::Lost => "Reconnecting…",
    };
    view! {
        <span class="connection-mark" data-of=move || connection.get().name() title=label>
            <span class="connection-dot" aria-hidden="true"></span>
            <span class="connection-words">{label}</span>
        </span>
    }
}
