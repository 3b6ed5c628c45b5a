//! The life of the connection: connect, say hello, receive, come back. All decisions about waiting and sending again
//! are made in `backoff`, `inbox` and `pending`; what frames mean is the receiver's business.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::{request_animation_frame, set_timeout};
use leptos::task::spawn_local;
use pilothouse_core::limits::PROTOCOL_VERSION;
use pilothouse_core::protocol::{
    ClientFrame, Command, CommandError, ErrorCode, HubCommand, ServerFrame, Welcome,
};

use super::access;
use super::backoff::Backoff;
use super::frame_queue::{FrameQueue, Plan};
use super::handler::{ConnectionState, FrameHandler};
use super::pending_requests::{Answered, OnDisconnect, Outcome, PendingRequests};
use super::socket::Socket;
use super::wake;
use crate::{browser, routes};

/// A close code of the server's own.
const ACCESS_LOST: u16 = 4003;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const PROBE_TIMEOUT: Duration = Duration::from_secs(3);
/// Where no animation frames come (a hidden tab), what has arrived is taken out after this.
const FRAME_FALLBACK: Duration = Duration::from_millis(200);
/// After this silence a command is accompanied by a probe: the socket may be dead without having noticed.
const SILENCE_MILLISECONDS: f64 = 20_000.0;

const LOST: &str = "The connection to the server was lost.";

#[derive(Clone)]
pub struct Connection(Rc<Inner>);

struct Inner {
    handler: Box<dyn FrameHandler>,
    socket: RefCell<Option<Socket>>,
    /// Numbers the sockets: what an abandoned one still says is not heard.
    generation: Cell<u64>,
    welcomed: Cell<bool>,
    closed_for_good: Cell<bool>,
    last_frame: Cell<f64>,
    backoff: RefCell<Backoff>,
    inbox: RefCell<FrameQueue>,
    pending: RefCell<PendingRequests>,
}

impl Connection {
    pub fn new(handler: Box<dyn FrameHandler>) -> Self {
        Self(Rc::new(Inner {
            handler,
            socket: RefCell::default(),
            generation: Cell::new(0),
            welcomed: Cell::new(false),
            closed_for_good: Cell::new(true),
            last_frame: Cell::new(0.0),
            backoff: RefCell::default(),
            inbox: RefCell::default(),
            pending: RefCell::new(PendingRequests::new(format!("{}-", browser::unique_id()))),
        }))
    }

    /// Connects, and from now on stays connected as far as it can.
    pub fn start(&self) {
        if self.0.closed_for_good.replace(false) {
            if self.0.generation.get() == 0 {
                wake::for_waking(self.clone());
            }
            self.connect();
        }
    }

    pub fn is_open(&self) -> bool {
        self.0.welcomed.get()
    }

    #[cfg(test)]
    pub fn is_waiting_for(&self, command_id: &str) -> bool {
        self.0.pending.borrow().is_waiting(command_id)
    }

    /// Sends a command; the callback gets its one answer, in order with the frames around it. Tells the id under which
    /// it was sent; none if it was not.
    pub fn request(
        &self,
        command: Command,
        keep: OnDisconnect,
        callback: impl FnOnce(Outcome) + 'static,
    ) -> String {
        if keep == OnDisconnect::Fail && !self.is_open() {
            let text = "Not connected to the server.";
            callback(Err(CommandError::new(ErrorCode::ConnectionLost, text)));
            return String::new();
        }
        let probe_too = self.is_open()
            && !matches!(command, Command::Hub(HubCommand::ListSessions))
            && browser::now() - self.0.last_frame.get() > SILENCE_MILLISECONDS;
        let frame = ClientFrame { id: String::new(), command };
        let frame = self.0.pending.borrow_mut().add(frame, keep, Box::new(callback));
        if self.is_open() {
            self.send(&frame);
        }
        if probe_too {
            self.probe();
        }
        frame.id
    }

    /// The tab became visible or the network came back: find out at once whether the connection still lives.
    pub fn wake(&self) {
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
            // An answer may have arrived and wait for its animation frame.
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
        self.0.welcomed.set(false);
        self.0.socket.take();
        let (opened, heard, closed) = (self.clone(), self.clone(), self.clone());
        let socket = Socket::open(
            &routes::socket_address(),
            move || opened.say_hello(),
            move |text| heard.receive(text),
            move |code| closed.lost(generation, code, false),
        );
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

    fn say_hello(&self) {
        self.drain();
        let command = HubCommand::Hello { version: PROTOCOL_VERSION, sessions: self.0.handler.cursors() };
        self.send(&ClientFrame { id: "hello".to_owned(), command: command.into() });
    }

    fn send(&self, frame: &ClientFrame) {
        if let (Some(socket), Ok(text)) = (&*self.0.socket.borrow(), serde_json::to_string(frame)) {
            socket.send(&text);
        }
    }

    fn receive(&self, text: &str) {
        self.0.last_frame.set(browser::now());
        // A frame that cannot be read leaves a gap in its session's numbers, and a gap brings a snapshot.
        let Some(frame) = ServerFrame::parse(text) else { return };
        let plan = self.0.inbox.borrow_mut().push(frame, browser::is_hidden());
        match plan {
            Plan::Wait => {}
            Plan::Drain => self.drain(),
            Plan::Schedule => {
                let connection = self.clone();
                request_animation_frame(move || connection.drain());
                let connection = self.clone();
                set_timeout(move || connection.drain(), FRAME_FALLBACK);
            }
        }
    }

    fn drain(&self) {
        let frames = self.0.inbox.borrow_mut().drain();
        if frames.is_empty() {
            return;
        }
        for frame in frames {
            match frame {
                ServerFrame::Welcome(welcome) => self.welcomed(welcome),
                ServerFrame::Response { id, command, success, data, error, code } => {
                    let answered = self.0.pending.borrow_mut().answered(&id);
                    match answered {
                        Answered::Asker(callback) => {
                            let message = error.unwrap_or_else(|| "The server refused it.".to_owned());
                            let code = code.unwrap_or(ErrorCode::Internal);
                            callback(if success { Ok(data) } else { Err(CommandError { code, message }) });
                        }
                        Answered::Again(session_id) => {
                            self.0.handler.answered_again(session_id.as_deref(), &command);
                        }
                        Answered::Nobody => {}
                    }
                }
                other => self.0.handler.frame(other),
            }
        }
        self.0.handler.settled();
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
        let again = self.0.pending.borrow().to_resend();
        again.iter().for_each(|frame| self.send(frame));
    }

    /// The socket of this generation is of no more use.
    fn lost(&self, generation: u64, code: u16, at_once: bool) {
        if self.0.generation.get() != generation || self.0.closed_for_good.get() {
            return;
        }
        // What has arrived counts, also if no frame was drawn since.
        self.drain();
        let was_open = self.0.welcomed.replace(false);
        // From here on the timers and events of this socket mean nothing.
        self.0.generation.set(generation + 1);
        self.0.socket.take();
        let failed = self.0.pending.borrow_mut().lost();
        failed
            .into_iter()
            .for_each(|callback| callback(Err(CommandError::new(ErrorCode::ConnectionLost, LOST))));
        self.0.handler.connection(ConnectionState::Lost);
        if code == ACCESS_LOST {
            self.close_for_good();
            return self.0.handler.access_lost();
        }
        if !was_open {
            self.check_access();
        }
        if at_once {
            return self.connect();
        }
        let delay = self.0.backoff.borrow_mut().next_delay(browser::random());
        let connection = self.clone();
        let again = move || {
            if connection.0.generation.get() == generation + 1 && !connection.0.closed_for_good.get() {
                connection.connect();
            }
        };
        set_timeout(again, Duration::from_millis(delay as u64));
    }

    /// A refused handshake does not say why: ask whether the cookie is still good.
    fn check_access(&self) {
        let connection = self.clone();
        spawn_local(async move {
            if access::check().await == access::Access::Denied && !connection.is_open() {
                connection.close_for_good();
                connection.0.handler.access_lost();
            }
        });
    }

    fn close_for_good(&self) {
        self.0.closed_for_good.set(true);
        self.0.generation.set(self.0.generation.get() + 1);
        self.0.welcomed.set(false);
        self.0.socket.take();
    }
}
