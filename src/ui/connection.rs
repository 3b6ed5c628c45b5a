//! The connection, said where it matters: quietly in the title bar, in words when it is lost.

use leptos::prelude::*;

use super::dynamic::{When, clicked, live, memo};
use super::icon::{Glyph, Icon};
use crate::actions::use_actions;
use crate::browser;
use crate::transport::Connection;

/// Appears when the connection is lost and goes by itself.
#[component]
pub fn ConnectionBanner() -> impl IntoView {
    let client = use_actions().client;
    let words = move || {
        if client.outdated.get() {
            Some("The server runs another version of Pilothouse. Reload the page to go on.")
        } else if client.connection.get() == Connection::Lost {
            Some("Connection lost. Reconnecting… What you send is kept.")
        } else {
            None
        }
    };
    let words = memo(words);
    view! {
        <div class="banner-place" role="status">
            {live(move || {
                words
                    .get()
                    .map(|words| {
                        view! {
                            <div class="banner">
                                <Glyph icon=Icon::Plug />
                                <span>{words}</span>
                                <When when=move || client.outdated.get()>
                                    <button type="button" class="button quiet" on:click=clicked(move |_| browser::reload())>
                                        "Reload"
                                    </button>
                                </When>
                            </div>
                        }
                    })
                    .into_any()
            })}
        </div>
    }
}

/// A dot with a word for it.
#[component]
pub fn ConnectionMark() -> impl IntoView {
    let connection = use_actions().client.connection;
    let words = move || match connection.get() {
        Connection::Connecting => "Connecting…",
        Connection::Open => "Connected",
        Connection::Lost => "Reconnecting…",
    };
    view! {
        <span class="connection-mark" data-of=live(move || connection.get().name()) title=live(words)>
            <span class="connection-dot" aria-hidden="true"></span>
            <span class="connection-words">{live(words)}</span>
        </span>
    }
}
