//! Corrupts the JSON of a snapshot: replaces values at places that the input selects. It does not depend on field
//! names, so it covers everything that the fold stores.

use serde_json::{Value, json};

/// Replaces values. Each pair of bytes is a place and a replacement.
pub fn corrupt(value: &mut Value, places: &[u8]) {
    for pair in places.chunks(2) {
        let count = count(value);
        let place = usize::from(pair[0]) * count / 256;
        let replacement = replacement(pair.get(1).copied().unwrap_or_default());
        replace(value, &mut { place }, &replacement);
    }
}

/// Mostly extreme numbers, since the fold stores row numbers.
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

/// The number of values, including all members of lists and objects.
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

/// Replaces the value with index `left`, counted in document order. Returns whether it was found.
fn replace(value: &mut Value, left: &mut usize, replacement: &Value) -> bool {
    if *left == 0 {
        // Objects stay, since the reader would reject the whole document otherwise.
        if !value.is_object() {
            *value = replacement.clone();
        }
        return true;
    }
    *left -= 1;
    match value {
        Value::Array(items) => items.iter_mut().any(|item| replace(item, left, replacement)),
        Value::Object(object) => object.values_mut().any(|item| replace(item, left, replacement)),
        _ => false,
    }
}
