//! Questions and approvals: opened by the agent, closed by the first answer, by time, by a stop, or by the end of the
//! process. Silence never means yes.

use pilothouse_agents::pi::PiCommand;
use pilothouse_core::SessionState;
use pilothouse_core::conversation::ask::{Answer, ClosedBy};
use pilothouse_core::protocol::event::Event;
use pilothouse_core::session::machine::StateEvent;
use serde_json::Value;
use tokio::time::Instant;

use super::Session;

impl Session {
    /// The first answer counts; a late or foreign one is refused and says so.
    pub(super) fn answer(&mut self, ask_id: &str, answer: Answer) -> Result<Value, String> {
        let Some(ask) = self.view.asks.iter().find(|ask| ask.id == ask_id) else {
            return Err(
                "This question is closed: it was answered, has expired, or the run was stopped.".to_owned()
            );
        };
        if !ask.accepts(&answer) {
            return Err("That is not an answer to this question.".to_owned());
        }
        let ask = ask.clone();
        let declined = ask.is_declined_by(&answer);
        let words = ask.answered_text(&answer);
        if !self.tell_agent(&PiCommand::AnswerDialog { ask_id: ask_id.to_owned(), answer }) {
            return Err("The agent does not take answers at the moment. Try again.".to_owned());
        }
        // On disk before it is acknowledged.
        self.record_ask(&ask, words);
        self.close_ask(ask_id, if declined { ClosedBy::Declined } else { ClosedBy::Answer });
        Ok(Value::Null)
    }

    pub(super) fn close_ask(&mut self, ask_id: &str, by: ClosedBy) {
        self.ask_deadlines.retain(|(_, waiting)| waiting != ask_id);
        self.emit(Event::AskClosed { ask_id: ask_id.to_owned(), by });
        self.keep_asks();
        match self.machine.state() {
            SessionState::WaitingApproval if by == ClosedBy::Answer => {
                self.step(StateEvent::ApproveAction, "")
            }
            SessionState::WaitingApproval | SessionState::Creating => self.step(StateEvent::RejectAction, ""),
            SessionState::WaitingInput => self.step(StateEvent::SendMessage, ""),
            _ => {}
        }
        // Another question may be open behind the one just closed.
        if let Some(approval) = self.view.asks.first().map(|ask| ask.approval) {
            self.step_into_ask(approval);
        }
        self.tell_hub();
    }

    pub(super) fn step_into_ask(&mut self, approval: bool) {
        let partial = false;
        let event =
            if approval { StateEvent::AskApproval { partial } } else { StateEvent::AskFollowup { partial } };
        self.step(event, "");
    }

    /// The agent takes an expired question as not answered and tells nobody: neither does silence mean yes here.
    pub(super) fn expire_asks(&mut self, now: Instant) {
        let (expired, open) =
            std::mem::take(&mut self.ask_deadlines).into_iter().partition(|(when, _)| *when <= now);
        self.ask_deadlines = open;
        let expired: Vec<(Instant, String)> = expired;
        for (_, ask_id) in expired {
            if let Some(ask) = self.view.asks.iter().find(|ask| ask.id == ask_id).cloned() {
                self.record_ask(&ask, ask.expired_text());
            }
            self.close_ask(&ask_id, ClosedBy::Expired);
        }
    }
}
