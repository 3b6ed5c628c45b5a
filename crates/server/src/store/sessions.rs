//! Marks of sessions: made here, pinned, archived, read, and what stands in the composer.

use anyhow::Result;
use rusqlite::{Transaction, params};

use super::encoding::{Count, count};
use super::{SessionRecord, Store};

/// Every table that knows sessions, with its column for them.
const TABLES: [(&str, &str); 6] = [
    ("sessions", "id"),
    ("prompts", "session"),
    ("lists", "session"),
    ("items", "session"),
    ("extras", "session"),
    ("in_flight", "session"),
];

impl Store {
    /// A session made here, before it has a file. What was known of it is replaced.
    pub fn add_session(&self, record: &SessionRecord) -> Result<()> {
        let SessionRecord { id, agent, cwd, created, pinned, archived, read_at, draft } = record;
        self.write_durably("The session", |transaction| {
            transaction
                .prepare_cached("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?)")?
                .execute(params![id, agent, cwd, Count(*created), pinned, archived, Count(*read_at), draft])
                .map(drop)
        })
    }

    /// The agent has a file for it now: from here on it is there as long as that is.
    pub fn file_seen(&self, id: &str) {
        self.try_write("That a session has a file", |transaction| {
            let statement = "UPDATE sessions SET read_at = max(read_at, created), created = 0 WHERE id = ?";
            transaction.execute(statement, [id]).map(drop)
        });
    }

    pub fn sessions(&self) -> Vec<SessionRecord> {
        let query = "SELECT id, agent, cwd, created, pinned, archived, read_at, draft FROM sessions ORDER BY created, id";
        self.read("The list of sessions", query, [], |row| {
            Ok(SessionRecord {
                id: row.get(0)?,
                agent: row.get(1)?,
                cwd: row.get(2)?,
                created: count(row.get(3)?),
                pinned: row.get(4)?,
                archived: row.get(5)?,
                read_at: count(row.get(6)?),
                draft: row.get(7)?,
            })
        })
    }

    /// The session is gone, and everything of it.
    pub fn forget_session(&self, id: &str) {
        // First, so that no note that is on its way comes after.
        self.note_in_flight(id, None);
        self.try_write_durably("That a session is gone", |transaction| {
            for (table, column) in TABLES {
                transaction.execute(&format!("DELETE FROM {table} WHERE {column} = ?"), [id])?;
            }
            Ok(())
        });
    }

    pub fn set_pinned(&self, id: &str, agent: &str, cwd: &str, pinned: bool) {
        self.try_write_durably("That a session is pinned", |transaction| {
            make_record(transaction, id, agent, cwd)?;
            transaction.execute("UPDATE sessions SET pinned = ? WHERE id = ?", params![pinned, id]).map(drop)
        });
    }

    pub fn set_archived(&self, id: &str, agent: &str, cwd: &str, archived: bool) {
        self.try_write_durably("That a session is archived", |transaction| {
            make_record(transaction, id, agent, cwd)?;
            transaction
                .execute("UPDATE sessions SET archived = ? WHERE id = ?", params![archived, id])
                .map(drop)
        });
    }

    /// A mark of another device that comes late takes nothing back.
    pub fn mark_read(&self, id: &str, at: u64) {
        self.try_write("That a session was read", |transaction| {
            make_record(transaction, id, "", "")?;
            transaction
                .execute("UPDATE sessions SET read_at = max(read_at, ?) WHERE id = ?", params![Count(at), id])
                .map(drop)
        });
    }

    pub fn set_draft(&self, id: &str, draft: &str) {
        self.try_write("A draft", |transaction| draft_into(transaction, id, draft));
    }
}

pub(super) fn draft_into(transaction: &Transaction<'_>, id: &str, draft: &str) -> rusqlite::Result<()> {
    make_record(transaction, id, "", "")?;
    transaction.execute("UPDATE sessions SET draft = ? WHERE id = ?", params![draft, id]).map(drop)
}

/// A session of another program's gets its record when something is to be remembered of it.
fn make_record(transaction: &Transaction<'_>, id: &str, agent: &str, cwd: &str) -> rusqlite::Result<()> {
    let statement = "INSERT INTO sessions (id, agent, cwd) VALUES (?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET agent = iif(agent = '', excluded.agent, agent),
            cwd = iif(cwd = '', excluded.cwd, cwd)";
    transaction.prepare_cached(statement)?.execute([id, agent, cwd]).map(drop)
}
