//! The database of the search index: its file, its tables and the statements that write them. The file is private like
//! that of the store, but a broken one is deleted instead of moved aside, because the index can be built again.

use std::ffi::OsString;
use std::fs::{OpenOptions, Permissions};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use pilothouse_agents::history::searchable::Searchable;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Result, params};

use super::appended_lines::FilePosition;
use crate::history::source::ReadProgress;

/// The version of the tables and of the text extraction.
const VERSION: i64 = 1;

const TABLES: &str = "
    -- `offset` is the number of bytes indexed; `before` holds the bytes before it, to recognize the file.
    CREATE TABLE sessions (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        path BLOB NOT NULL,
        title TEXT NOT NULL,
        modified INTEGER NOT NULL,
        inode INTEGER NOT NULL,
        offset INTEGER NOT NULL,
        before BLOB NOT NULL
    ) STRICT;
    CREATE TABLE documents (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        session INTEGER NOT NULL,
        kind TEXT NOT NULL,
        entry TEXT NOT NULL,
        text TEXT NOT NULL
    ) STRICT;
    CREATE INDEX documents_of_session ON documents (session);
    CREATE VIRTUAL TABLE trigrams USING fts5(
        text, content='', contentless_delete=1, detail=none, tokenize='trigram'
    );
";

/// The page size. Most entries fit into a page of this size with little left over, which makes the file a sixth smaller
/// than SQLite's default.
const PAGE_BYTES: i64 = 16 * 1024;

/// The length of the write-ahead log at which it is merged into the file.
const LOG_PAGES: i64 = 512;

const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The number of bytes of text after which a transaction is committed.
const TRANSACTION_BYTES: usize = 1024 * 1024;

/// The number of entries removed in one transaction.
const REMOVED_AT_ONCE: i64 = 200;

/// Opens the connection of the indexer. Builds a new database if the existing one is broken or of another version.
pub(super) fn open_writer(path: &Path) -> anyhow::Result<Connection> {
    open_existing(path)
        .or_else(|error| {
            tracing::info!("building a new search index: {error:#}");
            delete(path);
            open_existing(path)
        })
        .with_context(|| format!("cannot open {}", path.display()))
}

fn open_existing(path: &Path) -> anyhow::Result<Connection> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    std::fs::set_permissions(path, Permissions::from_mode(0o600))?;
    let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // Applies to a new file only.
    connection.pragma_update(None, "page_size", PAGE_BYTES)?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", LOG_PAGES, |_| Ok(()))?;
    connection.pragma_update_and_check(None, "journal_size_limit", LOG_PAGES * PAGE_BYTES, |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let is_empty: bool =
        connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))?;
    if version == 0 && is_empty {
        let transaction = connection.transaction()?;
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
        transaction.commit()?;
    } else if version != VERSION {
        bail!("its version is {version} instead of {VERSION}");
    }
    // Reads each table once to detect damage. Damage deeper inside is found when it is read.
    connection.execute_batch(
        "SELECT max(number) FROM documents; SELECT count(*) FROM sessions;
        SELECT count(*) FROM (SELECT 1 FROM trigrams WHERE trigrams MATCH '\"the\"' LIMIT 1);",
    )?;
    Ok(connection)
}

/// Opens a read-only connection for queries.
pub(super) fn open_reader(path: &Path) -> Result<Connection> {
    connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

/// Deletes the files of the database. Open connections keep working on the deleted files; the next start builds a new
/// database.
pub(super) fn delete(path: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let path = PathBuf::from(name);
        if path.is_dir() {
            // It is not ours to delete.
            let _ = std::fs::rename(&path, path.with_extension("moved"));
        } else {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Joins writes into transactions of limited size. Every transaction adds a segment to the full-text index that has to
/// be merged later, so small ones are expensive; large ones block readers for too long.
pub(super) struct BatchWriter {
    connection: Connection,
    /// The bytes written in the open transaction, if there is one.
    bytes: Option<usize>,
}

impl BatchWriter {
    pub(super) const fn new(connection: Connection) -> Self {
        Self { connection, bytes: None }
    }

    /// The connection for reading; sees uncommitted writes.
    pub(super) const fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Writes within the open transaction. An error rolls back everything since the last commit.
    pub(super) fn write<T>(
        &mut self,
        bytes: usize,
        write: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        if self.bytes.is_none() {
            self.connection.execute_batch("BEGIN IMMEDIATE")?;
        }
        let total = self.bytes.unwrap_or_default() + bytes;
        self.bytes = Some(total);
        let written = write(&self.connection).inspect_err(|_| self.roll_back())?;
        if total >= TRANSACTION_BYTES {
            self.commit()?;
        }
        Ok(written)
    }

    pub(super) fn commit(&mut self) -> Result<()> {
        if self.bytes.is_none() {
            return Ok(());
        }
        self.connection.execute_batch("COMMIT").inspect_err(|_| self.roll_back())?;
        self.bytes = None;
        Ok(())
    }

    fn roll_back(&mut self) {
        self.bytes = None;
        // Fails if SQLite has already rolled back, which is fine.
        let _ = self.connection.execute_batch("ROLLBACK");
    }
}

/// A session in the index.
#[derive(Clone, Debug)]
pub(super) struct IndexedSession {
    pub(super) number: i64,
    pub(super) path: PathBuf,
    pub(super) title: String,
    /// The position up to which its file is indexed.
    pub(super) position: FilePosition,
}

pub(super) fn find_session(connection: &Connection, id: &str) -> Result<Option<IndexedSession>> {
    let query = "SELECT number, title, inode, offset, before, path FROM sessions WHERE id = ?";
    let mut statement = connection.prepare_cached(query)?;
    let row = statement.query_row([id], |row| {
        let position = FilePosition {
            inode: row.get::<_, i64>(2)?.cast_unsigned(),
            progress: ReadProgress { read: row.get::<_, i64>(3)?.cast_unsigned(), last: row.get(4)? },
        };
        Ok(IndexedSession {
            number: row.get(0)?,
            path: path_from_bytes(row.get(5)?),
            title: row.get(1)?,
            position,
        })
    });
    row.optional()
}

/// The id and file of every session in the index.
pub(super) fn session_paths(connection: &Connection) -> Result<Vec<(String, PathBuf)>> {
    let mut statement = connection.prepare("SELECT id, path FROM sessions")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, path_from_bytes(row.get(1)?))))?;
    rows.collect()
}

fn path_from_bytes(bytes: Vec<u8>) -> PathBuf {
    OsString::from_vec(bytes).into()
}

/// Inserts or updates a session. Returns its number, which its entries refer to.
pub(super) fn write_session(
    connection: &Connection,
    id: &str,
    path: &Path,
    title: &str,
    modified: u64,
    position: &FilePosition,
) -> Result<i64> {
    let statement = "INSERT INTO sessions (id, path, title, modified, inode, offset, before)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET path = excluded.path, title = excluded.title,
            modified = excluded.modified, inode = excluded.inode, offset = excluded.offset, before = excluded.before
        RETURNING number";
    connection.prepare_cached(statement)?.query_row(
        params![
            id,
            path.as_os_str().as_bytes(),
            title,
            i64::try_from(modified).unwrap_or(i64::MAX),
            position.inode.cast_signed(),
            position.progress.read.cast_signed(),
            position.progress.last
        ],
        |row| row.get(0),
    )
}

pub(super) fn add_entry(connection: &Connection, session: i64, entry: &Searchable) -> Result<()> {
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

/// Removes some entries of a session. Returns false if there were none.
pub(super) fn remove_some_entries(connection: &Connection, session: i64) -> Result<bool> {
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
