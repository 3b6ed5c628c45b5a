//! The queue of frames to one connected browser. Sessions and the hub add frames; the client's socket sends them.
//! Senders never wait for a slow client: when its queue is full, it is disconnected, and reconnects.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::ws::Utf8Bytes;
use pilothouse_core::limits::{CLIENT_QUEUE_BYTES, CLIENT_QUEUE_FRAMES};
use pilothouse_core::protocol::{CommandError, ErrorCode, ServerFrame, SessionReply};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::{Notify, mpsc};

/// Identifies a connection; a browser that reconnects gets a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientId(pub u64);

/// The device at the other end of a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientDevice {
    pub id: String,
    pub name: String,
}

/// A connected browser.
#[derive(Clone, Debug)]
pub struct Client {
    id: ClientId,
    device: Arc<ClientDevice>,
    frames: mpsc::Sender<QueuedFrame>,
    queued: Arc<QueuedBytes>,
    disconnect: Arc<Notify>,
}

/// The numbers of queued bytes of requested frames and of all others. The limit applies to each of the two.
#[derive(Debug, Default)]
struct QueuedBytes {
    requested: AtomicUsize,
    other: AtomicUsize,
    /// Notified when no requested frame is queued any more.
    requested_sent: Notify,
}

#[derive(Debug)]
struct QueuedFrame {
    frame: Utf8Bytes,
    /// Whether the client asked for this frame.
    requested: bool,
}

impl QueuedBytes {
    const fn of(&self, requested: bool) -> &AtomicUsize {
        if requested { &self.requested } else { &self.other }
    }
}

/// The receiving half, held by the socket.
#[derive(Debug)]
pub struct ClientReceiver {
    frames: mpsc::Receiver<QueuedFrame>,
    queued: Arc<QueuedBytes>,
    disconnect: Arc<Notify>,
}

/// Creates the two halves of a client's queue.
pub fn client_channel(id: ClientId) -> (Client, ClientReceiver) {
    let (sender, receiver) = mpsc::channel(CLIENT_QUEUE_FRAMES);
    let queued = Arc::new(QueuedBytes::default());
    let disconnect = Arc::new(Notify::new());
    (
        Client {
            id,
            device: Arc::default(),
            frames: sender,
            queued: queued.clone(),
            disconnect: disconnect.clone(),
        },
        ClientReceiver { frames: receiver, queued, disconnect },
    )
}

impl Client {
    pub const fn id(&self) -> ClientId {
        self.id
    }

    pub fn of_device(self, device: ClientDevice) -> Self {
        Self { device: Arc::new(device), ..self }
    }

    pub fn device(&self) -> &ClientDevice {
        &self.device
    }

    /// Queues a frame. Returns false if the client is gone, or too slow and being disconnected.
    pub fn send(&self, frame: Utf8Bytes) -> bool {
        self.enqueue(QueuedFrame { frame, requested: false })
    }

    /// Queues a frame that the client has asked for, such as a conversation. It may be large, and does not count
    /// against the limit for other frames.
    pub fn send_requested(&self, frame: Utf8Bytes) -> bool {
        self.enqueue(QueuedFrame { frame, requested: true })
    }

    /// Waits until no requested frame is queued, so that several large ones are sent one after the other.
    pub async fn requested_sent(&self) {
        while self.queued.requested.load(Ordering::Relaxed) > 0 {
            self.queued.requested_sent.notified().await;
        }
    }

    fn enqueue(&self, frame: QueuedFrame) -> bool {
        let length = frame.frame.len();
        let before = self.queued.of(frame.requested).fetch_add(length, Ordering::Relaxed);
        // A single frame may exceed the limit; no other frame of its kind fits behind it.
        let fits = before == 0 || before + length <= CLIENT_QUEUE_BYTES;
        let queued = fits && self.frames.try_send(frame).is_ok();
        if !queued {
            self.disconnect.notify_one();
        }
        queued
    }

    /// Whether the client's socket is gone.
    pub fn is_closed(&self) -> bool {
        self.frames.is_closed()
    }

    pub fn send_frame(&self, frame: &ServerFrame) -> bool {
        encode(frame).is_some_and(|frame| self.send(frame))
    }

    /// Sends the response to a command.
    pub fn respond<T: Serialize>(&self, id: String, command: &str, result: Result<T, CommandError>) {
        let result = result.and_then(|reply| {
            serde_json::to_value(reply).map_err(|error| {
                tracing::error!(%error, command, "a reply could not be encoded");
                CommandError::new(ErrorCode::Internal, "The reply could not be encoded.")
            })
        });
        let command = command.to_owned();
        self.send_frame(&match result {
            Ok(data) => ServerFrame::Response { id, command, success: true, data, error: None, code: None },
            Err(CommandError { code, message }) => ServerFrame::Response {
                id,
                command,
                success: false,
                data: Value::Null,
                error: Some(message),
                code: Some(code),
            },
        });
    }
}

impl ClientReceiver {
    /// Returns the next frame; an error when the client must be disconnected.
    pub async fn next(&mut self) -> Result<Option<Utf8Bytes>, TooSlow> {
        tokio::select! {
            biased;
            () = self.disconnect.notified() => Err(TooSlow),
            frame = self.frames.recv() => {
                Ok(frame.map(|QueuedFrame { frame, requested }| {
                    let before = self.queued.of(requested).fetch_sub(frame.len(), Ordering::Relaxed);
                    if requested && before == frame.len() {
                        self.queued.requested_sent.notify_one();
                    }
                    frame
                }))
            }
        }
    }

    /// Waits until the client must be disconnected, while it accepts no frame at all.
    pub async fn disconnected(&self) {
        self.disconnect.notified().await;
    }
}

/// The client did not read its frames in time.
#[derive(Debug, PartialEq, Eq)]
pub struct TooSlow;

/// A client that waits for the reply to one command of a session.
#[derive(Debug)]
pub struct Responder {
    pub client: Client,
    /// The id of the command's frame.
    pub request: String,
    pub command: &'static str,
}

impl Responder {
    pub fn respond(self, result: Result<SessionReply, CommandError>) {
        self.client.respond(self.request, self.command, result);
    }
}

/// Encodes a frame once, for all clients that it goes to.
pub fn encode(frame: &ServerFrame) -> Option<Utf8Bytes> {
    serde_json::to_string(frame)
        .inspect_err(|error| tracing::error!(%error, "a frame could not be encoded"))
        .ok()
        .map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_client_that_does_not_read_is_disconnected_at_the_limit() {
        let (client, mut frames) = client_channel(ClientId(1));
        let frame = Utf8Bytes::from("x".repeat(CLIENT_QUEUE_BYTES / 2));
        assert!(client.send(frame.clone()));
        assert!(client.send(frame.clone()));
        assert!(!client.send(frame));
        assert_eq!(frames.next().await, Err(TooSlow));
    }

    #[tokio::test]
    async fn a_conversation_larger_than_the_limit_arrives_with_the_frames_behind_it() {
        let (client, mut frames) = client_channel(ClientId(1));
        let large = Utf8Bytes::from("x".repeat(CLIENT_QUEUE_BYTES + 1));
        assert!(client.send_requested(large.clone()));
        assert!(client.send("response".into()) && client.send("event".into()));
        assert_eq!(frames.next().await, Ok(Some(large)));
        assert_eq!(frames.next().await, Ok(Some("response".into())));
    }

    #[tokio::test]
    async fn a_client_that_requests_without_reading_is_disconnected() {
        let (client, mut frames) = client_channel(ClientId(1));
        let large = Utf8Bytes::from("x".repeat(CLIENT_QUEUE_BYTES + 1));
        assert!(client.send_requested(large.clone()));
        assert!(!client.send_requested(large));
        assert_eq!(frames.next().await, Err(TooSlow));
    }

    #[tokio::test]
    async fn frames_that_were_read_no_longer_count() {
        let (client, mut frames) = client_channel(ClientId(1));
        let frame = Utf8Bytes::from("x".repeat(CLIENT_QUEUE_BYTES));
        for _ in 0..3 {
            assert!(client.send(frame.clone()));
            assert_eq!(frames.next().await, Ok(Some(frame.clone())));
        }
    }
}
