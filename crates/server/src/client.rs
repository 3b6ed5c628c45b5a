//! The sending half of one connected page. Sessions and hub put frames in; the page's socket takes them out.
//! Nobody ever waits for a slow page: what does not fit cuts it off, and it comes back by itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::ws::Utf8Bytes;
use pilothouse_core::limits::{CLIENT_QUEUE_BYTES, CLIENT_QUEUE_FRAMES};
use pilothouse_core::protocol::ServerFrame;
use serde_json::Value;
use tokio::sync::{Notify, mpsc};

#[derive(Clone, Debug)]
pub struct Client {
    id: u64,
    frames: mpsc::Sender<Waiting>,
    backlog: Arc<Backlog>,
    cut: Arc<Notify>,
}

/// How many bytes wait for the page: of what it asked for, and of the rest. Each has the whole limit.
#[derive(Debug, Default)]
struct Backlog {
    asked_for: AtomicUsize,
    rest: AtomicUsize,
    /// Nothing that was asked for waits any more.
    taken: Notify,
}

/// A frame, and whether the page asked for it.
#[derive(Debug)]
struct Waiting {
    frame: Utf8Bytes,
    asked_for: bool,
}

impl Backlog {
    const fn of(&self, asked_for: bool) -> &AtomicUsize {
        if asked_for { &self.asked_for } else { &self.rest }
    }
}

/// The other end, held by the socket.
#[derive(Debug)]
pub struct ClientReceiver {
    frames: mpsc::Receiver<Waiting>,
    backlog: Arc<Backlog>,
    cut: Arc<Notify>,
}

pub fn client_channel(id: u64) -> (Client, ClientReceiver) {
    let (sender, receiver) = mpsc::channel(CLIENT_QUEUE_FRAMES);
    let backlog = Arc::new(Backlog::default());
    let cut = Arc::new(Notify::new());
    (
        Client { id, frames: sender, backlog: backlog.clone(), cut: cut.clone() },
        ClientReceiver { frames: receiver, backlog, cut },
    )
}

impl Client {
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// False if the page is gone or too slow, and is being cut off.
    pub fn send(&self, frame: Utf8Bytes) -> bool {
        self.put(Waiting { frame, asked_for: false })
    }

    /// What a page has asked for and waits for, such as a conversation: it may be large, and what comes behind it is
    /// no sign of slowness.
    pub fn send_asked_for(&self, frame: Utf8Bytes) -> bool {
        self.put(Waiting { frame, asked_for: true })
    }

    /// Until what the page asked for before is on its way: several conversations come one after the other.
    pub async fn taken(&self) {
        while self.backlog.asked_for.load(Ordering::Relaxed) > 0 {
            self.backlog.taken.notified().await;
        }
    }

    fn put(&self, waiting: Waiting) -> bool {
        let length = waiting.frame.len();
        let before = self.backlog.of(waiting.asked_for).fetch_add(length, Ordering::Relaxed);
        // A single frame larger than the limit may pass; a second one behind it may not.
        let fits = before == 0 || before + length <= CLIENT_QUEUE_BYTES;
        let sent = fits && self.frames.try_send(waiting).is_ok();
        if !sent {
            self.cut.notify_one();
        }
        sent
    }

    pub fn send_frame(&self, frame: &ServerFrame) -> bool {
        encode(frame).is_some_and(|frame| self.send(frame))
    }

    pub fn respond(&self, id: String, command: &str, outcome: Result<Value, String>) {
        let (success, data, error) = match outcome {
            Ok(data) => (true, data, None),
            Err(error) => (false, Value::Null, Some(error)),
        };
        self.send_frame(&ServerFrame::Response { id, command: command.to_owned(), success, data, error });
    }
}

impl ClientReceiver {
    /// The next frame; `Err` when the page must be cut off.
    pub async fn next(&mut self) -> Result<Option<Utf8Bytes>, TooSlow> {
        tokio::select! {
            biased;
            () = self.cut.notified() => Err(TooSlow),
            frame = self.frames.recv() => {
                Ok(frame.map(|Waiting { frame, asked_for }| {
                    let before = self.backlog.of(asked_for).fetch_sub(frame.len(), Ordering::Relaxed);
                    if asked_for && before == frame.len() {
                        self.backlog.taken.notify_one();
                    }
                    frame
                }))
            }
        }
    }

    /// When the page must be cut off though it takes no frame at all.
    pub async fn cut(&self) {
        self.cut.notified().await;
    }
}

#[derive(Debug, PartialEq, Eq)]
pub struct TooSlow;

/// Frames are built once and shared by all pages they go to.
pub fn encode(frame: &ServerFrame) -> Option<Utf8Bytes> {
    serde_json::to_string(frame)
        .inspect_err(|error| tracing::error!(%error, "a frame could not be written"))
        .ok()
        .map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_page_that_does_not_read_is_cut_off_at_the_limit() {
        let (link, mut frames) = client_channel(1);
        let frame = Utf8Bytes::from("x".repeat(CLIENT_QUEUE_BYTES / 2));
        assert!(link.send(frame.clone()));
        assert!(link.send(frame.clone()));
        assert!(!link.send(frame));
        assert_eq!(frames.next().await, Err(TooSlow));
    }

    #[tokio::test]
    async fn a_conversation_larger_than_the_limit_arrives_with_what_follows_it() {
        let (link, mut frames) = client_channel(1);
        let large = Utf8Bytes::from("x".repeat(CLIENT_QUEUE_BYTES + 1));
        assert!(link.send_asked_for(large.clone()));
        assert!(link.send("response".into()) && link.send("event".into()));
        assert_eq!(frames.next().await, Ok(Some(large)));
        assert_eq!(frames.next().await, Ok(Some("response".into())));
    }

    #[tokio::test]
    async fn a_page_that_asks_and_asks_and_does_not_read_is_cut_off() {
        let (link, mut frames) = client_channel(1);
        let large = Utf8Bytes::from("x".repeat(CLIENT_QUEUE_BYTES + 1));
        assert!(link.send_asked_for(large.clone()));
        assert!(!link.send_asked_for(large));
        assert_eq!(frames.next().await, Err(TooSlow));
    }

    #[tokio::test]
    async fn what_was_read_no_longer_counts() {
        let (link, mut frames) = client_channel(1);
        let frame = Utf8Bytes::from("x".repeat(CLIENT_QUEUE_BYTES));
        for _ in 0..3 {
            assert!(link.send(frame.clone()));
            assert_eq!(frames.next().await, Ok(Some(frame.clone())));
        }
    }
}
