//! The event log of a session: numbers each event, folds it into the view, keeps the newest for reconnecting clients and
//! broadcasts them to the subscribers.

use pilothouse_core::protocol::event::Event;
use pilothouse_core::protocol::{Cursor, ServerFrame, SessionMeta};
use pilothouse_core::session::machine::{Follower, Machine, StateEvent};
use pilothouse_core::{MessageController, SessionState, SessionView};

use super::event_buffer::EventBuffer;
use crate::client::{Client, ClientId, encode};

/// The folded state of a session, and the clients that follow it.
#[derive(Debug)]
pub(in crate::session) struct EventLog {
    view: SessionView,
    machine: Machine,
    /// Which events of the agent move the state machine.
    follower: Follower,
    buffer: EventBuffer,
    subscribers: Vec<Client>,
}

impl EventLog {
    pub(in crate::session) fn new(meta: SessionMeta) -> Self {
        Self {
            view: SessionView { meta, ..SessionView::default() },
            machine: Machine::default(),
            follower: Follower::default(),
            buffer: EventBuffer::default(),
            subscribers: Vec::new(),
        }
    }

    pub(in crate::session) const fn view(&self) -> &SessionView {
        &self.view
    }

    pub(in crate::session) const fn meta(&self) -> &SessionMeta {
        &self.view.meta
    }

    pub(in crate::session) const fn state(&self) -> SessionState {
        self.machine.state()
    }

    /// Whether the agent works on something: a further message would have to wait.
    pub(in crate::session) const fn is_busy(&self) -> bool {
        self.state().is_active() || self.view.meta.compacting
    }

    /// Whether the agent has begun a run and not ended it.
    pub(in crate::session) fn is_running(&self) -> bool {
        self.view.controller.is_running()
    }

    pub(in crate::session) fn has_subscribers(&self) -> bool {
        !self.subscribers.is_empty()
    }

    /// Starts a new epoch with the conversation as it is on disk. Sequence numbers start again.
    pub(in crate::session) fn reset(&mut self, state: SessionState, change: impl FnOnce(&mut SessionView)) {
        self.view.epoch = uuid::Uuid::now_v7().simple().to_string();
        self.view.seq = 0;
        change(&mut self.view);
        self.set_state(state);
        self.view.meta.state = state;
        self.buffer = EventBuffer::default();
    }

    /// Replaces the rows by those of these events, in a new epoch.
    pub(in crate::session) fn replace_rows(&mut self, events: impl IntoIterator<Item = Event>) {
        self.view.epoch = uuid::Uuid::now_v7().simple().to_string();
        self.view.seq = 0;
        self.view.controller = MessageController::default();
        for event in events {
            self.view.controller.handle_server_event(event);
        }
        self.buffer = EventBuffer::default();
        self.broadcast_snapshot();
    }

    /// Puts the state machine into a state that was read from history.
    pub(in crate::session) fn set_state(&mut self, state: SessionState) {
        self.machine = Machine::resting_in(state);
    }

    /// The composer's text is stored by the hub; snapshots carry it.
    pub(in crate::session) fn set_draft(&mut self, draft: String) {
        self.view.meta.draft = draft;
    }

    /// Numbers an event, folds it and broadcasts it.
    pub(in crate::session) fn publish(&mut self, mut event: Event) {
        self.view.controller.drop_left_out_text(&mut event);
        let session_id = self.view.meta.session_id.clone();
        let seq = self.view.seq + 1;
        let frame = encode(&ServerFrame::Event { session_id, seq, event: event.clone() });
        self.view.apply(event);
        if let Some(frame) = frame {
            self.buffer.push(seq, frame.clone());
            self.subscribers.retain(|client| client.send(frame.clone()));
        }
    }

    /// Moves the state machine. Returns the event that announces a changed state.
    pub(in crate::session) fn transition(&mut self, event: StateEvent, reason: &str) -> Option<Event> {
        let changed = self.machine.apply(event);
        changed.then(|| Event::SessionState { state: self.machine.state(), reason: reason.to_owned() })
    }

    /// Moves the state machine without announcing it.
    pub(in crate::session) fn transition_silently(&mut self, event: StateEvent) {
        self.machine.apply(event);
    }

    /// Maps an event of the agent to a step of the state machine, with its reason. Returns `None` while the session
    /// waits for an answer: only the answer or the end of the run ends that state.
    pub(in crate::session) fn follow(&mut self, event: &Event) -> Option<(StateEvent, String)> {
        let step = self.follower.step(event)?;
        let reason =
            if step == StateEvent::Failed { self.follower.last_error().to_owned() } else { String::new() };
        let waiting = self.state().waits() && !self.view.meta.asks.is_empty();
        let ends_run = matches!(event, Event::AgentSettled { .. });
        (ends_run || !waiting).then_some((step, reason))
    }

    /// Adds a subscriber and sends it what it is missing, in one step: the next event it gets has the next number.
    pub(in crate::session) fn subscribe(&mut self, client: Client, cursor: Option<&Cursor>) {
        self.unsubscribe(client.id());
        let missing = cursor
            .filter(|cursor| cursor.epoch == self.view.epoch)
            .and_then(|cursor| self.events_after(cursor.seq));
        let sent = match missing {
            Some(frames) => frames.into_iter().all(|frame| client.send_requested(frame)),
            None => encode(&ServerFrame::Snapshot(Box::new(self.view.snapshot())))
                .is_some_and(|snapshot| client.send_requested(snapshot)),
        };
        if sent {
            self.subscribers.push(client);
        }
    }

    fn events_after(&self, seq: u64) -> Option<Vec<axum::extract::ws::Utf8Bytes>> {
        if seq == self.view.seq {
            return Some(Vec::new());
        }
        self.buffer.after(seq).map(Iterator::collect)
    }

    pub(in crate::session) fn unsubscribe(&mut self, client: ClientId) {
        self.subscribers.retain(|subscriber| subscriber.id() != client);
    }

    /// Sends every subscriber the whole session again.
    pub(in crate::session) fn broadcast_snapshot(&mut self) {
        if let Some(snapshot) = encode(&ServerFrame::Snapshot(Box::new(self.view.snapshot()))) {
            self.subscribers.retain(|client| client.send_requested(snapshot.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use pilothouse_core::protocol::event::NoticeLevel;

    use super::*;
    use crate::client::{ClientReceiver, client_channel};

    fn log() -> EventLog {
        let mut log = EventLog::new(SessionMeta { session_id: "s".to_owned(), ..SessionMeta::default() });
        log.reset(SessionState::Idle, |_| {});
        log
    }

    fn titled(title: &str) -> Event {
        Event::TitleChanged { title: title.to_owned() }
    }

    async fn next(frames: &mut ClientReceiver) -> ServerFrame {
        ServerFrame::parse(&frames.next().await.unwrap().unwrap()).unwrap()
    }

    fn cursor(log: &EventLog, seq: u64) -> Cursor {
        Cursor { session_id: "s".to_owned(), epoch: log.view().epoch.clone(), seq }
    }

    #[tokio::test]
    async fn the_first_event_after_a_snapshot_has_the_next_number() {
        let mut log = log();
        log.publish(titled("one"));
        let (client, mut frames) = client_channel(ClientId(1));
        log.subscribe(client, None);
        log.publish(titled("two"));
        let ServerFrame::Snapshot(snapshot) = next(&mut frames).await else { panic!("no snapshot") };
        assert_eq!((snapshot.seq, snapshot.meta.title.as_str()), (1, "one"));
        let event = ServerFrame::Event { session_id: "s".to_owned(), seq: 2, event: titled("two") };
        assert_eq!(next(&mut frames).await, event);
    }

    #[tokio::test]
    async fn a_client_that_reconnects_gets_the_events_it_missed() {
        let mut log = log();
        for title in ["one", "two", "three"] {
            log.publish(titled(title));
        }
        let (client, mut frames) = client_channel(ClientId(1));
        log.subscribe(client, Some(&cursor(&log, 1)));
        for (seq, title) in [(2, "two"), (3, "three")] {
            let event = ServerFrame::Event { session_id: "s".to_owned(), seq, event: titled(title) };
            assert_eq!(next(&mut frames).await, event);
        }
        // A cursor of another epoch gets a snapshot, whatever its number.
        let old = cursor(&log, 3);
        log.reset(SessionState::Idle, |_| {});
        let (client, mut frames) = client_channel(ClientId(2));
        log.subscribe(client, Some(&old));
        assert!(matches!(next(&mut frames).await, ServerFrame::Snapshot(snapshot) if snapshot.seq == 0));
    }

    #[tokio::test]
    async fn a_client_that_is_gone_is_forgotten_with_the_next_event() {
        let mut log = log();
        let (client, frames) = client_channel(ClientId(1));
        log.subscribe(client, None);
        assert!(log.has_subscribers());
        drop(frames);
        log.publish(Event::Notice { level: NoticeLevel::Info, text: "x".to_owned() });
        assert!(!log.has_subscribers());
    }

    #[test]
    fn only_a_changed_state_is_announced() {
        let mut log = log();
        assert_eq!(log.transition(StateEvent::CancelSession, ""), None);
        let announced = log.transition(StateEvent::StartSession, "because");
        assert_eq!(
            announced,
            Some(Event::SessionState { state: SessionState::Creating, reason: "because".to_owned() })
        );
        assert!(log.is_busy());
    }
}
