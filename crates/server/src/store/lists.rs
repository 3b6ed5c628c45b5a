//! The queue and the open questions of a session: whole lists, of which only what changed is written.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use pilothouse_core::conversation::ask::Ask;
use pilothouse_core::conversation::queue::Scheduled;
use rusqlite::{Transaction, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Store;
use super::encoding::{decode, encode};
use super::prompts::settle;
use super::sessions::draft_into;

const QUEUE: &str = "queue";
const ASKS: &str = "asks";

impl Store {
    /// All that is scheduled, images with their data. On the disk when this returns.
    pub fn save_queue(&self, session: &str, items: &[Scheduled]) -> Result<()> {
        let items: Vec<(&str, &Scheduled)> = items.iter().map(|item| (item.id.as_str(), item)).collect();
        self.write_durably("The queue", |transaction| save(transaction, session, QUEUE, &items))
    }

    /// Messages leave the queue and come back to the editor, in one step: neither twice nor nowhere.
    pub fn take_back(&self, session: &str, taken: &[&str], queue: &[Scheduled], draft: &str) -> Result<()> {
        let items: Vec<(&str, &Scheduled)> = queue.iter().map(|item| (item.id.as_str(), item)).collect();
        self.write_durably("What was taken back", |transaction| {
            draft_into(transaction, session, draft)?;
            settle(transaction, session, taken)?;
            save(transaction, session, QUEUE, &items)
        })
    }

    pub fn queue(&self, session: &str) -> Vec<Scheduled> {
        self.list(session, QUEUE)
    }

    /// All questions that wait for an answer. On the disk when this returns.
    pub fn save_asks(&self, session: &str, asks: &[Ask]) -> Result<()> {
        let items: Vec<(&str, &Ask)> = asks.iter().map(|ask| (ask.id.as_str(), ask)).collect();
        self.write_durably("The open questions", |transaction| save(transaction, session, ASKS, &items))
    }

    pub fn asks(&self, session: &str) -> Vec<Ask> {
        self.list(session, ASKS)
    }

    fn list<T: DeserializeOwned>(&self, session: &str, list: &str) -> Vec<T> {
        let query = "SELECT item_order, id, item FROM lists JOIN items USING (session, list)
            WHERE session = ? AND list = ?";
        let rows: Vec<(String, String, String)> =
            self.read("A list", query, [session, list], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
        let Some((order, ..)) = rows.first() else { return Vec::new() };
        let order: Vec<String> = decode("the order of a list", order).unwrap_or_default();
        let mut items: HashMap<String, String> = rows.into_iter().map(|(_, id, item)| (id, item)).collect();
        let items = order.iter().filter_map(|id| items.remove(id));
        items.filter_map(|item| decode("an item of a list", &item)).collect()
    }
}

fn save<T: Serialize>(
    transaction: &Transaction<'_>,
    session: &str,
    list: &str,
    items: &[(&str, &T)],
) -> rusqlite::Result<()> {
    let kept: HashSet<&str> = items.iter().map(|(id, _)| *id).collect();
    let mut known = transaction.prepare_cached("SELECT id FROM items WHERE session = ? AND list = ?")?;
    let known: Vec<String> =
        known.query_map([session, list], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    for id in known.iter().filter(|id| !kept.contains(id.as_str())) {
        transaction
            .prepare_cached("DELETE FROM items WHERE session = ? AND list = ? AND id = ?")?
            .execute([session, list, id])?;
    }
    let mut write = transaction.prepare_cached(
        "INSERT INTO items (session, list, id, item) VALUES (?, ?, ?, ?)
        ON CONFLICT (session, list, id) DO UPDATE SET item = excluded.item WHERE item <> excluded.item",
    )?;
    for (id, item) in items {
        write.execute([session, list, id, &encode(item)?])?;
    }
    if items.is_empty() {
        let statement = "DELETE FROM lists WHERE session = ? AND list = ?";
        return transaction.prepare_cached(statement)?.execute([session, list]).map(drop);
    }
    let order: Vec<&str> = items.iter().map(|(id, _)| *id).collect();
    transaction
        .prepare_cached("INSERT OR REPLACE INTO lists VALUES (?, ?, ?)")?
        .execute(params![session, list, encode(&order)?])
        .map(drop)
}
