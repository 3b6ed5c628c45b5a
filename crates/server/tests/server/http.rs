//! Plain HTTP by hand, so that tests can send what no proper client would.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::running::Running;

pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim()).next()
    }
}

/// Sends a request as it stands and reads what comes back until the head and the announced body are there.
pub async fn raw(server: &Running, request: &str) -> Answer {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let mut buffer = [0; 8192];
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_owned();
            let answer = Answer {
                status: head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default(),
                head,
                body: body.to_owned(),
            };
            let length = answer.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
            if answer.body.len() >= length {
                return answer;
            }
        }
        let count = stream.read(&mut buffer).await.unwrap();
        assert!(count > 0, "the connection ended early: {text}");
        bytes.extend_from_slice(&buffer[..count]);
    }
}

/// A request with these headers; a Host is added unless there is one.
pub async fn request(
    server: &Running,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Answer {
    let mut text = format!("{method} {path} HTTP/1.1\r\n");
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        text += &format!("Host: 127.0.0.1:{}\r\n", server.port);
    }
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    if !body.is_empty() {
        text += &format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    }
    raw(server, &format!("{text}\r\n{body}")).await
}

/// Trades the token for the cookie, as the page does.
pub async fn cookie(server: &Running) -> String {
    let body = format!("{{\"token\":\"{}\"}}", server.token);
    let origin = server.origin();
    let answer = request(server, "POST", "/api/access", &[("Origin", &origin)], &body).await;
    assert_eq!(answer.status, 204, "{}", answer.body);
    answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
}
