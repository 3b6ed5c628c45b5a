//! Conversations recorded from both supported versions of pi: the rows that streamed equal the rows of the session
//! file, at every point.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod codec;
mod differences;
mod edits;
mod every_point;

use pilothouse_agents::history::entry::SessionHistory;
use pilothouse_agents::pi::{Incoming, decode};
use pilothouse_core::MessageController;
use pilothouse_test_support::recordings::{RecordingFold, scenarios};
use pilothouse_test_support::rows;

use differences::{DIFFERENCES, WITHOUT_A_FILE};

/// The rows of a session file.
fn stored_rows(file: &[u8]) -> Vec<String> {
    let history = SessionHistory::parse(file).expect("not a session file");
    rows::render(MessageController::load_messages_from_history(history.messages).rows())
}

#[test]
fn a_session_file_shows_the_streamed_rows() {
    let mut mismatches = Vec::new();
    for scenario in scenarios() {
        let live = RecordingFold::of(&scenario);
        for (session_id, file) in scenario.session_files() {
            let stored = stored_rows(&file);
            let (mut streamed, has_start) = live.rows_of(&session_id);
            for difference in DIFFERENCES.iter().filter(|difference| difference.scenario == scenario.name) {
                streamed = difference.apply(streamed);
            }
            // A session that was forked, cloned or switched to begins with rows that streamed in another session.
            let same = if has_start { streamed == stored } else { stored.ends_with(&streamed) };
            // Only a clone that was left without sending a message has no streamed rows.
            assert!(!streamed.is_empty() || scenario.name.ends_with("sessions"), "{}", scenario.name);
            if !same {
                mismatches.push(format!("{}\n streamed {streamed:#?}\n stored {stored:#?}", scenario.name));
            }
        }
    }
    assert!(mismatches.is_empty(), "{} sessions differ:\n{}", mismatches.len(), mismatches.join("\n"));
}

#[test]
fn every_recording_is_tested() {
    let all = scenarios();
    assert_eq!(all.len(), 59 + 29);
    let without: Vec<&str> = all
        .iter()
        .filter(|scenario| scenario.session_files().is_empty())
        .map(|scenario| scenario.name.as_str())
        .collect();
    assert_eq!(without, WITHOUT_A_FILE, "pi writes no session file without an answer");
    for difference in DIFFERENCES {
        assert!(all.iter().any(|scenario| scenario.name == difference.scenario), "{}", difference.scenario);
    }
}

#[test]
fn the_rows_of_every_recording() {
    for scenario in scenarios() {
        let name = scenario.name.replace('/', "-");
        insta::assert_snapshot!(name, RecordingFold::of(&scenario).text());
    }
}

#[test]
fn every_recorded_line_is_decoded() {
    for scenario in scenarios() {
        for record in scenario.records() {
            if record["dir"] == "out" {
                let incoming = decode(record["line"].to_string().as_bytes());
                assert!(!incoming.contains(&Incoming::Unreadable), "{record}");
            }
        }
    }
}
