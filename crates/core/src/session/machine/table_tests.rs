//! Every cell of the session table, written like the table in the design.

use super::*;
use SessionState::*;

const STATES: [SessionState; 9] =
    [Idle, Creating, Streaming, WaitingApproval, WaitingInput, Completed, Paused, Error, Stopped];

/// Rows are events; columns are the states above by their letters. `-` keeps the state, a letter is the next one.
#[rustfmt::skip]
fn table() -> Vec<(StateEvent, &'static str)> {
    use StateEvent as E;
    vec![
        //                                                     I C S A W D P E X
        (E::StartSession,                                     "C - - - - C - - C"),
        (E::SessionCreated,                                   "- - - - - - - - -"),
        (E::RequestStarted,                                   "- - - S S S S S -"),
        (E::AskApproval { partial: true },                    "- - - - - - - - -"),
        (E::AskApproval { partial: false },                   "- - A - - - - - -"),
        (E::AskFollowup { partial: true },                    "- - - - - - - - -"),
        (E::AskFollowup { partial: false },                   "- - W - - - - - -"),
        (E::Completed,                                        "- - D D D - - - -"),
        (E::Failed,                                           "- E E E E - - - -"),
        (E::AskResume,                                        "- P P - - - - - -"),
        (E::ProcessError,                                     "- E E E E E E - -"),
        (E::ProcessExit { success: false, expected: false },  "- E E E E E E - E"),
        (E::ProcessExit { success: true, expected: false },   "- D D P P - - - -"),
        (E::ProcessExit { success: true, expected: true },    "- - X X X - - - -"),
        (E::ProcessExit { success: false, expected: true },   "- - X X X - - - -"),
        (E::ApproveAction,                                    "- - - S - - - - -"),
        (E::RejectAction,                                     "- - - S - - - - -"),
        (E::SendMessage,                                      "- - - - S S S - S"),
        (E::CancelSession,                                    "- X X X X - X X -"),
        (E::ResumeSession,                                    "- - - - - S S - S"),
        (E::Retry,                                            "- - - - - - - S -"),
    ]
}

#[test]
fn every_cell_of_the_table() {
    for (event, row) in table() {
        for (state, cell) in STATES.into_iter().zip(row.split(' ')) {
            let expected = match cell {
                "-" => state,
                "I" => Idle,
                "C" => Creating,
                "S" => Streaming,
                "A" => WaitingApproval,
                "W" => WaitingInput,
                "D" => Completed,
                "P" => Paused,
                "E" => Error,
                "X" => Stopped,
                other => panic!("unknown cell {other}"),
            };
            let mut machine = Machine::resting_in(state);
            let changed = machine.apply(event);
            assert_eq!(machine.state(), expected, "{event:?} in {state:?}");
            assert_eq!(changed, state != expected);
        }
    }
}

#[test]
fn leaving_creating_needs_both_in_either_order() {
    for events in [
        [StateEvent::SessionCreated, StateEvent::RequestStarted],
        [StateEvent::RequestStarted, StateEvent::SessionCreated],
    ] {
        let mut machine = Machine::default();
        machine.apply(StateEvent::StartSession);
        machine.apply(events[0]);
        assert_eq!(machine.state(), Creating);
        machine.apply(events[1]);
        assert_eq!(machine.state(), Streaming);
    }
}

#[test]
fn an_ask_during_creating_is_remembered() {
    let mut machine = Machine::default();
    machine.apply(StateEvent::StartSession);
    machine.apply(StateEvent::AskApproval { partial: false });
    machine.apply(StateEvent::SessionCreated);
    machine.apply(StateEvent::RequestStarted);
    assert_eq!(machine.state(), WaitingApproval);
}

#[test]
fn an_ask_answered_during_creating_is_over() {
    for answer in [StateEvent::ApproveAction, StateEvent::RejectAction, StateEvent::SendMessage] {
        let mut machine = Machine::default();
        machine.apply(StateEvent::StartSession);
        machine.apply(StateEvent::AskApproval { partial: false });
        assert!(!machine.apply(answer));
        machine.apply(StateEvent::SessionCreated);
        machine.apply(StateEvent::RequestStarted);
        assert_eq!(machine.state(), Streaming, "after {answer:?}");
    }
    let mut machine = Machine::default();
    machine.apply(StateEvent::StartSession);
    machine.apply(StateEvent::AskFollowup { partial: false });
    machine.apply(StateEvent::AskResume);
    machine.apply(StateEvent::SendMessage);
    assert_eq!(machine.state(), Streaming, "a pause drops the open question");
}

#[test]
fn both_flags_are_cleared_when_a_session_starts_again() {
    let mut machine = Machine::default();
    machine.apply(StateEvent::StartSession);
    machine.apply(StateEvent::SessionCreated);
    machine.apply(StateEvent::AskApproval { partial: false });
    machine.apply(StateEvent::CancelSession);
    machine.apply(StateEvent::StartSession);
    machine.apply(StateEvent::RequestStarted);
    assert_eq!(machine.state(), Creating);
    machine.apply(StateEvent::SessionCreated);
    assert_eq!(machine.state(), Streaming, "nothing is remembered from the first start");
}

#[test]
fn a_late_event_of_the_stopped_run_does_not_revive_the_session() {
    let mut machine = Machine::resting_in(Completed);
    machine.apply(StateEvent::SendMessage);
    machine.apply(StateEvent::CancelSession);
    for late in [
        StateEvent::RequestStarted,
        StateEvent::Completed,
        StateEvent::Failed,
        StateEvent::AskApproval { partial: false },
        StateEvent::AskFollowup { partial: false },
    ] {
        assert!(!machine.apply(late), "{late:?}");
    }
    assert_eq!(machine.state(), Stopped);
}

#[test]
fn the_same_ask_twice_is_one_transition() {
    let mut machine = Machine::resting_in(Streaming);
    assert!(machine.apply(StateEvent::AskApproval { partial: false }));
    assert!(!machine.apply(StateEvent::AskApproval { partial: false }));
}

#[test]
fn a_request_after_an_automatic_approval_returns_to_streaming() {
    let mut machine = Machine::resting_in(Streaming);
    for _ in 0..3 {
        machine.apply(StateEvent::AskApproval { partial: false });
        assert_eq!(machine.state(), WaitingApproval);
        machine.apply(StateEvent::RequestStarted);
        assert_eq!(machine.state(), Streaming);
    }
}

type Flag = fn(SessionState) -> bool;

/// The derived flags, in the same columns; `x` is true.
#[rustfmt::skip]
fn flags() -> Vec<(&'static str, Flag, &'static str)> {
    vec![
        //                                                                               I C S A W D P E X
        ("show_spinner",           SessionState::show_spinner,                          "- x x - - - - - -"),
        ("show_cancel_button",     SessionState::show_cancel_button,                    "- x x x x - - - -"),
        ("show_resume_button",     SessionState::show_resume_button,                    "- - - - - x x - x"),
        ("show_auto_mode_warning", |state| state.show_auto_mode_warning(true),          "- x x - - - - - -"),
        ("the same, turned off",   |state| state.show_auto_mode_warning(false),         "- - - - - - - - -"),
        ("input_enabled",          SessionState::input_enabled,                         "x - - - x x x - x"),
        ("is_active",              SessionState::is_active,                             "- x x x x - - - -"),
    ]
}

#[test]
fn every_flag_in_every_state() {
    for (name, flag, row) in flags() {
        for (state, cell) in STATES.into_iter().zip(row.split(' ')) {
            assert_eq!(flag(state), cell == "x", "{name} in {state:?}");
        }
    }
}
