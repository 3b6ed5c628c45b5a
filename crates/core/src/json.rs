//! Reads JSON leniently. A field of the wrong type counts as missing. Without a required field the whole value is
//! unreadable; all other missing fields take their type's default.
//!
//! `#[derive(FromJson)]` reads a type by the names that serde writes it with. [`Object`] reads field by field, for
//! values whose shape depends on the agent.

use serde_json::{Map, Value};

pub use pilothouse_json_derive::FromJson;

/// A type that can be read from JSON.
pub trait FromJson: Sized {
    /// None if the value is not of this type.
    fn from_json(value: Value) -> Option<Self>;
}

/// Reads a value, or takes the type's default.
pub fn or_default<T: FromJson + Default>(value: Value) -> T {
    T::from_json(value).unwrap_or_default()
}

/// A JSON object whose fields are taken one after the other.
#[derive(Debug, Default)]
pub struct Object(Map<String, Value>);

impl Object {
    /// None if the value is not an object.
    pub fn of(value: Value) -> Option<Self> {
        match value {
            Value::Object(object) => Some(Self(object)),
            _ => None,
        }
    }

    pub fn contains(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// Takes a field out of the object; null if it is missing.
    pub fn take(&mut self, key: &str) -> Value {
        self.0.remove(key).unwrap_or_default()
    }

    /// Takes the field under either of two names.
    pub fn take_either(&mut self, key: &str, alias: &str) -> Value {
        self.0.remove(key).unwrap_or_else(|| self.take(alias))
    }

    /// Reads a field, or takes the type's default.
    pub fn read<T: FromJson + Default>(&mut self, key: &str) -> T {
        or_default(self.take(key))
    }

    pub fn object(&mut self, key: &str) -> Self {
        Self::of(self.take(key)).unwrap_or_default()
    }

    pub fn text(&mut self, key: &str) -> String {
        self.read(key)
    }

    pub fn optional_text(&mut self, key: &str) -> Option<String> {
        self.read(key)
    }

    pub fn texts(&mut self, key: &str) -> Vec<String> {
        self.read(key)
    }

    pub fn flag(&self, key: &str) -> bool {
        self.0.get(key).and_then(Value::as_bool).unwrap_or_default()
    }

    pub fn number(&self, key: &str) -> u64 {
        self.optional_number(key).unwrap_or_default()
    }

    pub fn optional_number(&self, key: &str) -> Option<u64> {
        self.0.get(key).and_then(Value::as_u64)
    }

    pub fn small_number(&self, key: &str) -> u32 {
        u32::try_from(self.number(key)).unwrap_or(u32::MAX)
    }

    pub fn length_of_array(&self, key: &str) -> usize {
        self.0.get(key).and_then(Value::as_array).map_or(0, Vec::len)
    }

    /// The fields that were not taken.
    pub fn into_value(self) -> Value {
        Value::Object(self.0)
    }

    /// Reads the fields that were not taken as one value.
    pub fn rest<T: FromJson>(&mut self) -> Option<T> {
        T::from_json(Value::Object(std::mem::take(&mut self.0)))
    }
}

impl FromJson for Value {
    fn from_json(value: Value) -> Option<Self> {
        Some(value)
    }
}

impl FromJson for String {
    fn from_json(value: Value) -> Option<Self> {
        match value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }
}

impl FromJson for bool {
    fn from_json(value: Value) -> Option<Self> {
        value.as_bool()
    }
}

impl FromJson for f64 {
    fn from_json(value: Value) -> Option<Self> {
        value.as_f64()
    }
}

impl FromJson for u64 {
    fn from_json(value: Value) -> Option<Self> {
        value.as_u64()
    }
}

impl FromJson for u32 {
    fn from_json(value: Value) -> Option<Self> {
        value.as_u64()?.try_into().ok()
    }
}

impl FromJson for i32 {
    fn from_json(value: Value) -> Option<Self> {
        value.as_i64()?.try_into().ok()
    }
}

impl FromJson for usize {
    fn from_json(value: Value) -> Option<Self> {
        value.as_u64()?.try_into().ok()
    }
}

impl<T: FromJson> FromJson for Option<T> {
    fn from_json(value: Value) -> Option<Self> {
        Some(if value.is_null() { None } else { T::from_json(value) })
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    /// Elements that are not of the type are left out.
    fn from_json(value: Value) -> Option<Self> {
        match value {
            Value::Array(values) => Some(values.into_iter().filter_map(T::from_json).collect()),
            _ => None,
        }
    }
}

impl<T: FromJson> FromJson for Box<T> {
    fn from_json(value: Value) -> Option<Self> {
        T::from_json(value).map(Self::new)
    }
}
