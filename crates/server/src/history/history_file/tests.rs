//! However a file is read, its rows are identical to one fold of the whole file.

use std::path::PathBuf;

use pilothouse_agents::history::entry::{Extra, SessionHistory};
use pilothouse_core::conversation::message::{Content, Message, StopReason};
use pilothouse_core::limits::PAGE_ROWS;
use pilothouse_core::protocol::event::{Event, Update};
use pilothouse_core::{Kind as RowKind, Mark, UiMessage};
use serde_json::{Value, json};

use super::*;

mod branches;
mod conversation;

use conversation::{Conversation, line, user_message};

fn recorded_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/pi");
    let folders = [root.join("sessions"), root.join("v0.73.1/sessions")];
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    assert!(files.len() > 80, "{} files", files.len());
    files
}

/// The rows of one fold of the whole file, with images replaced by their names.
fn fold_whole(path: &Path, blobs: &Blobs) -> Vec<UiMessage> {
    let mut history = SessionHistory::parse(&std::fs::read(path).unwrap()).unwrap();
    history.messages.iter_mut().for_each(|message| blobs.extract_from_message(message));
    MessageController::load_messages_from_history(history.messages).rows().to_vec()
}

fn open(path: &Path) -> HistoryFile {
    HistoryFile::open(path, &[], &Blobs::default()).unwrap()
}

/// All rows, read in pages of this size.
fn read_pages(history: &HistoryFile, limit: usize) -> Vec<UiMessage> {
    let mut pages = Vec::new();
    let mut before = history.newest_rows().total();
    while before > 0 {
        let page = history.rows(before, limit).unwrap();
        assert_eq!(page.first + page.messages.len(), before);
        before = page.first;
        pages.push(page.messages);
    }
    pages.into_iter().rev().flatten().collect()
}

fn check(path: &Path) {
    check_opened(path, open(path));
    let prefolded = HistoryFile::scan(path).unwrap().prefold();
    check_opened(path, prefolded.fold(&[], &Blobs::default()));
}

fn check_opened(path: &Path, history: HistoryFile) {
    let whole = fold_whole(path, &Blobs::default());
    let newest = history.newest_rows();
    assert_eq!(newest.broken_invariant(), None);
    assert_eq!(newest.total(), whole.len(), "{}", path.display());
    assert_eq!(newest.rows(), &whole[newest.first()..], "{}", path.display());
    let limits = if whole.len() < PAGE_ROWS { [1, 7] } else { [93, PAGE_ROWS] };
    for limit in limits {
        assert_eq!(read_pages(&history, limit), whole, "{} in pages of {limit}", path.display());
    }
}

#[test]
fn every_recorded_file_equals_one_fold_of_the_whole() {
    for path in recorded_files() {
        check(&path);
        let (history, parsed) = (open(&path), SessionHistory::parse(&std::fs::read(&path).unwrap()).unwrap());
        assert_eq!((history.id(), history.cwd()), (parsed.id.as_str(), parsed.cwd.as_str()));
        assert_eq!((history.name(), history.title()), (parsed.name.as_deref(), parsed.title()));
        assert_eq!(history.thinking_level(), parsed.thinking_level.as_deref());
        assert_eq!(history.model().map(|(_, id)| id.to_owned()), parsed.model.clone().map(|(_, id)| id));
        assert_eq!(history.resting_state(), parsed.resting_state());
    }
}

#[test]
fn long_conversations_with_late_lost_and_repeated_results_equal_one_fold_of_the_whole() {
    for seed in 1..=3 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        std::fs::write(&path, Conversation::new(seed).file(1_300)).unwrap();
        check(&path);
        let history = open(&path);
        assert!(history.checkpoints.len() > 2, "{} checkpoints", history.checkpoints.len());
        assert!(history.newest_rows().rows().len() <= TAIL_ROWS);
    }
}

#[test]
fn rows_and_entries_map_to_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    std::fs::write(&path, Conversation::new(5).file(800)).unwrap();
    let history = open(&path);
    let whole = fold_whole(&path, &Blobs::default());
    let mut users = 0;
    for (number, row) in whole.iter().enumerate() {
        let entry = history.entry_of_user_row(number);
        assert_eq!(entry.is_some(), row.kind == RowKind::User, "row {number}");
        if let Some(entry) = entry {
            assert_eq!(history.row_of_entry(&entry), Some(number));
            users += 1;
        }
    }
    assert!(users > 50);
    // The entry of a tool result maps to the row of its call.
    let bytes = std::fs::read(&path).unwrap();
    let mut found = 0;
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).step_by(3) {
        let entry: Value = serde_json::from_slice(line).unwrap();
        let Some(text) = entry["message"]["content"][0]["text"].as_str().filter(|text| text.len() > 3) else {
            continue;
        };
        let Some(row) = history.row_of_entry(entry["id"].as_str().unwrap()) else { continue };
        let result =
            whole[row].tool_step.as_ref().and_then(|step| step.result.as_deref()).unwrap_or_default();
        assert!(whole[row].text.contains(text) || result == text || entry["message"]["role"] == "toolResult");
        found += usize::from(result == text || whole[row].text.contains(text));
    }
    assert!(found > 50, "{found}");
    assert_eq!(history.row_of_entry("unknown"), None);
    assert_eq!(history.entry_of_user_row(usize::MAX), None);
}

fn process_exit_at(at: u64, text: &str) -> Extra {
    let stderr = vec![text.to_owned()];
    Extra {
        at,
        events: vec![Event::ProcessExit {
            code: Some(1),
            signal: None,
            expected: false,
            stderr,
            shell_lives: false,
        }],
    }
}

#[test]
fn extras_are_shown_at_their_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let entries = [
        user_message("a", None, 1, "one"),
        user_message("b", Some("a"), 2, "two"),
        user_message("c", Some("b"), 3, "three"),
    ];
    std::fs::write(&path, conversation::file(&entries)).unwrap();
    let time = |second: u64| 1_767_225_600_000 + second * 1_000;
    let reply = Message::Assistant {
        content: Content::default(),
        stop_reason: StopReason::Pending,
        error_message: None,
        timestamp: None,
    };
    let delta = Update::TextDelta { content_index: 0, delta: "Half an answ".to_owned() };
    let interrupted = Extra {
        at: time(2),
        events: vec![
            Event::MessageStart { message: reply },
            Event::MessageUpdate { update: delta },
            Event::AgentEnd { will_retry: false },
        ],
    };
    let extras = [process_exit_at(time(9), "late"), interrupted, process_exit_at(time(0), "early")];
    let history = HistoryFile::open(&path, &extras, &Blobs::default()).unwrap();
    let rows = read_pages(&history, 2);
    let texts: Vec<&str> = rows.iter().map(|row| row.text.lines().last().unwrap()).collect();
    assert_eq!(texts, ["early", "one", "two", "Half an answ", "three", "late"]);
    assert_eq!(rows[3].mark, Some(Mark::Interrupted));
    assert_eq!(rows, history.newest_rows().rows());
    assert_eq!(history.entry_of_user_row(4).as_deref(), Some("c"));
    assert_eq!(history.entry_of_user_row(3), None);
}

#[test]
fn pages_with_many_extras_equal_one_fold_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    std::fs::write(&path, Conversation::new(9).file(900)).unwrap();
    let start = 1_767_225_600_000;
    let extras: Vec<Extra> =
        (0..40).map(|step| process_exit_at(start + step * 37_500, &format!("exit {step}"))).collect();
    let history = HistoryFile::open(&path, &extras, &Blobs::default()).unwrap();
    assert!(history.checkpoints.len() > 2);
    let whole = HistoryFile {
        checkpoints: Vec::new(),
        ..HistoryFile::open(&path, &extras, &Blobs::default()).unwrap()
    };
    let total = history.newest_rows().total();
    assert_eq!(read_pages(&history, 50), whole.rows(total, total).unwrap().messages);
    let first = history.newest_rows().first();
    assert_eq!(read_pages(&history, PAGE_ROWS)[first..], *history.newest_rows().rows());
}

#[test]
fn following_a_file_equals_opening_it_again() {
    for seed in 20..22 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        let bytes = Conversation::new(seed).file(500);
        // Some of these are in the middle of a line.
        let cuts = [bytes.len() / 3, bytes.len() / 3 + 11, bytes.len() / 2, bytes.len() - 40, bytes.len()];
        std::fs::write(&path, &bytes[..cuts[0]]).unwrap();
        let mut history = open(&path);
        let mut live = history.newest_rows_running();
        let mut appended = 0;
        for cut in &cuts[1..] {
            std::fs::write(&path, &bytes[..*cut]).unwrap();
            match history.follow() {
                FileChange::Appended(messages) => {
                    live_events(messages).for_each(|event| drop(live.handle_server_event(event)));
                    appended += 1;
                }
                // The last line belonged to a side branch.
                FileChange::Replaced => {
                    history = open(&path);
                    live = history.newest_rows_running();
                }
                other => assert_eq!(other, FileChange::Unchanged),
            }
            let again = open(&path);
            assert_eq!(history.newest_rows(), again.newest_rows());
            assert_eq!(live.total(), again.newest_rows_running().total());
            live.drop_rows_before(again.newest_rows_running().first());
            let expected = again.newest_rows_running();
            assert_eq!(live.rows(), &expected.rows()[live.first() - expected.first()..]);
            assert_eq!(live.fold(), expected.fold());
            assert_eq!(read_pages(&history, 100), read_pages(&again, 100));
            assert_eq!(history.title(), again.title());
        }
        assert_eq!(history.follow(), FileChange::Unchanged);
        assert!(appended > 1, "{appended}");
    }
}

#[test]
fn a_file_that_changed_otherwise_has_to_be_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let entries = [user_message("a", None, 1, "one"), user_message("b", Some("a"), 2, "two")];
    let base = conversation::file(&entries);
    let start = || {
        std::fs::write(&path, &base).unwrap();
        open(&path)
    };
    let grown = |entry: &Value| [base.as_slice(), &line(entry)].concat();

    let mut history = start();
    std::fs::write(&path, grown(&user_message("c", Some("a"), 3, "elsewhere"))).unwrap();
    assert_eq!(history.follow(), FileChange::Replaced, "another branch");

    let mut history = start();
    std::fs::write(&path, &base[..base.len() - 10]).unwrap();
    assert_eq!(history.follow(), FileChange::Replaced, "truncated");

    let mut history = start();
    std::fs::write(&path, grown(&user_message("c", Some("b"), 3, "one")).to_ascii_uppercase()).unwrap();
    assert_eq!(history.follow(), FileChange::Replaced, "rewritten");
    assert_eq!(history.rows(1, 1), None);

    let mut history = start();
    std::fs::write(folder.path().join("new"), grown(&user_message("c", Some("b"), 3, "one"))).unwrap();
    std::fs::rename(folder.path().join("new"), &path).unwrap();
    assert_eq!(history.follow(), FileChange::Replaced, "replaced by another file");

    let mut history = start();
    std::fs::write(&path, grown(&json!({"type": "session_info", "id": "c", "parentId": "b", "name": "New"})))
        .unwrap();
    assert_eq!((history.follow(), history.title()), (FileChange::Unchanged, "New".to_owned()));

    let mut history =
        HistoryFile::open(&path, &[process_exit_at(u64::MAX - 1, "late")], &Blobs::default()).unwrap();
    std::fs::write(
        &path,
        [grown(&user_message("c", Some("b"), 3, "x")), line(&user_message("d", Some("c"), 4, "y"))].concat(),
    )
    .unwrap();
    assert_eq!(history.follow(), FileChange::Replaced, "an entry before an extra that is already shown");

    std::fs::remove_file(&path).unwrap();
    assert_eq!(history.follow(), FileChange::Deleted);
}

#[test]
fn images_are_read_from_the_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/pi/sessions");
    for name in ["image-prompt.jsonl", "image-read-tool.jsonl"] {
        let blobs = Blobs::default();
        let history = HistoryFile::open(&root.join(name), &[], &blobs).unwrap();
        let rows = history.newest_rows();
        let images: Vec<_> = rows.rows().iter().flat_map(|row| &row.images).collect();
        assert!(!images.is_empty(), "{name}");
        for image in images {
            assert_eq!((image.data.as_str(), image.mime_type.as_str()), ("", "image/png"));
            assert!(blobs.get(&image.blob).unwrap().bytes.starts_with(b"\x89PNG"));
        }
    }
}

#[test]
fn messages_are_found_by_their_own_timestamp() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/pi/sessions/plain-text.jsonl");
    let history = open(&path);
    let text = std::fs::read_to_string(&path).unwrap();
    let entries = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let times: Vec<u64> = entries
        .filter(|entry| entry["message"]["role"] == "user" || entry["message"]["role"] == "assistant")
        .map(|entry| entry["message"]["timestamp"].as_u64().unwrap())
        .collect();
    assert!(
        times.len() >= 2 && times.iter().all(|time| history.has_prompt(*time) || history.has_reply(*time))
    );
    assert!(!history.has_prompt(1) && !history.has_reply(0));
    assert_eq!(history.last_message_time(), times.iter().max().copied());
}

#[test]
fn promise_15_damaged_files_are_opened_and_not_modified() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let valid = conversation::file(&[
        user_message("a", None, 1, "one\u{2028}line"),
        user_message("b", Some("a"), 2, "two"),
    ]);
    let next = line(&user_message("c", Some("b"), 3, "three"));
    let lone_surrogate =
        br#"{"type":"message","id":"c","parentId":"b","message":{"role":"user","content":"three \ud83d"}}"#;
    let damages: [(&str, Vec<u8>, usize); 8] = [
        ("an incomplete last line", [&valid[..], &next[..], &next[..30]].concat(), 1),
        ("NULs", [&valid[..], b"\0\0\0\0", &next[..], b"\0\0"].concat(), 2),
        ("junk lines", [b"junk\n", &valid[..], b"[1]\nnull\n{\"a\":\n", &next[..]].concat(), 4),
        ("no final line break", [&valid[..], next.trim_ascii_end()].concat(), 0),
        ("a byte order mark", ["\u{feff}".as_bytes(), &valid[..], &next[..]].concat(), 0),
        (
            "CRLF",
            String::from_utf8([&valid[..], &next[..]].concat()).unwrap().replace('\n', "\r\n").into(),
            0,
        ),
        ("a record directly after an incomplete one", [&valid[..], &next[..30], &next[..]].concat(), 1),
        ("a lone surrogate", [&valid[..], &lone_surrogate[..]].concat(), 0),
    ];
    for (damage, bytes, skipped) in damages {
        std::fs::write(&path, &bytes).unwrap();
        let history = open(&path);
        let newest = history.newest_rows();
        let texts: Vec<&str> =
            newest.rows().iter().map(|row| row.text.trim_end_matches([' ', '\u{fffd}'])).collect();
        assert_eq!(texts, ["one\u{2028}line", "two", "three"], "{damage}");
        assert_eq!(history.skipped_lines(), skipped, "{damage}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }
    std::fs::write(&path, "junk\n").unwrap();
    assert!(HistoryFile::open(&path, &[], &Blobs::default()).is_none());
    assert!(HistoryFile::open(&folder.path().join("none"), &[], &Blobs::default()).is_none());
}
