//! Taking fields out of a JSON object.

use serde_json::{Map, Value};

#[derive(Default)]
pub(super) struct Fields(Map<String, Value>);

impl Fields {
    pub(super) fn of(value: Value) -> Self {
        match value {
            Value::Object(fields) => Self(fields),
            _ => Self::default(),
        }
    }

    pub(super) fn take(&mut self, key: &str) -> Value {
        self.0.remove(key).unwrap_or_default()
    }

    /// What is there, unless it is null.
    pub(super) fn some(&mut self, key: &str) -> Option<Value> {
        self.0.remove(key).filter(|value| !value.is_null())
    }

    pub(super) fn optional<T>(&mut self, key: &str, read: fn(Value) -> T) -> Option<T> {
        self.some(key).map(read)
    }

    pub(super) fn optional_text(&mut self, key: &str) -> Option<String> {
        text(self.take(key))
    }

    pub(super) fn text(&mut self, key: &str) -> String {
        self.optional_text(key).unwrap_or_default()
    }

    pub(super) fn flag(&mut self, key: &str) -> bool {
        self.take(key).as_bool().unwrap_or_default()
    }

    pub(super) fn optional_number(&mut self, key: &str) -> Option<u64> {
        self.take(key).as_u64()
    }

    pub(super) fn number(&mut self, key: &str) -> u64 {
        self.optional_number(key).unwrap_or_default()
    }

    pub(super) fn small(&mut self, key: &str) -> u32 {
        u32::try_from(self.number(key)).unwrap_or_default()
    }

    pub(super) fn index(&mut self, key: &str) -> usize {
        usize::try_from(self.number(key)).unwrap_or_default()
    }

    pub(super) fn optional_signed(&mut self, key: &str) -> Option<i32> {
        self.take(key).as_i64().and_then(|number| i32::try_from(number).ok())
    }

    pub(super) fn optional_fraction(&mut self, key: &str) -> Option<f64> {
        self.take(key).as_f64()
    }

    pub(super) fn list<T>(&mut self, key: &str, read: fn(Value) -> T) -> Vec<T> {
        list(self.take(key), read)
    }

    pub(super) fn texts(&mut self, key: &str) -> Vec<String> {
        list(self.take(key), text).into_iter().flatten().collect()
    }
}

pub(super) fn list<T>(value: Value, read: fn(Value) -> T) -> Vec<T> {
    match value {
        Value::Array(items) => items.into_iter().map(read).collect(),
        _ => Vec::new(),
    }
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}
