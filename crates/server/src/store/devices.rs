//! The devices that have access, and the pairing codes. Of credentials and codes only hashes are stored.

use rusqlite::{Connection, params};

use super::Store;
use crate::clock::now_ms;

/// A browser that was paired. Times are milliseconds since 1970.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceRecord {
    pub id: String,
    pub name: String,
    /// The origin of the page that was paired; the credential is valid there only.
    pub origin: String,
    /// The SHA-256 hash of the secret.
    pub hash: Vec<u8>,
    pub created: u64,
    pub last_used: u64,
}

/// A pairing code that was not used yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairingCode {
    /// The SHA-256 hash of the code.
    pub hash: Vec<u8>,
    /// Milliseconds since 1970.
    pub expires: u64,
}

impl Store {
    /// The pairing codes, the one that expires first first.
    pub fn pairing_codes(&self) -> Vec<PairingCode> {
        let query = "SELECT hash, expires FROM pairing_codes ORDER BY expires";
        self.read("the pairing codes", query, [], |row| {
            Ok(PairingCode { hash: row.get(0)?, expires: row.get::<_, i64>(1)?.cast_unsigned() })
        })
    }

    pub fn devices(&self) -> Vec<DeviceRecord> {
        let query = "SELECT id, name, origin, hash, created, last_used FROM devices";
        self.read("the devices", query, [], |row| {
            Ok(DeviceRecord {
                id: row.get(0)?,
                name: row.get(1)?,
                origin: row.get(2)?,
                hash: row.get(3)?,
                created: row.get::<_, i64>(4)?.cast_unsigned(),
                last_used: row.get::<_, i64>(5)?.cast_unsigned(),
            })
        })
    }
}

pub(super) fn add(transaction: &Connection, device: &DeviceRecord) -> rusqlite::Result<()> {
    let DeviceRecord { id, name, origin, hash, created, last_used } = device;
    let statement =
        "INSERT INTO devices (id, name, origin, hash, created, last_used) VALUES (?, ?, ?, ?, ?, ?)";
    let values = params![id, name, origin, hash, created.cast_signed(), last_used.cast_signed()];
    transaction.prepare_cached(statement)?.execute(values).map(drop)
}

pub(super) fn rename(transaction: &Connection, id: &str, name: &str) -> rusqlite::Result<()> {
    transaction.prepare_cached("UPDATE devices SET name = ? WHERE id = ?")?.execute([name, id]).map(drop)
}

pub(super) fn remove(transaction: &Connection, id: &str) -> rusqlite::Result<()> {
    transaction.prepare_cached("DELETE FROM devices WHERE id = ?")?.execute([id]).map(drop)
}

pub(super) fn set_last_used(transaction: &Connection, id: &str, at: u64) -> rusqlite::Result<()> {
    let statement = "UPDATE devices SET last_used = max(last_used, ?) WHERE id = ?";
    transaction.prepare_cached(statement)?.execute(params![at.cast_signed(), id]).map(drop)
}

pub(super) fn add_code(transaction: &Connection, code: &PairingCode) -> rusqlite::Result<()> {
    // Those that expired are removed here: nothing else needs to know them.
    transaction
        .prepare_cached("DELETE FROM pairing_codes WHERE expires <= ?")?
        .execute([now_ms().cast_signed()])?;
    let statement = "INSERT INTO pairing_codes (hash, expires) VALUES (?, ?)";
    transaction.prepare_cached(statement)?.execute(params![code.hash, code.expires.cast_signed()]).map(drop)
}

pub(super) fn remove_code(transaction: &Connection, hash: &[u8]) -> rusqlite::Result<()> {
    transaction.prepare_cached("DELETE FROM pairing_codes WHERE hash = ?")?.execute([hash]).map(drop)
}
