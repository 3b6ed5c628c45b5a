//! Access to the server: pairing, credentials, hosts, origins, security headers, and invalid frames.

use axum::http::Method;
use pilothouse_core::protocol::ErrorCode;
use pilothouse_server::http::guard::Access;
use pilothouse_server::http::routes;

use pilothouse_test_support::client::Client;
use pilothouse_test_support::http;
use pilothouse_test_support::server::ServerSetup;
use pilothouse_test_support::wait;

use crate::{binary, server};

#[tokio::test]
async fn promise_03_every_route_but_the_page_and_health_needs_the_credential() {
    let (server, _project) = server();
    let (origin, authorization) = (server.origin(), http::authorization(&server).await);
    let credential = authorization.strip_prefix("Bearer ").unwrap();
    let cookies = [
        format!("pilothouse_{}=wrong", server.port),
        format!(
            "pilothouse_{}={credential}; pilothouse={credential}; authorization={credential}",
            server.port
        ),
    ];
    let mut checked = 0;
    for route in routes::table() {
        let path = route.path.replace("{session}", "s").replace("{blob}", "b");
        let body = if route.method == Method::POST { "{\"code\":\"\"}" } else { "" };
        // None of these is a wrong credential, which would count as an attempt: they are no credentials.
        let in_query =
            format!("{path}?token={credential}&access_token={credential}&authorization={credential}");
        for (path, name, value) in [
            (path.as_str(), "X-None", ""),
            (&path, "Cookie", &cookies[0]),
            (&path, "Cookie", &cookies[1]),
            (&path, "Authorization", credential),
            (&path, "Authorization", &format!("Basic {credential}")),
            (&path, "Proxy-Authorization", &authorization),
            (&in_query, "X-None", ""),
        ] {
            if route.access == Access::Pairing && name != "X-None" {
                continue;
            }
            let headers = [("Origin", origin.as_str()), (name, value)];
            let response = http::request(&server, route.method.as_str(), path, &headers, body).await;
            let expected = if route.access == Access::Open { 200 } else { 401 };
            assert_eq!(response.status, expected, "{} {path} with {name}: {value}", route.method);
        }
        checked += 1;
    }
    assert!(checked >= 5, "only {checked} routes were checked");
    // A route that is not in the table needs the credential, too.
    for path in ["/api", "/api/", "/api/unknown", "/api/socket/", "/api/access/x"] {
        assert_eq!(
            http::request(&server, "GET", path, &[("Origin", &origin)], "").await.status,
            401,
            "{path}"
        );
    }
    // A subprotocol is for the socket only.
    let protocol = format!("pilothouse, pilothouse.bearer.{credential}");
    let headers = [("Sec-WebSocket-Protocol", protocol.as_str())];
    assert_eq!(http::request(&server, "GET", "/api/access", &headers, "").await.status, 401);
    let headers = [("Authorization", authorization.as_str())];
    assert_eq!(http::request(&server, "GET", "/api/access", &headers, "").await.status, 204);
}

#[tokio::test]
async fn promise_04_a_forged_host_is_refused_before_anything_else() {
    let (server, _project) = server();
    let authorization = http::authorization(&server).await;
    let port = server.port;
    let forged = [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil:{port}"),
        format!("127.0.0.1.:{port}"),
        format!("user@127.0.0.1:{port}"),
        "127.0.0.1".to_owned(),
        "127.0.0.1:1".to_owned(),
        format!("0x7f000001:{port}"),
        format!("[::ffff:127.0.0.1]:{port}"),
        format!("2130706433:{port}"),
        String::new(),
    ];
    for host in &forged {
        for path in ["/", "/health", "/api/access", "/api/socket"] {
            let headers = [
                ("Host", host.as_str()),
                ("Authorization", &authorization),
                ("Origin", "http://evil.example"),
            ];
            let response = http::request(&server, "GET", path, &headers, "").await;
            assert!(matches!(response.status, 400 | 421), "{path} with '{host}': {}", response.status);
        }
    }
    let missing =
        http::raw(&server, &format!("GET /health HTTP/1.1\r\nAuthorization: {authorization}\r\n\r\n")).await;
    assert!(matches!(missing.status, 400 | 421), "no Host header");
    let good = format!("127.0.0.1:{port}");
    let doubled = format!("GET /health HTTP/1.1\r\nHost: {good}\r\nHost: {good}\r\n\r\n");
    assert!(matches!(http::raw(&server, &doubled).await.status, 400 | 421), "two Host headers");
    let other_target = format!("GET http://evil.example/health HTTP/1.1\r\nHost: {good}\r\n\r\n");
    assert!(
        matches!(http::raw(&server, &other_target).await.status, 400 | 421),
        "another host in the request line"
    );
}

#[tokio::test]
async fn promise_05_the_origin_of_a_socket_is_required_and_exact() {
    let (server, _project) = server();
    let credential = http::shared_credential(&server).await;
    let port = server.port;
    let upgrade = |origins: &[&str]| {
        let origins: String = origins.iter().map(|origin| format!("Origin: {origin}\r\n")).collect();
        format!(
            "GET /api/socket HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Protocol: pilothouse, pilothouse.bearer.{credential}\r\n\
             Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n{origins}\r\n"
        )
    };
    let own = server.origin();
    let accepted = http::raw(&server, &upgrade(&[&own])).await;
    assert_eq!(accepted.status, 101, "the origin of the page");
    assert_eq!(accepted.header("sec-websocket-protocol"), Some("pilothouse"), "the credential is repeated");
    let foreign = [
        "null".to_owned(),
        "http://127.0.0.1".to_owned(),
        format!("http://127.0.0.1:{}", port.wrapping_add(1)),
        format!("https://127.0.0.1:{port}"),
        format!("http://localhost:{port}"),
        format!("http://evil.127.0.0.1:{port}"),
        format!("http://127.0.0.1:{port}.evil"),
        format!("{own}/"),
        "http://evil.example".to_owned(),
        String::new(),
    ];
    for origin in &foreign {
        assert_eq!(http::raw(&server, &upgrade(&[origin])).await.status, 403, "'{origin}'");
    }
    assert_eq!(http::raw(&server, &upgrade(&[])).await.status, 403, "no Origin header");
    assert_eq!(http::raw(&server, &upgrade(&[&own, "null"])).await.status, 403, "two Origin headers");
}

#[tokio::test]
async fn promise_10_every_response_has_the_security_headers() {
    let (server, _project) = server();
    for (path, host) in [
        ("/", None),
        ("/s/x", None),
        ("/health", None),
        ("/api/access", None),
        ("/none.png", None),
        ("/", Some("evil")),
    ] {
        let headers: Vec<(&str, &str)> = host.map(|host| ("Host", host)).into_iter().collect();
        let response = http::request(&server, "GET", path, &headers, "").await;
        let policy = response.header("content-security-policy").unwrap_or_default();
        for part in [
            "default-src 'none'",
            "connect-src 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "form-action 'none'",
        ] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"), "{policy}");
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(response.header("referrer-policy"), Some("no-referrer"), "{path}");
        assert_eq!(response.header("cross-origin-opener-policy"), Some("same-origin"), "{path}");
    }
}

#[test]
fn promise_01_the_server_listens_on_loopback_and_elsewhere_only_with_encryption_or_permission() {
    let (server, _project) = server();
    assert!(server.link.starts_with("http://127.0.0.1:"), "{}", server.link);
    let refused = |arguments: &[&str], part: &str| {
        let folder = tempfile::tempdir().unwrap();
        let (address, arguments) = match arguments {
            ["--listen", address] => (*address, &arguments[2..]),
            _ => ("127.0.0.1", arguments),
        };
        let mut command = ServerSetup::new(binary()).address(address).command(folder.path());
        let mut process = command.args(arguments).spawn().unwrap();
        let ended = wait::poll_blocking(|| process.try_wait().unwrap());
        let _ = process.kill();
        let output = process.wait_with_output().unwrap();
        assert!(ended.is_some(), "{arguments:?}: the server started");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && error.contains(part), "{arguments:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    };
    refused(&["--listen", "0.0.0.0"], "refusing to listen on 0.0.0.0:0 with plain HTTP");
    refused(&["--listen", "[::]"], "--allow-plain-http");
    refused(&["--allowed-host", "chat.example"], "write https://chat.example");
    refused(&["--allowed-host", "http://192.168.1.2"], "refusing plain HTTP");
    refused(&["--tls-cert", "x.pem"], "both --tls-cert and --tls-key");
    refused(
        &["--tls-cert", "/none.pem", "--tls-key", "/none.pem"],
        "cannot read the certificate in /none.pem",
    );
}

#[tokio::test]
async fn an_invalid_frame_is_refused_and_the_connection_stays_usable() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    for (frame, id) in
        [("{\"id\":\"x1\",\"type\":\"fly\"}", "x1"), ("{\"id\":\"x2\"}", "x2"), ("null", ""), ("{", "")]
    {
        client.send_text(frame).await;
        assert_eq!(client.response(id).await.unwrap_err().code, ErrorCode::InvalidRequest, "{frame}");
    }
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "Hello").await.unwrap();
}
