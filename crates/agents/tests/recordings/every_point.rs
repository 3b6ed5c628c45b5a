//! Properties that hold at every point of every recorded conversation: a client that joins there has the server's
//! state and keeps it, the history shows the streamed rows, and the session state can be derived from the history.

use pilothouse_core::conversation::controller::ControllerSnapshot;
use pilothouse_core::conversation::message::Message;
use pilothouse_core::protocol::event::Event;
use pilothouse_core::session::machine::{Evidence, Follower, Machine, ProcessStatus, StateEvent};
use pilothouse_core::{Kind, MessageController, Phase, SessionState, UiMessage};

use pilothouse_test_support::recordings::{Scenario, events_of, scenarios};
use pilothouse_test_support::rows;

use crate::differences::STOP_NOT_IN_FILE;

/// Calls `visit` after each event of a conversation.
fn walk(scenario: &Scenario, mut visit: impl FnMut(&Event, &MessageController)) {
    let mut controller = MessageController::default();
    for process in scenario.processes() {
        for record in &process.records {
            for event in events_of(record, &controller) {
                controller.handle_server_event(event.clone());
                assert_eq!(controller.broken_invariant(), None, "{}", scenario.name);
                visit(&event, &controller);
            }
        }
        let (code, signal) = (process.code, process.signal);
        let exit =
            Event::ProcessExit { code, signal, expected: false, stderr: Vec::new(), shell_lives: false };
        controller.handle_server_event(exit.clone());
        visit(&exit, &controller);
    }
}

/// The controller of a client that opens the session now with this many rows, sent as JSON.
fn join(server: &MessageController, rows: usize) -> MessageController {
    let ControllerSnapshot { first, rows, fold } = server.snapshot(rows);
    let json = serde_json::to_string(&(rows, fold)).unwrap();
    let (rows, fold) = serde_json::from_str(&json).unwrap();
    MessageController::restore(ControllerSnapshot { first, rows, fold })
}

#[test]
fn a_client_that_joins_at_any_point_has_the_state_of_the_server() {
    for scenario in scenarios() {
        walk(&scenario, |event, server| {
            // The fold depends on nothing else, so equal controllers stay equal.
            assert_eq!(join(server, usize::MAX), *server, "{} at {event:?}", scenario.name);
        });
    }
}

#[test]
fn a_client_with_only_the_last_rows_stays_in_step() {
    for scenario in scenarios() {
        let mut clients: Vec<MessageController> = Vec::new();
        let mut count = 0;
        walk(&scenario, |event, server| {
            for client in &mut clients {
                client.handle_server_event(event.clone());
                assert_eq!(client.fold(), server.fold(), "{} at {event:?}", scenario.name);
                assert_eq!(client.rows(), &server.rows()[client.first()..], "{} at {event:?}", scenario.name);
            }
            count += 1;
            if count % 17 == 0 && clients.len() < 20 {
                clients.push(join(server, 4));
            }
        });
    }
}

#[test]
fn the_history_so_far_shows_the_rows_streamed_so_far() {
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
            let (live, stored) = (recorded_rows(server.rows()), recorded_rows(stored.rows()));
            let (live, stored) = without_pending_results(live, stored);
            assert_eq!(rows::render(&live), rows::render(&stored), "{} at {event:?}", scenario.name);
        });
    }
}

/// The texts that killed processes were streaming: no history contains them.
const UNFINISHED: [&str; 4] = [
    "Never finished ",
    "Long work ahead.",
    "This second answer never gets finished because ",
    "Half an answer ",
];

/// The rows that a history contains. Shell commands are added after the run, ends of processes never.
fn recorded_rows(rows: &[UiMessage]) -> Vec<UiMessage> {
    let exit = |row: &UiMessage| {
        row.kind == Kind::Error
            && (row.text.starts_with("The agent exited") || row.text.starts_with("The agent was terminated"))
    };
    let unfinished = |row: &UiMessage| UNFINISHED.contains(&row.text.as_str());
    let rows = rows.iter().filter(|row| row.kind != Kind::Bash && !exit(row) && !unfinished(row));
    rows.cloned().collect()
}

/// Resets tools whose result message is still missing: the streamed events are ahead of the history.
fn without_pending_results(
    mut live: Vec<UiMessage>,
    mut stored: Vec<UiMessage>,
) -> (Vec<UiMessage>, Vec<UiMessage>) {
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
fn the_state_after_every_run_can_be_derived_from_history() {
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
                assert_eq!(closed.state(), machine.state(), "{}: without a process", scenario.name);
            }
        });
    }
    assert_eq!(stops_not_in_file, STOP_NOT_IN_FILE.len());
}
