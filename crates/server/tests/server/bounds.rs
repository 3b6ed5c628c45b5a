//! Clients that take more than their share.

use std::io::Read;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;

use pilothouse_core::SessionState;
use pilothouse_core::limits::CONNECTIONS;
use pilothouse_test_support::client::Client;
use pilothouse_test_support::http;
use pilothouse_test_support::server::ServerSetup;
use pilothouse_test_support::wait::until_true;

use crate::binary;

const SILENT: usize = 1_100;

/// A program that starts the server with the usual limit of open files.
fn limited_binary(folder: &std::path::Path) -> std::path::PathBuf {
    let program = folder.join("server.sh");
    let script = format!("#!/bin/sh\nulimit -n 1024\nexec '{}' \"$@\"\n", binary().display());
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    program
}

#[tokio::test]
async fn silent_connections_keep_nobody_out() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerSetup::new(&limited_binary(folder.path())).project(folder.path()).start();
    let mut client = Client::connect(&server).await;
    let silent: Vec<TcpStream> =
        (0..SILENT).map(|_| TcpStream::connect(("127.0.0.1", server.port)).unwrap()).collect();
    assert_eq!(http::request(&server, "GET", "/health", &[], "").await.status, 200);
    let is_open = |stream: &TcpStream| {
        stream.set_nonblocking(true).unwrap();
        (&*stream).read(&mut [0]).is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
    };
    let open = || silent.iter().filter(|stream| is_open(stream)).count();
    // The sockets of pages stay, and agents start.
    let session = client.new_session(folder.path()).await;
    client.prompt(&session, "hello").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    until_true("the older connections to be closed", || open() <= CONNECTIONS).await;
    // The newest stay: the others gave way, they were not closed for their silence.
    assert!(open() + 10 >= CONNECTIONS, "{} are open", open());
}
