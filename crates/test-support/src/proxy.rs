//! A TCP proxy between browser and server. It can be cut and restored, and it can go silent: then both ends keep a
//! connection that carries nothing, as after a machine slept.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// A proxy. Dropping it closes its connections and stops it.
pub struct Proxy {
    port: u16,
    server_port: u16,
    state: Arc<State>,
}

/// A file that the proxy serves instead of the server.
pub struct ServedFile {
    pub path: &'static str,
    pub content_type: &'static str,
    pub content: &'static str,
}

#[derive(Default)]
struct State {
    cut: AtomicBool,
    stopped: AtomicBool,
    connections: Mutex<Vec<Arc<Connection>>>,
}

/// A connection from the browser, and the connection to the server that it is forwarded to.
struct Connection {
    ends: [TcpStream; 2],
    silent: AtomicBool,
}

/// Binds a free port and returns it with its host, which the server has to be started with as an allowed host.
pub fn bind() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    (listener, host)
}

impl Proxy {
    /// Serves the given files and forwards everything else to the server.
    pub fn start(listener: TcpListener, server_port: u16, files: &'static [ServedFile]) -> Self {
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(State::default());
        let shared = state.clone();
        thread::spawn(move || {
            for browser in listener.incoming().flatten() {
                if shared.stopped.load(Ordering::SeqCst) {
                    return;
                }
                if files.is_empty() {
                    shared.connect(browser, server_port);
                    continue;
                }
                // Reading the request may block.
                let shared = shared.clone();
                thread::spawn(move || match requested(&browser, files) {
                    Some(file) => file.send(browser),
                    None => shared.connect(browser, server_port),
                });
            }
        });
        Self { port, server_port, state }
    }

    /// Returns an address of the server with the host of the proxy.
    pub fn address(&self, server_address: &str) -> String {
        let origin = |port: u16| format!("http://127.0.0.1:{port}");
        server_address.replace(&origin(self.server_port), &origin(self.port))
    }

    /// Closes all connections and refuses new ones.
    pub fn cut(&self) {
        self.state.cut.store(true, Ordering::SeqCst);
        self.state.close_all();
    }

    /// Accepts connections again.
    pub fn restore(&self) {
        self.state.cut.store(false, Ordering::SeqCst);
    }

    /// Drops everything that current connections send, without closing them. New connections work.
    pub fn go_silent(&self) {
        for connection in self.state.connections.lock().unwrap().iter() {
            connection.silent.store(true, Ordering::SeqCst);
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.state.stopped.store(true, Ordering::SeqCst);
        self.state.close_all();
        // Wakes the accepting thread, so that it stops.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

impl State {
    fn connect(self: &Arc<Self>, browser: TcpStream, server_port: u16) {
        let mut connections = self.connections.lock().unwrap();
        if self.cut.load(Ordering::SeqCst) {
            return;
        }
        let Ok(server) = TcpStream::connect(("127.0.0.1", server_port)) else { return };
        let connection = Arc::new(Connection { ends: [browser, server], silent: AtomicBool::new(false) });
        connections.push(connection.clone());
        for (from, to) in [(0, 1), (1, 0)] {
            let (state, connection) = (self.clone(), connection.clone());
            thread::spawn(move || {
                connection.forward(from, to);
                // The other end of a silent connection must not notice that this one closed.
                if !connection.silent.load(Ordering::SeqCst) {
                    connection.close();
                    state.forget(&connection);
                }
            });
        }
    }

    fn forget(&self, connection: &Arc<Connection>) {
        self.connections.lock().unwrap().retain(|known| !Arc::ptr_eq(known, connection));
    }

    fn close_all(&self) {
        for connection in self.connections.lock().unwrap().drain(..) {
            connection.close();
        }
    }
}

impl Connection {
    fn forward(&self, from: usize, to: usize) {
        // Small packets must not wait to be joined.
        let _ = self.ends[to].set_nodelay(true);
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
    }

    fn close(&self) {
        for end in &self.ends {
            let _ = end.shutdown(Shutdown::Both);
        }
    }
}

/// Returns the file that a connection asks for, by the first line of its request.
fn requested<'a>(browser: &TcpStream, files: &'a [ServedFile]) -> Option<&'a ServedFile> {
    let mut head = [0; 64];
    let length = browser.peek(&mut head).unwrap_or_default();
    files.iter().find(|file| head[..length].starts_with(format!("GET {} ", file.path).as_bytes()))
}

impl ServedFile {
    /// Sends the file and closes the connection, so that no request for the server follows on it.
    fn send(&self, mut browser: TcpStream) {
        let Self { content_type, content, .. } = self;
        let length = content.len();
        let _ = write!(
            browser,
            "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{content}"
        );
        // Closing with unread data would reset the connection and discard the response.
        let _ = browser.shutdown(Shutdown::Write);
        let _ = browser.read_to_end(&mut Vec::new());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [ServedFile; 1] =
        [ServedFile { path: "/plain", content_type: "text/plain", content: "from the proxy" }];

    /// A server that echoes everything, on a thread that ends with the test program.
    fn echo_server() -> u16 {
        let (listener, _) = bind();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                thread::spawn(move || std::io::copy(&mut &stream, &mut &stream));
            }
        });
        port
    }

    fn proxy(files: &'static [ServedFile]) -> Proxy {
        Proxy::start(bind().0, echo_server(), files)
    }

    fn connect(proxy: &Proxy) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", proxy.port)).unwrap();
        stream.set_read_timeout(Some(crate::PATIENCE)).unwrap();
        stream
    }

    /// Sends a line and returns the echo, empty if the connection is closed.
    fn echo(stream: &mut TcpStream, line: &str) -> String {
        let mut bytes = vec![0; line.len()];
        let echoed = stream.write_all(line.as_bytes()).and_then(|()| stream.read_exact(&mut bytes));
        echoed.map_or_else(|_| String::new(), |()| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn forwards_both_ways_and_forgets_closed_connections() {
        let proxy = proxy(&[]);
        let mut stream = connect(&proxy);
        assert_eq!(echo(&mut stream, "hello"), "hello");
        drop(stream);
        crate::wait::until("a forgotten connection", || {
            proxy.state.connections.lock().unwrap().is_empty().then_some(())
        });
    }

    #[test]
    fn closes_connections_while_cut_and_accepts_them_once_restored() {
        let proxy = proxy(&[]);
        let mut before = connect(&proxy);
        assert_eq!(echo(&mut before, "hello"), "hello");
        proxy.cut();
        assert_eq!(echo(&mut before, "after the cut"), "");
        assert_eq!(echo(&mut connect(&proxy), "while cut"), "");
        proxy.restore();
        assert_eq!(echo(&mut connect(&proxy), "again"), "again");
    }

    #[test]
    fn drops_what_silent_connections_send_and_keeps_them_open() {
        let proxy = proxy(&[]);
        let mut silent = connect(&proxy);
        assert_eq!(echo(&mut silent, "hello"), "hello");
        proxy.go_silent();
        silent.write_all(b"lost").unwrap();
        assert_eq!(echo(&mut connect(&proxy), "new"), "new");
        silent.set_nonblocking(true).unwrap();
        let nothing = silent.read(&mut [0; 8]).unwrap_err();
        assert_eq!(nothing.kind(), std::io::ErrorKind::WouldBlock, "open, and nothing arrived");
    }

    #[test]
    fn serves_its_files_and_forwards_other_requests() {
        let proxy = proxy(&FILES);
        let mut stream = connect(&proxy);
        stream.write_all(b"GET /plain HTTP/1.1\r\n\r\n").unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        assert!(response.starts_with("HTTP/1.1 200") && response.ends_with("from the proxy"), "{response}");
        assert_eq!(echo(&mut connect(&proxy), "GET /plainer HTTP/1.1"), "GET /plainer HTTP/1.1");
    }

    #[test]
    fn replaces_only_the_origin_of_the_server() {
        let proxy = proxy(&[]);
        let address = proxy.address(&format!("http://127.0.0.1:{}/s/x#token=t", proxy.server_port));
        assert_eq!(address, format!("http://127.0.0.1:{}/s/x#token=t", proxy.port));
    }
}
