//! Promise 17: every recorded conversation through the real server: what streamed is what every page has that joined on
//! the way, and what the next server shows after a kill, as far as pi's file knows it.

mod drive;
mod exceptions;
mod prepare;

use std::sync::Arc;

use pilothouse_test_support::client::Client;
use pilothouse_test_support::rows;
use pilothouse_test_support::server::ServerSetup;

use crate::binary;
use exceptions::{DIFFERENCES, NOT_DRIVEN};

/// Scenarios that are played at the same time.
const AT_ONCE: usize = 6;
/// So fast that a scenario takes a few hundred milliseconds.
const PACE: &str = "8";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn promise_17_every_recording_is_the_same_live_joined_and_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let only = std::env::var("PILOTHOUSE_SCENARIO").ok();
    let mut scenarios = prepare::scenarios();
    for name in NOT_DRIVEN.iter().map(|(name, _)| *name).chain(DIFFERENCES.iter().map(|known| known.scenario))
    {
        assert!(scenarios.iter().any(|scenario| scenario.name == name), "there is no scenario {name}");
    }
    scenarios.retain(|scenario| !NOT_DRIVEN.iter().any(|(name, _)| *name == scenario.name));
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
    let turns = Arc::new(tokio::sync::Semaphore::new(AT_ONCE));
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
    let mut wrong = Vec::new();
    for (name, task) in tasks {
        match task.await {
            Ok(one) => played.push(one),
            Err(_) => wrong.push(name),
        }
    }
    let mut server = Arc::into_inner(server).unwrap();
    server.kill_and_restart();
    let mut page = Client::connect(&server).await;
    for one in &played {
        // Of a session in which nothing was taken up nothing is kept.
        let known = page.welcome.sessions.iter().any(|session| session.id == one.session);
        assert!(known || one.rows.is_empty(), "{} is forgotten", one.name);
        if !known {
            continue;
        }
        page.open(&one.session).await;
        let restored = rows::render(page.rows(&one.session));
        let mut live = one.rows.clone();
        if let Some(known) = DIFFERENCES.iter().find(|known| known.scenario == one.name) {
            (known.change)(&mut live);
            assert_ne!(live, one.rows, "{}: it is not so any more that {}", one.name, known.why);
        }
        if restored != live {
            eprintln!("{}: {}", one.name, difference(&live, &restored));
            wrong.push(one.name.clone());
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let joined: usize = played.iter().map(|one| one.joined_in_the_middle).sum();
    let events: u64 = played.iter().map(|one| one.events).sum();
    eprintln!("{} scenarios, {events} events, {joined} pages joined in the middle", played.len());
    assert!(joined > 5 * played.len(), "only {joined} pages joined in the middle");
}

fn difference(live: &[String], restored: &[String]) -> String {
    let only = |rows: &[String], others: &[String]| {
        rows.iter().filter(|row| !others.contains(row)).cloned().collect::<Vec<_>>()
    };
    let (lost, new) = (only(live, restored), only(restored, live));
    if lost.is_empty() && new.is_empty() {
        return format!("in another order, or twice: {live:#?} {restored:#?}");
    }
    format!("only live: {lost:#?} only restored: {new:#?}")
}
