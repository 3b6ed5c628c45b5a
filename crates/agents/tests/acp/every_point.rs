//! Properties that hold at every point of every recorded conversation: a client that joins there has the server's
//! state, the messages recorded so far show the rows streamed so far, and the state is derived from them.

use pilothouse_core::conversation::controller::ControllerSnapshot;
use pilothouse_core::conversation::message::Message;
use pilothouse_core::protocol::event::Event;
use pilothouse_core::session::machine::{Evidence, Follower, Machine};
use pilothouse_core::{MessageController, Phase, SessionState, UiMessage};
use pilothouse_test_support::recordings::acp::recordings;
use pilothouse_test_support::rows;

use crate::events;

fn join(server: &MessageController) -> MessageController {
    let ControllerSnapshot { first, rows, fold } = server.snapshot(usize::MAX);
    let json = serde_json::to_string(&(rows, fold)).unwrap();
    let (rows, fold) = serde_json::from_str(&json).unwrap();
    MessageController::restore(ControllerSnapshot { first, rows, fold })
}

/// The messages that the server records: the ends of messages, and compactions.
fn recorded(event: &Event) -> Option<Message> {
    match event {
        Event::MessageEnd { message } => Some(message.clone()),
        Event::CompactionEnd { summary: Some(summary), aborted: false, .. } => {
            Some(Message::CompactionSummary { summary: summary.clone() })
        }
        _ => None,
    }
}

#[test]
fn a_client_that_joins_at_any_point_has_the_state_of_the_server() {
    for recording in recordings() {
        let mut server = MessageController::default();
        for event in events(&recording) {
            server.handle_server_event(event.clone());
            assert_eq!(server.broken_invariant(), None, "{} at {event:?}", recording.name);
            assert_eq!(join(&server), server, "{} at {event:?}", recording.name);
        }
    }
}

#[test]
fn the_recorded_messages_show_the_streamed_rows_at_every_message() {
    for recording in recordings() {
        let (mut server, mut messages) = (MessageController::default(), Vec::new());
        for event in events(&recording) {
            server.handle_server_event(event.clone());
            let Some(message) = recorded(&event) else { continue };
            // Recorded messages pass through JSON.
            let json = serde_json::to_value(&message).unwrap();
            messages.push(Message::from_value(json));
            let stored = MessageController::load_messages_from_history(messages.iter().cloned());
            let (live, stored) = comparable(server.rows(), stored.rows());
            assert_eq!(rows::render(&live), rows::render(&stored), "{} at {event:?}", recording.name);
        }
    }
}

/// Tools without a recorded result are ahead of the history: everything about their progress is left out.
fn comparable(live: &[UiMessage], stored: &[UiMessage]) -> (Vec<UiMessage>, Vec<UiMessage>) {
    let (mut live, mut stored) = (live.to_vec(), stored.to_vec());
    for (live, stored) in live.iter_mut().zip(&mut stored) {
        let (Some(ahead), Some(behind)) = (&mut live.tool_step, &mut stored.tool_step) else { continue };
        if behind.result.is_none() {
            for step in [ahead, behind] {
                step.phase = Phase::Calling;
                (step.result, step.details) = (None, None);
                step.tool_args = serde_json::Value::Null;
                step.tool_name.clear();
            }
            (live.mark, stored.mark) = (None, None);
            live.images.clear();
        }
    }
    (live, stored)
}

#[test]
fn the_rows_after_every_run_are_exactly_the_recorded_ones() {
    let mut runs = 0;
    for recording in recordings() {
        let (mut server, mut messages) = (MessageController::default(), Vec::new());
        for event in events(&recording) {
            server.handle_server_event(event.clone());
            messages.extend(recorded(&event));
            if matches!(event, Event::AgentSettled { .. }) {
                let stored = MessageController::load_messages_from_history(messages.iter().cloned());
                assert_eq!(rows::render(server.rows()), rows::render(stored.rows()), "{}", recording.name);
                assert!(!server.has_open_call(), "{}: a row still runs", recording.name);
                runs += 1;
            }
        }
    }
    assert!(runs > 200, "only {runs} runs");
}

#[test]
fn the_state_after_every_run_is_derived_from_the_recorded_messages() {
    for recording in recordings() {
        let (mut messages, mut follower) = (Vec::new(), Follower::default());
        for event in events(&recording) {
            messages.extend(recorded(&event));
            let step = follower.step(&event);
            if let (Event::AgentSettled { .. }, Some(step)) = (&event, step) {
                let mut machine = Machine::resting_in(SessionState::Streaming);
                machine.apply(step);
                let derived = Evidence::from_history(messages.iter()).state();
                assert_eq!(derived, machine.state(), "{}", recording.name);
            }
        }
    }
}
