//! Reads the fields of a JSON object, leniently: what is missing or of another shape is the type's default.
//!
//! The large enums of the vocabulary are decoded with this instead of a derived `Deserialize`: derived code for an
//! internally tagged enum buffers twice and is many times larger, and all of it would travel to every browser.

use serde_json::{Map, Value};

#[derive(Debug, Default)]
pub struct Fields(Map<String, Value>);

impl Fields {
    /// None if it is no object.
    pub fn of(value: Value) -> Option<Self> {
        match value {
            Value::Object(object) => Some(Self(object)),
            _ => None,
        }
    }

    pub fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    pub fn value(&mut self, key: &str) -> Value {
        self.0.remove(key).unwrap_or_default()
    }

    pub fn object(&mut self, key: &str) -> Self {
        Self::of(self.value(key)).unwrap_or_default()
    }

    pub fn text(&mut self, key: &str) -> String {
        self.optional_text(key).unwrap_or_default()
    }

    pub fn optional_text(&mut self, key: &str) -> Option<String> {
        match self.value(key) {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    pub fn texts(&mut self, key: &str) -> Vec<String> {
        let Value::Array(values) = self.value(key) else { return Vec::new() };
        let texts = values.into_iter().filter_map(|value| match value {
            Value::String(text) => Some(text),
            _ => None,
        });
        texts.collect()
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

    /// An index that means the same to the server and to a page, where indices are 32 bits wide.
    pub fn index(&self, key: &str) -> Option<usize> {
        let number = self.optional_number(key)?;
        let number = u32::try_from(number).ok().filter(|number| *number < u32::MAX)?;
        usize::try_from(number).ok()
    }

    pub fn small_number(&self, key: &str) -> u32 {
        u32::try_from(self.number(key)).unwrap_or(u32::MAX)
    }

    pub fn optional_code(&self, key: &str) -> Option<i32> {
        self.0.get(key).and_then(Value::as_i64).and_then(|code| i32::try_from(code).ok())
    }

    pub fn length_of_array(&self, key: &str) -> usize {
        self.0.get(key).and_then(Value::as_array).map_or(0, Vec::len)
    }

    /// All that is left.
    pub fn into_value(self) -> Value {
        Value::Object(self.0)
    }
}
