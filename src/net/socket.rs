//! A WebSocket as one task, which sends the queued texts and reads what arrives. Dropping the handle closes the
//! connection and ends the task.

use std::future::poll_fn;

use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::future::{Either, select};
use futures::{SinkExt, StreamExt};
use gloo_net::websocket::futures::WebSocket;
use gloo_net::websocket::{Message, State, WebSocketError};
use leptos::task::spawn_local;

use crate::browser;

/// A connection attempt younger than this is not replaced by a new one.
const FRESH_MILLISECONDS: f64 = 2_000.0;

/// Receives the events of a socket.
pub(super) trait SocketHandler {
    fn opened(&self);
    fn received(&self, text: &str);
    /// The connection is closed, or could not be opened. The code is the server's, or the browser's.
    fn closed(&self, code: u16);
}

pub(super) struct Socket {
    outgoing: UnboundedSender<String>,
    opened_at: f64,
}

impl Socket {
    /// Starts connecting.
    pub(super) fn open(
        address: &str,
        protocols: &[String],
        handler: impl SocketHandler + 'static,
    ) -> Option<Self> {
        let socket = WebSocket::open_with_protocols(address, protocols).ok()?;
        let (outgoing, queued) = unbounded();
        spawn_local(run(socket, queued, handler));
        Some(Self { outgoing, opened_at: browser::now() })
    }

    pub(super) fn send(&self, text: String) {
        // Sending fails only while the socket closes, and `closed` handles that.
        let _ = self.outgoing.unbounded_send(text);
    }

    pub(super) fn is_fresh(&self) -> bool {
        browser::now() - self.opened_at < FRESH_MILLISECONDS
    }
}

async fn run(mut socket: WebSocket, mut queued: UnboundedReceiver<String>, handler: impl SocketHandler) {
    // Nothing is queued before `opened`, so the queue can only end here: the handle was dropped.
    let is_connected = poll_fn(|context| socket.poll_ready_unpin(context));
    if let Either::Right(_) = select(is_connected, queued.next()).await {
        return;
    }
    if matches!(socket.state(), State::Open) {
        handler.opened();
    }
    loop {
        match select(queued.next(), socket.next()).await {
            Either::Left((Some(text), _)) => drop(socket.send(Message::Text(text)).await),
            Either::Right((Some(Ok(Message::Text(text))), _)) => handler.received(&text),
            Either::Right((Some(Err(WebSocketError::ConnectionClose(event))), _)) => {
                return handler.closed(event.code);
            }
            // A close event follows an error, and the server sends no binary messages.
            Either::Right((Some(_), _)) => {}
            Either::Left((None, _)) | Either::Right((None, _)) => return,
        }
    }
}
