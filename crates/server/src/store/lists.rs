//! The queue and the open questions of a session: complete lists, of which only changed items are written.

use std::collections::{HashMap, HashSet};

use pilothouse_core::conversation::ask::Ask;
use pilothouse_core::conversation::queue::Scheduled;
use rusqlite::{Connection, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Store;
use super::encoding::{decode, encode};

const QUEUE: &str = "queue";
const ASKS: &str = "asks";

impl Store {
    pub fn queue(&self, session: &str) -> Vec<Scheduled> {
        self.list(session, QUEUE)
    }

    pub fn asks(&self, session: &str) -> Vec<Ask> {
        self.list(session, ASKS)
    }

    fn list<T: DeserializeOwned>(&self, session: &str, list: &str) -> Vec<T> {
        let query = "SELECT item_order, id, item FROM lists JOIN items USING (session, list)
            WHERE session = ? AND list = ?";
        let rows: Vec<(String, String, String)> =
            self.read("a list", query, [session, list], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
        let Some((order, ..)) = rows.first() else { return Vec::new() };
        let order: Vec<String> = decode("the order of a list", order).unwrap_or_default();
        let mut items: HashMap<String, String> = rows.into_iter().map(|(_, id, item)| (id, item)).collect();
        let items = order.iter().filter_map(|id| items.remove(id));
        items.filter_map(|item| decode("an item of a list", &item)).collect()
    }
}

pub(super) fn save_queue(
    transaction: &Connection,
    session: &str,
    items: &[Scheduled],
) -> rusqlite::Result<()> {
    let items: Vec<(&str, &Scheduled)> = items.iter().map(|item| (item.id.as_str(), item)).collect();
    save(transaction, session, QUEUE, &items)
}

pub(super) fn save_asks(transaction: &Connection, session: &str, asks: &[Ask]) -> rusqlite::Result<()> {
    let items: Vec<(&str, &Ask)> = asks.iter().map(|ask| (ask.id.as_str(), ask)).collect();
    save(transaction, session, ASKS, &items)
}

fn save<T: Serialize>(
    transaction: &Connection,
    session: &str,
    list: &str,
    items: &[(&str, &T)],
) -> rusqlite::Result<()> {
    let kept: HashSet<&str> = items.iter().map(|(id, _)| *id).collect();
    let mut stored = transaction.prepare_cached("SELECT id FROM items WHERE session = ? AND list = ?")?;
    let stored: Vec<String> =
        stored.query_map([session, list], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    for id in stored.iter().filter(|id| !kept.contains(id.as_str())) {
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
