//! The heart of the product, on conversations recorded from the real pi, both versions: what streamed is what the
//! session file shows, at every point.
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
fn stored(file: &[u8]) -> Vec<String> {
    let history = SessionHistory::parse(file).expect("a session file");
    rows::render(MessageController::load_messages_from_history(history.messages).rows())
}

#[test]
fn what_streamed_is_what_the_session_file_shows() {
    let mut wrong = Vec::new();
    for scenario in scenarios() {
        let live = RecordingFold::of(&scenario);
        for (session_id, file) in scenario.session_files() {
            let stored = stored(&file);
            let (mut shown, begins) = live.rows_of(&session_id);
            for difference in DIFFERENCES.iter().filter(|difference| difference.scenario == scenario.name) {
                shown = difference.apply(shown);
            }
            // A session that was forked, cloned or switched to begins with rows that streamed elsewhere.
            let same = if begins { shown == stored } else { stored.ends_with(&shown) };
            // Only a clone is left again before anything is said in it.
            assert!(!shown.is_empty() || scenario.name.ends_with("sessions"), "{}", scenario.name);
            if !same {
                wrong.push(format!("{}\n live   {shown:#?}\n stored {stored:#?}", scenario.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn no_recording_is_left_out() {
    let all = scenarios();
    assert_eq!(all.len(), 59 + 29);
    let without: Vec<&str> = all
        .iter()
        .filter(|scenario| scenario.session_files().is_empty())
        .map(|scenario| scenario.name.as_str())
        .collect();
    assert_eq!(without, WITHOUT_A_FILE, "pi wrote no session file in these, for want of an answer");
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
fn every_recorded_line_is_understood() {
    for scenario in scenarios() {
        for record in scenario.records() {
            if record["dir"] == "out" {
                let incoming = decode(record["line"].to_string().as_bytes());
                assert!(!incoming.contains(&Incoming::Unreadable), "{record}");
            }
        }
    }
}
