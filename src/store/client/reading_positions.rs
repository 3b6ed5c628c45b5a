//! Where the reader was in each session, and which rows were open. KeyedList when sessions are switched, and by the tab when
//! the page is loaded again; never by the server, since another screen has another place.

use std::collections::{HashMap, HashSet};

use leptos::prelude::*;
use serde_json::{Value, json};

use crate::browser;

const KEPT: &str = "pilothouse.places";

/// Where the reader was in a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Reading {
    /// At the end, following.
    #[default]
    Following,
    /// With this row, or this block of its text, so many pixels below the upper edge of the view. The row's place in the
    /// conversation is noted when the reader goes.
    At { row: String, position: Option<usize>, block: Option<usize>, offset: f64 },
}

#[derive(Clone, Copy)]
pub struct ReadingPositions {
    reading: StoredValue<HashMap<String, Reading>>,
    open: StoredValue<HashMap<String, HashSet<String>>>,
}

impl Default for ReadingPositions {
    /// As the page before this one left them.
    fn default() -> Self {
        let kept = browser::recall_in_tab(KEPT).map(|text| read(&text)).unwrap_or_default();
        Self { reading: StoredValue::new(kept.0), open: StoredValue::new(kept.1) }
    }
}

impl ReadingPositions {
    pub fn save(&self) {
        let text = self.reading.with_value(|reading| self.open.with_value(|open| write(reading, open)));
        browser::remember_in_tab(KEPT, &text);
    }

    pub fn reading(&self, session_id: &str) -> Reading {
        self.reading.with_value(|all| all.get(session_id).cloned().unwrap_or_default())
    }

    pub fn set_reading(&self, session_id: &str, reading: Reading) {
        self.reading.update_value(|all| {
            all.insert(session_id.to_owned(), reading);
        });
    }

    /// Whether the person has opened this row.
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

fn write(reading: &HashMap<String, Reading>, open: &HashMap<String, HashSet<String>>) -> String {
    let place = |(id, reading): (&String, &Reading)| match reading {
        Reading::Following => None,
        // Whole pixels: to write others takes more of the page than all of this.
        Reading::At { row, position, block, offset } => {
            Some((id.clone(), json!([row, position, block, offset.round() as i64])))
        }
    };
    let reading: serde_json::Map<String, Value> = reading.iter().filter_map(place).collect();
    let open: HashMap<_, _> = open.iter().filter(|(_, rows)| !rows.is_empty()).collect();
    match (reading.is_empty(), open.is_empty()) {
        (true, true) => String::new(),
        _ => json!({ "reading": reading, "open": open }).to_string(),
    }
}

fn read(text: &str) -> (HashMap<String, Reading>, HashMap<String, HashSet<String>>) {
    let kept: Value = serde_json::from_str(text).unwrap_or_default();
    let fields = |key: &str| kept.get(key).and_then(Value::as_object).cloned().unwrap_or_default();
    let number = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
    let place = |(id, place): (String, Value)| {
        let row = place.get(0)?.as_str()?.to_owned();
        let offset = place.get(3)?.as_i64()? as f64;
        Some((id, Reading::At { row, position: number(place.get(1)?), block: number(place.get(2)?), offset }))
    };
    let rows = |(id, rows): (String, Value)| {
        let rows = rows.as_array()?.iter().filter_map(|row| row.as_str().map(str::to_owned)).collect();
        Some((id, rows))
    };
    (
        fields("reading").into_iter().filter_map(place).collect(),
        fields("open").into_iter().filter_map(rows).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(row: &str, position: Option<usize>, block: Option<usize>, offset: f64) -> Reading {
        Reading::At { row: row.into(), position, block, offset }
    }

    #[test]
    fn what_is_kept_is_found_again() {
        let reading = HashMap::from([
            ("a".to_owned(), at("m-7", Some(6), Some(2), -31.6)),
            ("b".to_owned(), at("\"öd\"", None, None, 4.0)),
            ("c".to_owned(), Reading::Following),
        ]);
        let open = HashMap::from([
            ("a".to_owned(), HashSet::from(["m-8".to_owned(), "m-9".to_owned()])),
            ("b".to_owned(), HashSet::new()),
        ]);
        let (found, found_open) = read(&write(&reading, &open));
        assert_eq!(found.len(), 2, "who follows the end has no place: {found:?}");
        assert_eq!(found["a"], at("m-7", Some(6), Some(2), -32.0));
        assert_eq!(found["b"], reading["b"]);
        assert_eq!(found_open, HashMap::from([("a".to_owned(), open["a"].clone())]));
    }

    #[test]
    fn where_there_is_nothing_to_keep_nothing_is() {
        let reading = HashMap::from([("c".to_owned(), Reading::Following)]);
        assert_eq!(write(&reading, &HashMap::from([("c".to_owned(), HashSet::new())])), "");
    }

    #[test]
    fn what_was_not_written_here_is_nothing() {
        for text in [
            "",
            "17",
            "{}",
            r#"{"reading":{"a":["m"],"b":7},"open":[1]}"#,
            r#"{"reading":{"a":["m",0,0,"x"]}}"#,
        ] {
            assert_eq!(read(text), Default::default(), "{text}");
        }
    }
}
