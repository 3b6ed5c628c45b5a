//! Every cell of the session table, from a table that reads like the one in the design.

use super::*;
use SessionState::*;

const STATES: [SessionState; 9] =
    [Idle, Creating, Streaming, WaitingApproval, WaitingInput, Completed, Paused, Error, Stopped];

/// Rows: an event; columns: the states above by their letters; `-` stays, a letter is the next state.
#[rustfmt::skip]
fn table() -> Vec<(StateEvent, &'static str)> {
    use StateEvent as E;
    vec![
        //                                                     I C S A W D P E X
        (E::StartSession,                                     "C - - - - C - - C"),
        (E::SessionCreated,                                   "- - - - - - - - -"),
        (E::RequestStarted { generation: 9 },                 "- - - S S S S S -"),
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
        [StateEvent::SessionCreated, StateEvent::RequestStarted { generation: 1 }],
        [StateEvent::RequestStarted { generation: 1 }, StateEvent::SessionCreated],
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
    machine.apply(StateEvent::RequestStarted { generation: 1 });
    assert_eq!(machine.state(), WaitingApproval);
}

#[test]
fn a_late_request_of_an_old_run_revives_nothing() {
    let mut machine = Machine::resting_in(Completed);
    machine.apply(StateEvent::SendMessage);
    let old = machine.generation();
    machine.apply(StateEvent::CancelSession);
    machine.apply(StateEvent::RequestStarted { generation: old });
    assert_eq!(machine.state(), Stopped);
    machine.apply(StateEvent::ResumeSession);
    machine.apply(StateEvent::Completed);
    machine.apply(StateEvent::RequestStarted { generation: old });
    assert_eq!(machine.state(), Completed);
}
