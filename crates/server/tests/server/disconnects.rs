//! Promise 18: exactly once and in order, whatever the line does: 10,000 events, 500 lost connections, half of them
//! while what was missed is being sent, and a server that is killed and comes back.

use std::collections::HashMap;

use pilothouse_core::limits::PAGE_ROWS;
use pilothouse_core::{SessionState, SessionView};

use pilothouse_test_support::client::{Client, assert_same, prompt};
use pilothouse_test_support::server::TestServer;

use crate::random::Random;
use crate::server;

const EVENTS: usize = 10_000;
const LOST: usize = 500;
const SESSIONS: usize = 4;
/// How often the server is killed on the way.
const RESTARTS: usize = 3;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn promise_18_every_event_arrives_once_and_in_order_over_500_lost_connections() {
    let (mut server, project) = server();
    let mut steady = Client::connect(&server).await;
    let mut sessions = Vec::new();
    for _ in 0..SESSIONS {
        sessions.push(steady.new_session(project.path()).await);
    }
    let mut views: HashMap<String, SessionView> = HashMap::new();
    let mut random = Random::new(18);
    let (mut events, mut lost, mut restarts, mut number) = (0, 0, 0, 0);
    while events + steady.events < EVENTS || lost < LOST {
        number += 1;
        let session = &sessions[number % SESSIONS];
        let said = prompt(&format!("p{number}"), &format!("Message {number}"));
        steady.ask(session, said).await.unwrap();
        // Lost about as often as events come.
        while lost * EVENTS < (events + steady.events) * LOST {
            views = lose_connection(&server, &sessions, views, &mut random).await;
            lost += 1;
        }
        steady.until_state(session, SessionState::Completed).await;
        if (events + steady.events) * (RESTARTS + 1) > EVENTS * (restarts + 1) && restarts < RESTARTS {
            restarts += 1;
            events += steady.events;
            server.kill_and_restart();
            steady = Client::connect(&server).await;
            for session in &sessions {
                steady.open(session).await;
            }
        }
    }
    let mut back = Client::resume(&server, views).await;
    for session in &sessions {
        // Usage is told after the end of a run: whoever is behind catches up.
        let epoch = steady.view(session).epoch.clone();
        back.until(session, "this life of the server", |view| view.epoch == epoch).await;
        while back.view(session).seq != steady.view(session).seq {
            let (here, there) = (back.view(session).seq, steady.view(session).seq);
            back.until(session, "everything", |view| view.seq >= there).await;
            steady.until(session, "everything", |view| view.seq >= here).await;
        }
        for page in [&mut back, &mut steady] {
            page.fetch_all_rows(session).await;
        }
        assert_same(back.view(session), steady.view(session));
        assert!(back.rows(session).len() > 2 * PAGE_ROWS, "too little was compared");
    }
    assert!(restarts == RESTARTS && number > 100, "{restarts} {number}");
}

/// Comes back, reads a little or nothing, and is gone again.
async fn lose_connection(
    server: &TestServer,
    sessions: &[String],
    views: HashMap<String, SessionView>,
    random: &mut Random,
) -> HashMap<String, SessionView> {
    let fresh = views.is_empty();
    let mut page = Client::resume(server, views).await;
    if fresh {
        for session in sessions {
            page.open(session).await;
        }
    }
    if random.one_in(2) {
        for _ in 0..random.below(60) {
            page.receive_frame_if_any().await;
        }
    }
    page.disconnect()
}
