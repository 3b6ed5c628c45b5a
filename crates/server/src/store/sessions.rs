//! Records of sessions: created here, pinned, archived, read, and the composer's draft.

use pilothouse_core::conversation::ask::auto_approve::AutoApprove;
use pilothouse_core::json::FromJson;
use rusqlite::{Connection, params};

use super::encoding::{Count, count};
use super::{SessionRecord, Store};

/// Every table with data of sessions, and its column for the session's id.
const TABLES: [(&str, &str); 6] = [
    ("sessions", "id"),
    ("prompts", "session"),
    ("lists", "session"),
    ("items", "session"),
    ("extras", "session"),
    ("in_flight", "session"),
];

impl Store {
    pub fn sessions(&self) -> Vec<SessionRecord> {
        let query =
            "SELECT id, agent, cwd, created, pinned, archived, read_at, draft, auto_approve FROM sessions
            ORDER BY created, id";
        self.read("the list of sessions", query, [], |row| {
            Ok(SessionRecord {
                id: row.get(0)?,
                agent: row.get(1)?,
                cwd: row.get(2)?,
                created: count(row.get(3)?),
                pinned: row.get(4)?,
                archived: row.get(5)?,
                read_at: count(row.get(6)?),
                draft: row.get(7)?,
                auto_approve: from_name(&row.get::<_, String>(8)?),
            })
        })
    }

    /// Which approvals of new sessions in a folder are answered automatically.
    pub fn folder_auto_approve(&self, folder: &str) -> AutoApprove {
        let query = "SELECT auto_approve FROM folders WHERE path = ?";
        let found = self.read("the settings of a folder", query, [folder], |row| row.get::<_, String>(0));
        found.first().map(|name| from_name(name)).unwrap_or_default()
    }
}

pub(super) fn add(transaction: &Connection, record: &SessionRecord) -> rusqlite::Result<()> {
    let SessionRecord { id, agent, cwd, created, pinned, archived, read_at, draft, auto_approve } = record;
    let statement = "INSERT OR REPLACE INTO sessions
        (id, agent, cwd, created, pinned, archived, read_at, draft, auto_approve) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
    let (created, read_at, level) = (Count(*created), Count(*read_at), name_of(*auto_approve));
    transaction
        .prepare_cached(statement)?
        .execute(params![id, agent, cwd, created, pinned, archived, read_at, draft, level])
        .map(drop)
}

pub(super) fn set_auto_approve(
    transaction: &Connection,
    (id, agent, cwd): (&str, &str, &str),
    level: AutoApprove,
) -> rusqlite::Result<()> {
    ensure_record(transaction, id, agent, cwd)?;
    let update = "UPDATE sessions SET auto_approve = ? WHERE id = ?";
    transaction.execute(update, params![name_of(level), id]).map(drop)
}

pub(super) fn set_folder_auto_approve(
    transaction: &Connection,
    folder: &str,
    level: AutoApprove,
) -> rusqlite::Result<()> {
    let statement = "INSERT OR REPLACE INTO folders (path, auto_approve) VALUES (?, ?)";
    transaction.execute(statement, params![folder, name_of(level)]).map(drop)
}

fn name_of(level: AutoApprove) -> String {
    serde_json::to_value(level).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

/// An unknown name is read as off.
fn from_name(name: &str) -> AutoApprove {
    AutoApprove::from_json(name.into()).unwrap_or_default()
}

pub(super) fn set_has_file(transaction: &Connection, id: &str) -> rusqlite::Result<()> {
    let statement = "UPDATE sessions SET read_at = max(read_at, created), created = 0 WHERE id = ?";
    transaction.prepare_cached(statement)?.execute([id]).map(drop)
}

pub(super) fn forget(transaction: &Connection, id: &str) -> rusqlite::Result<()> {
    for (table, column) in TABLES {
        transaction.execute(&format!("DELETE FROM {table} WHERE {column} = ?"), [id])?;
    }
    Ok(())
}

pub(super) fn set_pinned(
    transaction: &Connection,
    (id, agent, cwd): (&str, &str, &str),
    pinned: bool,
) -> rusqlite::Result<()> {
    ensure_record(transaction, id, agent, cwd)?;
    transaction.execute("UPDATE sessions SET pinned = ? WHERE id = ?", params![pinned, id]).map(drop)
}

pub(super) fn set_archived(
    transaction: &Connection,
    (id, agent, cwd): (&str, &str, &str),
    archived: bool,
) -> rusqlite::Result<()> {
    ensure_record(transaction, id, agent, cwd)?;
    transaction.execute("UPDATE sessions SET archived = ? WHERE id = ?", params![archived, id]).map(drop)
}

pub(super) fn mark_read(transaction: &Connection, id: &str, at: u64) -> rusqlite::Result<()> {
    ensure_record(transaction, id, "", "")?;
    let update = "UPDATE sessions SET read_at = max(read_at, ?) WHERE id = ?";
    transaction.execute(update, params![Count(at), id]).map(drop)
}

pub(super) fn set_draft(transaction: &Connection, id: &str, draft: &str) -> rusqlite::Result<()> {
    ensure_record(transaction, id, "", "")?;
    transaction.execute("UPDATE sessions SET draft = ? WHERE id = ?", params![draft, id]).map(drop)
}

/// Creates the record of a session that has none, because another program created the session.
fn ensure_record(transaction: &Connection, id: &str, agent: &str, cwd: &str) -> rusqlite::Result<()> {
    let statement = "INSERT INTO sessions (id, agent, cwd) VALUES (?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET agent = iif(agent = '', excluded.agent, agent),
            cwd = iif(cwd = '', excluded.cwd, cwd)";
    transaction.prepare_cached(statement)?.execute([id, agent, cwd]).map(drop)
}
