//! What the agent's own file does not know: rows that only the server can tell of, the message under way, and which
//! sessions have to be looked at after a restart.

use pilothouse_core::limits::SESSION_EXTRAS;
use rusqlite::params;

use super::encoding::{Count, count, decode_events, encode};
use super::{Extra, InFlightNote, Store};

impl Store {
    pub fn add_extra(&self, session: &str, extra: &Extra) {
        self.try_write_durably("A row beside the agent's own", |transaction| {
            let add = "INSERT INTO extras (session, at, events) VALUES (?, ?, ?)";
            transaction.prepare_cached(add)?.execute(params![
                session,
                Count(extra.at),
                encode(&extra.events)?
            ])?;
            let trim = "DELETE FROM extras WHERE number IN (SELECT number FROM extras WHERE session = ?
                ORDER BY at DESC, number DESC LIMIT -1 OFFSET ?)";
            transaction
                .prepare_cached(trim)?
                .execute(params![session, Count(SESSION_EXTRAS as u64)])
                .map(drop)
        });
    }

    /// By time; of one moment in the order in which they were added.
    pub fn extras(&self, session: &str) -> Vec<Extra> {
        let query = "SELECT at, events FROM extras WHERE session = ? ORDER BY at, number";
        self.read("Rows beside the agent's own", query, [session], |row| {
            let events: String = row.get(1)?;
            Ok(Extra { at: count(row.get(0)?), events: decode_events(&events) })
        })
    }

    /// Notes what is being said, for the case that the server is killed; none when it has been said. Never waits:
    /// of several notes of a session the newest is written, soon.
    pub fn note_in_flight(&self, session: &str, note: Option<InFlightNote>) {
        self.0.in_passing.note(session, note);
    }

    pub fn in_flight(&self, session: &str) -> Option<InFlightNote> {
        if let Some(note) = self.0.in_passing.newest(session) {
            return note.as_ref().clone();
        }
        let query = "SELECT at, message, events FROM in_flight WHERE session = ?";
        let notes = self.read("A message under way", query, [session], |row| {
            let events: String = row.get(2)?;
            Ok(InFlightNote {
                at: count(row.get(0)?),
                message: row.get::<_, Option<i64>>(1)?.map(count),
                events: decode_events(&events),
            })
        });
        notes.into_iter().next()
    }

    /// Those with prompts that are not settled, a queue, questions or a message under way.
    pub fn open_sessions(&self) -> Vec<String> {
        // What is on its way is looked at first: it may arrive in between, but not get lost.
        let (noted, ended) = self.0.in_passing.sessions();
        let query = "SELECT session, 0 FROM prompts WHERE settled = 0
            UNION SELECT session, 0 FROM lists UNION SELECT session, 1 FROM in_flight";
        let stored: Vec<(String, bool)> =
            self.read("The sessions under way", query, [], |row| Ok((row.get(0)?, row.get(1)?)));
        let stored = stored.into_iter().filter(|(session, is_note)| !is_note || !ended.contains(session));
        let mut sessions: Vec<String> = stored.map(|(session, _)| session).chain(noted).collect();
        sessions.sort();
        sessions.dedup();
        sessions
    }
}
