//! Exactly-once delivery in order: 10,000 events over 500 lost connections, half of them lost while missed events
//! are being sent, and over restarts of a killed server.

use std::collections::HashMap;

use pilothouse_core::limits::PAGE_ROWS;
use pilothouse_core::{SessionState, SessionView};

use pilothouse_test_support::client::{Client, assert_same, prompt, synchronise};
use pilothouse_test_support::server::TestServer;

use crate::random::Random;
use crate::server;

const EVENTS: usize = 10_000;
const DISCONNECTS: usize = 500;
const SESSIONS: usize = 4;
/// How often the server is killed during the test.
const RESTARTS: usize = 3;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn promise_18_every_event_arrives_once_and_in_order_over_500_lost_connections() {
    let (mut server, project) = server();
    let mut watcher = Client::connect(&server).await;
    let mut sessions = Vec::new();
    for _ in 0..SESSIONS {
        sessions.push(watcher.new_session(project.path()).await);
    }
    let mut views: HashMap<String, SessionView> = HashMap::new();
    let mut random = Random::new(18);
    let (mut events, mut lost, mut restarts, mut number) = (0, 0, 0, 0);
    while events + watcher.events < EVENTS || lost < DISCONNECTS {
        number += 1;
        let session = &sessions[number % SESSIONS];
        let message = prompt(&format!("p{number}"), &format!("Message {number}"));
        watcher.ask(session, message).await.unwrap();
        // Connections are lost in proportion to the events.
        while lost * EVENTS < (events + watcher.events) * DISCONNECTS {
            views = lose_connection(&server, &sessions, views, &mut random).await;
            lost += 1;
        }
        watcher.until_state(session, SessionState::Completed).await;
        if (events + watcher.events) * (RESTARTS + 1) > EVENTS * (restarts + 1) && restarts < RESTARTS {
            restarts += 1;
            events += watcher.events;
            server.kill_and_restart();
            watcher = Client::connect(&server).await;
            for session in &sessions {
                watcher.open(session).await;
            }
        }
    }
    let mut client = Client::resume(&server, views).await;
    for session in &sessions {
        let epoch = watcher.view(session).epoch.clone();
        client.until(session, "a snapshot of the restarted server", |view| view.epoch == epoch).await;
        synchronise(&mut client, &mut watcher, session).await;
        client.fetch_all_rows(session).await;
        watcher.fetch_all_rows(session).await;
        assert_same(client.view(session), watcher.view(session));
        let rows = client.rows(session).len();
        assert!(rows > 2 * PAGE_ROWS, "only {rows} rows were compared");
    }
    assert!(restarts == RESTARTS && number > 100, "{restarts} restarts, {number} prompts");
}

/// Connects with these views, receives some frames or none, and disconnects. Returns the views.
async fn lose_connection(
    server: &TestServer,
    sessions: &[String],
    views: HashMap<String, SessionView>,
    random: &mut Random,
) -> HashMap<String, SessionView> {
    let fresh = views.is_empty();
    let mut client = Client::resume(server, views).await;
    if fresh {
        for session in sessions {
            client.open(session).await;
        }
    }
    if random.one_in(2) {
        for _ in 0..random.below(60) {
            client.receive_frame_if_any().await;
        }
    }
    client.disconnect()
}
