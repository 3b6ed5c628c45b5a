//! Many clients and long sessions: an idle server is idle, memory is bounded, and a peer that is gone is noticed.

use std::fmt::Write;
use std::time::{Duration, Instant};

use pilothouse_core::SessionState;
use pilothouse_core::limits::PEER_SILENCE_SECONDS;
use pilothouse_core::protocol::{DeviceList, HubCommand};
use serde_json::json;
use tokio::time::interval;

use pilothouse_test_support::client::Client;
use pilothouse_test_support::http;
use pilothouse_test_support::process::{private_memory, processor_time};

use crate::server;

#[tokio::test]
async fn promise_23_fifty_clients_on_twenty_idle_sessions_use_no_processor_and_little_memory() {
    let (server, project) = server();
    let mut first = Client::connect(&server).await;
    let mut sessions = Vec::new();
    for _ in 0..20 {
        let session = first.new_session(project.path()).await;
        first.prompt(&session, "Hello").await.unwrap();
        first.until_state(&session, SessionState::Completed).await;
        sessions.push(session);
    }
    let mut clients = Vec::new();
    for _ in 0..50 {
        let mut client = Client::connect(&server).await;
        for session in &sessions {
            client.open(session).await;
        }
        clients.push(client);
    }
    // At most one hundredth of a second of processor time in a whole second.
    let mut second = interval(Duration::from_secs(1));
    second.tick().await;
    let mut used = Vec::new();
    while used.last() != Some(&0) && used.last() != Some(&1) {
        assert!(used.len() < 30, "the server does not become idle: {used:?}");
        let before = processor_time(server.process_id());
        second.tick().await;
        used.push(processor_time(server.process_id()) - before);
    }
    let memory = private_memory(server.process_id());
    eprintln!("50 clients on 20 idle sessions: {} KiB", memory / 1024);
    assert!(memory < 100 << 20, "{memory} bytes");
}

#[tokio::test]
async fn promise_16_a_session_of_100_000_entries_is_opened_in_bounded_memory() {
    let (server, _project) = server();
    let path = server.demo_sessions().join("--external--/2026-01-01_external.jsonl");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut client = Client::connect(&server).await;
    let before = private_memory(server.process_id());
    let mut text = format!("{}\n", json!({"type": "session", "id": "external", "cwd": "/external"}));
    for number in 0..100_000_u32 {
        let parent = number.checked_sub(1).map(|parent| format!("e{parent}"));
        let message = json!({"role": "user", "content": format!("Line {number} {}", "x".repeat(500))});
        let entry =
            json!({"type": "message", "id": format!("e{number}"), "parentId": parent, "message": message});
        writeln!(text, "{entry}").unwrap();
    }
    let length = text.len() as u64;
    std::fs::write(&path, text).unwrap();
    let is_listed = |client: &Client| client.welcome.sessions.iter().any(|session| session.id == "external");
    while !is_listed(&client) {
        client.receive_frame().await;
    }
    client.open("external").await;
    assert_eq!(client.rows("external").last().unwrap().text.split(' ').nth(1), Some("99999"));
    let grown = private_memory(server.process_id()).saturating_sub(before);
    eprintln!("a session file of {} MiB: the server grew by {} MiB", length >> 20, grown >> 20);
    assert!(grown < length / 2, "the server grew by {grown} bytes for a file of {length}");
}

#[tokio::test]
async fn promise_20_a_peer_that_is_gone_is_noticed_within_40_seconds() {
    let (server, _project) = server();
    let mut client = Client::connect(&server).await;
    let connected = async |client: &mut Client| {
        let list = client.ask_hub(HubCommand::ListDevices).await.unwrap();
        let devices: DeviceList = serde_json::from_value(list).unwrap();
        devices.devices.iter().filter(|device| device.connected).count()
    };
    // A socket that is not read answers no ping, like that of a machine that sleeps.
    let silent = Client::connect_as(&server, &http::credential(&server).await).await.into_socket();
    let start = Instant::now();
    assert_eq!(connected(&mut client).await, 2);
    let mut look = interval(Duration::from_millis(500));
    while connected(&mut client).await == 2 {
        assert!(
            start.elapsed() < Duration::from_secs(PEER_SILENCE_SECONDS + 5),
            "the silent peer is still connected"
        );
        look.tick().await;
    }
    drop(silent);
}
