//! The database file: created with private permissions, migrated to the newest version, repaired when it is damaged.

use std::fs::{OpenOptions, Permissions};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::damage::{self, Damage};
use super::repair;

/// Migration N brings the tables from version N to N + 1. A released migration is never changed.
pub(super) const MIGRATIONS: [&str; 5] = ["
    CREATE TABLE sessions (
        id TEXT PRIMARY KEY,
        agent TEXT NOT NULL DEFAULT '',
        cwd TEXT NOT NULL DEFAULT '',
        created INTEGER NOT NULL DEFAULT 0,
        pinned INTEGER NOT NULL DEFAULT 0,
        archived INTEGER NOT NULL DEFAULT 0,
        read_at INTEGER NOT NULL DEFAULT 0,
        draft TEXT NOT NULL DEFAULT ''
    ) STRICT, WITHOUT ROWID;

    -- A settled prompt keeps only its id and outcome.
    CREATE TABLE prompts (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        session TEXT NOT NULL,
        client_id TEXT NOT NULL,
        settled INTEGER NOT NULL DEFAULT 0,
        at INTEGER NOT NULL,
        told INTEGER,
        outcome TEXT,
        lane TEXT NOT NULL,
        text TEXT NOT NULL,
        images TEXT NOT NULL,
        UNIQUE (session, client_id)
    ) STRICT;

    -- Queues and questions. The order is separate from the items, so that an item with images is written once.
    CREATE TABLE lists (
        session TEXT NOT NULL,
        list TEXT NOT NULL,
        item_order TEXT NOT NULL,
        PRIMARY KEY (session, list)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE items (
        number INTEGER PRIMARY KEY,
        session TEXT NOT NULL,
        list TEXT NOT NULL,
        id TEXT NOT NULL,
        item TEXT NOT NULL,
        UNIQUE (session, list, id)
    ) STRICT;

    CREATE TABLE extras (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        session TEXT NOT NULL,
        at INTEGER NOT NULL,
        events TEXT NOT NULL
    ) STRICT;
    CREATE INDEX extras_of_session ON extras (session, at, number);

    CREATE TABLE in_flight (
        number INTEGER PRIMARY KEY,
        session TEXT NOT NULL UNIQUE,
        at INTEGER NOT NULL,
        message INTEGER,
        events TEXT NOT NULL
    ) STRICT;
", "
    ALTER TABLE sessions ADD COLUMN auto_approve TEXT NOT NULL DEFAULT 'off';

    -- Defaults of new sessions, by folder.
    CREATE TABLE folders (
        path TEXT PRIMARY KEY,
        auto_approve TEXT NOT NULL DEFAULT 'off'
    ) STRICT, WITHOUT ROWID;
", "
    -- The capabilities that agents last reported, as JSON.
    CREATE TABLE agents (
        name TEXT PRIMARY KEY,
        capabilities TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
", "
    -- Browsers that have access; of a credential only the hash of its secret.
    CREATE TABLE devices (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        origin TEXT NOT NULL,
        hash BLOB NOT NULL,
        created INTEGER NOT NULL,
        last_used INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    -- Hashes of pairing codes that were not used yet.
    CREATE TABLE pairing_codes (
        hash BLOB PRIMARY KEY,
        expires INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
", "
    -- What the user must know about the store itself, until it is dismissed.
    CREATE TABLE notices (
        number INTEGER PRIMARY KEY,
        text TEXT NOT NULL
    ) STRICT;
"];

/// How long a connection waits for another program that has locked the database.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The size to which the write-ahead log is truncated after it has grown, for example by a large image.
const KEPT_LOG_BYTES: i64 = 4 * 1024 * 1024;

/// Opens the connection for writing. A damaged file is replaced by a new one with what could be read of it.
pub(super) fn open(path: &Path) -> Result<Connection> {
    repair::complete(path)?;
    match open_checked(path) {
        Err(error) => match damage::of_error(&error) {
            Some(damage) => {
                tracing::warn!("{} is damaged: {error:#}", path.display());
                repair::repair(path, damage)?;
                open_checked(path)
            }
            None => Err(error),
        },
        opened => opened,
    }
    .with_context(|| format!("{} cannot be opened", path.display()))
}

fn open_checked(path: &Path) -> Result<Connection> {
    if let Some(damage) = damage::find(path)? {
        bail!(damage);
    }
    create_private(path)?;
    let mut connection = connect(path)?;
    set_up(&connection)?;
    migrate(&mut connection)?;
    let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if found != "ok" {
        bail!(Damage::Contents);
    }
    Ok(connection)
}

/// The path of a file that belongs to the database.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Creates the file before SQLite opens it: SQLite gives its other files the same permissions.
pub(super) fn create_private(path: &Path) -> Result<()> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    std::fs::set_permissions(path, Permissions::from_mode(0o600))?;
    Ok(())
}

pub(super) fn connect(path: &Path) -> rusqlite::Result<Connection> {
    // The file already exists, and its path is not parsed as a URI. Each connection is used by one thread at a time.
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

pub(super) fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update_and_check(None, "journal_size_limit", KEPT_LOG_BYTES, |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "FULL")
}

pub(super) fn migrate(connection: &mut Connection) -> Result<()> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let done = usize::try_from(version).unwrap_or(usize::MAX);
    if done > MIGRATIONS.len() {
        bail!(
            "it was written by a newer Pilothouse (its tables have version {version}; this Pilothouse supports up to {}): use the newer one, or move the file away",
            MIGRATIONS.len()
        );
    }
    for (version, migration) in (1_i64..).zip(MIGRATIONS).skip(done) {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute_batch(migration)?;
        transaction.pragma_update(None, "user_version", version)?;
        transaction.commit()?;
    }
    Ok(())
}
