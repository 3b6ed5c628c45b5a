//! A WebSocket with its event handlers. Dropping it removes the handlers and closes the connection.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{CloseEvent, MessageEvent, WebSocket};

use crate::browser;

/// A connection attempt younger than this is not replaced by a new one.
const FRESH_MILLISECONDS: f64 = 2_000.0;

pub(super) struct Socket {
    socket: WebSocket,
    opened_at: f64,
    _open: Closure<dyn FnMut()>,
    _message: Closure<dyn FnMut(MessageEvent)>,
    _close: Closure<dyn FnMut(CloseEvent)>,
}

impl Socket {
    /// Starts connecting. `on_message` receives the text of a frame, `on_close` the close code.
    pub(super) fn open(
        address: &str,
        on_open: impl FnMut() + 'static,
        mut on_message: impl FnMut(&str) + 'static,
        mut on_close: impl FnMut(u16) + 'static,
    ) -> Option<Self> {
        let socket = WebSocket::new(address).ok()?;
        let open = Closure::<dyn FnMut()>::new(on_open);
        let message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            if let Some(text) = event.data().as_string() {
                on_message(&text);
            }
        });
        let close = Closure::<dyn FnMut(CloseEvent)>::new(move |event: CloseEvent| on_close(event.code()));
        socket.set_onopen(Some(open.as_ref().unchecked_ref()));
        socket.set_onmessage(Some(message.as_ref().unchecked_ref()));
        socket.set_onclose(Some(close.as_ref().unchecked_ref()));
        Some(Self { socket, opened_at: browser::now(), _open: open, _message: message, _close: close })
    }

    pub(super) fn send(&self, text: &str) {
        // If sending fails, the socket is closing, and `on_close` handles that.
        let _ = self.socket.send_with_str(text);
    }

    pub(super) fn is_fresh(&self) -> bool {
        browser::now() - self.opened_at < FRESH_MILLISECONDS
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.socket.set_onopen(None);
        self.socket.set_onmessage(None);
        self.socket.set_onclose(None);
        let _ = self.socket.close();
    }
}
