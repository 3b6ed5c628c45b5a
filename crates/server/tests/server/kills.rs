//! Promise 13: the server is killed at 200 random moments under load, and nothing that was acknowledged is lost, and
//! nothing comes twice.

use pilothouse_core::conversation::ui_message::Kind;
use pilothouse_core::protocol::{QueueEdit, SessionCommand};
use pilothouse_core::{SessionState, SessionView};

use pilothouse_test_support::client::{Client, prompt};
use pilothouse_test_support::process::{children, until_gone};
use pilothouse_test_support::server::ServerSetup;

use crate::binary;
use crate::random::Random;

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

/// What a person has sent in one session.
#[derive(Default)]
struct Sent {
    session: String,
    prompts: Vec<Said>,
}

struct Said {
    /// What it may read by now: a change that nobody has acknowledged may have been made, or not.
    texts: Vec<String>,
    acknowledged: bool,
}

async fn lane(seed: u64) -> usize {
    let mut random = Random::new(seed);
    let project = tempfile::tempdir().unwrap();
    let setup = ServerSetup::new(binary()).project(project.path());
    let mut server = setup.env("PILOTHOUSE_LOG", "pilothouse_server::session=debug").start();
    let mut sent = Sent::default();
    let mut acknowledged = 0;
    for kill in 0..KILLS {
        let mut page = Client::connect(&server).await;
        if kill % KILLS_PER_SESSION == 0 {
            sent = Sent { session: page.new_session(project.path()).await, ..Sent::default() };
        } else {
            page.open_with_all_rows(&sent.session).await;
            let wrong = check(page.view(&sent.session), &sent);
            assert!(wrong.is_empty(), "seed {seed}, kill {kill}: {wrong}\n{}", last_lines(&server.log()));
        }
        acknowledged += work(&mut page, &mut sent, &mut random, kill).await;
        let agents = children(server.process_id());
        drop(page);
        server.kill_and_restart();
        agents.into_iter().for_each(until_gone);
    }
    acknowledged
}

/// Sends one thing after the other and reads for a while; stops anywhere.
async fn work(page: &mut Client, sent: &mut Sent, random: &mut Random, kill: u64) -> usize {
    let session = sent.session.clone();
    let (mut open, mut edits) = (Vec::new(), Vec::new());
    if page.view(&session).meta.state == SessionState::Paused && random.one_in(2) {
        page.send(&session, SessionCommand::ResumeSession).await;
    }
    for step in 0..1 + random.below(12) {
        let text = match random.below(4) {
            0 => format!("/wait-tool never-{kill}-{step}"),
            1 => format!("/wait never-{kill}-{step}"),
            _ => format!("Message {kill} {step}"),
        };
        let request = page.send(&session, prompt(&format!("c-{kill}-{step}"), &text)).await;
        sent.prompts.push(Said { texts: vec![text], acknowledged: false });
        open.push((request, sent.prompts.len() - 1));
        if random.one_in(6) {
            page.send(&session, SessionCommand::Abort).await;
        }
        if random.one_in(3) {
            edits.extend(edit(page, sent, format!("Changed {kill} {step}")).await);
        }
        for _ in 0..random.below(25) {
            page.receive_frame_if_any().await;
        }
    }
    let mut acknowledged = 0;
    for (request, place) in open {
        if let Some(outcome) = page.received_response(&request) {
            sent.prompts[place].acknowledged = outcome.is_ok();
            acknowledged += usize::from(outcome.is_ok());
        }
    }
    for (request, place, text) in edits {
        let texts = &mut sent.prompts[place].texts;
        match page.received_response(&request) {
            Some(Ok(_)) => *texts = vec![text],
            Some(Err(_)) => {}
            None => texts.push(text),
        }
    }
    // What a stop gave back is the person's again.
    for restored in page.restored_texts() {
        sent.prompts.retain(|said| !said.texts.contains(&restored));
    }
    acknowledged
}

/// Begins and finishes a change of the first message that waits, without waiting for either.
async fn edit(page: &mut Client, sent: &Sent, text: String) -> Option<(String, usize, String)> {
    let item = page.view(&sent.session).meta.queue.items().iter().find(|item| !item.under_edit)?.clone();
    // A second change of the same would have to know what became of the first.
    let place = sent.prompts.iter().position(|said| said.texts == [item.text.clone()])?;
    let changes = [QueueEdit::Begin, QueueEdit::Finish { text: text.clone(), images: Vec::new() }];
    let mut request = String::new();
    for (revision, edit) in (item.revision..).zip(changes) {
        let command = SessionCommand::EditQueued { item_id: item.id.clone(), revision, edit };
        request = page.send(&sent.session, command).await;
    }
    Some((request, place, text))
}

/// What is wrong, if anything is.
fn check(view: &SessionView, sent: &Sent) -> String {
    for Said { texts, acknowledged } in &sent.prompts {
        let is_it = |text: &str| texts.iter().any(|known| known == text);
        let rows = view.controller.rows().iter();
        let said = rows.filter(|row| row.kind == Kind::User && is_it(&row.text)).count();
        let waiting = view.meta.queue.items().iter().filter(|item| is_it(&item.text)).count();
        // A stop puts what it takes back into the draft.
        let drafted = view.meta.draft.lines().filter(|line| is_it(line)).count();
        let found = said + waiting + drafted;
        if found > 1 || (found == 0 && *acknowledged) {
            let places = format!("{said} times said, {waiting} in the queue, {drafted} in the draft");
            return format!("{texts:?} (acknowledged: {acknowledged}) is {places}: {:#?}", shown(view));
        }
    }
    let spins = view.controller.has_open_call() || view.meta.state.is_active();
    if spins { "nothing runs, and yet something spins".to_owned() } else { String::new() }
}

fn last_lines(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(80)..].join("\n")
}

fn shown(view: &SessionView) -> Vec<String> {
    let said = view.controller.rows().iter().filter(|row| row.kind != Kind::Thinking);
    said.map(|row| format!("{} {} {:?} {:.60}", row.id, row.kind.name(), row.mark, row.text)).collect()
}
