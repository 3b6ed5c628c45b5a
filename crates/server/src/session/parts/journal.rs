//! The records that must survive a kill of the server: prompts, queue, answers and the message in progress. User actions
//! are durable before they are acknowledged or passed on; everything else is written behind.

use std::time::Duration;

use pilothouse_core::conversation::ask::Ask;
use pilothouse_core::conversation::message::Message;
use pilothouse_core::conversation::queue::Scheduled;
use pilothouse_core::limits::IN_FLIGHT_MILLISECONDS;
use pilothouse_core::protocol::CommandError;
use pilothouse_core::protocol::event::Event;
use tokio::time::Instant;

use super::in_flight::{InFlight, is_part_of_message, shell_id};
use crate::clock::now_ms;
use crate::store::{Extra, InFlightNote, Prompt, PromptOutcome, Store, Write};

/// The session's records in the store, and what still has to be written.
#[derive(Debug)]
pub(in crate::session) struct Journal {
    store: Store,
    session: String,
    in_flight: InFlight,
    /// When the message in progress is written next.
    note_at: Option<Instant>,
    /// Prompts that the agent has reported, with their timestamps, until the session file has them.
    reported: Vec<(String, u64)>,
}

impl Journal {
    pub(in crate::session) fn new(store: Store, session: String) -> Self {
        Self { store, session, in_flight: InFlight::default(), note_at: None, reported: Vec::new() }
    }

    /// Writes and waits until the writes are on disk. Nothing may be acknowledged or passed on before.
    pub(in crate::session) async fn commit(&self, writes: Vec<Write>) -> Result<(), CommandError> {
        Ok(self.store.write(writes).result().await?)
    }

    /// Writes without waiting.
    pub(in crate::session) fn submit(&self, writes: Vec<Write>) {
        self.store.submit(writes);
    }

    pub(in crate::session) fn accept_prompt(&self, prompt: Prompt) -> Write {
        Write::AcceptPrompt { session: self.session.clone(), prompt }
    }

    /// The write that stores the id of a command that must run only once.
    pub(in crate::session) fn remember_id(&self, client_id: &str) -> Write {
        Write::RememberId { session: self.session.clone(), client_id: client_id.to_owned(), at: now_ms() }
    }

    pub(in crate::session) fn set_outcome(&self, client_id: &str, outcome: PromptOutcome) -> Write {
        Write::SetOutcome { session: self.session.clone(), client_id: client_id.to_owned(), outcome }
    }

    pub(in crate::session) fn settle_prompts(&self, client_ids: Vec<String>) -> Write {
        Write::SettlePrompts { session: self.session.clone(), client_ids }
    }

    pub(in crate::session) fn save_queue(&self, items: Vec<Scheduled>) -> Write {
        Write::SaveQueue { session: self.session.clone(), items }
    }

    pub(in crate::session) fn save_asks(&self, asks: Vec<Ask>) -> Write {
        Write::SaveAsks { session: self.session.clone(), asks }
    }

    /// The write that stores rows that are in no session file.
    pub(in crate::session) fn add_extra(&self, events: Vec<Event>) -> Write {
        self.add_extra_at(now_ms(), events)
    }

    pub(in crate::session) fn add_extra_at(&self, at: u64, events: Vec<Event>) -> Write {
        Write::AddExtra { session: self.session.clone(), extra: Extra { at, events } }
    }

    /// Notes that the agent has reported a prompt as a user message, and returns the write that stores this.
    pub(in crate::session) fn prompt_reported(&mut self, client_id: &str, timestamp: u64) -> Write {
        self.reported.push((client_id.to_owned(), timestamp));
        Write::PromptReported { session: self.session.clone(), client_id: client_id.to_owned(), timestamp }
    }

    /// The timestamps of reported prompts that the session file did not have so far.
    pub(in crate::session) fn reported_times(&self) -> Vec<u64> {
        self.reported.iter().map(|(_, time)| *time).collect()
    }

    /// Settles the reported prompts that the session file has.
    pub(in crate::session) fn settle_reported(&mut self, in_file: &[u64]) -> Option<Write> {
        let (settled, open): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.reported).into_iter().partition(|(_, time)| in_file.contains(time));
        self.reported = open;
        let ids: Vec<String> = settled.into_iter().map(|(id, _)| id).collect();
        (!ids.is_empty()).then(|| self.settle_prompts(ids))
    }

    /// Keeps track of what is in progress. Every event of the session passes through here.
    pub(in crate::session) fn observe(&mut self, event: &Event, now: Instant) {
        self.in_flight.observe(event);
        // An ended command is in the session file. Until the note no longer has it, a kill would show it twice.
        if matches!(event, Event::BashEnd { .. }) {
            self.write_note();
        }
        if self.in_flight.is_changed() && self.note_at.is_none() {
            self.note_at = Some(now + Duration::from_millis(IN_FLIGHT_MILLISECONDS));
        }
    }

    pub(in crate::session) const fn next_deadline(&self) -> Option<Instant> {
        self.note_at
    }

    /// Queues a note of what is in progress, without waiting for it.
    pub(in crate::session) fn write_note(&mut self) {
        self.note_at = None;
        if let Some((message, events)) = self.in_flight.take_changes() {
            let note = (!events.is_empty()).then(|| InFlightNote { at: now_ms(), message, events });
            self.store.note_in_flight(&self.session, note);
        }
    }

    /// The timestamp of the message in progress.
    pub(in crate::session) const fn message_in_progress(&self) -> Option<u64> {
        self.in_flight.message()
    }

    /// The writes that store what was in progress when the process ended, as it was shown, without a message that the
    /// session file contains.
    pub(in crate::session) fn interrupted(&self, exit: &Event, file_has_message: bool) -> Option<Vec<Write>> {
        let mut events = self.in_flight.events();
        if file_has_message {
            events.retain(|event| !is_part_of_message(event));
        }
        if matches!(exit, Event::ProcessExit { shell_lives: true, .. }) {
            // They go on, and are recorded when they end.
            events.retain(|event| shell_id(event).is_none());
        }
        let failed =
            matches!(exit, Event::ProcessExit { code, expected, .. } if !expected && *code != Some(0));
        (!events.is_empty() || failed).then(|| {
            events.push(exit.clone());
            // In one transaction with the removal of the note, so that a kill in between does not show it twice.
            let note = Write::SetInFlight { session: self.session.clone(), note: None };
            vec![self.add_extra(events), note]
        })
    }
}

/// The row that records how a question ended.
pub(in crate::session) fn ask_record(words: String) -> Event {
    Event::MessageEnd { message: Message::Answered { words } }
}

#[cfg(test)]
mod tests {
    use super::super::in_flight::tests::message_start;
    use super::*;

    fn journal() -> (tempfile::TempDir, Journal) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        (folder, Journal::new(store, "s".to_owned()))
    }

    fn exit(code: i32, expected: bool) -> Event {
        Event::ProcessExit {
            code: Some(code),
            signal: None,
            expected,
            stderr: Vec::new(),
            shell_lives: false,
        }
    }

    #[tokio::test]
    async fn the_message_in_progress_is_written_soon_and_removed_when_it_has_ended() {
        let (_folder, mut journal) = journal();
        let now = Instant::now();
        journal.observe(&message_start(), now);
        assert_eq!(
            journal.next_deadline(),
            Some(now + Duration::from_millis(IN_FLIGHT_MILLISECONDS)),
            "it is due soon"
        );
        journal.write_note();
        journal.store.flush().result().await.unwrap();
        assert_eq!(journal.store.in_flight("s").map(|note| note.message), Some(Some(7)));
        journal.observe(&Event::AgentSettled { aborted: false }, now);
        journal.write_note();
        assert_eq!(journal.next_deadline(), None);
        journal.store.flush().result().await.unwrap();
        assert_eq!(journal.store.in_flight("s"), None);
    }

    #[tokio::test]
    async fn reported_prompts_are_settled_once_the_file_has_them() {
        let (_folder, mut journal) = journal();
        journal.prompt_reported("a", 10);
        journal.prompt_reported("b", 20);
        assert_eq!(journal.reported_times(), [10, 20]);
        let settle = |ids: &[&str]| Write::SettlePrompts {
            session: "s".to_owned(),
            client_ids: ids.iter().map(|id| (*id).to_owned()).collect(),
        };
        assert_eq!(journal.settle_reported(&[20]), Some(settle(&["b"])));
        assert_eq!(journal.settle_reported(&[20]), None);
        assert_eq!(journal.settle_reported(&[10]), Some(settle(&["a"])));
    }

    #[tokio::test]
    async fn an_interruption_is_stored_as_it_was_shown() {
        let (_folder, mut journal) = journal();
        assert_eq!(journal.interrupted(&exit(0, false), false), None, "nothing was in progress");
        assert!(journal.interrupted(&exit(1, false), false).is_some(), "a crash is always shown");
        assert_eq!(journal.interrupted(&exit(1, true), false), None, "we ended it");
        journal.observe(&message_start(), Instant::now());
        let writes = journal.interrupted(&exit(0, true), false).unwrap_or_default();
        let [Write::AddExtra { extra, .. }, Write::SetInFlight { note: None, .. }] = &writes[..] else {
            panic!("{writes:?}")
        };
        assert_eq!(extra.events, [message_start(), exit(0, true)]);
        assert_eq!(journal.interrupted(&exit(0, true), true), None, "the file has the message after all");
    }
}
