//! The line between browser and server: it can be cut and mended, and it can fall silent as it does for a machine that
//! slept, where both ends believe that the other is still there.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use pilothouse_test_support::server::TestServer;

pub struct Line {
    port: u16,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    cut: AtomicBool,
    ended: AtomicBool,
    connections: Mutex<Vec<Connection>>,
}

#[derive(Clone)]
struct Connection {
    ends: Arc<[TcpStream; 2]>,
    silent: Arc<AtomicBool>,
}

/// A port of its own, taken before there is a server: the server has to be told of it.
pub fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    (listener, host)
}

impl Line {
    pub fn new(listener: TcpListener, server: &TestServer) -> Self {
        let (port, server_port) = (listener.local_addr().unwrap().port(), server.port);
        let state = Arc::new(State::default());
        let shared = state.clone();
        std::thread::spawn(move || {
            for browser in listener.incoming().flatten() {
                if shared.ended.load(Ordering::SeqCst) {
                    return;
                }
                shared.accept(browser, server_port);
            }
        });
        Self { port, state }
    }

    /// An address of the server's, by way of this line.
    pub fn through(&self, server: &TestServer, address: &str) -> String {
        address.replace(&server.origin(), &format!("http://127.0.0.1:{}", self.port))
    }

    pub fn cut(&self) {
        self.state.cut.store(true, Ordering::SeqCst);
        self.state.hang_up();
    }

    pub fn mend(&self) {
        self.state.cut.store(false, Ordering::SeqCst);
    }

    /// What is connected now hears nothing any more, and is not told. New connections work.
    pub fn fall_silent(&self) {
        for connection in self.state.connections.lock().unwrap().iter() {
            connection.silent.store(true, Ordering::SeqCst);
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.state.ended.store(true, Ordering::SeqCst);
        self.state.hang_up();
        // Wakes the thread that accepts, so that it sees that it is over.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

impl State {
    fn accept(&self, browser: TcpStream, server_port: u16) {
        let mut connections = self.connections.lock().unwrap();
        if self.cut.load(Ordering::SeqCst) {
            return;
        }
        let Ok(server) = TcpStream::connect(("127.0.0.1", server_port)) else { return };
        let connection = Connection { ends: Arc::new([browser, server]), silent: Arc::default() };
        connections.push(connection.clone());
        for (from, to) in [(0, 1), (1, 0)] {
            let connection = connection.clone();
            std::thread::spawn(move || connection.carry(from, to));
        }
    }

    fn hang_up(&self) {
        for connection in self.connections.lock().unwrap().drain(..) {
            connection.hang_up();
        }
    }
}

impl Connection {
    fn carry(&self, from: usize, to: usize) {
        let mut bytes = vec![0; 64 * 1024];
        loop {
            let count = (&self.ends[from]).read(&mut bytes).unwrap_or_default();
            if self.silent.load(Ordering::SeqCst) && count > 0 {
                continue;
            }
            if count == 0 || (&self.ends[to]).write_all(&bytes[..count]).is_err() {
                break;
            }
        }
        if !self.silent.load(Ordering::SeqCst) {
            self.hang_up();
        }
    }

    fn hang_up(&self) {
        for end in &*self.ends {
            let _ = end.shutdown(Shutdown::Both);
        }
    }
}
