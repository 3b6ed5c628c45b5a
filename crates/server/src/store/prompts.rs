//! Prompts: stored from the moment they are accepted until the session file has them. Their ids are remembered longer,
//! so that a prompt that is sent again is recognized, also after a restart.

use pilothouse_core::conversation::queue::Lane;
use pilothouse_core::limits::REMEMBERED_CLIENT_IDS;
use rusqlite::{Connection, params};

use super::encoding::{Count, count, decode, encode};
use super::{Prompt, PromptOutcome, Store};

impl Store {
    /// The unsettled prompts, in the order in which they were first accepted.
    pub fn prompts(&self, session: &str) -> Vec<Prompt> {
        let query = "SELECT client_id, at, told, outcome, lane, text, images FROM prompts
            WHERE session = ? AND settled = 0 ORDER BY number";
        self.read("the prompts of a session", query, [session], |row| {
            let (lane, images): (String, String) = (row.get(4)?, row.get(6)?);
            Ok(Prompt {
                client_id: row.get(0)?,
                text: row.get(5)?,
                images: decode("images of a prompt", &images).unwrap_or_default(),
                lane: decode::<Lane>("the lane of a prompt", &lane).unwrap_or_default(),
                at: count(row.get(1)?),
                reported: row.get::<_, Option<i64>>(2)?.map(count),
                outcome: decode_outcome(row.get(3)?),
            })
        })
    }

    /// The times of the messages in the session file that are settled prompts.
    pub fn settled_prompt_times(&self, session: &str) -> Vec<u64> {
        let query = "SELECT told FROM prompts WHERE session = ? AND settled = 1 AND told IS NOT NULL";
        self.read("the times of prompts", query, [session], |row| row.get(0).map(count))
    }

    /// Whether a prompt of this session became the message with this time.
    pub fn has_prompt_at(&self, session: &str, time: u64) -> bool {
        let query = "SELECT 1 FROM prompts WHERE session = ? AND told = ? LIMIT 1";
        let found: Vec<()> =
            self.read("a prompt by its time", query, params![session, time.cast_signed()], |_| Ok(()));
        !found.is_empty()
    }

    /// Every remembered id, oldest first, with the reply that its client got.
    pub fn client_ids(&self, session: &str) -> Vec<(String, Option<PromptOutcome>)> {
        let query = "SELECT client_id, outcome FROM prompts WHERE session = ? ORDER BY number";
        self.read("the ids of prompts", query, [session], |row| {
            Ok((row.get(0)?, decode_outcome(row.get(1)?)))
        })
    }
}

fn decode_outcome(column: Option<String>) -> Option<PromptOutcome> {
    decode("the outcome of a prompt", &column?)
}

pub(super) fn accept(transaction: &Connection, session: &str, prompt: &Prompt) -> rusqlite::Result<()> {
    let Prompt { client_id, text, images, lane, at, reported, outcome } = prompt;
    let upsert = "INSERT INTO prompts (session, client_id, at, told, outcome, lane, text, images)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (session, client_id) DO UPDATE SET at = excluded.at, told = excluded.told,
            outcome = excluded.outcome, lane = excluded.lane, text = excluded.text, images = excluded.images
        WHERE settled = 0";
    let outcome = outcome.as_ref().map(encode).transpose()?;
    let (reported, lane, images) = (reported.map(Count), encode(lane)?, encode(images)?);
    let values = params![session, client_id, Count(*at), reported, outcome, lane, text, images];
    transaction.prepare_cached(upsert)?.execute(values).map(drop)
}

pub(super) fn remember_id(
    transaction: &Connection,
    session: &str,
    client_id: &str,
    at: u64,
) -> rusqlite::Result<()> {
    let insert =
        "INSERT OR IGNORE INTO prompts (session, client_id, at, outcome, lane, text, images, settled)
        VALUES (?, ?, ?, ?, ?, '', '[]', 1)";
    let done: PromptOutcome = Ok(None);
    let values = params![session, client_id, Count(at), encode(&done)?, encode(&Lane::Steer)?];
    transaction.prepare_cached(insert)?.execute(values).map(drop)
}

pub(super) fn set_reported(
    transaction: &Connection,
    session: &str,
    client_id: &str,
    timestamp: u64,
) -> rusqlite::Result<()> {
    let update = "UPDATE prompts SET told = ? WHERE session = ? AND client_id = ?";
    transaction.prepare_cached(update)?.execute(params![Count(timestamp), session, client_id]).map(drop)
}

pub(super) fn set_outcome(
    transaction: &Connection,
    session: &str,
    client_id: &str,
    outcome: &PromptOutcome,
) -> rusqlite::Result<()> {
    let update = "UPDATE prompts SET outcome = ? WHERE session = ? AND client_id = ?";
    transaction.prepare_cached(update)?.execute(params![encode(outcome)?, session, client_id]).map(drop)
}

/// Settles prompts, and forgets the oldest ids beyond the limit.
pub(super) fn settle(transaction: &Connection, session: &str, client_ids: &[String]) -> rusqlite::Result<()> {
    let settle = "UPDATE prompts SET settled = 1, text = '', images = '[]'
        WHERE session = ? AND client_id = ? AND settled = 0";
    let mut settle = transaction.prepare_cached(settle)?;
    for client_id in client_ids {
        settle.execute([session, client_id])?;
    }
    let trim = "DELETE FROM prompts WHERE session = ?1 AND settled = 1 AND number <= (
        SELECT number FROM prompts WHERE session = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)";
    let kept = Count(REMEMBERED_CLIENT_IDS as u64);
    transaction.prepare_cached(trim)?.execute(params![session, kept]).map(drop)
}
