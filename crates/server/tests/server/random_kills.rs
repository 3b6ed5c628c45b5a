//! The server is killed at 200 random moments under load: no acknowledged message is lost, and none appears twice.

use pilothouse_core::conversation::ui_message::Kind;
use pilothouse_core::protocol::{QueueEdit, SessionCommand};
use pilothouse_core::{SessionState, SessionView};

use pilothouse_test_support::client::{Client, prompt};
use pilothouse_test_support::process::until_gone;
use pilothouse_test_support::server::ServerSetup;

use crate::binary;
use crate::random::Random;

/// Independent servers that are tested at the same time.
const LANES: u64 = 4;
const KILLS_PER_LANE: u64 = 50;
/// Kills before a lane continues in a new session.
const KILLS_PER_SESSION: u64 = 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn promise_13_no_acknowledged_message_is_lost_at_200_kill_points() {
    // Another seed kills at other moments.
    let first = std::env::var("PILOTHOUSE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let lanes: Vec<_> = (first..first + LANES).map(|seed| tokio::spawn(lane(seed))).collect();
    let mut acknowledged = 0;
    for lane in lanes {
        acknowledged += lane.await.unwrap();
    }
    assert!(acknowledged > 200, "only {acknowledged} prompts were acknowledged: the load was too low");
}

/// The prompts that the client has sent to one session.
#[derive(Default)]
struct Sent {
    session: String,
    prompts: Vec<SentPrompt>,
}

struct SentPrompt {
    /// The possible texts: an edit that was not acknowledged may have been made or not.
    texts: Vec<String>,
    acknowledged: bool,
}

/// Kills one server again and again, and checks its session after each restart. Returns the number of acknowledged
/// prompts.
async fn lane(seed: u64) -> usize {
    let mut random = Random::new(seed);
    let project = tempfile::tempdir().unwrap();
    let setup = ServerSetup::new(binary()).project(project.path());
    let mut server = setup.env("PILOTHOUSE_LOG", "pilothouse_server::session=debug").start();
    let mut sent = Sent::default();
    let mut acknowledged = 0;
    for kill in 0..KILLS_PER_LANE {
        let mut client = Client::connect(&server).await;
        if kill % KILLS_PER_SESSION == 0 {
            sent = Sent { session: client.new_session(project.path()).await, ..Sent::default() };
        } else {
            client.open_with_all_rows(&sent.session).await;
            let problem = find_problem(client.view(&sent.session), &sent);
            if let Some(problem) = problem {
                panic!("seed {seed}, kill {kill}: {problem}\n{}", last_lines(&server.log()));
            }
        }
        acknowledged += send_load(&mut client, &mut sent, &mut random, kill).await;
        let agents = server.programs();
        drop(client);
        server.kill_and_restart();
        agents.into_iter().for_each(until_gone);
    }
    acknowledged
}

/// Sends prompts, stops and edits, and receives some frames in between. Returns the number of acknowledged
/// prompts.
async fn send_load(client: &mut Client, sent: &mut Sent, random: &mut Random, kill: u64) -> usize {
    let session = sent.session.clone();
    let (mut pending, mut edits) = (Vec::new(), Vec::new());
    if client.view(&session).meta.state == SessionState::Paused && random.one_in(2) {
        client.send(&session, SessionCommand::ResumeSession).await;
    }
    for step in 0..1 + random.below(12) {
        let text = match random.below(4) {
            0 => format!("/wait-tool never-{kill}-{step}"),
            1 => format!("/wait never-{kill}-{step}"),
            _ => format!("Message {kill} {step}"),
        };
        let request = client.send(&session, prompt(&format!("c-{kill}-{step}"), &text)).await;
        sent.prompts.push(SentPrompt { texts: vec![text], acknowledged: false });
        pending.push((request, sent.prompts.len() - 1));
        if random.one_in(6) {
            client.send(&session, SessionCommand::Abort).await;
        }
        if random.one_in(3) {
            edits.extend(edit(client, sent, format!("Changed {kill} {step}")).await);
        }
        for _ in 0..random.below(25) {
            client.receive_frame_if_any().await;
        }
    }
    let mut acknowledged = 0;
    for (request, index) in pending {
        if let Some(outcome) = client.received_response(&request) {
            sent.prompts[index].acknowledged = outcome.is_ok();
            acknowledged += usize::from(outcome.is_ok());
        }
    }
    for (request, index, text) in edits {
        let texts = &mut sent.prompts[index].texts;
        match client.received_response(&request) {
            Some(Ok(_)) => *texts = vec![text],
            Some(Err(_)) => {}
            None => texts.push(text),
        }
    }
    // Messages that a stop returned are no longer the session's.
    for restored in client.restored_texts() {
        sent.prompts.retain(|prompt| !prompt.texts.contains(&restored));
    }
    acknowledged
}

/// Begins and finishes an edit of the first queued message, without waiting for the replies. Returns the request,
/// the index of the prompt, and its new text.
async fn edit(client: &mut Client, sent: &Sent, text: String) -> Option<(String, usize, String)> {
    let item = client.view(&sent.session).meta.queue.items().iter().find(|item| !item.under_edit)?.clone();
    // A prompt with an edit of unknown outcome is not edited again.
    let index = sent.prompts.iter().position(|prompt| prompt.texts == [item.text.clone()])?;
    let changes = [QueueEdit::Begin, QueueEdit::Finish { text: text.clone(), images: Vec::new() }];
    let mut request = String::new();
    for (revision, edit) in (item.revision..).zip(changes) {
        let command = SessionCommand::EditQueued { item_id: item.id.clone(), revision, edit };
        request = client.send(&sent.session, command).await;
    }
    Some((request, index, text))
}

/// Looks for a lost or repeated prompt, and for a run that is shown although nothing runs.
fn find_problem(view: &SessionView, sent: &Sent) -> Option<String> {
    for SentPrompt { texts, acknowledged } in &sent.prompts {
        let matches = |text: &str| texts.iter().any(|known| known == text);
        let rows = view.controller.rows().iter();
        let shown = rows.filter(|row| row.kind == Kind::User && matches(&row.text)).count();
        let queued = view.meta.queue.items().iter().filter(|item| matches(&item.text)).count();
        // A stop moves the queue to the draft.
        let drafted = view.meta.draft.lines().filter(|line| matches(line)).count();
        let found = shown + queued + drafted;
        if found > 1 || (found == 0 && *acknowledged) {
            let places = format!("{shown} rows, {queued} in the queue, {drafted} in the draft");
            let rows = describe_rows(view);
            return Some(format!("{texts:?} (acknowledged: {acknowledged}): {places}: {rows:#?}"));
        }
    }
    let is_active = view.controller.has_open_call() || view.meta.state.is_active();
    is_active.then(|| "the session is shown as active, but nothing runs".to_owned())
}

fn last_lines(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(80)..].join("\n")
}

fn describe_rows(view: &SessionView) -> Vec<String> {
    let rows = view.controller.rows().iter().filter(|row| row.kind != Kind::Thinking);
    rows.map(|row| format!("{} {} {:?} {:.60}", row.id, row.kind.name(), row.mark, row.text)).collect()
}
