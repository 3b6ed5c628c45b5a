//! The index's file: private like the store's, but thrown away where that is moved aside, since it can be made anew.

use std::fs::{OpenOptions, Permissions};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rusqlite::{Connection, OpenFlags};

/// Of the tables, and of what is put into them.
const VERSION: i64 = 1;

const TABLES: &str = "
    -- `offset` is how far the file is indexed; `before` are the bytes before that, by which it is known again.
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

/// Most entries are shorter than a page of this size, so that little of it stays empty: the file is a sixth smaller
/// than with SQLite's own choice.
const PAGE_BYTES: i64 = 16 * 1024;

/// The log is brought into the file when it is this long.
const LOG_PAGES: i64 = 512;

const PATIENCE: Duration = Duration::from_secs(10);

/// The connection of the indexer.
pub(super) fn open(path: &Path) -> Result<Connection> {
    open_as_it_is(path)
        .or_else(|error| {
            tracing::info!("the search index is made anew: {error:#}");
            throw_away(path);
            open_as_it_is(path)
        })
        .with_context(|| format!("{} cannot be opened", path.display()))
}

fn open_as_it_is(path: &Path) -> Result<Connection> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    std::fs::set_permissions(path, Permissions::from_mode(0o600))?;
    let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // Holds for a new file only.
    connection.pragma_update(None, "page_size", PAGE_BYTES)?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", LOG_PAGES, |_| Ok(()))?;
    connection.pragma_update_and_check(None, "journal_size_limit", LOG_PAGES * PAGE_BYTES, |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let empty: bool = connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))?;
    if version == 0 && empty {
        let transaction = connection.transaction()?;
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
        transaction.commit()?;
    } else if version != VERSION {
        bail!("it is of version {version}, and this is {VERSION}");
    }
    // A first look at every table; what is damaged further inside shows when it is used.
    connection.execute_batch(
        "SELECT max(number) FROM documents; SELECT count(*) FROM sessions;
        SELECT count(*) FROM (SELECT 1 FROM trigrams WHERE trigrams MATCH '\"the\"' LIMIT 1);",
    )?;
    Ok(connection)
}

/// A connection for queries.
pub(super) fn reader(path: &Path) -> rusqlite::Result<Connection> {
    connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

fn connect(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

/// Connections that are open keep what they have; the next start begins anew.
pub(super) fn throw_away(path: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let _ = std::fs::remove_file(PathBuf::from(name));
    }
}
