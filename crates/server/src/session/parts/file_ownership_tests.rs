//! Attribution of messages in session files, with real files and without a process.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use pilothouse_core::conversation::message::Content;
use serde_json::json;

use super::*;
use crate::agent::catalogue::Agent;
use crate::agent::process::programs::{OpenSession, Place, ProgramId};
use crate::http::blobs::Blobs;

struct Fixture {
    file: FileOwnership,
    origin: SessionOrigin,
    store: Store,
    path: PathBuf,
    _folder: tempfile::TempDir,
}

/// A session with one message of the user, at time 1.
fn fixture() -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    std::fs::write(
        &path,
        "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"cwd\":\"/\"}\n",
    )
    .unwrap();
    append(&path, "a", None, 1);
    let origin = SessionOrigin {
        id: "s".to_owned(),
        agent: Arc::new(Agent::parse("test=pi:test").unwrap()),
        cwd: folder.path().to_owned(),
        file: Some(path.clone()),
        blobs: Blobs::default(),
        mark: String::new(),
    };
    let store = Store::open(folder.path()).unwrap();
    let mut file = FileOwnership::default();
    file.opened(HistoryFile::open(&path, &[], &Blobs::default()));
    Fixture { file, origin, store, path, _folder: folder }
}

fn append(path: &Path, id: &str, parent: Option<&str>, time: u64) {
    let message = json!({"role": "user", "content": format!("message {time}"), "timestamp": time});
    let entry = json!({
        "type": "message", "id": id, "parentId": parent, "timestamp": "2026-01-01T00:00:01Z", "message": message,
    });
    let mut file = std::fs::File::options().append(true).open(path).unwrap();
    writeln!(file, "{entry}").unwrap();
}

fn reported(time: u64) -> Event {
    let message = Message::User { content: Content(Vec::new()), client_id: None, timestamp: Some(time) };
    Event::MessageStart { message }
}

impl Fixture {
    async fn check(&mut self, has_process: bool) -> Finding {
        self.file.check(&self.origin, &self.store, has_process).await
    }
}

fn times(action: &FileAction) -> Vec<Option<u64>> {
    match action {
        FileAction::Append(messages) => messages.iter().map(Message::timestamp).collect(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_message_that_our_process_reported_is_ours() {
    let mut fixture = fixture();
    fixture.file.observe(&reported(2));
    append(&fixture.path, "b", Some("a"), 2);
    let finding = fixture.check(true).await;
    assert_eq!(finding, Finding { external: false, cleared: false, action: FileAction::None });
}

#[tokio::test]
async fn a_message_that_nobody_reported_is_another_programs() {
    let mut fixture = fixture();
    append(&fixture.path, "b", Some("a"), 2);
    let finding = fixture.check(true).await;
    assert!(finding.external);
    assert_eq!(times(&finding.action), [Some(2)]);
    assert_eq!(fixture.check(true).await.action, FileAction::UpdateTitle, "it is attributed once");
}

#[tokio::test]
async fn messages_of_both_need_the_conversation_to_be_read_again() {
    let mut fixture = fixture();
    fixture.file.observe(&reported(2));
    append(&fixture.path, "b", Some("a"), 2);
    append(&fixture.path, "c", Some("a"), 3);
    let finding = fixture.check(true).await;
    assert_eq!(finding, Finding { external: true, cleared: false, action: FileAction::Reload });
}

#[tokio::test]
async fn a_rewritten_file_is_read_again() {
    let mut fixture = fixture();
    let text = std::fs::read_to_string(&fixture.path).unwrap().replace("message 1", "another text");
    std::fs::write(&fixture.path, text).unwrap();
    assert_eq!(fixture.check(false).await.action, FileAction::Reload);
}

#[tokio::test]
async fn an_unreported_message_is_suspicious_only_after_seconds() {
    let mut fixture = fixture();
    append(&fixture.path, "b", Some("a"), 2);
    let now = Instant::now();
    let check = async |fixture: &mut Fixture, now| {
        fixture.file.check_while_working(&fixture.origin, &fixture.store, (now, false)).await
    };
    assert_eq!(check(&mut fixture, now).await, Suspicion::Open);
    let later = now + Duration::from_secs(UNREPORTED_MESSAGE_SECONDS);
    assert_eq!(check(&mut fixture, later).await, Suspicion::Confirmed);
    fixture.file.observe(&reported(2));
    assert_eq!(check(&mut fixture, later).await, Suspicion::Unfounded, "it was reported after all");
    assert_eq!(check(&mut fixture, later).await, Suspicion::Open);
}

#[tokio::test]
async fn messages_that_a_dead_process_did_not_report_are_its_own() {
    let mut fixture = fixture();
    fixture.file.observe(&reported(2));
    append(&fixture.path, "b", Some("a"), 2);
    append(&fixture.path, "c", Some("b"), 3);
    fixture.file.read_appended(&fixture.origin, &fixture.store).await;
    let rest = fixture.file.take_rest(&fixture.origin, &fixture.store).await;
    assert_eq!(rest.iter().map(Message::timestamp).collect::<Vec<_>>(), [Some(3)]);
}

#[tokio::test]
async fn another_program_counts_as_working_for_a_while() {
    let mut fixture = fixture();
    let now = Instant::now();
    // The file ends with a user message: the other program is in the middle of a run.
    fixture.file.expect_external_writer(now).await;
    let gone = fixture.file.next_deadline().unwrap();
    assert_eq!(gone, now + Duration::from_secs(EXTERNAL_WRITER_RUN_SECONDS));
    assert!(!fixture.file.is_external_writer_gone(now) && fixture.file.is_external_writer_gone(gone));
    fixture.file.forget_external_writer();
    assert_eq!(fixture.file.next_deadline(), None);
}

#[tokio::test]
async fn what_was_written_before_a_takeover_does_not_matter_and_what_follows_does() {
    let mut fixture = fixture();
    append(&fixture.path, "b", Some("a"), 2);
    let now = Instant::now();
    let later = now + Duration::from_secs(UNREPORTED_MESSAGE_SECONDS);
    let check = async |fixture: &mut Fixture, now| {
        fixture.file.check_while_working(&fixture.origin, &fixture.store, (now, false)).await
    };
    assert_eq!(check(&mut fixture, now).await, Suspicion::Open);
    assert_eq!(check(&mut fixture, later).await, Suspicion::Confirmed);
    fixture.file.take_over().await;
    assert_eq!(check(&mut fixture, later).await, Suspicion::Open, "it has written nothing new");
    let much_later = later + Duration::from_secs(UNREPORTED_MESSAGE_SECONDS);
    assert_eq!(check(&mut fixture, much_later).await, Suspicion::Open);
    append(&fixture.path, "c", Some("b"), 3);
    assert_eq!(check(&mut fixture, much_later).await, Suspicion::Open, "our process may report it");
    let last = much_later + Duration::from_secs(UNREPORTED_MESSAGE_SECONDS);
    assert_eq!(check(&mut fixture, last).await, Suspicion::Confirmed);
}

#[tokio::test]
async fn messages_that_were_taken_over_are_shown_without_asking_again() {
    let mut fixture = fixture();
    append(&fixture.path, "b", Some("a"), 2);
    fixture.file.read_appended(&fixture.origin, &fixture.store).await;
    fixture.file.take_over().await;
    let finding = fixture.check(true).await;
    assert_eq!(finding, Finding { external: false, cleared: false, action: FileAction::Reload });
    append(&fixture.path, "c", Some("b"), 3);
    assert!(fixture.check(true).await.external);
}

#[tokio::test]
async fn a_program_whose_process_is_known_is_not_gone_because_it_is_silent() {
    let mut fixture = fixture();
    let now = Instant::now();
    fixture.file.expect_external_writer(now).await;
    let gone = fixture.file.next_deadline().unwrap();
    let program = Program {
        id: ProgramId { process: 1, started: 1 },
        started_at: 0,
        cwd: "/".into(),
        folder: None,
        place: Place::Terminal,
        session: OpenSession::Unknown,
    };
    fixture.file.set_elsewhere(Elsewhere { program: Some(program), remaining: Duration::ZERO }, now);
    assert!(!fixture.file.is_external_writer_gone(gone));
    assert_eq!(fixture.file.next_deadline(), None, "its end is looked for");
    fixture.file.forget_external_writer();
    assert!(fixture.file.program().is_none());
}

#[tokio::test]
async fn prompts_and_replies_are_found_by_their_times() {
    let fixture = fixture();
    assert_eq!(fixture.file.prompts_in_file(vec![1, 2]).await, [1]);
    assert!(!fixture.file.has_reply(1).await, "it is a message of the user");
    assert_eq!(fixture.file.title().await.as_deref(), Some("message 1"));
}
