//! Every recorded conversation, played through the real server: clients that join at any point have the same rows
//! as one that watched all of it, and so does the restarted server after a kill, apart from known differences.

mod drive;
mod exceptions;
mod prepare;

use std::sync::Arc;

use pilothouse_test_support::client::Client;
use pilothouse_test_support::rows;
use pilothouse_test_support::server::ServerSetup;

use crate::binary;
use exceptions::{DIFFERENCES, NOT_PLAYED};

/// The number of scenarios that are played at the same time.
const CONCURRENT_SCENARIOS: usize = 6;
/// The factor of the recorded pace: a scenario takes a few hundred milliseconds.
const PACE: &str = "8";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn promise_17_every_recording_has_the_same_rows_live_when_joined_and_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let only = std::env::var("PILOTHOUSE_SCENARIO").ok();
    let mut scenarios = prepare::scenarios();
    for name in NOT_PLAYED.iter().map(|(name, _)| *name).chain(DIFFERENCES.iter().map(|known| known.scenario))
    {
        assert!(scenarios.iter().any(|scenario| scenario.name == name), "no scenario is named {name}");
    }
    scenarios.retain(|scenario| !NOT_PLAYED.iter().any(|(name, _)| *name == scenario.name));
    scenarios.retain(|scenario| only.as_ref().is_none_or(|only| scenario.name.contains(only.as_str())));
    let mut config = "idle_minutes = 0\n".to_owned();
    for scenario in &scenarios {
        let command = scenario.write(folder.path(), binary());
        config.push_str(&format!(
            "[[agent]]\nname = '{}'\ncommand = ['sh', '{}']\nenv = {{ PI_CODING_AGENT_DIR = '{}', PILOTHOUSE_DEMO_PACE = '{PACE}' }}\n",
            scenario.name.replace('/', "-"),
            command.display(),
            folder.path().join("pi").display()
        ));
    }
    std::fs::write(folder.path().join("config.toml"), config).unwrap();
    let setup = ServerSetup::new(binary()).project(folder.path());
    let setup = setup.argument("--config").argument(folder.path().join("config.toml"));
    let server = Arc::new(setup.start());
    let turns = Arc::new(tokio::sync::Semaphore::new(CONCURRENT_SCENARIOS));
    let mut tasks = Vec::new();
    for scenario in scenarios {
        let (server, turns, folder) = (server.clone(), turns.clone(), folder.path().to_owned());
        let name = scenario.name.clone();
        tasks.push((
            name,
            tokio::spawn(async move {
                let _turn = turns.acquire().await.unwrap();
                drive::play(&server, &scenario, &scenario.name.replace('/', "-"), &folder).await
            }),
        ));
    }
    let mut played = Vec::new();
    let mut failed = Vec::new();
    for (name, task) in tasks {
        match task.await {
            Ok(conversation) => played.push(conversation),
            Err(_) => failed.push(name),
        }
    }
    let mut server = Arc::into_inner(server).unwrap();
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    for conversation in &played {
        // A session without an accepted message is not stored.
        let listed = client.welcome.sessions.iter().any(|session| session.id == conversation.session);
        assert!(listed || conversation.rows.is_empty(), "{} is not listed", conversation.name);
        if !listed {
            continue;
        }
        client.open(&conversation.session).await;
        let restored = rows::render(client.rows(&conversation.session));
        let mut live = conversation.rows.clone();
        if let Some(known) = DIFFERENCES.iter().find(|known| known.scenario == conversation.name) {
            (known.change)(&mut live);
            assert_ne!(
                live, conversation.rows,
                "{}: this difference no longer exists: {}",
                conversation.name, known.why
            );
        }
        if restored != live {
            eprintln!("{}: {}", conversation.name, difference(&live, &restored));
            failed.push(conversation.name.clone());
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
    let joined: usize = played.iter().map(|conversation| conversation.joined_midway).sum();
    let events: u64 = played.iter().map(|conversation| conversation.events).sum();
    eprintln!("{} scenarios, {events} events, {joined} clients joined midway", played.len());
    assert!(joined > 5 * played.len(), "only {joined} clients joined midway");
}

/// Describes the difference between two lists of rows.
fn difference(live: &[String], restored: &[String]) -> String {
    let only = |rows: &[String], others: &[String]| {
        rows.iter().filter(|row| !others.contains(row)).cloned().collect::<Vec<_>>()
    };
    let (lost, added) = (only(live, restored), only(restored, live));
    if lost.is_empty() && added.is_empty() {
        return format!("the order or the number of equal rows differs: {live:#?} {restored:#?}");
    }
    format!("only live: {lost:#?} only restored: {added:#?}")
}
