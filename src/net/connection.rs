//! The connection's life cycle: connect, send hello, receive, reconnect. The decisions about waiting and resending are in
//! `backoff`, `frame_queue` and `pending_requests`; the `FrameHandler` interprets the frames.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use leptos::ev;
use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::{request_animation_frame, set_timeout, set_timeout_with_handle, window_event_listener};
use leptos::task::spawn_local;
use pilothouse_core::limits::{CLIENT_FRAME_BYTES, PROTOCOL_VERSION};
use pilothouse_core::protocol::{
    ClientFrame, Command, CommandError, ErrorCode, HubCommand, ServerFrame, Welcome,
};

use super::access;
use super::backoff::Backoff;
use super::frame_queue::{FrameQueue, Plan};
use super::handler::{ConnectionState, FrameHandler};
use super::pending_requests::{OnDisconnect, Outcome, PendingRequests, ResponseMatch};
use super::socket::{Socket, SocketHandler};
use crate::{browser, routes};

/// The close code with which the server ends connections whose access was revoked.
const ACCESS_LOST: u16 = 4003;

/// The close code with which the server ends a connection on which it got a frame that is too large to be read.
const FRAME_TOO_LARGE: u16 = 4009;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const PROBE_TIMEOUT: Duration = Duration::from_secs(3);
/// Frames are drained after this time in tabs that get no animation frames, such as hidden ones.
const FRAME_FALLBACK: Duration = Duration::from_millis(200);
/// After this much silence, a request is accompanied by a probe: the connection may be dead without a close event.
const SILENCE_MILLISECONDS: f64 = 20_000.0;

const LOST: &str = "The connection to the server was lost.";

fn too_large(bytes: usize) -> CommandError {
    CommandError::new(ErrorCode::InvalidRequest, ClientFrame::too_large_text(bytes))
}

#[derive(Clone)]
pub struct Connection(Rc<Inner>);

struct Inner {
    handler: Box<dyn FrameHandler>,
    socket: RefCell<Option<Socket>>,
    /// The number of the current socket. Timers and close events of earlier sockets are ignored.
    generation: Cell<u64>,
    /// The hello was sent on the current socket.
    greeted: Cell<bool>,
    welcomed: Cell<bool>,
    closed_for_good: Cell<bool>,
    last_frame: Cell<f64>,
    backoff: RefCell<Backoff>,
    frame_queue: RefCell<FrameQueue>,
    /// The timer that drains the queue if no animation frame does.
    fallback: Cell<Option<TimeoutHandle>>,
    pending: RefCell<PendingRequests>,
}

/// One attempt to connect. The events of earlier attempts are ignored.
struct Attempt {
    connection: Connection,
    generation: u64,
}

impl Attempt {
    fn is_current(&self) -> bool {
        self.connection.0.generation.get() == self.generation
    }
}

impl SocketHandler for Attempt {
    fn opened(&self) {
        if self.is_current() {
            self.connection.send_hello();
        }
    }

    fn received(&self, text: &str) {
        if self.is_current() {
            self.connection.receive(text);
        }
    }

    fn closed(&self, code: u16) {
        self.connection.lost(self.generation, code, false);
    }
}

impl Connection {
    pub fn new(handler: Box<dyn FrameHandler>) -> Self {
        Self(Rc::new(Inner {
            handler,
            socket: RefCell::default(),
            generation: Cell::new(0),
            greeted: Cell::new(false),
            welcomed: Cell::new(false),
            closed_for_good: Cell::new(true),
            last_frame: Cell::new(0.0),
            backoff: RefCell::default(),
            frame_queue: RefCell::default(),
            fallback: Cell::default(),
            pending: RefCell::new(PendingRequests::new(format!("{}-", browser::unique_id()))),
        }))
    }

    /// Connects, and reconnects from now on whenever the connection is lost.
    pub fn start(&self) {
        if self.0.closed_for_good.replace(false) {
            if self.0.generation.get() == 0 {
                self.wake_on_events();
            }
            self.connect();
        }
    }

    pub fn is_open(&self) -> bool {
        self.0.welcomed.get()
    }

    /// Whether a request can be sent now. The server handles it after the hello.
    fn can_request(&self, on_disconnect: OnDisconnect) -> bool {
        match on_disconnect {
            OnDisconnect::Fail => self.0.greeted.get(),
            // Sent, or sent again, after the welcome.
            OnDisconnect::Resend => self.is_open(),
        }
    }

    #[cfg(test)]
    pub fn is_pending(&self, request_id: &str) -> bool {
        self.0.pending.borrow().is_pending(request_id)
    }

    /// Sends a command. The callback receives the response, in order with the frames around it. Returns the request's
    /// id, or an empty string if it was not sent.
    pub fn request(
        &self,
        command: Command,
        on_disconnect: OnDisconnect,
        callback: impl FnOnce(Outcome) + 'static,
    ) -> String {
        let can_request = self.can_request(on_disconnect);
        if on_disconnect == OnDisconnect::Fail && !can_request {
            let text = "Not connected to the server.";
            callback(Err(CommandError::new(ErrorCode::ConnectionLost, text)));
            return String::new();
        }
        let probe_too = self.is_open()
            && !matches!(command, Command::Hub(HubCommand::ListSessions))
            && browser::now() - self.0.last_frame.get() > SILENCE_MILLISECONDS;
        let frame = ClientFrame { id: String::new(), command };
        let frame = self.0.pending.borrow_mut().add(frame, on_disconnect, Box::new(callback));
        // Before it waits for the connection, so that the user can change it at once.
        let text = serde_json::to_string(&frame).unwrap_or_default();
        if text.len() > CLIENT_FRAME_BYTES {
            let matched = self.0.pending.borrow_mut().resolve(&frame.id);
            if let ResponseMatch::Pending(callback) = matched {
                // Like every response, it follows what the caller does after sending.
                spawn_local(async move { callback(Err(too_large(text.len()))) });
            }
            return String::new();
        }
        if can_request {
            self.send_text(text);
        }
        if probe_too {
            self.probe();
        }
        frame.id
    }

    /// Listens, for the life of the page, to events after which the connection may be dead without a close event.
    fn wake_on_events(&self) {
        let (online, shown, visible) = (self.clone(), self.clone(), self.clone());
        // Dropping a handle does not remove its listener.
        let _ = window_event_listener(ev::online, move |_| online.wake());
        let _ = window_event_listener(ev::pageshow, move |_| shown.wake());
        let _ = window_event_listener(ev::visibilitychange, move |_| {
            if !browser::is_hidden() {
                visible.wake();
            }
        });
    }

    /// Checks an open connection with a probe, and reconnects a lost one at once.
    fn wake(&self) {
        if self.0.closed_for_good.get() {
            return;
        }
        let attempt_is_fresh = self.0.socket.borrow().as_ref().is_some_and(Socket::is_fresh);
        if self.is_open() {
            self.probe();
        } else if !attempt_is_fresh {
            self.connect();
        }
    }

    fn probe(&self) {
        let connection = self.clone();
        let answered = Rc::new(Cell::new(false));
        let seen = Rc::clone(&answered);
        self.request(HubCommand::ListSessions.into(), OnDisconnect::Fail, move |outcome| {
            seen.set(true);
            connection.0.handler.probed(outcome);
        });
        let (connection, generation) = (self.clone(), self.0.generation.get());
        let check = move || {
            // The response may be waiting for its animation frame.
            connection.drain();
            if !answered.get() && connection.0.generation.get() == generation {
                connection.lost(generation, 0, true);
            }
        };
        set_timeout(check, PROBE_TIMEOUT);
    }

    fn connect(&self) {
        let generation = self.0.generation.get() + 1;
        self.0.generation.set(generation);
        self.0.greeted.set(false);
        self.0.welcomed.set(false);
        self.0.socket.take();
        let handler = Attempt { connection: self.clone(), generation };
        let socket = Socket::open(&routes::socket_address(), &access::subprotocols(), handler);
        if socket.is_none() {
            return self.lost(generation, 0, false);
        }
        self.0.socket.replace(socket);
        let connection = self.clone();
        let give_up = move || {
            if !connection.is_open() {
                connection.lost(generation, 0, false);
            }
        };
        set_timeout(give_up, CONNECT_TIMEOUT);
    }

    fn send_hello(&self) {
        self.drain();
        let command = HubCommand::Hello { version: PROTOCOL_VERSION, sessions: self.0.handler.cursors() };
        self.send(&ClientFrame { id: "hello".to_owned(), command: command.into() });
        self.0.greeted.set(true);
        self.0.handler.greeted();
    }

    fn send(&self, frame: &ClientFrame) {
        if let Ok(text) = serde_json::to_string(frame) {
            self.send_text(text);
        }
    }

    fn send_text(&self, text: String) {
        if let Some(socket) = &*self.0.socket.borrow() {
            socket.send(text);
        }
    }

    fn receive(&self, text: &str) {
        self.0.last_frame.set(browser::now());
        // Skipping an unreadable event leaves a gap in its session's sequence, which makes the page request a snapshot.
        let Some(frame) = ServerFrame::parse(text) else { return };
        let plan = self.0.frame_queue.borrow_mut().push(frame, browser::is_hidden());
        match plan {
            Plan::Wait => {}
            Plan::Drain => self.drain(),
            Plan::Schedule => {
                let connection = self.clone();
                request_animation_frame(move || connection.drain());
                let connection = self.clone();
                let fallback = set_timeout_with_handle(move || connection.drain(), FRAME_FALLBACK);
                self.0.fallback.set(fallback.ok());
            }
        }
    }

    fn drain(&self) {
        // A timer that outlived its batch would drain a later one between two animation frames, which costs a layout.
        if let Some(fallback) = self.0.fallback.take() {
            fallback.clear();
        }
        let frames = self.0.frame_queue.borrow_mut().drain();
        if frames.is_empty() {
            return;
        }
        for frame in frames {
            match frame {
                ServerFrame::Welcome(welcome) => self.welcomed(welcome),
                ServerFrame::Response { id, command, success, data, error, code } => {
                    // The borrow must end before the callback runs, which may send another request.
                    let matched = self.0.pending.borrow_mut().resolve(&id);
                    match matched {
                        ResponseMatch::Pending(callback) => {
                            let message =
                                error.unwrap_or_else(|| "The server rejected the request.".to_owned());
                            let code = code.unwrap_or(ErrorCode::Internal);
                            callback(if success { Ok(data) } else { Err(CommandError { code, message }) });
                        }
                        ResponseMatch::Duplicate(session_id) => {
                            self.0.handler.duplicate_response(session_id.as_deref(), &command);
                        }
                        ResponseMatch::Unknown => {}
                    }
                }
                other => self.0.handler.frame(other),
            }
        }
        self.0.handler.batch_applied();
    }

    fn welcomed(&self, welcome: Welcome) {
        if welcome.version != PROTOCOL_VERSION {
            self.close_for_good();
            return self.0.handler.outdated();
        }
        self.0.backoff.borrow_mut().reset();
        self.0.welcomed.set(true);
        self.0.handler.connection(ConnectionState::Open);
        self.0.handler.welcome(welcome);
        let resent = self.0.pending.borrow().to_resend();
        resent.iter().for_each(|frame| self.send(frame));
    }

    /// Abandons the socket of this generation, fails its requests and reconnects: at once, or after a delay.
    fn lost(&self, generation: u64, code: u16, at_once: bool) {
        if self.0.generation.get() != generation || self.0.closed_for_good.get() {
            return;
        }
        // Frames that have arrived count, even if no animation frame has passed since.
        self.drain();
        self.0.greeted.set(false);
        let was_open = self.0.welcomed.replace(false);
        // From here on, the socket's timers and events are ignored.
        self.0.generation.set(generation + 1);
        self.0.socket.take();
        if code == FRAME_TOO_LARGE {
            // The borrow must end before the callback runs.
            let largest = self.0.pending.borrow_mut().take_largest();
            if let Some((frame, callback)) = largest {
                let length = serde_json::to_string(&frame).map_or(0, |text| text.len());
                callback(Err(too_large(length)));
            }
        }
        let failed = self.0.pending.borrow_mut().disconnect();
        failed
            .into_iter()
            .for_each(|callback| callback(Err(CommandError::new(ErrorCode::ConnectionLost, LOST))));
        self.0.handler.connection(ConnectionState::Lost);
        if !was_open || code == ACCESS_LOST {
            self.check_access();
        }
        if at_once {
            return self.connect();
        }
        let delay = self.0.backoff.borrow_mut().next_delay(browser::random());
        let connection = self.clone();
        let reconnect = move || {
            if connection.0.generation.get() == generation + 1 && !connection.0.closed_for_good.get() {
                connection.connect();
            }
        };
        set_timeout(reconnect, Duration::from_millis(delay as u64));
    }

    /// Asks the server why it closed or refused the connection: browsers do not expose why a handshake failed.
    fn check_access(&self) {
        let connection = self.clone();
        spawn_local(async move {
            let access = access::check().await;
            if access.is_denied() && !connection.is_open() {
                connection.close_for_good();
                connection.0.handler.access_lost(access);
            }
        });
    }

    /// Closes the connection without reconnecting.
    fn close_for_good(&self) {
        self.0.closed_for_good.set(true);
        self.0.generation.set(self.0.generation.get() + 1);
        self.0.greeted.set(false);
        self.0.welcomed.set(false);
        self.0.socket.take();
    }
}
