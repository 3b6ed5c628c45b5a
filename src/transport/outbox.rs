//! Commands on their way: which wait for an answer, and which of them are sent again after the socket was lost.
//! Pure: it decides, the link sends.

use pilothouse_core::wire::ClientFrame;
use serde_json::Value;

/// How a command ended.
pub type Outcome = Result<Value, String>;

/// The data of an answer, as the type it was written from.
pub fn read_answer<T: serde::de::DeserializeOwned>(outcome: Outcome) -> Result<T, String> {
    serde_json::from_value(outcome?)
        .map_err(|error| format!("The server's answer is not understood: {error}"))
}
type Callback = Box<dyn FnOnce(Outcome)>;

/// What becomes of a command when the socket is lost before its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// It fails: doing it twice, or late, would surprise.
    Drop,
    /// It is sent again after the reconnect; the server recognises it by its client id.
    Resend,
}

#[derive(Default)]
pub struct Outbox {
    waiting: Vec<Waiting>,
    next_number: u64,
}

struct Waiting {
    frame: ClientFrame,
    keep: Keep,
    callback: Callback,
}

impl Outbox {
    /// Gives the frame its id and keeps it until it is answered.
    pub fn add(&mut self, mut frame: ClientFrame, keep: Keep, callback: Callback) -> ClientFrame {
        self.next_number += 1;
        frame.id = format!("c{}", self.next_number);
        self.waiting.push(Waiting { frame: frame.clone(), keep, callback });
        frame
    }

    /// The answer to the command with this id came. An unknown or repeated one changes nothing.
    pub fn answered(&mut self, id: &str) -> Option<Callback> {
        let position = self.waiting.iter().position(|waiting| waiting.frame.id == id)?;
        Some(self.waiting.remove(position).callback)
    }

    pub fn is_waiting(&self, id: &str) -> bool {
        self.waiting.iter().any(|waiting| waiting.frame.id == id)
    }

    /// The socket is gone: what cannot be sent again has failed.
    pub fn lost(&mut self) -> Vec<Callback> {
        let (kept, failed): (Vec<_>, Vec<_>) =
            self.waiting.drain(..).partition(|waiting| waiting.keep == Keep::Resend);
        self.waiting = kept;
        failed.into_iter().map(|waiting| waiting.callback).collect()
    }

    /// What is sent after a reconnect, in the order it was asked for.
    pub fn to_resend(&self) -> Vec<ClientFrame> {
        let kept = self.waiting.iter().filter(|waiting| waiting.keep == Keep::Resend);
        kept.map(|waiting| waiting.frame.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pilothouse_core::wire::Command;
    use std::cell::RefCell;
    use std::rc::Rc;

    fn frame(command: Command) -> ClientFrame {
        ClientFrame { id: String::new(), session_id: None, command }
    }

    #[test]
    fn an_answer_reaches_its_asker_once() {
        let mut outbox = Outbox::default();
        let seen = Rc::new(RefCell::new(Vec::new()));
        let log = Rc::clone(&seen);
        let sent = outbox.add(
            frame(Command::ListSessions),
            Keep::Drop,
            Box::new(move |outcome| log.borrow_mut().push(outcome)),
        );
        assert!(outbox.is_waiting(&sent.id));
        outbox.answered(&sent.id).unwrap()(Ok(Value::Null));
        assert!(outbox.answered(&sent.id).is_none());
        assert_eq!(*seen.borrow(), [Ok(Value::Null)]);
    }

    #[test]
    fn after_a_loss_only_what_is_safe_twice_is_sent_again_with_the_same_ids() {
        let mut outbox = Outbox::default();
        let open = outbox.add(frame(Command::OpenSession), Keep::Drop, Box::new(drop));
        let first = outbox.add(frame(Command::Retry), Keep::Resend, Box::new(drop));
        let second = outbox.add(frame(Command::Abort), Keep::Resend, Box::new(drop));
        assert_eq!(outbox.lost().len(), 1);
        assert!(!outbox.is_waiting(&open.id));
        assert_eq!(outbox.to_resend(), [first.clone(), second]);
        assert_eq!(outbox.lost().len(), 0, "a second loss drops nothing more");
        assert!(outbox.answered(&first.id).is_some());
        assert_eq!(outbox.to_resend().len(), 1);
    }
}
