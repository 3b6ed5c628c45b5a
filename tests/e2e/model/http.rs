//! HTTP for the model server: one request per connection, and a response in pieces.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};

use serde_json::Value;

pub struct Connection {
    stream: TcpStream,
}

impl Connection {
    /// Reads a request and returns its path and its body, which is JSON.
    pub fn accept(stream: TcpStream) -> Option<(Self, String, Value)> {
        let mut reader = BufReader::new(stream.try_clone().ok()?);
        let mut first = String::new();
        reader.read_line(&mut first).ok()?;
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            if line.trim().is_empty() {
                break;
            }
            let (name, value) = line.split_once(':')?;
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let path = first.split(' ').nth(1)?.to_owned();
        Some((Self { stream }, path, serde_json::from_slice(&body).unwrap_or_default()))
    }

    /// Sends a whole response.
    pub fn refuse(mut self, status: u16, body: &Value) {
        let body = body.to_string();
        let head = format!(
            "HTTP/1.1 {status} Refused\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n",
            body.len()
        );
        let _ = self.stream.write_all(format!("{head}{body}").as_bytes());
    }

    pub fn begin_events(&mut self) {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\
                    Connection: close\r\n\r\n";
        let _ = self.stream.write_all(head.as_bytes());
    }

    /// Sends a server-sent event. A closed connection is ignored.
    pub fn event(&mut self, data: &str) {
        let event = format!("data: {data}\n\n");
        let _ = self.stream.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes());
    }

    /// Sends a server-sent event with a name.
    pub fn named_event(&mut self, name: &str, data: &str) {
        let event = format!("event: {name}\ndata: {data}\n\n");
        let _ = self.stream.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes());
    }

    pub fn end(mut self) {
        let _ = self.stream.write_all(b"0\r\n\r\n");
    }

    /// Closes the connection in the middle of the response.
    pub fn cut(self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}
