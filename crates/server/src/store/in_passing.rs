//! Notes that nobody waits for: one thread writes them, of each session only the newest. They stay visible here until
//! they are written, so that a reader never sees an older one.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use anyhow::{Context, Result};
use pilothouse_core::limits::{IN_FLIGHT_BYTES, IN_FLIGHT_SESSIONS};
use rusqlite::{Connection, params};

use super::encoding::{Count, encode};
use super::{InFlightNote, locked, transaction};

/// None: nothing is under way any more.
type Note = Arc<Option<InFlightNote>>;

pub(super) struct InPassing {
    waiting: Arc<Waiting>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Waiting {
    notes: Mutex<Notes>,
    changed: Condvar,
}

#[derive(Default)]
struct Notes {
    /// With the number of the note, to tell whether a newer one has come while it was written.
    newest: HashMap<String, (u64, Note)>,
    next: u64,
    closed: bool,
}

impl InPassing {
    pub(super) fn start(connection: Arc<Mutex<Connection>>) -> Result<Self> {
        let waiting = Arc::new(Waiting::default());
        let writer = std::thread::Builder::new()
            .name("store".to_owned())
            .spawn({
                let waiting = waiting.clone();
                move || waiting.write_all(&connection)
            })
            .context("the system gives no thread for the store")?;
        Ok(Self { waiting, writer: Mutex::new(Some(writer)) })
    }

    pub(super) fn note(&self, session: &str, note: Option<InFlightNote>) {
        let mut notes = self.waiting.notes();
        if notes.closed {
            return tracing::debug!("a note came after the store was closed");
        }
        // Ends are always taken: a note that outlives its message would be shown as interrupted.
        let full = notes.newest.len() >= IN_FLIGHT_SESSIONS && !notes.newest.contains_key(session);
        if full && note.is_some() {
            return tracing::warn!("too many sessions talk at once: one note is left out");
        }
        notes.next += 1;
        let number = notes.next;
        notes.newest.insert(session.to_owned(), (number, Arc::new(note)));
        self.waiting.changed.notify_one();
    }

    /// The note of a session that is on its way.
    pub(super) fn newest(&self, session: &str) -> Option<Note> {
        self.waiting.notes().newest.get(session).map(|(_, note)| note.clone())
    }

    /// The sessions with a note on its way, and those whose end is.
    pub(super) fn sessions(&self) -> (Vec<String>, Vec<String>) {
        let notes = self.waiting.notes();
        let (noted, ended): (Vec<_>, Vec<_>) = notes.newest.iter().partition(|(_, (_, note))| note.is_some());
        let names =
            |notes: Vec<(&String, _)>| notes.into_iter().map(|(session, _)| session.clone()).collect();
        (names(noted), names(ended))
    }

    /// Returns when all is written.
    pub(super) fn close(&self) {
        self.waiting.notes().closed = true;
        self.waiting.changed.notify_one();
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if writer.is_some_and(|writer| writer.join().is_err()) {
            tracing::warn!("the thread that writes notes has failed");
        }
    }
}

impl Waiting {
    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_all(&self, connection: &Mutex<Connection>) {
        loop {
            let mut notes = self.notes();
            while notes.newest.is_empty() && !notes.closed {
                notes = self.changed.wait(notes).unwrap_or_else(PoisonError::into_inner);
            }
            if notes.newest.is_empty() {
                return;
            }
            let batch: Vec<(String, u64, Note)> = notes
                .newest
                .iter()
                .map(|(session, (number, note))| (session.clone(), *number, note.clone()))
                .collect();
            drop(notes);
            if let Err(error) = write(&mut locked(connection), &batch) {
                tracing::warn!(%error, "what is being said could not be noted");
            }
            let mut notes = self.notes();
            for (session, number, _) in batch {
                // What could not be written is not tried again: the next note says more.
                if notes.newest.get(&session).is_some_and(|(newest, _)| *newest == number) {
                    notes.newest.remove(&session);
                }
            }
        }
    }
}

fn write(connection: &mut Connection, batch: &[(String, u64, Note)]) -> rusqlite::Result<()> {
    let encoded: Vec<(&str, Option<(&InFlightNote, String)>)> = batch
        .iter()
        .map(|(session, _, note)| {
            let note = note.as_ref().as_ref();
            Ok((
                session.as_str(),
                note.map(|note| encode(&note.events).map(|events| (note, events))).transpose()?,
            ))
        })
        .collect::<rusqlite::Result<_>>()?;
    transaction(connection, |transaction| {
        for (session, note) in &encoded {
            match note {
                None => {
                    transaction
                        .prepare_cached("DELETE FROM in_flight WHERE session = ?")?
                        .execute([session])?;
                }
                Some((_, events)) if events.len() > IN_FLIGHT_BYTES => {
                    tracing::debug!("a message under way is too large to be noted further");
                }
                Some((note, events)) => {
                    let statement = "INSERT INTO in_flight (session, at, message, events) VALUES (?, ?, ?, ?)
                        ON CONFLICT (session) DO UPDATE
                        SET at = excluded.at, message = excluded.message, events = excluded.events";
                    transaction.prepare_cached(statement)?.execute(params![
                        session,
                        Count(note.at),
                        note.message.map(Count),
                        events
                    ])?;
                }
            }
        }
        Ok(())
    })
}
