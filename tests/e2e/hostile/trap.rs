//! A server that hostile texts refer to. No request must ever arrive there.

use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub struct Trap {
    /// Its address and port.
    pub host: String,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    caught: Mutex<Vec<String>>,
    ended: AtomicBool,
}

impl Trap {
    pub fn set() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let state = Arc::new(State::default());
        let shared = state.clone();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                if shared.ended.load(Ordering::SeqCst) {
                    return;
                }
                // The request itself counts; its text, if it arrives at once, is for the message.
                let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
                let mut bytes = [0; 256];
                let count = stream.read(&mut bytes).unwrap_or_default();
                shared.caught.lock().unwrap().push(String::from_utf8_lossy(&bytes[..count]).into_owned());
            }
        });
        Self { host, state }
    }

    pub fn caught(&self) -> Vec<String> {
        self.state.caught.lock().unwrap().clone()
    }
}

impl Drop for Trap {
    fn drop(&mut self) {
        self.state.ended.store(true, Ordering::SeqCst);
        // Wakes the accepting thread, so that it stops.
        let _ = TcpStream::connect(&self.host);
    }
}
