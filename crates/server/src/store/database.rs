//! The file itself: opened privately, brought to the newest form, moved aside when it is broken. What stands in the
//! tables is the business of the others.

use std::fs::{OpenOptions, Permissions};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail};
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::clock::unix_ms;

/// Each brings the tables from the version of its place to the next. One that was released is never changed.
const MIGRATIONS: [&str; 1] = ["
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

    -- Queues and questions. The order stands apart from the items: an item with images is written once.
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
"];

/// How long a connection waits for the other one to finish writing.
const PATIENCE: Duration = Duration::from_secs(10);

/// The log is cut back to this many bytes after a large image has gone through it.
const KEPT_LOG_BYTES: i64 = 4 * 1024 * 1024;

/// The connection that waits for the disk. What is broken is moved aside, and a new store begun.
pub(super) fn open(path: &Path) -> Result<Connection> {
    match open_checked(path) {
        Err(error) if is_broken(&error) => {
            let aside = move_aside(path)?;
            tracing::warn!(
                "{} was damaged ({error:#}); it is now {} and a new one was made: pins, drafts and waiting messages are lost",
                path.display(),
                aside.display()
            );
            open_checked(path)
        }
        outcome => outcome,
    }
    .with_context(|| format!("{} cannot be opened", path.display()))
}

fn open_checked(path: &Path) -> Result<Connection> {
    make_private(path)?;
    let mut connection = connect(path)?;
    set_up(&connection, "FULL")?;
    migrate(&mut connection)?;
    let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if found != "ok" {
        bail!(Broken);
    }
    Ok(connection)
}

#[derive(Debug, thiserror::Error)]
#[error("its contents contradict each other")]
struct Broken;

fn is_broken(error: &anyhow::Error) -> bool {
    let broken = [ErrorCode::DatabaseCorrupt, ErrorCode::NotADatabase];
    let code = error.downcast_ref::<rusqlite::Error>().and_then(rusqlite::Error::sqlite_error_code);
    error.is::<Broken>() || code.is_some_and(|code| broken.contains(&code))
}

/// Made before SQLite looks at it, which gives its other files the same permissions.
fn make_private(path: &Path) -> Result<()> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    std::fs::set_permissions(path, Permissions::from_mode(0o600))?;
    Ok(())
}

pub(super) fn connect(path: &Path) -> rusqlite::Result<Connection> {
    // No OPEN_CREATE, no URI: a path is a path. Our own mutex stands around each connection.
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

pub(super) fn set_up(connection: &Connection, synchronous: &str) -> rusqlite::Result<()> {
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update_and_check(None, "journal_size_limit", KEPT_LOG_BYTES, |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", synchronous)
}

pub(super) fn migrate(connection: &mut Connection) -> Result<()> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let done = usize::try_from(version).unwrap_or(usize::MAX);
    if done > MIGRATIONS.len() {
        bail!(
            "it was written by a newer Pilothouse (version {version} of its tables; this one knows {}): use that one, or move the file away",
            MIGRATIONS.len()
        );
    }
    for (version, migration) in (1_i64..).zip(MIGRATIONS).skip(done) {
        super::transaction(connection, |transaction| {
            transaction.execute_batch(migration)?;
            transaction.pragma_update(None, "user_version", version)
        })?;
    }
    Ok(())
}

/// With its log and index, whose names SQLite derives.
fn move_aside(path: &Path) -> Result<PathBuf> {
    let name = |suffix: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    let aside = format!(".broken-{}", unix_ms(SystemTime::now()));
    for suffix in ["-wal", "-shm"] {
        let _ = std::fs::rename(name(suffix), name(&format!("{aside}{suffix}")));
    }
    std::fs::rename(path, name(&aside))
        .with_context(|| format!("{} is damaged and cannot be moved aside", path.display()))?;
    Ok(name(&aside))
}
