//! How parts of frames and events are read from JSON: by what they are called, one after the other, leniently. What a
//! part cannot do without is required; anything else that is missing or of another shape is the type's default.
//!
//! Derived decoding does the same and more, in ten times the code, and all of it would travel to every browser. The
//! server, which reads what it has written itself, still uses it.

use serde_json::Value;

use crate::fields::Fields;

pub trait Readable: Sized {
    /// None if it is not of this kind.
    fn read(value: Value) -> Option<Self>;
}

/// A struct by its required fields and the others, each with its name on the wire.
macro_rules! readable {
    ($type:ty { $($required:ident $required_name:literal),* ; $($field:ident $name:literal),* $(,)? }) => {
        impl $crate::readable::Readable for $type {
            fn read(value: serde_json::Value) -> Option<Self> {
                let mut fields = $crate::fields::Fields::of(value)?;
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
        impl $crate::readable::Readable for $type {
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
