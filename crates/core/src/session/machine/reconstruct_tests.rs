//! For any prefix of a list of events, the reconstructed state equals the live one.

use proptest::prelude::*;

use super::*;
use crate::session::machine::{Machine, StateEvent};

/// The facts that an observer of the events records without running a machine.
#[derive(Clone, Debug, Default)]
struct Record {
    evidence: Evidence,
    created: bool,
    requested: bool,
}

impl Record {
    fn note(&mut self, event: StateEvent) {
        let evidence = &mut self.evidence;
        let starting = evidence.status == Status::Starting
            && evidence.process == ProcessStatus::Running
            && !matches!(evidence.ask, LastAsk::Failure | LastAsk::Resume);
        match event {
            StateEvent::StartSession => {
                *self = Self {
                    evidence: Evidence {
                        status: Status::Starting,
                        ask: LastAsk::Nothing,
                        process: ProcessStatus::Running,
                    },
                    ..Self::default()
                };
                return;
            }
            StateEvent::SessionCreated => self.created = true,
            StateEvent::RequestStarted if evidence.status == Status::Stopped => return,
            StateEvent::RequestStarted if starting => self.requested = true,
            StateEvent::RequestStarted
            | StateEvent::SendMessage
            | StateEvent::ResumeSession
            | StateEvent::Retry
            | StateEvent::ApproveAction
            | StateEvent::RejectAction => {
                *evidence = Evidence {
                    status: Status::Working,
                    ask: LastAsk::Nothing,
                    process: ProcessStatus::Running,
                };
            }
            StateEvent::AskApproval { partial: true } | StateEvent::AskFollowup { partial: true } => {}
            StateEvent::AskApproval { .. } => evidence.ask = LastAsk::Approval,
            StateEvent::AskFollowup { .. } => evidence.ask = LastAsk::Followup,
            StateEvent::Completed => evidence.ask = LastAsk::Completion,
            StateEvent::Failed => evidence.ask = LastAsk::Failure,
            StateEvent::AskResume => evidence.ask = LastAsk::Resume,
            StateEvent::ProcessError => evidence.process = ProcessStatus::Failed,
            StateEvent::ProcessExit { success, expected } if evidence.process == ProcessStatus::Running => {
                evidence.process = match (success, expected) {
                    (_, true) => ProcessStatus::EndedAsAsked,
                    (true, _) => ProcessStatus::EndedWell,
                    (false, _) => ProcessStatus::Failed,
                };
            }
            StateEvent::ProcessExit { .. } => {}
            StateEvent::CancelSession => {
                evidence.status = Status::Stopped;
                evidence.ask = LastAsk::Nothing;
                if evidence.process == ProcessStatus::Failed {
                    evidence.process = ProcessStatus::EndedAsAsked;
                }
            }
        }
        if starting && self.created && self.requested && self.evidence.status == Status::Starting {
            self.evidence.status = Status::Working;
        }
    }
}

const EVENTS: [StateEvent; 20] = [
    StateEvent::StartSession,
    StateEvent::SessionCreated,
    StateEvent::RequestStarted,
    StateEvent::AskApproval { partial: true },
    StateEvent::AskApproval { partial: false },
    StateEvent::AskFollowup { partial: true },
    StateEvent::AskFollowup { partial: false },
    StateEvent::Completed,
    StateEvent::Failed,
    StateEvent::AskResume,
    StateEvent::ProcessError,
    StateEvent::ProcessExit { success: true, expected: false },
    StateEvent::ProcessExit { success: false, expected: false },
    StateEvent::ProcessExit { success: true, expected: true },
    StateEvent::ApproveAction,
    StateEvent::RejectAction,
    StateEvent::SendMessage,
    StateEvent::CancelSession,
    StateEvent::ResumeSession,
    StateEvent::Retry,
];

/// The events that can occur in a state: those that change it, those that `creating` waits for, and partial messages.
/// A process ends once and reports nothing afterwards.
fn can_occur(machine: &Machine, process: ProcessStatus, event: StateEvent) -> bool {
    let creating = machine.state() == SessionState::Creating;
    match event {
        _ if process != ProcessStatus::Running && !is_user_action(event) => false,
        StateEvent::AskApproval { partial: true } | StateEvent::AskFollowup { partial: true } => true,
        StateEvent::SessionCreated | StateEvent::RequestStarted if creating => true,
        StateEvent::AskApproval { .. } | StateEvent::AskFollowup { .. } if creating => true,
        StateEvent::RequestStarted => true,
        _ => machine.clone().apply(event),
    }
}

const fn is_user_action(event: StateEvent) -> bool {
    use StateEvent as E;
    matches!(
        event,
        E::StartSession
            | E::ApproveAction
            | E::RejectAction
            | E::SendMessage
            | E::CancelSession
            | E::ResumeSession
            | E::Retry
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn for_any_prefix_the_reconstructed_state_is_the_live_one(
        choices in prop::collection::vec(any::<prop::sample::Index>(), 0..40)
    ) {
        let mut machine = Machine::default();
        let mut record = Record::default();
        prop_assert_eq!(record.evidence.state(), machine.state());
        for choice in choices {
            let process = record.evidence.process;
            let possible: Vec<StateEvent> =
                EVENTS.into_iter().filter(|event| can_occur(&machine, process, *event)).collect();
            let event = possible[choice.index(possible.len())];
            // A session without a prompt reports nothing.
            if machine.state() == SessionState::Idle && event != StateEvent::StartSession {
                continue;
            }
            machine.apply(event);
            record.note(event);
            prop_assert_eq!(record.evidence.state(), machine.state(), "after {:?}: {:?}", event, record);
        }
    }
}

#[test]
fn a_session_without_a_process_never_shows_a_spinner() {
    let statuses = [Status::New, Status::Starting, Status::Working, Status::Stopped];
    let asks = [
        LastAsk::Nothing,
        LastAsk::Approval,
        LastAsk::Followup,
        LastAsk::Completion,
        LastAsk::Failure,
        LastAsk::Resume,
    ];
    for status in statuses {
        for ask in asks {
            for process in [ProcessStatus::Absent, ProcessStatus::EndedWell, ProcessStatus::Failed] {
                let state = Evidence { status, ask, process }.state();
                assert!(!state.is_active(), "{status:?} {ask:?} {process:?} gives {state:?}");
            }
        }
    }
}
