//! Data that is in no session file: rows that only the server knows, the message in progress, and the sessions that
//! need recovery after a restart.

use pilothouse_core::limits::{IN_FLIGHT_BYTES, SESSION_EXTRAS};
use rusqlite::{Connection, params};

use super::encoding::{Count, count, decode_events, encode};
use super::{Extra, InFlightNote, Store};

impl Store {
    /// The extras of a session, ordered by time; those with the same time in the order in which they were added.
    pub fn extras(&self, session: &str) -> Vec<Extra> {
        let query = "SELECT at, events FROM extras WHERE session = ? ORDER BY at, number";
        self.read("the rows beside a session file", query, [session], |row| {
            let events: String = row.get(1)?;
            Ok(Extra { at: count(row.get(0)?), events: decode_events(&events) })
        })
    }

    /// The last note of the message in progress.
    pub fn in_flight(&self, session: &str) -> Option<InFlightNote> {
        let query = "SELECT at, message, events FROM in_flight WHERE session = ?";
        let notes = self.read("the message in progress", query, [session], |row| {
            let events: String = row.get(2)?;
            Ok(InFlightNote {
                at: count(row.get(0)?),
                message: row.get::<_, Option<i64>>(1)?.map(count),
                events: decode_events(&events),
            })
        });
        notes.into_iter().next()
    }

    /// The sessions with unsettled prompts, a queue, open questions or a message in progress.
    pub fn unfinished_sessions(&self) -> Vec<String> {
        let query = "SELECT session FROM prompts WHERE settled = 0
            UNION SELECT session FROM lists UNION SELECT session FROM in_flight ORDER BY session";
        self.read("the unfinished sessions", query, [], |row| row.get(0))
    }
}

pub(super) fn add(transaction: &Connection, session: &str, extra: &Extra) -> rusqlite::Result<()> {
    let insert = "INSERT INTO extras (session, at, events) VALUES (?, ?, ?)";
    transaction.prepare_cached(insert)?.execute(params![session, Count(extra.at), encode(&extra.events)?])?;
    let trim = "DELETE FROM extras WHERE number IN (SELECT number FROM extras WHERE session = ?
        ORDER BY at DESC, number DESC LIMIT -1 OFFSET ?)";
    transaction.prepare_cached(trim)?.execute(params![session, Count(SESSION_EXTRAS as u64)]).map(drop)
}

/// Replaces the note of the message in progress. A note that is too large is not stored, and the previous one stays.
pub(super) fn set_in_flight(
    transaction: &Connection,
    session: &str,
    note: Option<&InFlightNote>,
) -> rusqlite::Result<()> {
    let Some(note) = note else {
        let delete = "DELETE FROM in_flight WHERE session = ?";
        return transaction.prepare_cached(delete)?.execute([session]).map(drop);
    };
    let events = encode(&note.events)?;
    if events.len() > IN_FLIGHT_BYTES {
        tracing::debug!("the message in progress is too large to be stored");
        return Ok(());
    }
    let upsert = "INSERT INTO in_flight (session, at, message, events) VALUES (?, ?, ?, ?)
        ON CONFLICT (session) DO UPDATE
        SET at = excluded.at, message = excluded.message, events = excluded.events";
    let values = params![session, Count(note.at), note.message.map(Count), events];
    transaction.prepare_cached(upsert)?.execute(values).map(drop)
}
