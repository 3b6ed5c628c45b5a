//! The index's tables as the indexer writes them: sessions, their entries, and the trigrams of those.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use pilothouse_agents::history::searchable::Searchable;
use rusqlite::{Connection, OptionalExtension, Result, params};

use super::growth::Mark;
use crate::history::source::ReadProgress;

/// Entries taken out of the index in one connection.
const REMOVED_AT_ONCE: i64 = 200;

/// What the index knows of a session's file.
#[derive(Clone, Debug)]
pub(super) struct Indexed {
    pub(super) number: i64,
    pub(super) path: PathBuf,
    pub(super) title: String,
    pub(super) mark: Mark,
}

pub(super) fn indexed(connection: &Connection, session: &str) -> Result<Option<Indexed>> {
    let query = "SELECT number, title, inode, offset, before, path FROM sessions WHERE id = ?";
    let mut statement = connection.prepare_cached(query)?;
    let row = statement.query_row([session], |row| {
        let mark = Mark {
            inode: row.get::<_, i64>(2)?.cast_unsigned(),
            progress: ReadProgress { read: row.get::<_, i64>(3)?.cast_unsigned(), last: row.get(4)? },
        };
        Ok(Indexed { number: row.get(0)?, path: path(row.get(5)?), title: row.get(1)?, mark })
    });
    row.optional()
}

/// Every session of the index with the place of its file.
pub(super) fn paths(connection: &Connection) -> Result<Vec<(String, PathBuf)>> {
    let mut statement = connection.prepare("SELECT id, path FROM sessions")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, path(row.get(1)?))))?;
    rows.collect()
}

fn path(bytes: Vec<u8>) -> PathBuf {
    OsString::from_vec(bytes).into()
}

/// Tells the number under which the session's entries are kept.
pub(super) fn write_session(
    connection: &Connection,
    session: &str,
    path: &Path,
    title: &str,
    modified: u64,
    mark: &Mark,
) -> Result<i64> {
    let statement = "INSERT INTO sessions (id, path, title, modified, inode, offset, before)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET path = excluded.path, title = excluded.title,
            modified = excluded.modified, inode = excluded.inode, offset = excluded.offset, before = excluded.before
        RETURNING number";
    connection.prepare_cached(statement)?.query_row(
        params![
            session,
            path.as_os_str().as_bytes(),
            title,
            i64::try_from(modified).unwrap_or(i64::MAX),
            mark.inode.cast_signed(),
            mark.progress.read.cast_signed(),
            mark.progress.last
        ],
        |row| row.get(0),
    )
}

pub(super) fn add(connection: &Connection, session: i64, entry: &Searchable) -> Result<()> {
    let document = "INSERT INTO documents (session, kind, entry, text) VALUES (?, ?, ?, ?)";
    connection.prepare_cached(document)?.execute(params![
        session,
        entry.kind.name(),
        entry.entry_id,
        entry.text
    ])?;
    let trigrams = "INSERT INTO trigrams (rowid, text) VALUES (?, ?)";
    connection
        .prepare_cached(trigrams)?
        .execute(params![connection.last_insert_rowid(), entry.text])
        .map(drop)
}

/// Takes some entries of a session out of the index; false when none was left.
pub(super) fn remove_some(connection: &Connection, session: i64) -> Result<bool> {
    let query = "SELECT number FROM documents WHERE session = ? ORDER BY number LIMIT ?";
    let mut statement = connection.prepare_cached(query)?;
    let numbers: Vec<i64> =
        statement.query_map([session, REMOVED_AT_ONCE], |row| row.get(0))?.collect::<Result<_>>()?;
    for number in &numbers {
        connection.prepare_cached("DELETE FROM trigrams WHERE rowid = ?")?.execute([number])?;
        connection.prepare_cached("DELETE FROM documents WHERE number = ?")?.execute([number])?;
    }
    Ok(!numbers.is_empty())
}

pub(super) fn remove_session(connection: &Connection, session: i64) -> Result<()> {
    connection.prepare_cached("DELETE FROM sessions WHERE number = ?")?.execute([session]).map(drop)
}
