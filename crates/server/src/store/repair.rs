//! Replaces a damaged database by a new one with everything that could be read. The damaged one is moved aside.

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::damage::{Damage, MARK};
use super::database::{self, MIGRATIONS, beside};
use super::{notices, salvage};
use crate::clock::unix_ms;

/// The suffix of the new database until the damaged one is out of the way.
const NEW: &str = ".new";

/// Completes a repair that was interrupted after the damaged database was moved aside: nothing else leaves a new database
/// alone.
pub(super) fn complete(path: &Path) -> Result<()> {
    let new = beside(path, NEW);
    if path.symlink_metadata().is_err() && new.exists() {
        std::fs::rename(&new, path).with_context(|| format!("cannot rename {}", new.display()))?;
    }
    Ok(())
}

/// Builds a new database, in which a notice says what was kept and what was lost. If this fails, the damaged one is still
/// in its place.
pub(super) fn repair(path: &Path, damage: Damage) -> Result<()> {
    let aside = beside(path, &format!(".broken-{}", unix_ms(SystemTime::now())));
    let new = beside(path, NEW);
    delete(&new);
    let text = build(path, &new, damage, &aside)
        .with_context(|| format!("{} is damaged and cannot be repaired", path.display()))?;
    // The log first: an old log beside a new database would damage it.
    let _ = std::fs::remove_file(beside(path, "-shm"));
    let log = beside(path, "-wal");
    if log.metadata().is_ok_and(|log| log.len() == 0) {
        let _ = std::fs::remove_file(&log);
    }
    match std::fs::rename(&log, beside(&aside, "-wal")) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            bail!("{} is damaged and cannot be moved aside: {error}", log.display())
        }
        _ => {}
    }
    let moved = std::fs::rename(path, &aside).and_then(|()| std::fs::rename(&new, path));
    moved.with_context(|| format!("{} is damaged and cannot be moved aside", path.display()))?;
    let _ = std::fs::remove_file(beside(path, MARK));
    if let Some(folder) = path.parent() {
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
    tracing::warn!("{text}");
    Ok(())
}

fn build(path: &Path, new: &Path, damage: Damage, aside: &Path) -> Result<String> {
    database::create_private(new)?;
    let mut target = database::connect(new)?;
    database::migrate(&mut target)?;
    let source = open_damaged(path).ok();
    if let Some(version) = source.as_ref().and_then(version).filter(|version| *version > MIGRATIONS.len()) {
        bail!("it was written by a newer Pilothouse (its tables have version {version}): use the newer one");
    }
    let transaction = target.transaction()?;
    let salvaged = salvage::copy(source.as_ref(), &transaction, damage != Damage::Log)?;
    let text = notice(damage, &salvaged, aside);
    notices::add(&transaction, &text)?;
    transaction.commit()?;
    Ok(text)
}

fn notice(damage: Damage, salvaged: &str, aside: &Path) -> String {
    format!(
        "Pilothouse's database {damage} and was repaired. {salvaged} Conversations have files of their own and are \
         not affected. The old database was moved to {}.",
        aside.display()
    )
}

/// Opens a damaged database such that it is not changed.
fn open_damaged(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let source = Connection::open_with_flags(path, flags)?;
    source.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // Otherwise a file that was cut off, or one damaged description of a table, is not read at all.
    source.set_db_config(DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, true)?;
    Ok(source)
}

fn version(source: &Connection) -> Option<usize> {
    let version: i64 = source.query_row("PRAGMA user_version", [], |row| row.get(0)).ok()?;
    usize::try_from(version).ok()
}

fn delete(new: &Path) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let _ = std::fs::remove_file(beside(new, suffix));
    }
}
