//! Conversions between types and columns: JSON where SQLite has no type. Unreadable values are logged without their
//! text, which may be private.

use pilothouse_core::json::FromJson;
use pilothouse_core::protocol::event::Event;
use rusqlite::types::ToSqlOutput;
use rusqlite::{Error, Result, ToSql};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A time or another large count; SQLite's integers are signed.
pub(super) struct Count(pub u64);

impl ToSql for Count {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(i64::try_from(self.0).unwrap_or(i64::MAX)))
    }
}

pub(super) fn count(column: i64) -> u64 {
    u64::try_from(column).unwrap_or_default()
}

pub(super) fn encode<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::ToSqlConversionFailure(error.into()))
}

/// Returns `None` and logs it if the value is damaged or was written by another version.
pub(super) fn decode<T: DeserializeOwned>(what: &str, text: &str) -> Option<T> {
    let read = serde_json::from_str(text);
    if let Err(error) = &read {
        let (line, column) = (error.line(), error.column());
        tracing::warn!(line, column, "{what} in the store cannot be read and is skipped");
    }
    read.ok()
}

pub(super) fn decode_events(text: &str) -> Vec<Event> {
    let values: Vec<Value> = decode("a list of events", text).unwrap_or_default();
    values.into_iter().filter(Value::is_object).filter_map(Event::from_json).collect()
}
