//! The server's own database: state that must survive a restart and is in no session file.
//!
//! One thread writes ([`writer`]); callers that need durability await the result, and many writes share one commit.
//! Writes are values ([`Write`]), so that the code that decides on them needs no database. Reads use a connection of
//! their own and block: call them from a blocking thread.
//!
//! Conversations are not stored here but in the session files. Texts of prompts are never logged.

mod agents;
mod damage;
mod database;
mod devices;
mod encoding;
mod extras;
mod guard;
mod lists;
mod notices;
mod prompts;
mod records;
mod repair;
mod salvage;
mod sessions;
mod write;
mod write_ahead_log;
mod writer;

#[cfg(test)]
mod damage_tests;
#[cfg(test)]
mod durability_tests;
#[cfg(test)]
mod faults_tests;
#[cfg(test)]
mod store_tests;
#[cfg(test)]
mod writer_tests;

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, Params, Row};
use tokio::sync::{oneshot, watch};

pub use devices::{DeviceRecord, PairingCode};
use guard::Guard;
pub use records::{Extra, InFlightNote, Prompt, PromptOutcome, SessionRecord};
pub use write::Write;
pub use writer::StoreError;
use writer::Writer;

use crate::data_folder::FolderIdentity;

/// The file in the data folder.
pub const FILE: &str = "store.db";

/// A handle to the store, shared by its clones. Dropping the last one flushes the queued writes.
#[derive(Clone)]
pub struct Store(Arc<Shared>);

struct Shared {
    writer: Writer,
    reader: Mutex<Connection>,
    guard: Guard,
}

impl Drop for Shared {
    fn drop(&mut self) {
        // As the writer does.
        let reader = self.reader.get_mut().unwrap_or_else(PoisonError::into_inner);
        if self.guard.check().is_err() {
            let _ = reader.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
        }
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Store(…)")
    }
}

impl Store {
    /// Opens the store of a data folder, or creates it. A damaged one is moved aside, and what can be read of it is kept;
    /// one of a newer version is an error.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        let connection = database::open(&path)?;
        let reader = database::connect(&path)
            .and_then(|reader| database::set_up(&reader).map(|()| reader))
            .with_context(|| format!("{} cannot be opened", path.display()))?;
        // Both connections have used the database, so its log exists and stays the same from now on.
        let files = ["", "-wal", "-shm"].map(|suffix| database::beside(&path, suffix));
        let identity = FolderIdentity::of(folder, &files)
            .with_context(|| format!("cannot read the data folder {}", folder.display()))?;
        let guard = Guard::new(identity, path);
        let writer = Writer::start(connection, guard.clone())?;
        Ok(Self(Arc::new(Shared { writer, reader: Mutex::new(reader), guard })))
    }

    /// Queues writes as one unit. Await the result before you act on them: if it is `Ok`, all of them are on disk; if
    /// it is an error, none of them is stored.
    pub fn write(&self, writes: Vec<Write>) -> Durable {
        Durable(self.0.writer.enqueue(writes, None))
    }

    /// Queues writes like `write`, and calls `on_commit` on the writing thread once they are on disk, so that state in
    /// memory changes in the order of the commits.
    pub fn write_then(&self, writes: Vec<Write>, on_commit: impl FnOnce() + Send + 'static) -> Durable {
        Durable(self.0.writer.enqueue(writes, Some(Box::new(on_commit))))
    }

    /// Queues writes whose failure the caller cannot handle; it is logged and shown as a storage problem. They keep
    /// their order among all writes.
    pub fn submit(&self, writes: Vec<Write>) {
        drop(self.0.writer.enqueue(writes, None));
    }

    /// Stores the message in progress, in case the server is killed; `None` once it has ended. Of several notes of a
    /// session only the newest is written.
    pub fn note_in_flight(&self, session: &str, note: Option<InFlightNote>) {
        self.0.writer.note(session, note);
    }

    /// Returns a result that is ready once everything queued so far was written, or failed.
    pub fn flush(&self) -> Durable {
        self.write(Vec::new())
    }

    /// The data folder, as it was when the store was opened.
    pub fn folder(&self) -> &FolderIdentity {
        self.0.guard.folder()
    }

    /// The reason why writing currently fails; `None` while it works.
    pub fn problem(&self) -> watch::Receiver<Option<String>> {
        self.0.writer.problem()
    }

    /// Writes what is queued and refuses further writes. Blocks.
    pub fn close(&self) {
        self.0.writer.close();
    }

    /// Returns the readable rows of a query. What cannot be read is logged.
    fn read<T>(
        &self,
        what: &str,
        query: &str,
        parameters: impl Params,
        row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Vec<T> {
        let connection = self.0.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let log = |error: rusqlite::Error| {
            tracing::warn!(%error, "{what} could not be read from the store");
            // Noted, so that nothing more is acknowledged if the database is damaged.
            let _ = self.0.guard.error_of(&error);
        };
        let rows = connection.prepare_cached(query).and_then(|mut statement| {
            let rows = statement.query_map(parameters, row)?;
            Ok(rows.filter_map(|row| row.map_err(log).ok()).collect())
        });
        rows.map_err(log).unwrap_or_default()
    }
}

/// The pending result of queued writes.
#[must_use = "writes are durable only once their result is Ok"]
#[derive(Debug)]
pub struct Durable(oneshot::Receiver<Result<(), StoreError>>);

impl Durable {
    pub async fn result(self) -> Result<(), StoreError> {
        self.0.await.unwrap_or_else(|_| Err(StoreError::closed()))
    }

    #[cfg(test)]
    fn wait(self) -> Result<(), StoreError> {
        self.0.blocking_recv().unwrap_or_else(|_| Err(StoreError::closed()))
    }
}
