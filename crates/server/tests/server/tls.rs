//! HTTPS with a certificate from files.

use std::sync::Arc;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use pilothouse_test_support::http;
use pilothouse_test_support::server::{ServerSetup, code_in};

use crate::binary;

/// Sends a request over TLS and returns the response.
async fn request(port: u16, certificate: &CertificateDer<'static>, text: &str) -> String {
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let name = ServerName::try_from("chat.example").unwrap();
    let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut response = Vec::new();
    // The server closes the connection without TLS's own farewell.
    let _ = stream.read_to_end(&mut response).await;
    String::from_utf8(response).unwrap()
}

#[tokio::test]
async fn with_a_certificate_the_server_speaks_https_only() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate_file, key_file) = (folder.path().join("certificate.pem"), folder.path().join("key.pem"));
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["chat.example".to_owned()]).unwrap();
    std::fs::write(&certificate_file, cert.pem()).unwrap();
    std::fs::write(&key_file, signing_key.serialize_pem()).unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let server = ServerSetup::new(binary())
        .project(folder.path())
        .address("0.0.0.0")
        .port(port)
        .argument("--allowed-host=chat.example")
        .argument("--tls-cert")
        .argument(&certificate_file)
        .argument("--tls-key")
        .argument(&key_file)
        .start();
    let origin = format!("https://chat.example:{port}");
    assert!(server.link.starts_with(&format!("{origin}/#pair=")), "{}", server.link);

    let body = format!("{{\"code\":\"{}\"}}", code_in(&server.link));
    let pair = |origin: &str| {
        format!(
            "POST /api/access HTTP/1.1\r\nHost: chat.example:{port}\r\nOrigin: {origin}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    let foreign = request(port, cert.der(), &pair(&format!("http://chat.example:{port}"))).await;
    assert!(foreign.starts_with("HTTP/1.1 403"), "{foreign}");
    let paired = request(port, cert.der(), &pair(&origin)).await;
    assert!(paired.starts_with("HTTP/1.1 200") && paired.contains("\"credential\""), "{paired}");

    let plain = http::request(&server, "GET", "/", &[], "").await;
    assert_eq!(plain.status, 400);
    assert!(plain.body.contains("https://"), "{}", plain.body);
}
