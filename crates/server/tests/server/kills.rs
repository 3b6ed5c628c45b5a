//! Promise 13: the server is killed at 200 random moments under load, and nothing that was acknowledged is lost, and
//! nothing comes twice.

use pilothouse_core::ui_message::Kind;
use pilothouse_core::wire::Command;
use pilothouse_core::{SessionState, SessionView};

use crate::binary;
use crate::client::{Client, prompt};
use crate::random::Random;
use crate::running::{Setup, children, until_gone};

const LANES: u64 = 4;
const KILLS: u64 = 50;
/// Kills before a lane goes on in a new session.
const KILLS_PER_SESSION: u64 = 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn promise_13_nothing_acknowledged_is_lost_at_200_kill_points() {
    // Another beginning looks at other moments.
    let first = std::env::var("PILOTHOUSE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let lanes: Vec<_> = (first..first + LANES).map(|seed| tokio::spawn(lane(seed))).collect();
    let mut acknowledged = 0;
    for lane in lanes {
        acknowledged += lane.await.unwrap();
    }
    assert!(acknowledged > 200, "only {acknowledged} prompts were acknowledged: there was no load");
}

/// What a person has sent in one session, and whether it was acknowledged.
#[derive(Default)]
struct Sent {
    session: String,
    prompts: Vec<(String, bool)>,
}

async fn lane(seed: u64) -> usize {
    let mut random = Random::new(seed);
    let project = tempfile::tempdir().unwrap();
    let mut setup = Setup::new(binary()).project(project.path());
    setup.environment.push(("PILOTHOUSE_LOG".into(), "pilothouse_server::session=debug".into()));
    let mut server = setup.start();
    let mut sent = Sent::default();
    let mut acknowledged = 0;
    for kill in 0..KILLS {
        let mut page = Client::connect(&server).await;
        if kill % KILLS_PER_SESSION == 0 {
            sent = Sent { session: page.new_session(project.path()).await, ..Sent::default() };
        } else {
            page.open(&sent.session).await;
            let wrong = check(page.view(&sent.session), &sent);
            assert!(wrong.is_empty(), "seed {seed}, kill {kill}: {wrong}\n{}", last_lines(&server.log()));
        }
        acknowledged += work(&mut page, &mut sent, &mut random, kill).await;
        let agents = children(server.process_id());
        drop(page);
        server.kill_and_restart(binary(), project.path());
        agents.into_iter().for_each(until_gone);
    }
    acknowledged
}

/// Sends one thing after the other and reads for a while; stops anywhere.
async fn work(page: &mut Client, sent: &mut Sent, random: &mut Random, kill: u64) -> usize {
    let session = sent.session.clone();
    let mut open = Vec::new();
    if page.view(&session).state == SessionState::Paused && random.one_in(2) {
        page.send(Some(&session), Command::ResumeSession).await;
    }
    for step in 0..1 + random.below(12) {
        let text = match random.below(4) {
            0 => format!("/wait-tool never-{kill}-{step}"),
            1 => format!("/wait never-{kill}-{step}"),
            _ => format!("Message {kill} {step}"),
        };
        let request = page.send(Some(&session), prompt(&format!("c-{kill}-{step}"), &text)).await;
        sent.prompts.push((text, false));
        open.push((request, sent.prompts.len() - 1));
        if random.one_in(6) {
            page.send(Some(&session), Command::Abort).await;
        }
        for _ in 0..random.below(25) {
            page.take_frame_if_any().await;
        }
    }
    let mut acknowledged = 0;
    for (request, place) in open {
        if let Some(outcome) = page.answered(&request) {
            sent.prompts[place].1 = outcome.is_ok();
            acknowledged += usize::from(outcome.is_ok());
        }
    }
    // What a stop gave back is the person's again.
    for restored in page.restored() {
        sent.prompts.retain(|(text, _)| *text != restored);
    }
    acknowledged
}

/// What is wrong, if anything is.
fn check(view: &SessionView, sent: &Sent) -> String {
    for (text, acknowledged) in &sent.prompts {
        let said =
            view.controller.rows().iter().filter(|row| row.kind == Kind::User && row.text == *text).count();
        let waiting = view.queue.items().iter().filter(|item| item.text == *text).count();
        // A stop puts what it takes back into the draft.
        let drafted = view.draft.lines().filter(|line| line == text).count();
        let found = said + waiting + drafted;
        if found > 1 || (found == 0 && *acknowledged) {
            let places = format!("{said} times said, {waiting} in the queue, {drafted} in the draft");
            return format!("{text:?} (acknowledged: {acknowledged}) is {places}: {:#?}", rows(view));
        }
    }
    let spins = view.controller.has_open_call() || view.state.is_active();
    if spins { "nothing runs, and yet something spins".to_owned() } else { String::new() }
}

fn last_lines(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(80)..].join("\n")
}

fn rows(view: &SessionView) -> Vec<String> {
    let said = view.controller.rows().iter().filter(|row| row.kind != Kind::Thinking);
    said.map(|row| format!("{} {} {:?} {:.60}", row.id, row.kind.name(), row.mark, row.text)).collect()
}
