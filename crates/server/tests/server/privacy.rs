//! The server contacts no other host.

use std::path::Path;

use pilothouse_core::SessionState;
use pilothouse_core::protocol::HubCommand;

use pilothouse_test_support::client::Client;
use pilothouse_test_support::preload::Preload;
use pilothouse_test_support::server::ServerSetup;

use crate::binary;

fn connections(log: &Path) -> String {
    std::fs::read_to_string(log).unwrap_or_default()
}

#[tokio::test]
async fn promise_37_the_server_contacts_no_other_host() {
    let project = tempfile::tempdir().unwrap();
    let log = project.path().join("network.log");
    let library = Preload::compile(include_str!("network_log.c"));
    let setup = library.apply(ServerSetup::new(binary()).project(project.path())).env("NETWORK_LOG", &log);
    let server = setup.clone().start();
    let mut client = Client::connect(&server).await;
    client.ask_hub(HubCommand::CheckAgents).await.unwrap();
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "/tour").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    client.ask_hub(HubCommand::Search { query: "tour".to_owned() }).await.unwrap();
    client.ask_hub(HubCommand::CreatePairingLink { address: String::new() }).await.unwrap();
    assert_eq!(connections(&log), "");
    // The log works: a server for the network asks the system for its own address there, which sends nothing.
    let _open = setup.address("0.0.0.0").argument("--allow-plain-http").start();
    assert_eq!(connections(&log), "connect 192.0.2.1\n");
}
