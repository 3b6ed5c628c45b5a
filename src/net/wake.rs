//! Moments at which a connection may have died unnoticed: the tab comes back, the network comes back.

use leptos::ev;
use leptos::prelude::window_event_listener;

use super::Connection;
use crate::browser;

/// Listens for the life of the page.
pub(super) fn for_waking(connection: Connection) {
    let visible = connection.clone();
    let shown = connection.clone();
    // The handles are dropped on purpose: dropping one does not remove its listener.
    let _ = window_event_listener(ev::online, move |_| connection.wake());
    let _ = window_event_listener(ev::pageshow, move |_| shown.wake());
    let _ = window_event_listener(ev::visibilitychange, move |_| {
        if !browser::is_hidden() {
            visible.wake();
        }
    });
}
