//! The reading position and the expanded rows of each session. They survive switching sessions and, in the tab's storage,
//! reloading the page. The server does not know them, because other devices have other positions.

use std::collections::{HashMap, HashSet};

use leptos::prelude::*;
use serde_json::{Value, json};

use crate::browser::session_storage;

const STORAGE_KEY: &str = "pilothouse.places";

/// The scroll position in a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ReadingPosition {
    /// At the end, following new content.
    #[default]
    Following,
    /// The row, or a block of its text, is `offset` pixels below the upper edge of the view. `position`, the row's index
    /// in the conversation, is stored when the user leaves the session.
    At { row: String, position: Option<usize>, block: Option<usize>, offset: f64 },
}

#[derive(Clone, Copy)]
pub struct ReadingPositions {
    reading: StoredValue<HashMap<String, ReadingPosition>>,
    open: StoredValue<HashMap<String, HashSet<String>>>,
}

impl Default for ReadingPositions {
    /// Loads the positions that the previous page of this tab has stored.
    fn default() -> Self {
        let (reading, open) = session_storage::get(STORAGE_KEY).map(|text| parse(&text)).unwrap_or_default();
        Self { reading: StoredValue::new(reading), open: StoredValue::new(open) }
    }
}

impl ReadingPositions {
    pub fn save(&self) {
        let text = self.reading.with_value(|reading| self.open.with_value(|open| serialize(reading, open)));
        session_storage::set(STORAGE_KEY, &text);
    }

    pub fn reading(&self, session_id: &str) -> ReadingPosition {
        self.reading.with_value(|all| all.get(session_id).cloned().unwrap_or_default())
    }

    pub fn set_reading(&self, session_id: &str, reading: ReadingPosition) {
        self.reading.update_value(|all| {
            all.insert(session_id.to_owned(), reading);
        });
    }

    /// Whether the user has expanded this row.
    pub fn is_open(&self, session_id: &str, row_id: &str) -> bool {
        self.open.with_value(|all| all.get(session_id).is_some_and(|rows| rows.contains(row_id)))
    }

    pub fn set_open(&self, session_id: &str, row_id: &str, open: bool) {
        self.open.update_value(|all| {
            let rows = all.entry(session_id.to_owned()).or_default();
            if open {
                rows.insert(row_id.to_owned());
            } else {
                rows.remove(row_id);
            }
        });
    }
}

fn serialize(reading: &HashMap<String, ReadingPosition>, open: &HashMap<String, HashSet<String>>) -> String {
    let position = |(id, reading): (&String, &ReadingPosition)| match reading {
        ReadingPosition::Following => None,
        // Whole pixels, because formatting floats would add more code than this whole module.
        ReadingPosition::At { row, position, block, offset } => {
            Some((id.clone(), json!([row, position, block, offset.round() as i64])))
        }
    };
    let reading: serde_json::Map<String, Value> = reading.iter().filter_map(position).collect();
    let open: HashMap<_, _> = open.iter().filter(|(_, rows)| !rows.is_empty()).collect();
    match (reading.is_empty(), open.is_empty()) {
        (true, true) => String::new(),
        _ => json!({ "reading": reading, "open": open }).to_string(),
    }
}

fn parse(text: &str) -> (HashMap<String, ReadingPosition>, HashMap<String, HashSet<String>>) {
    let stored: Value = serde_json::from_str(text).unwrap_or_default();
    let fields = |key: &str| stored.get(key).and_then(Value::as_object).cloned().unwrap_or_default();
    let number = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
    let position = |(id, fields): (String, Value)| {
        let row = fields.get(0)?.as_str()?.to_owned();
        let offset = fields.get(3)?.as_i64()? as f64;
        Some((
            id,
            ReadingPosition::At {
                row,
                position: number(fields.get(1)?),
                block: number(fields.get(2)?),
                offset,
            },
        ))
    };
    let rows = |(id, rows): (String, Value)| {
        let rows = rows.as_array()?.iter().filter_map(|row| row.as_str().map(str::to_owned)).collect();
        Some((id, rows))
    };
    (
        fields("reading").into_iter().filter_map(position).collect(),
        fields("open").into_iter().filter_map(rows).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(row: &str, position: Option<usize>, block: Option<usize>, offset: f64) -> ReadingPosition {
        ReadingPosition::At { row: row.into(), position, block, offset }
    }

    #[test]
    fn stored_positions_are_loaded_again() {
        let reading = HashMap::from([
            ("a".to_owned(), at("m-7", Some(6), Some(2), -31.6)),
            ("b".to_owned(), at("\"öd\"", None, None, 4.0)),
            ("c".to_owned(), ReadingPosition::Following),
        ]);
        let open = HashMap::from([
            ("a".to_owned(), HashSet::from(["m-8".to_owned(), "m-9".to_owned()])),
            ("b".to_owned(), HashSet::new()),
        ]);
        let (found, found_open) = parse(&serialize(&reading, &open));
        assert_eq!(found.len(), 2, "a session at its end stores no position: {found:?}");
        assert_eq!(found["a"], at("m-7", Some(6), Some(2), -32.0));
        assert_eq!(found["b"], reading["b"]);
        assert_eq!(found_open, HashMap::from([("a".to_owned(), open["a"].clone())]));
    }

    #[test]
    fn nothing_is_stored_without_positions() {
        let reading = HashMap::from([("c".to_owned(), ReadingPosition::Following)]);
        assert_eq!(serialize(&reading, &HashMap::from([("c".to_owned(), HashSet::new())])), "");
    }

    #[test]
    fn invalid_text_is_ignored() {
        for text in [
            "",
            "17",
            "{}",
            r#"{"reading":{"a":["m"],"b":7},"open":[1]}"#,
            r#"{"reading":{"a":["m",0,0,"x"]}}"#,
        ] {
            assert_eq!(parse(text), Default::default(), "{text}");
        }
    }
}
