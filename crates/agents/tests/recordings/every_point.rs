//! At every point of every recorded conversation: a page that joins there sees what the server has and stays in step,
//! history is what has streamed, and the state can be told from it.

use pilothouse_core::conversation::controller::ControllerSnapshot;
use pilothouse_core::conversation::message::Message;
use pilothouse_core::protocol::event::Event;
use pilothouse_core::session::machine::{Evidence, Follower, Machine, ProcessStatus, StateEvent};
use pilothouse_core::{Kind, MessageController, Phase, SessionState, UiMessage};

use pilothouse_test_support::recordings::{Scenario, events_of, scenarios};
use pilothouse_test_support::rows;

use crate::differences::STOP_NOT_IN_FILE;

/// Calls `at` with the conversation after each of its events.
fn walk(scenario: &Scenario, mut at: impl FnMut(&Event, &MessageController)) {
    let mut controller = MessageController::default();
    for process in scenario.processes() {
        for record in &process.records {
            for event in events_of(record, &controller) {
                controller.handle_server_event(event.clone());
                assert_eq!(controller.broken_invariant(), None, "{}", scenario.name);
                at(&event, &controller);
            }
        }
        let (code, signal) = (process.code, process.signal);
        let exit = Event::ProcessExit { code, signal, expected: false, stderr: Vec::new() };
        controller.handle_server_event(exit.clone());
        at(&exit, &controller);
    }
}

/// A page that opens the session now: the last rows, through the JSON they travel as.
fn joined(server: &MessageController, rows: usize) -> MessageController {
    let ControllerSnapshot { first, rows, fold } = server.snapshot(rows);
    let json = serde_json::to_string(&(rows, fold)).unwrap();
    let (rows, fold) = serde_json::from_str(&json).unwrap();
    MessageController::restore(ControllerSnapshot { first, rows, fold })
}

#[test]
fn a_page_that_joins_anywhere_sees_what_the_server_has() {
    for scenario in scenarios() {
        walk(&scenario, |event, server| {
            // The fold knows nothing but what is compared here: being equal now is being equal ever after.
            assert_eq!(joined(server, usize::MAX), *server, "{} at {event:?}", scenario.name);
        });
    }
}

#[test]
fn a_page_that_holds_only_the_last_rows_stays_in_step() {
    for scenario in scenarios() {
        let mut pages: Vec<MessageController> = Vec::new();
        let mut count = 0;
        walk(&scenario, |event, server| {
            for page in &mut pages {
                page.handle_server_event(event.clone());
                assert_eq!(page.fold(), server.fold(), "{} at {event:?}", scenario.name);
                assert_eq!(page.rows(), &server.rows()[page.first()..], "{} at {event:?}", scenario.name);
            }
            count += 1;
            if count % 17 == 0 && pages.len() < 20 {
                pages.push(joined(server, 4));
            }
        });
    }
}

#[test]
fn history_so_far_is_what_has_streamed_so_far() {
    for scenario in scenarios() {
        let mut messages = Vec::new();
        walk(&scenario, |event, server| {
            match event {
                Event::MessageEnd { message } => messages.push(message.clone()),
                Event::CompactionEnd { summary: Some(summary), aborted: false, .. } => {
                    messages.push(Message::CompactionSummary { summary: summary.clone() });
                }
                _ => return,
            }
            let stored = MessageController::load_messages_from_history(messages.iter().cloned());
            let (live, stored) = (known_to_history(server.rows()), known_to_history(stored.rows()));
            let (live, stored) = as_far_as_told(live, stored);
            assert_eq!(rows::render(&live), rows::render(&stored), "{} at {event:?}", scenario.name);
        });
    }
}

/// What the processes that were killed were saying when they were: no history has it.
const UNSAID: [&str; 4] = [
    "Never finished ",
    "Long work ahead.",
    "This second answer never gets finished because ",
    "Half an answer ",
];

/// Shell commands come into history after the run, ends of processes never.
fn known_to_history(rows: &[UiMessage]) -> Vec<UiMessage> {
    let exit = |row: &UiMessage| row.kind == Kind::Error && row.text.starts_with("The agent's process");
    let unsaid = |row: &UiMessage| UNSAID.contains(&row.text.as_str());
    let rows = rows.iter().filter(|row| row.kind != Kind::Bash && !exit(row) && !unsaid(row));
    rows.cloned().collect()
}

/// A tool that runs, or has just ended, is ahead of its result message.
fn as_far_as_told(mut live: Vec<UiMessage>, mut stored: Vec<UiMessage>) -> (Vec<UiMessage>, Vec<UiMessage>) {
    for (live, stored) in live.iter_mut().zip(&mut stored) {
        let (Some(ahead), Some(behind)) = (&mut live.tool_step, &mut stored.tool_step) else { continue };
        if behind.result.is_none() {
            for step in [ahead, behind] {
                step.phase = Phase::Calling;
                (step.result, step.details, step.duration_ms) = (None, None, None);
            }
            (live.mark, stored.mark) = (None, None);
            live.images.clear();
        }
    }
    (live, stored)
}

#[test]
fn the_state_after_every_run_can_be_told_from_history() {
    let mut stops_not_in_file = 0;
    for scenario in scenarios() {
        let mut messages = Vec::new();
        let mut follower = Follower::default();
        walk(&scenario, |event, _| {
            if let Event::MessageEnd { message } = event {
                messages.push(message.clone());
            }
            let step = follower.step(event);
            if let (Event::AgentSettled { .. }, Some(step)) = (event, step) {
                let mut machine = Machine::resting_in(SessionState::Streaming);
                machine.apply(step);
                if STOP_NOT_IN_FILE.contains(&scenario.name.as_str()) && step == StateEvent::CancelSession {
                    machine = Machine::resting_in(SessionState::Error);
                    stops_not_in_file += 1;
                }
                let rebuilt =
                    Evidence { process: ProcessStatus::Running, ..Evidence::from_history(messages.iter()) };
                assert_eq!(rebuilt.state(), machine.state(), "{}", scenario.name);
                let closed = Evidence::from_history(messages.iter());
                assert_eq!(closed.state(), machine.state(), "{}: opened later", scenario.name);
            }
        });
    }
    assert_eq!(stops_not_in_file, STOP_NOT_IN_FILE.len());
}
