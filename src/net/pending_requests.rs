//! Commands on their way: which wait for an answer, and which of them are sent again after the socket was lost.
//! Pure: it decides, the link sends.

use std::collections::VecDeque;

use pilothouse_core::limits::REMEMBERED_RESPONSES;
use pilothouse_core::protocol::{ClientFrame, CommandError};
use serde_json::Value;

/// How a command ended.
pub type Outcome = Result<Value, CommandError>;

/// The data of an answer, as the type it was written from.
pub fn read_answer<T: serde::de::DeserializeOwned>(outcome: Outcome) -> Result<T, String> {
    serde_json::from_value(outcome.map_err(|error| error.message)?)
        .map_err(|error| format!("The server's answer is not understood: {error}"))
}

pub type Callback = Box<dyn FnOnce(Outcome)>;

/// What becomes of a command when the socket is lost before its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDisconnect {
    /// It fails: doing it twice, or late, would surprise.
    Fail,
    /// It is sent again after the reconnect; the server recognises it by its client id.
    Resend,
}

#[derive(Default)]
pub struct PendingRequests {
    waiting: Vec<Waiting>,
    next_number: u64,
    /// Ids and sessions of commands that were answered, newest last.
    answered: VecDeque<(String, Option<String>)>,
    /// Before every number: ids are unique across tabs and reloads.
    prefix: String,
}

/// Whom an answer is for.
pub enum Answered {
    Asker(Callback),
    /// The command had its answer before. Told once, with the session it was about.
    Again(Option<String>),
    Nobody,
}

struct Waiting {
    frame: ClientFrame,
    keep: OnDisconnect,
    callback: Callback,
}

impl PendingRequests {
    pub fn new(prefix: String) -> Self {
        Self { prefix, ..Self::default() }
    }

    /// Gives the frame its id and keeps it until it is answered.
    pub fn add(&mut self, mut frame: ClientFrame, keep: OnDisconnect, callback: Callback) -> ClientFrame {
        self.next_number += 1;
        frame.id = format!("{}c{}", self.prefix, self.next_number);
        self.waiting.push(Waiting { frame: frame.clone(), keep, callback });
        frame
    }

    /// The answer to the command with this id came. An unknown or repeated one reaches no other command.
    pub fn answered(&mut self, id: &str) -> Answered {
        if let Some(position) = self.waiting.iter().position(|waiting| waiting.frame.id == id) {
            let Waiting { frame, callback, .. } = self.waiting.remove(position);
            if self.answered.len() >= REMEMBERED_RESPONSES {
                self.answered.pop_front();
            }
            let session_id = frame.command.session_id().map(str::to_owned);
            self.answered.push_back((frame.id, session_id));
            return Answered::Asker(callback);
        }
        let known = self.answered.iter().position(|(known, _)| known == id);
        match known.and_then(|position| self.answered.remove(position)) {
            Some((_, session_id)) => Answered::Again(session_id),
            None => Answered::Nobody,
        }
    }

    #[cfg(test)]
    pub fn is_waiting(&self, id: &str) -> bool {
        self.waiting.iter().any(|waiting| waiting.frame.id == id)
    }

    /// The socket is gone: what cannot be sent again has failed.
    pub fn lost(&mut self) -> Vec<Callback> {
        let (kept, failed): (Vec<_>, Vec<_>) =
            self.waiting.drain(..).partition(|waiting| waiting.keep == OnDisconnect::Resend);
        self.waiting = kept;
        failed.into_iter().map(|waiting| waiting.callback).collect()
    }

    /// What is sent after a reconnect, in the order it was asked for.
    pub fn to_resend(&self) -> Vec<ClientFrame> {
        let kept = self.waiting.iter().filter(|waiting| waiting.keep == OnDisconnect::Resend);
        kept.map(|waiting| waiting.frame.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pilothouse_core::protocol::{Command, HubCommand, SessionCommand};
    use std::cell::RefCell;
    use std::rc::Rc;

    fn frame(command: SessionCommand) -> ClientFrame {
        ClientFrame { id: String::new(), command: Command::of_session("s", command) }
    }

    fn open() -> ClientFrame {
        let open = HubCommand::OpenSession { session_id: "s".to_owned() };
        ClientFrame { id: String::new(), command: open.into() }
    }

    #[test]
    fn case_33_a_second_answer_is_told_once_and_resolves_nothing_else() {
        let mut pending = PendingRequests::default();
        let seen = Rc::new(RefCell::new(Vec::new()));
        let log = Rc::clone(&seen);
        let sent =
            pending.add(open(), OnDisconnect::Fail, Box::new(move |outcome| log.borrow_mut().push(outcome)));
        let other =
            pending.add(frame(SessionCommand::Retry), OnDisconnect::Fail, Box::new(|_| panic!("not asked")));
        let Answered::Asker(callback) = pending.answered(&sent.id) else { panic!("nobody asked") };
        callback(Ok(Value::Null));
        assert!(matches!(pending.answered(&sent.id), Answered::Again(Some(session)) if session == "s"));
        assert!(matches!(pending.answered(&sent.id), Answered::Nobody), "told once");
        assert!(matches!(pending.answered("never asked"), Answered::Nobody));
        assert_eq!(*seen.borrow(), [Ok(Value::Null)]);
        assert!(pending.is_waiting(&other.id));
    }

    #[test]
    fn only_the_newest_answers_are_remembered() {
        let mut pending = PendingRequests::default();
        let sent: Vec<ClientFrame> = (0..=REMEMBERED_RESPONSES)
            .map(|_| pending.add(frame(SessionCommand::Retry), OnDisconnect::Fail, Box::new(drop)))
            .collect();
        for frame in &sent {
            pending.answered(&frame.id);
        }
        assert!(matches!(pending.answered(&sent[0].id), Answered::Nobody));
        assert!(matches!(pending.answered(&sent[1].id), Answered::Again(_)));
    }

    #[test]
    fn after_a_loss_only_what_is_safe_twice_is_sent_again_with_the_same_ids() {
        let mut pending = PendingRequests::default();
        let open = pending.add(open(), OnDisconnect::Fail, Box::new(drop));
        let first = pending.add(frame(SessionCommand::Retry), OnDisconnect::Resend, Box::new(drop));
        let second = pending.add(frame(SessionCommand::Abort), OnDisconnect::Resend, Box::new(drop));
        assert_eq!(pending.lost().len(), 1);
        assert!(!pending.is_waiting(&open.id));
        assert_eq!(pending.to_resend(), [first.clone(), second]);
        assert_eq!(pending.lost().len(), 0, "a second loss drops nothing more");
        assert!(matches!(pending.answered(&first.id), Answered::Asker(_)));
        assert_eq!(pending.to_resend().len(), 1);
    }
}
