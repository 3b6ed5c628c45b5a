//! The reading position and the expanded rows of each session. They survive switching sessions and, in the tab's storage,
//! reloading the page. The server does not know them, because other devices have other positions.

use leptos::prelude::*;
use serde_json::{Map, Value, json};

use super::expanded_rows::ExpandedRows;
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
    /// By session id. A session at its end has no entry.
    reading: StoredValue<Vec<(String, ReadingPosition)>>,
    pub expanded: ExpandedRows,
}

impl Default for ReadingPositions {
    /// Loads the positions that the previous page of this tab has stored.
    fn default() -> Self {
        let (reading, open) = session_storage::get(STORAGE_KEY).map(|text| parse(&text)).unwrap_or_default();
        Self { reading: StoredValue::new(reading), expanded: ExpandedRows::new(open) }
    }
}

impl ReadingPositions {
    pub fn save(&self) {
        let text = self.reading.with_value(|reading| serialize(reading, self.expanded.all()));
        session_storage::set(STORAGE_KEY, &text);
    }

    pub fn reading(&self, session_id: &str) -> ReadingPosition {
        self.reading.with_value(|all| {
            let found = all.iter().find(|(id, _)| id == session_id);
            found.map(|(_, reading)| reading.clone()).unwrap_or_default()
        })
    }

    pub fn set_reading(&self, session_id: &str, reading: ReadingPosition) {
        self.reading.update_value(|all| {
            all.retain(|(id, _)| id != session_id);
            if reading != ReadingPosition::Following {
                all.push((session_id.to_owned(), reading));
            }
        });
    }
}

/// The ids of an expanded row: its session's and its own.
type RowId = (String, String);

fn serialize(reading: &[(String, ReadingPosition)], open: Vec<RowId>) -> String {
    let mut positions = Map::new();
    for (id, reading) in reading {
        if let ReadingPosition::At { row, position, block, offset } = reading {
            // Whole pixels, because formatting floats would add more code than this whole module.
            positions.insert(id.clone(), json!([row, position, block, offset.round() as i64]));
        }
    }
    let mut rows = Map::new();
    for (session_id, row_id) in open {
        if let Value::Array(rows) = rows.entry(session_id).or_insert_with(|| Value::Array(Vec::new())) {
            rows.push(Value::String(row_id));
        }
    }
    match (positions.is_empty(), rows.is_empty()) {
        (true, true) => String::new(),
        _ => json!({ "reading": positions, "open": rows }).to_string(),
    }
}

fn parse(text: &str) -> (Vec<(String, ReadingPosition)>, Vec<RowId>) {
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
    let mut open = Vec::new();
    for (session_id, rows) in fields("open") {
        for row in rows.as_array().into_iter().flatten() {
            open.extend(row.as_str().map(|row_id| (session_id.clone(), row_id.to_owned())));
        }
    }
    (fields("reading").into_iter().filter_map(position).collect(), open)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(row: &str, position: Option<usize>, block: Option<usize>, offset: f64) -> ReadingPosition {
        ReadingPosition::At { row: row.into(), position, block, offset }
    }

    #[test]
    fn stored_positions_are_loaded_again() {
        let reading = vec![
            ("a".to_owned(), at("m-7", Some(6), Some(2), -31.6)),
            ("b".to_owned(), at("\"öd\"", None, None, 4.0)),
        ];
        let open: Vec<RowId> =
            ["m-8", "m-9"].map(|row| ("a".to_owned(), row.to_owned())).into_iter().collect();
        let (found, found_open) = parse(&serialize(&reading, open.clone()));
        assert_eq!(found, [("a".to_owned(), at("m-7", Some(6), Some(2), -32.0)), reading[1].clone()]);
        assert_eq!(found_open, open);
    }

    #[test]
    fn nothing_is_stored_without_positions() {
        assert_eq!(serialize(&[], Vec::new()), "");
    }

    #[test]
    fn a_session_at_its_end_has_no_position() {
        let owner = Owner::new();
        owner.with(|| {
            let positions =
                ReadingPositions { reading: StoredValue::default(), expanded: ExpandedRows::new(Vec::new()) };
            positions.set_reading("a", at("m-7", None, None, 4.0));
            assert_eq!(positions.reading("a"), at("m-7", None, None, 4.0));
            positions.set_reading("a", ReadingPosition::Following);
            assert_eq!(positions.reading("a"), ReadingPosition::Following);
            assert!(positions.reading.with_value(Vec::is_empty));
        });
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
