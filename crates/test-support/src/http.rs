//! Handwritten HTTP requests, so that tests can send invalid ones.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::server::TestServer;

pub struct Response {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim()).next()
    }
}

/// Sends a request as given and reads the response up to the announced length.
pub async fn raw(server: &TestServer, request: &str) -> Response {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let mut buffer = [0; 8192];
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_owned();
            let response = Response {
                status: head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default(),
                head,
                body: body.to_owned(),
            };
            let length =
                response.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
            if response.body.len() >= length {
                return response;
            }
        }
        let count = stream.read(&mut buffer).await.unwrap();
        assert!(count > 0, "the connection closed before the response was complete: {text}");
        bytes.extend_from_slice(&buffer[..count]);
    }
}

/// Sends a request with these headers, and a `Host` header unless one is given.
pub async fn request(
    server: &TestServer,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Response {
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

/// Exchanges a pairing code, as the page does.
pub async fn pair(server: &TestServer, code: &str, headers: &[(&str, &str)]) -> Response {
    let origin = server.origin();
    let headers: Vec<(&str, &str)> =
        [("Origin", origin.as_str())].into_iter().chain(headers.iter().copied()).collect();
    request(server, "POST", "/api/access", &headers, &serde_json::json!({ "code": code }).to_string()).await
}

/// The credential in the response to a valid pairing code.
pub fn credential_in(response: &Response) -> String {
    assert_eq!(response.status, 200, "{}", response.body);
    let body: serde_json::Value = serde_json::from_str(&response.body).unwrap();
    body["credential"].as_str().unwrap().to_owned()
}

/// Pairs one more device and returns its credential.
pub async fn credential(server: &TestServer) -> String {
    credential_in(&pair(server, &server.new_code(), &[]).await)
}

/// The credential of the device that the tests of this server share.
pub async fn shared_credential(server: &TestServer) -> &str {
    if let Some(credential) = server.credential.get() {
        return credential;
    }
    let credential = credential(server).await;
    server.credential.get_or_init(|| credential)
}

/// The value of the `Authorization` header with that credential.
pub async fn authorization(server: &TestServer) -> String {
    format!("Bearer {}", shared_credential(server).await)
}
