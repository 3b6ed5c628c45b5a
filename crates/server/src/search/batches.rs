//! The indexer's connection. What is written is joined into transactions of some size, since each costs the index a
//! part that has to be merged later; small enough that none takes long, and ended whenever there is nothing more to do.

use rusqlite::{Connection, Result};

/// Bytes of text in one transaction.
const BYTES_AT_ONCE: usize = 1024 * 1024;

pub(super) struct Batches {
    connection: Connection,
    /// Of the transaction that is open.
    bytes: Option<usize>,
}

impl Batches {
    pub(super) const fn new(connection: Connection) -> Self {
        Self { connection, bytes: None }
    }

    /// For reading: sees what is not committed yet.
    pub(super) const fn connection(&self) -> &Connection {
        &self.connection
    }

    /// All of it or, with all since the last commit, nothing.
    pub(super) fn write<T>(
        &mut self,
        bytes: usize,
        write: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        if self.bytes.is_none() {
            self.connection.execute_batch("BEGIN IMMEDIATE")?;
        }
        let sum = self.bytes.unwrap_or_default() + bytes;
        self.bytes = Some(sum);
        let written = write(&self.connection).inspect_err(|_| self.roll_back())?;
        if sum >= BYTES_AT_ONCE {
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
        // It may be rolled back already: then there is nothing to do.
        let _ = self.connection.execute_batch("ROLLBACK");
    }
}
