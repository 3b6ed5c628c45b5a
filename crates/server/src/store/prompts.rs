//! Prompts: on the disk before they are acknowledged, until the agent's own file has them. Their ids are remembered
//! longer, so that one that is sent again is recognised, also after a restart.

use anyhow::Result;
use pilothouse_core::conversation::queue::Lane;
use pilothouse_core::limits::REMEMBERED_CLIENT_IDS;
use rusqlite::{Transaction, params};
use serde_json::Value;

use super::encoding::{Count, count, decode, encode};
use super::{Prompt, Store};

type Outcome = Result<Value, String>;

impl Store {
    /// Until this has returned `Ok` nobody may be told that the prompt was taken. One that is accepted again (it was
    /// changed while it waited) takes the place of what it was; one that is settled stays so.
    pub fn accept_prompt(&self, session: &str, prompt: &Prompt) -> Result<()> {
        let Prompt { client_id, text, images, lane, at, told, outcome } = prompt;
        self.write_durably("The message", |transaction| {
            let statement =
                "INSERT INTO prompts (session, client_id, at, told, outcome, lane, text, images)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (session, client_id) DO UPDATE SET at = excluded.at, told = excluded.told,
                    outcome = excluded.outcome, lane = excluded.lane, text = excluded.text, images = excluded.images
                WHERE settled = 0";
            let outcome = outcome.as_ref().map(encode).transpose()?;
            transaction
                .prepare_cached(statement)?
                .execute(params![
                    session,
                    client_id,
                    Count(*at),
                    told.map(Count),
                    outcome,
                    encode(lane)?,
                    text,
                    encode(images)?
                ])
                .map(drop)
        })
    }

    /// An id of something else than a prompt, which was done and is not done again.
    pub fn remember_id(&self, session: &str, client_id: &str, at: u64) -> Result<()> {
        self.write_durably("The command", |transaction| {
            let statement =
                "INSERT OR IGNORE INTO prompts (session, client_id, at, outcome, lane, text, images, settled)
                VALUES (?, ?, ?, ?, ?, '', '[]', 1)";
            let done: Outcome = Ok(Value::Null);
            transaction
                .prepare_cached(statement)?
                .execute(params![session, client_id, Count(at), encode(&done)?, encode(&Lane::Steer)?])
                .map(drop)
        })
    }

    /// The agent has said the prompt back, under this timestamp of its own.
    pub fn prompt_told(&self, session: &str, client_id: &str, timestamp: u64) {
        self.try_write_durably("That a message has arrived", |transaction| {
            let statement = "UPDATE prompts SET told = ? WHERE session = ? AND client_id = ?";
            transaction
                .prepare_cached(statement)?
                .execute(params![Count(timestamp), session, client_id])
                .map(drop)
        });
    }

    /// What was answered to the page that sent it.
    pub fn prompt_outcome(&self, session: &str, client_id: &str, outcome: &Outcome) {
        self.try_write_durably("What became of a message", |transaction| {
            let statement = "UPDATE prompts SET outcome = ? WHERE session = ? AND client_id = ?";
            transaction
                .prepare_cached(statement)?
                .execute(params![encode(outcome)?, session, client_id])
                .map(drop)
        });
    }

    /// Those that are not settled, in the order in which they were accepted first.
    pub fn prompts(&self, session: &str) -> Vec<Prompt> {
        let query = "SELECT client_id, at, told, outcome, lane, text, images FROM prompts
            WHERE session = ? AND settled = 0 ORDER BY number";
        self.read("The messages of a session", query, [session], |row| {
            let (lane, images): (String, String) = (row.get(4)?, row.get(6)?);
            Ok(Prompt {
                client_id: row.get(0)?,
                text: row.get(5)?,
                images: decode("images of a message", &images).unwrap_or_default(),
                lane: decode::<Lane>("the lane of a message", &lane).unwrap_or_default(),
                at: count(row.get(1)?),
                told: row.get::<_, Option<i64>>(2)?.map(count),
                outcome: read_outcome(row.get(3)?),
            })
        })
    }

    /// The agent's own file has these, or they will never get there: texts and images go, ids and outcomes stay, the
    /// newest of them.
    pub fn settle_prompts(&self, session: &str, client_ids: &[&str]) {
        if client_ids.is_empty() {
            return;
        }
        self.try_write_durably("That messages have arrived", |transaction| {
            settle(transaction, session, client_ids)
        });
    }

    /// Every id that is remembered, oldest first, with what was answered.
    pub fn client_ids(&self, session: &str) -> Vec<(String, Option<Outcome>)> {
        let query = "SELECT client_id, outcome FROM prompts WHERE session = ? ORDER BY number";
        self.read("The ids of messages", query, [session], |row| Ok((row.get(0)?, read_outcome(row.get(1)?))))
    }
}

fn read_outcome(column: Option<String>) -> Option<Outcome> {
    decode("what became of a message", &column?)
}

pub(super) fn settle(
    transaction: &Transaction<'_>,
    session: &str,
    client_ids: &[&str],
) -> rusqlite::Result<()> {
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
