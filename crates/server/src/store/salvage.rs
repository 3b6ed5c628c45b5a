//! Copies what can be read of a damaged database. SQLite reports a damaged page when it gets there, so every table is read
//! from both ends, and behind every damaged page from the next key that can be found.

use pilothouse_core::limits::SALVAGE_RESTARTS;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Transaction, params_from_iter};

use super::database::MIGRATIONS;

/// Every table with the column that orders it.
const TABLES: [(&str, &str); 11] = [
    ("devices", "id"),
    ("pairing_codes", "hash"),
    ("sessions", "id"),
    ("prompts", "number"),
    ("lists", "session"),
    ("items", "number"),
    ("extras", "number"),
    ("in_flight", "number"),
    ("folders", "path"),
    ("agents", "name"),
    ("notices", "number"),
];

/// Something that users know by a name.
struct Kind {
    table: &'static str,
    one: &'static str,
    many: &'static str,
    /// The rows of the table that are meant.
    condition: &'static str,
}

const fn kind(table: &'static str, one: &'static str, many: &'static str, condition: &'static str) -> Kind {
    Kind { table, one, many, condition }
}

const KINDS: [Kind; 11] = [
    kind("devices", "device", "devices", "true"),
    kind("sessions", "pin", "pins", "pinned = 1"),
    kind("sessions", "archived session", "archived sessions", "archived = 1"),
    kind("sessions", "read mark", "read marks", "read_at > 0"),
    kind("sessions", "draft", "drafts", "trim(draft) <> ''"),
    kind("prompts", "unsent message", "unsent messages", "settled = 0"),
    kind("items", "scheduled message", "scheduled messages", "list = 'queue'"),
    kind("items", "open question", "open questions", "list = 'asks'"),
    kind("extras", "note in a conversation", "notes in conversations", "true"),
    kind("in_flight", "interrupted reply", "interrupted replies", "true"),
    kind("folders", "auto-approve default", "auto-approve defaults", "auto_approve <> 'off'"),
];

/// Copies all rows of `source` that can be read, if it can be opened at all. Returns sentences that say what was kept and
/// what was lost; without an intact log, the newest rows are missing. Fails only if `target` cannot be written.
pub(super) fn copy(
    source: Option<&Connection>,
    target: &Transaction<'_>,
    is_log_intact: bool,
) -> rusqlite::Result<String> {
    let version: i64 = source
        .and_then(|source| source.query_row("PRAGMA user_version", [], |row| row.get(0)).ok())
        .unwrap_or_default();
    let is_current = usize::try_from(version).is_ok_and(|version| version >= MIGRATIONS.len());
    let mut incomplete = Vec::new();
    for (table, key) in TABLES {
        let is_complete = match source {
            Some(source) => TableCopy { source, target, table, key }.run(is_current)?,
            None => false,
        };
        if !is_complete {
            incomplete.push(table);
        }
    }
    // The items of a list whose order was lost keep the order in which they were added.
    target.execute(
        "INSERT OR IGNORE INTO lists SELECT session, list, json_group_array(id)
        FROM (SELECT session, list, id FROM items ORDER BY number) GROUP BY session, list",
        [],
    )?;
    describe(target, &incomplete, is_log_intact)
}

fn describe(target: &Connection, incomplete: &[&str], is_log_intact: bool) -> rusqlite::Result<String> {
    let (mut kept, mut partial, mut lost, mut total) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for Kind { table, one, many, condition } in KINDS {
        let query = format!("SELECT count(*) FROM {table} WHERE {condition}");
        let count: i64 = target.query_row(&query, [], |row| row.get(0))?;
        total += count;
        match count {
            0 => {}
            1 => kept.push(format!("1 {one}")),
            _ => kept.push(format!("{count} {many}")),
        }
        match (incomplete.contains(&table), count) {
            (false, _) => {}
            (true, 0) => lost.push(many.to_owned()),
            (true, _) => partial.push(many.to_owned()),
        }
    }
    let mut sentences = Vec::new();
    if !kept.is_empty() {
        let were = if total == 1 { "was" } else { "were" };
        sentences.push(format!("{} {were} kept.", enumeration(&kept)));
    }
    if !partial.is_empty() {
        sentences.push(format!("Some {} may be missing.", enumeration(&partial)));
    }
    if !lost.is_empty() {
        sentences.push(format!("These could not be read: {}.", enumeration(&lost)));
    }
    if !is_log_intact {
        sentences.push("The last changes before the server ended may be missing.".to_owned());
    } else if incomplete.is_empty() {
        sentences.push("Nothing was lost.".to_owned());
    }
    if incomplete.contains(&"devices") {
        sentences.push("A browser that lost its access needs a new link.".to_owned());
    }
    Ok(sentences.join(" "))
}

fn enumeration(parts: &[String]) -> String {
    match parts {
        [parts @ .., last] if !parts.is_empty() => format!("{} and {last}", parts.join(", ")),
        parts => parts.concat(),
    }
}

struct TableCopy<'a> {
    source: &'a Connection,
    target: &'a Transaction<'a>,
    table: &'static str,
    key: &'static str,
}

/// How far the rows could be read.
struct Progress {
    /// The key of the last row that was read.
    last: Option<Value>,
    /// Every row up to the end was read.
    is_at_end: bool,
    /// Every row on the way was copied.
    is_complete: bool,
}

impl TableCopy<'_> {
    /// Returns whether every row was copied. `is_current` says that the source should have the table.
    fn run(&self, is_current: bool) -> rusqlite::Result<bool> {
        let Ok(found) = columns(self.source, self.table) else { return Ok(false) };
        if found.is_empty() {
            return Ok(!is_current && has_any_table(self.source));
        }
        let known = columns(self.target, self.table)?;
        let columns: Vec<String> = known.into_iter().filter(|column| found.contains(column)).collect();
        if !columns.iter().any(|column| column == self.key) {
            return Ok(false);
        }
        let mut progress = self.copy_rows(&columns, None, "ASC")?;
        let mut is_complete = progress.is_complete && progress.is_at_end;
        let mut restarts = 0;
        let mut reached = progress.last.take();
        while !progress.is_at_end && restarts < SALVAGE_RESTARTS {
            let Some(start) = self.next_readable(reached.as_ref()) else { break };
            restarts += 1;
            progress = self.copy_rows(&columns, Some(&start), "ASC")?;
            is_complete &= progress.is_complete;
            reached = progress.last.take().or(Some(start));
        }
        if !is_complete {
            self.copy_rows(&columns, None, "DESC")?;
        }
        Ok(is_complete)
    }

    /// Copies rows, from the one with the key `start` on, until one cannot be reached.
    fn copy_rows(
        &self,
        columns: &[String],
        start: Option<&Value>,
        order: &str,
    ) -> rusqlite::Result<Progress> {
        let mut progress = Progress { last: None, is_at_end: false, is_complete: true };
        let Self { table, key, .. } = self;
        let names = columns.join(", ");
        let from = if start.is_some() { format!("WHERE {key} >= ?") } else { String::new() };
        let query = format!("SELECT {names} FROM {table} NOT INDEXED {from} ORDER BY {key} {order}");
        let places = vec!["?"; columns.len()].join(", ");
        let mut insert = self
            .target
            .prepare_cached(&format!("INSERT OR IGNORE INTO {table} ({names}) VALUES ({places})"))?;
        let Ok(mut statement) = self.source.prepare(&query) else { return Ok(progress) };
        let Ok(mut rows) = statement.query(params_from_iter(start)) else { return Ok(progress) };
        loop {
            match rows.next() {
                Ok(Some(row)) => {
                    let values: rusqlite::Result<Vec<Value>> =
                        (0..columns.len()).map(|column| row.get(column)).collect();
                    // Damage that SQLite does not see can make a value of a wrong type.
                    let is_copied = match values {
                        Ok(values) => match insert.execute(params_from_iter(&values)) {
                            Ok(_) => true,
                            Err(error) if is_refused_value(&error) => false,
                            Err(error) => return Err(error),
                        },
                        Err(_) => false,
                    };
                    progress.is_complete &= is_copied;
                    progress.last = row.get(*key).ok().or(progress.last);
                }
                Ok(None) => {
                    progress.is_at_end = true;
                    return Ok(progress);
                }
                Err(_) => return Ok(progress),
            }
        }
    }

    /// The first key behind `reached`, as far as one can be found, from which rows can be read again.
    fn next_readable(&self, reached: Option<&Value>) -> Option<Value> {
        let Self { table, key, .. } = self;
        let query = format!("SELECT {key} FROM {table} NOT INDEXED WHERE {key} >= ? ORDER BY {key} LIMIT 1");
        let mut statement = self.source.prepare(&query).ok()?;
        for start in keys_behind(reached, key) {
            let found = statement.query_row([start], |row| row.get(0)).optional();
            // Without an error, the rest of the table is known: a row, or its end.
            if let Ok(found) = found {
                return found;
            }
        }
        None
    }
}

/// Keys in increasing order: those close behind a key first, then further and further away.
fn keys_behind(key: Option<&Value>, column: &str) -> Box<dyn Iterator<Item = Value>> {
    let before_all = Value::Integer(0);
    match key.cloned().or_else(|| (column == "number").then_some(before_all)) {
        Some(Value::Integer(number)) => {
            let steps = (1..=64).chain((7..62).map(|power| 1_i64 << power));
            Box::new(steps.map_while(move |step| number.checked_add(step)).map(Value::Integer))
        }
        Some(Value::Text(text)) => Box::new(texts_behind(text).map(Value::Text)),
        // Nothing was read yet. The rest of the table is read from its end.
        _ => Box::new(std::iter::empty()),
    }
}

/// A text's prefixes, the longest first, each followed by every larger character.
fn texts_behind(text: String) -> impl Iterator<Item = String> {
    let cuts: Vec<(usize, char)> = text.char_indices().collect();
    cuts.into_iter().rev().flat_map(move |(position, character)| {
        let larger = (u32::from(character) + 1..=u32::from('~')).filter_map(char::from_u32);
        let prefix = text[..position].to_owned();
        larger.map(move |larger| format!("{prefix}{larger}"))
    })
}

fn columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?)")?;
    statement.query_map([table], |row| row.get(0))?.collect()
}

fn has_any_table(source: &Connection) -> bool {
    source.query_row("SELECT count(*) > 0 FROM sqlite_schema", [], |row| row.get(0)).unwrap_or_default()
}

fn is_refused_value(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{ConstraintViolation, TooBig, TypeMismatch};
    matches!(error.sqlite_error_code(), Some(ConstraintViolation | TooBig | TypeMismatch))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_behind_a_key_increase() {
        let texts: Vec<String> = texts_behind("0b".to_owned()).collect();
        assert_eq!((texts[0].as_str(), texts.last().unwrap().as_str()), ("0c", "~"));
        assert!(texts.is_sorted(), "{texts:?}");
        let numbers: Vec<Value> = keys_behind(Some(&Value::Integer(i64::MAX - 3)), "number").collect();
        assert_eq!(numbers.len(), 3, "no overflow");
    }

    #[test]
    fn parts_are_joined_as_in_a_sentence() {
        let parts = ["1 pin", "2 drafts", "3 devices"].map(str::to_owned);
        assert_eq!(enumeration(&parts), "1 pin, 2 drafts and 3 devices");
        assert_eq!(enumeration(&parts[..1]), "1 pin");
    }
}
