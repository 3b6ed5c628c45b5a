//! What the user must know about the store itself, until somebody has read it.

use rusqlite::Connection;

use super::Store;

impl Store {
    /// The texts that were not dismissed, oldest first.
    pub fn notices(&self) -> Vec<String> {
        self.read("the notices", "SELECT text FROM notices ORDER BY number", [], |row| row.get(0))
    }
}

pub(super) fn add(transaction: &Connection, text: &str) -> rusqlite::Result<()> {
    transaction.execute("INSERT INTO notices (text) VALUES (?)", [text]).map(drop)
}

pub(super) fn dismiss(transaction: &Connection) -> rusqlite::Result<()> {
    transaction.execute("DELETE FROM notices", []).map(drop)
}
