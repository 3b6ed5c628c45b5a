//! Spoils JSON: takes a snapshot as the server would write it and changes values in places the input names.
//! It walks the text's own shape and knows no field by name, so that it fits whatever the fold keeps.

use serde_json::{Value, json};

/// Each pair of bytes is a place and what comes there.
pub fn spoil(value: &mut Value, places: &[u8]) {
    for pair in places.chunks(2) {
        let count = count(value);
        let place = usize::from(pair[0]) * count / 256;
        let replacement = replacement(pair.get(1).copied().unwrap_or_default());
        change(value, &mut { place }, &replacement);
    }
}

/// Numbers at the edges above all: what a fold keeps beside its rows is indices.
fn replacement(byte: u8) -> Value {
    match byte.wrapping_sub(b'0') {
        0 => json!(0),
        1 => json!(1),
        2 => json!(2),
        3 => json!(u64::MAX),
        4 => json!(u64::MAX - 1),
        5 => Value::Null,
        6 => json!(""),
        7 => json!("tool"),
        8 => json!([]),
        9 => json!({}),
        10 => json!(true),
        11 => json!(-1),
        12 => json!(i64::MAX),
        other => json!(other),
    }
}

/// How many values there are, each member of a list or an object among them.
fn count(value: &Value) -> usize {
    1 + members(value).map(count).sum::<usize>()
}

fn members(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(object) => Box::new(object.values()),
        _ => Box::new(std::iter::empty()),
    }
}

/// Replaces the value of that number, counted in the order of the text; tells by `left` how far it came.
fn change(value: &mut Value, left: &mut usize, replacement: &Value) -> bool {
    if *left == 0 {
        // The whole must stay what it is, or nothing of it would be read.
        if !value.is_object() {
            *value = replacement.clone();
        }
        return true;
    }
    *left -= 1;
    match value {
        Value::Array(items) => items.iter_mut().any(|item| change(item, left, replacement)),
        Value::Object(object) => object.values_mut().any(|item| change(item, left, replacement)),
        _ => false,
    }
}
