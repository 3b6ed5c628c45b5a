//! The connection, said where it matters: quietly in the title bar, in words when it is lost.

use leptos::prelude::*;

use crate::actions::use_actions;
use crate::browser;
use crate::net::ConnectionState;
use crate::widgets::icon::{Glyph, Icon};

/// Appears while the connection is lost, or while the server cannot write to disk.
#[component]
pub fn ConnectionBanner() -> impl IntoView {
    let actions = use_actions();
    let client = actions.client;
    let words = move || {
        if client.outdated.get() {
            let text = "The server runs another version of Pilothouse. Reload the page to go on.";
            Some((Icon::Plug, text.to_owned()))
        } else if client.connection.get() == ConnectionState::Lost {
            Some((Icon::Plug, "Connection lost. Reconnecting… What you send is kept.".to_owned()))
        } else {
            let problem = actions.server.storage_problem.get()?;
            Some((Icon::Alert, format!("The server can't save anything: {problem}. Your text stays here.")))
        }
    };
    let words = Memo::new(move |_| words());
    view! {
        <div class="banner-place" role="status">
            {move || {
                words
                    .get()
                    .map(|(icon, words)| {
                        view! {
                            <div class="banner">
                                <Glyph icon />
                                <span>{words}</span>
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

/// A dot with a word for it.
#[component]
pub fn ConnectionMark() -> impl IntoView {
    let connection = use_actions().client.connection;
    let words = move || match connection.get() {
        ConnectionState::Connecting => "Connecting…",
        ConnectionState::Open => "Connected",
        ConnectionState::Lost => "Reconnecting…",
    };
    view! {
        <span class="connection-mark" data-of=move || connection.get().name() title=words>
            <span class="connection-dot" aria-hidden="true"></span>
            <span class="connection-words">{words}</span>
        </span>
    }
}
