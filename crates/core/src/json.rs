//! Reads JSON leniently. A field that is missing or has the wrong type counts as missing: required fields make the
//! whole value unreadable, all others take their type's default.
//!
//! Derived `Deserialize` code for the large enums and structs of the protocol is about ten times as large, and the page
//! would have to load all of it.

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

pub trait Readable: Sized {
    /// None if it is not of this kind.
    fn read(value: Value) -> Option<Self>;
}

/// A struct by its required fields and the others, each with its name on the wire.
macro_rules! readable {
    ($type:ty { $($required:ident $required_name:literal),* ; $($field:ident $name:literal),* $(,)? }) => {
        impl $crate::json::Readable for $type {
            fn read(value: serde_json::Value) -> Option<Self> {
                let mut fields = $crate::json::Fields::of(value)?;
                Some(Self {
                    $($required: fields.required($required_name)?,)*
                    $($field: fields.read($name),)*
                })
            }
        }
    };
}

/// A choice by the names of its values, and what any other name stands for, if that is known.
macro_rules! readable_names {
    ($type:ty { $($name:literal $value:ident),* $(,)? } $(else $other:ident)?) => {
        impl $crate::json::Readable for $type {
            fn read(value: serde_json::Value) -> Option<Self> {
                Some(match value.as_str()? {
                    $($name => Self::$value,)*
                    _ => return readable_names!(@other $($other)?),
                })
            }
        }
    };
    (@other) => { None };
    (@other $other:ident) => { Some(Self::$other) };
}

pub(crate) use {readable, readable_names};

impl Readable for Value {
    fn read(value: Value) -> Option<Self> {
        Some(value)
    }
}

impl Readable for String {
    fn read(value: Value) -> Option<Self> {
        match value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }
}

impl Readable for bool {
    fn read(value: Value) -> Option<Self> {
        value.as_bool()
    }
}

impl Readable for f64 {
    fn read(value: Value) -> Option<Self> {
        value.as_f64()
    }
}

impl Readable for u64 {
    fn read(value: Value) -> Option<Self> {
        value.as_u64()
    }
}

impl Readable for u32 {
    fn read(value: Value) -> Option<Self> {
        value.as_u64()?.try_into().ok()
    }
}

impl Readable for i32 {
    fn read(value: Value) -> Option<Self> {
        value.as_i64()?.try_into().ok()
    }
}

impl Readable for usize {
    fn read(value: Value) -> Option<Self> {
        value.as_u64()?.try_into().ok()
    }
}

impl<T: Readable> Readable for Option<T> {
    fn read(value: Value) -> Option<Self> {
        Some(if value.is_null() { None } else { T::read(value) })
    }
}

impl<T: Readable> Readable for Vec<T> {
    /// What is not of the kind is left out.
    fn read(value: Value) -> Option<Self> {
        match value {
            Value::Array(values) => Some(values.into_iter().filter_map(T::read).collect()),
            _ => None,
        }
    }
}

impl<T: Readable> Readable for Box<T> {
    fn read(value: Value) -> Option<Self> {
        T::read(value).map(Self::new)
    }
}

impl Fields {
    pub fn required<T: Readable>(&mut self, key: &str) -> Option<T> {
        T::read(self.value(key))
    }

    pub fn read<T: Readable + Default>(&mut self, key: &str) -> T {
        T::read(self.value(key)).unwrap_or_default()
    }

    /// All that is left, as one part.
    pub fn rest<T: Readable>(self) -> Option<T> {
        T::read(self.into_value())
    }
}
