//! Requests that wait for a response, and which of them are resent after the connection was lost. Pure: the connection
//! does the sending.

use std::collections::VecDeque;

use pilothouse_core::json::FromJson;
use pilothouse_core::limits::REMEMBERED_RESPONSES;
use pilothouse_core::protocol::{ClientFrame, CommandError};
use serde_json::Value;

/// The response to a command.
pub type Outcome = Result<Value, CommandError>;

/// Deserializes the data of a response.
pub fn read_answer<T: FromJson>(outcome: Outcome) -> Result<T, String> {
    T::from_json(outcome.map_err(|error| error.message)?)
        .ok_or_else(|| "Couldn't read the server's response.".to_owned())
}

pub type Callback = Box<dyn FnOnce(Outcome)>;

/// What happens to a request if the connection is lost before its response arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDisconnect {
    /// It fails: executing it twice, or late, would surprise the user.
    Fail,
    /// It is resent after reconnecting; the server recognises duplicates by the client id.
    Resend,
}

#[derive(Default)]
pub struct PendingRequests {
    requests: Vec<PendingRequest>,
    next_number: u64,
    /// Ids and sessions of answered requests, newest last, to recognise duplicate responses.
    answered: VecDeque<(String, Option<String>)>,
    /// Starts every request id, to make ids unique across tabs and reloads.
    prefix: String,
}

/// The request that a response belongs to.
pub enum ResponseMatch {
    /// A pending request, with its callback.
    Pending(Callback),
    /// A request that was answered before, with its session. Reported once per request.
    Duplicate(Option<String>),
    Unknown,
}

struct PendingRequest {
    frame: ClientFrame,
    on_disconnect: OnDisconnect,
    callback: Callback,
}

impl PendingRequests {
    pub fn new(prefix: String) -> Self {
        Self { prefix, ..Self::default() }
    }

    /// Assigns the frame's id and stores the request until its response arrives.
    pub fn add(
        &mut self,
        mut frame: ClientFrame,
        on_disconnect: OnDisconnect,
        callback: Callback,
    ) -> ClientFrame {
        self.next_number += 1;
        frame.id = format!("{}c{}", self.prefix, self.next_number);
        self.requests.push(PendingRequest { frame: frame.clone(), on_disconnect, callback });
        frame
    }

    /// Removes the request with this id and returns its callback. Unknown and duplicate responses affect no other
    /// request.
    pub fn resolve(&mut self, id: &str) -> ResponseMatch {
        if let Some(position) = self.requests.iter().position(|request| request.frame.id == id) {
            let PendingRequest { frame, callback, .. } = self.requests.remove(position);
            if self.answered.len() >= REMEMBERED_RESPONSES {
                self.answered.pop_front();
            }
            let session_id = frame.command.session_id().map(str::to_owned);
            self.answered.push_back((frame.id, session_id));
            return ResponseMatch::Pending(callback);
        }
        let known = self.answered.iter().position(|(known, _)| known == id);
        match known.and_then(|position| self.answered.remove(position)) {
            Some((_, session_id)) => ResponseMatch::Duplicate(session_id),
            None => ResponseMatch::Unknown,
        }
    }

    /// Removes the request with the largest frame, which the server could not read. Sent again, it would close the
    /// connection again.
    pub fn take_largest(&mut self) -> Option<(ClientFrame, Callback)> {
        let size =
            |request: &PendingRequest| serde_json::to_string(&request.frame).map_or(0, |text| text.len());
        let sizes = self.requests.iter().map(size);
        let (position, _) = sizes.enumerate().max_by_key(|(_, size)| *size)?;
        let PendingRequest { frame, callback, .. } = self.requests.remove(position);
        Some((frame, callback))
    }

    #[cfg(test)]
    pub fn is_pending(&self, id: &str) -> bool {
        self.requests.iter().any(|request| request.frame.id == id)
    }

    /// Called when the connection is lost: removes the requests that fail, and returns their callbacks.
    pub fn disconnect(&mut self) -> Vec<Callback> {
        let (kept, failed): (Vec<_>, Vec<_>) =
            self.requests.drain(..).partition(|request| request.on_disconnect == OnDisconnect::Resend);
        self.requests = kept;
        failed.into_iter().map(|request| request.callback).collect()
    }

    /// The requests to send after reconnecting, in their original order.
    pub fn to_resend(&self) -> Vec<ClientFrame> {
        let kept = self.requests.iter().filter(|request| request.on_disconnect == OnDisconnect::Resend);
        kept.map(|request| request.frame.clone()).collect()
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
        let ResponseMatch::Pending(callback) = pending.resolve(&sent.id) else { panic!("not pending") };
        callback(Ok(Value::Null));
        assert!(
            matches!(pending.resolve(&sent.id), ResponseMatch::Duplicate(Some(session)) if session == "s")
        );
        assert!(matches!(pending.resolve(&sent.id), ResponseMatch::Unknown), "reported once");
        assert!(matches!(pending.resolve("never asked"), ResponseMatch::Unknown));
        assert_eq!(*seen.borrow(), [Ok(Value::Null)]);
        assert!(pending.is_pending(&other.id));
    }

    #[test]
    fn only_the_newest_answered_requests_are_remembered() {
        let mut pending = PendingRequests::default();
        let sent: Vec<ClientFrame> = (0..=REMEMBERED_RESPONSES)
            .map(|_| pending.add(frame(SessionCommand::Retry), OnDisconnect::Fail, Box::new(drop)))
            .collect();
        for frame in &sent {
            pending.resolve(&frame.id);
        }
        assert!(matches!(pending.resolve(&sent[0].id), ResponseMatch::Unknown));
        assert!(matches!(pending.resolve(&sent[1].id), ResponseMatch::Duplicate(_)));
    }

    #[test]
    fn the_largest_request_is_not_sent_again() {
        let mut pending = PendingRequests::default();
        let prompt = |length: usize| {
            let message = "x".repeat(length);
            let (client_id, images) = (String::new(), Vec::new());
            frame(SessionCommand::Prompt {
                client_id,
                message,
                images,
                streaming_behavior: Default::default(),
            })
        };
        let sent = [1, 5, 3].map(|length| pending.add(prompt(length), OnDisconnect::Resend, Box::new(drop)));
        assert_eq!(pending.take_largest().map(|(frame, _)| frame), Some(sent[1].clone()));
        assert_eq!(pending.to_resend(), [sent[0].clone(), sent[2].clone()]);
        pending.take_largest();
        pending.take_largest();
        assert!(pending.take_largest().is_none());
    }

    #[test]
    fn after_a_disconnect_only_resendable_requests_are_resent_with_the_same_ids() {
        let mut pending = PendingRequests::default();
        let open = pending.add(open(), OnDisconnect::Fail, Box::new(drop));
        let first = pending.add(frame(SessionCommand::Retry), OnDisconnect::Resend, Box::new(drop));
        let second = pending.add(frame(SessionCommand::Abort), OnDisconnect::Resend, Box::new(drop));
        assert_eq!(pending.disconnect().len(), 1);
        assert!(!pending.is_pending(&open.id));
        assert_eq!(pending.to_resend(), [first.clone(), second]);
        assert_eq!(pending.disconnect().len(), 0, "a second loss drops nothing more");
        assert!(matches!(pending.resolve(&first.id), ResponseMatch::Pending(_)));
        assert_eq!(pending.to_resend().len(), 1);
    }
}
