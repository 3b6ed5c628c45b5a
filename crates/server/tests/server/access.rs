//! Access to the server: credentials, hosts, origins, security headers, and invalid frames.

use axum::http::Method;
use pilothouse_core::protocol::ErrorCode;
use pilothouse_server::http::guard::Access;
use pilothouse_server::http::routes;

use pilothouse_test_support::client::Client;
use pilothouse_test_support::http;
use pilothouse_test_support::server::ServerSetup;

use crate::{binary, server};

#[tokio::test]
async fn promise_03_every_route_but_the_page_and_health_needs_the_credential() {
    let (server, _project) = server();
    let origin = server.origin();
    let mut checked = 0;
    for route in routes::table() {
        let path = route.path.replace("{session}", "s").replace("{blob}", "b");
        let body = if route.method == Method::POST { "{\"token\":\"wrong\"}" } else { "" };
        for cookie in ["", "pilothouse=x", &format!("pilothouse_{}=wrong", server.port)] {
            let headers = [("Origin", origin.as_str()), ("Cookie", cookie)];
            let response = http::request(&server, route.method.as_str(), &path, &headers, body).await;
            let expected = if route.access == Access::Open { 200 } else { 401 };
            assert_eq!(response.status, expected, "{} {path} with '{cookie}'", route.method);
        }
        checked += 1;
    }
    assert!(checked >= 5, "only {checked} routes were checked");
    // A route that is not in the table needs the credential, too.
    for path in ["/api", "/api/", "/api/unknown", "/api/socket/", "/api/access/x"] {
        assert_eq!(http::request(&server, "GET", path, &[], "").await.status, 401, "{path}");
    }
}

#[tokio::test]
async fn promise_04_a_forged_host_is_refused_before_anything_else() {
    let (server, _project) = server();
    let cookie = http::cookie(&server).await;
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
            let headers =
                [("Host", host.as_str()), ("Cookie", cookie.as_str()), ("Origin", "http://evil.example")];
            let response = http::request(&server, "GET", path, &headers, "").await;
            assert!(matches!(response.status, 400 | 421), "{path} with '{host}': {}", response.status);
        }
    }
    let missing = http::raw(&server, &format!("GET /health HTTP/1.1\r\nCookie: {cookie}\r\n\r\n")).await;
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
    let cookie = http::cookie(&server).await;
    let port = server.port;
    let upgrade = |origins: &[&str]| {
        let origins: String = origins.iter().map(|origin| format!("Origin: {origin}\r\n")).collect();
        format!(
            "GET /api/socket HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\nConnection: Upgrade\r\n\
             Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n{origins}\r\n"
        )
    };
    let own = server.origin();
    assert_eq!(http::raw(&server, &upgrade(&[&own])).await.status, 101, "the origin of the page");
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
async fn promise_02_the_token_is_exchanged_for_a_cookie_only_from_the_origin_of_the_page() {
    let (server, _project) = server();
    let body = format!("{{\"token\":\"{}\"}}", server.token);
    let foreign =
        http::request(&server, "POST", "/api/access", &[("Origin", "http://evil.example")], &body).await;
    assert_eq!(foreign.status, 403);
    let origin = server.origin();
    let wrong =
        http::request(&server, "POST", "/api/access", &[("Origin", &origin)], "{\"token\":\"x\"}").await;
    assert_eq!((wrong.status, wrong.header("set-cookie")), (401, None));
    let right = http::request(&server, "POST", "/api/access", &[("Origin", &origin)], &body).await;
    let cookie = right.header("set-cookie").unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    assert!(!cookie.contains(&server.token));
    let query = http::request(&server, "GET", &format!("/api/access?token={}", server.token), &[], "").await;
    assert_eq!(query.status, 401, "a token in the query string is accepted");
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
fn promise_01_the_server_listens_on_loopback_by_default_and_needs_a_token() {
    use std::os::unix::fs::PermissionsExt;
    let (server, _project) = server();
    assert!(server.token.len() >= 43, "the token has less than 32 bytes");
    assert!(server.link.starts_with("http://127.0.0.1:") && server.link.contains("/#token="));
    let mode = std::fs::metadata(server.data.join("token")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // A server that cannot store its token does not start.
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("token")).unwrap();
    let output = ServerSetup::new(binary()).command(folder.path()).output().unwrap();
    assert!(!output.status.success(), "the server started without a token");
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
