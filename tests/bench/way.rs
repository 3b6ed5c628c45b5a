//! The ways to the server, one for each page, so that none has the shorter one. The way of the floor brings the floor's
//! own files; everything else passes through.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

const FILES: [(&str, &str, &str); 2] = [
    ("GET /floor ", "text/html", include_str!("floor.html")),
    ("GET /floor.js ", "text/javascript", include_str!("floor.js")),
];

/// A port of its own, taken before there is a server: the server has to be told of it.
pub fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    (listener, host)
}

/// Carries as long as the program runs.
pub fn open(listener: TcpListener, server_port: u16) {
    thread::spawn(move || {
        for browser in listener.incoming().flatten() {
            thread::spawn(move || accept(browser, server_port));
        }
    });
}

/// What it is for is said in its first line. A connection that brought a file is closed, so that none of the floor's is
/// ever asked for over one that leads to the server.
fn accept(mut browser: TcpStream, server_port: u16) {
    let mut head = [0; 64];
    let length = browser.peek(&mut head).unwrap_or_default();
    if let Some((_, kind, text)) = FILES.iter().find(|(line, ..)| head[..length].starts_with(line.as_bytes()))
    {
        let length = text.len();
        let _ = write!(
            browser,
            "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{text}"
        );
        // Closing over what was not read would take back what was sent.
        let _ = browser.shutdown(Shutdown::Write);
        let _ = browser.read_to_end(&mut Vec::new());
        return;
    }
    let Ok(server) = TcpStream::connect(("127.0.0.1", server_port)) else { return };
    let ends = Arc::new([browser, server]);
    for (from, to) in [(0, 1), (1, 0)] {
        let ends = ends.clone();
        thread::spawn(move || carry(&ends, from, to));
    }
}

/// What is small is carried at once, too: otherwise the way itself would join what comes one after the other.
fn carry(ends: &[TcpStream; 2], from: usize, to: usize) {
    let _ = ends[to].set_nodelay(true);
    let mut bytes = vec![0; 64 * 1024];
    loop {
        let count = (&ends[from]).read(&mut bytes).unwrap_or_default();
        if count == 0 || (&ends[to]).write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    for end in ends {
        let _ = end.shutdown(Shutdown::Both);
    }
}
