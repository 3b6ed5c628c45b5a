//! What the server itself keeps, in one SQLite file of the data folder: marks of sessions, prompts from the moment
//! they are accepted until the agent's own file has them, the queue, open questions, and what no agent writes down.
//!
//! Three ways of writing. *Durable*: on the disk when the call returns; prompts, queues, questions and all that is
//! said for them. *Plain*: with the operating system when the call returns, so that the server's own end loses
//! nothing; drafts and read marks. *In passing*: the caller never waits; the message under way.
//!
//! No conversation lives here: that is the agent's file. No text of a prompt ever goes to the log.

mod account;
mod database;
mod encoding;
mod in_passing;
mod lists;
mod prompts;
mod records;
mod sessions;

#[cfg(test)]
mod durability_tests;
#[cfg(test)]
mod faults_tests;
#[cfg(test)]
mod in_passing_tests;
#[cfg(test)]
mod store_tests;

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use rusqlite::{Connection, Params, Row, Transaction, TransactionBehavior};

use in_passing::InPassing;
pub use records::{Extra, InFlightNote, Prompt, SessionRecord};

/// The file in the data folder.
pub const FILE: &str = "store.db";

/// A handle: clones share one store. The last one to go writes what is still under way.
#[derive(Clone)]
pub struct Store(Arc<Shared>);

struct Shared {
    /// Waits for the disk with every transaction.
    durable: Arc<Mutex<Connection>>,
    /// Waits for the operating system only. In memory both are the same.
    plain: Arc<Mutex<Connection>>,
    in_passing: InPassing,
}

impl fmt::Debug for Store {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Store(…)")
    }
}

impl Store {
    /// Opens the store of a data folder, or makes it. A broken one is moved aside, so that the server starts; one
    /// of a newer version is left alone and told.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        let durable = database::open(&path)?;
        let plain = database::connect(&path)
            .and_then(|connection| database::set_up(&connection, "NORMAL").map(|()| connection))
            .with_context(|| format!("{} cannot be opened", path.display()))?;
        Self::of(Arc::new(Mutex::new(durable)), Arc::new(Mutex::new(plain)))
    }

    /// One that is forgotten with its last handle.
    pub fn in_memory() -> Result<Self> {
        let mut connection = Connection::open_in_memory().context("SQLite gives no database in memory")?;
        database::migrate(&mut connection).context("SQLite takes no tables")?;
        let connection = Arc::new(Mutex::new(connection));
        Self::of(connection.clone(), connection)
    }

    fn of(durable: Arc<Mutex<Connection>>, plain: Arc<Mutex<Connection>>) -> Result<Self> {
        let in_passing = InPassing::start(plain.clone())?;
        Ok(Self(Arc::new(Shared { durable, plain, in_passing })))
    }

    /// Writes what is still under way and takes no more notes in passing. Everything else goes on working.
    pub fn close(&self) {
        self.0.in_passing.close();
    }

    /// Writes in one transaction that is on the disk when this returns. `what` is the subject of the sentence that
    /// tells a failure.
    fn write_durably<T>(
        &self,
        what: &str,
        write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T> {
        transaction(&mut locked(&self.0.durable), write)
            .with_context(|| format!("{what} could not be stored; is the disk full or read-only?"))
    }

    /// The same for callers that can do nothing about a failure.
    fn try_write_durably(&self, what: &str, write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>) {
        if let Err(error) = self.write_durably(what, write) {
            tracing::warn!("{error:#}");
        }
    }

    /// Writes in one transaction that outlives this process, but perhaps not the machine.
    fn try_write(&self, what: &str, write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>) {
        if let Err(error) = transaction(&mut locked(&self.0.plain), write) {
            tracing::warn!(%error, "{what} could not be stored");
        }
    }

    /// All rows of a query; what cannot be read is told and left out.
    fn read<T>(
        &self,
        what: &str,
        query: &str,
        parameters: impl Params,
        row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Vec<T> {
        let connection = locked(&self.0.plain);
        let rows = connection.prepare_cached(query).and_then(|mut statement| {
            let rows = statement.query_map(parameters, row)?;
            rows.collect::<rusqlite::Result<Vec<T>>>()
        });
        rows.unwrap_or_else(|error| {
            tracing::warn!(%error, "{what} could not be read from the store");
            Vec::new()
        })
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.in_passing.close();
    }
}

fn locked(connection: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the right to write at the start: a transaction never fails half-way because another one was quicker.
fn transaction<T>(
    connection: &mut Connection,
    write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let written = write(&transaction)?;
    transaction.commit()?;
    Ok(written)
}
