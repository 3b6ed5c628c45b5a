//! Prepares the recorded scenarios for the demo agent: one script per process, without inputs that no client leads
//! to, and with current times, since the server stores its own records with the current time.

use std::path::{Path, PathBuf};

use serde_json::Value;

use pilothouse_test_support::recordings;
use pilothouse_test_support::scripted_agent::write_stand_in;

use super::exceptions::{changes_session, is_never_sent};

const DAY: i64 = 24 * 60 * 60 * 1000;

pub struct Scenario {
    /// Prefixed with the version of pi unless it is the newest.
    pub name: String,
    pub version: String,
    pub processes: Vec<Process>,
}

/// One run of pi.
pub struct Process {
    pub records: Vec<Value>,
    /// The signal that ends the process, unless it exits.
    pub signal: Option<&'static str>,
    /// The entries of its session file at its end.
    entries: Vec<Value>,
}

pub fn scenarios() -> Vec<Scenario> {
    recordings::scenarios().iter().map(prepare).collect()
}

fn prepare(scenario: &recordings::Scenario) -> Scenario {
    let session = scenario.session_files().into_iter().next();
    let mut entries: Vec<Value> = session.map(|(_, file)| lines(&file)).unwrap_or_default();
    // All processes are shifted from the time of the recording. The loop below changes the entries.
    let recorded_start = start_time(&entries);
    let mut processes = Vec::new();
    let recorded = scenario.processes();
    let count = recorded.len();
    for (number, process) in recorded.into_iter().enumerate() {
        let signal = match (process.signal, process.code) {
            (Some(9), _) => Some("KILL"),
            (_, Some(143)) => Some("TERM"),
            // A server that runs never closes stdin.
            _ if scenario.name.starts_with("stdin-closed") => Some("KILL"),
            _ => None,
        };
        let mut records = client_inputs_only(process.records);
        // The server stores a prompt before pi does, and the rows of a sudden end after everything that pi stored.
        let days = if signal.is_some() { -1 } else { 1 };
        let start = recorded_start.or_else(|| first_message_time(&records)).unwrap_or_else(now);
        let shift = days * DAY + now() - start;
        let stored = if number + 1 == count { entries.len() } else { stored_entries(&records, &entries) };
        records.iter_mut().for_each(|record| shift_times(&mut record["line"], shift));
        let from = processes.last().map_or(0, |before: &Process| before.entries.len());
        entries[from..].iter_mut().for_each(|entry| shift_times(entry, shift));
        processes.push(Process { records, signal, entries: entries[..stored].to_vec() });
        if number + 1 < count {
            entries[stored..].iter_mut().for_each(|entry| shift_times(entry, -shift));
        }
    }
    Scenario { name: scenario.name.clone(), version: scenario.version().to_owned(), processes }
}

/// The number of entries that the file has after these records.
fn stored_entries(records: &[Value], entries: &[Value]) -> usize {
    let ended = records.iter().filter(|record| record["line"]["type"] == "message_end");
    let ended: Vec<&Value> = ended.map(|record| &record["line"]["message"]).collect();
    entries
        .iter()
        .rposition(|entry| ended.contains(&&entry["message"]))
        .map_or(entries.len().min(1), |index| index + 1)
}

/// Leaves out inputs that no client leads to, with their responses. Ends before a change of session.
fn client_inputs_only(recorded: Vec<Value>) -> Vec<Value> {
    let mut records: Vec<Value> = Vec::new();
    let mut dropped: Vec<Value> = Vec::new();
    let mut running = false;
    for (index, record) in recorded.iter().enumerate() {
        let line = &record["line"];
        if record["dir"] == "in" {
            if changes_session(line) {
                break;
            }
            let response = recorded[index..].iter().map(|record| &record["line"]).find(|response| {
                response["type"] == "response"
                    && response.get("id").is_some()
                    && response.get("id") == line.get("id")
            });
            if is_never_sent(line, response, running) {
                dropped.push(line["id"].clone());
                continue;
            }
        } else {
            match line["type"].as_str() {
                Some("agent_start" | "compaction_start") => running = true,
                Some("agent_end") if line.get("willRetry").is_none() => running = false,
                Some("agent_settled" | "compaction_end") => running = false,
                Some("response") if dropped.contains(&line["id"]) => continue,
                _ => {}
            }
        }
        let mut record = record.clone();
        // The page has one Stop button for everything.
        if line["type"] == "abort_retry" {
            record["line"]["type"] = "abort".into();
        }
        // A stop answers the open question before it aborts: pi ignores an abort while a question is open.
        let is_input = |before: &&Value| before["dir"] == "in" && !is_query(&before["line"]);
        let answers_after_abort = record["line"]["type"] == "extension_ui_response"
            && records.iter().rfind(is_input).is_some_and(|before| before["line"]["type"] == "abort");
        let abort = records.iter().rposition(|before| before["line"]["type"] == "abort");
        match abort {
            Some(abort) if answers_after_abort => records.insert(abort, record),
            _ => records.push(record),
        }
    }
    // Inputs after the last output have no effect.
    let end = records.iter().rposition(|record| record["dir"] == "out").map_or(0, |index| index + 1);
    records.truncate(end);
    records
}

impl Process {
    /// Writes the script and the session entries for the demo agent.
    pub fn write(&self, folder: &Path, number: usize) {
        let lines = |values: &[Value]| values.iter().map(|value| format!("{value}\n")).collect::<String>();
        std::fs::write(folder.join(format!("{number}.jsonl")), lines(&self.records)).unwrap();
        let entries = if self.entries.is_empty() { String::new() } else { lines(&self.entries) };
        if !entries.is_empty() {
            std::fs::write(folder.join(format!("{number}.session.jsonl")), entries).unwrap();
        }
    }
}

impl Scenario {
    /// Writes a stand-in for pi that reports its version and plays one process after the other. Returns its path.
    pub fn write(&self, folder: &Path, binary: &Path) -> PathBuf {
        let folder = folder.join(self.name.replace('/', "-"));
        std::fs::create_dir_all(&folder).unwrap();
        for (number, process) in self.processes.iter().enumerate() {
            process.write(&folder, number + 1);
        }
        let play = format!(
            r#"here='{here}'
number=$(($(cat "$here/number" 2>/dev/null || echo 0) + 1)); echo $number > "$here/number"
set -- --session-id "$id" --script "$here/$number.jsonl"
test -f "$here/$number.session.jsonl" && set -- "$@" --script-session "$here/$number.session.jsonl"
exec '{binary}' demo-agent "$@""#,
            here = folder.display(),
            binary = binary.display(),
        );
        write_stand_in(&folder, binary, &self.version, &play)
    }
}

/// Whether the input only asks for information.
pub fn is_query(line: &Value) -> bool {
    line["type"].as_str().is_some_and(|kind| kind.starts_with("get_"))
}

fn lines(file: &[u8]) -> Vec<Value> {
    serde_json::Deserializer::from_slice(file).into_iter().map(Result::unwrap).collect()
}

fn now() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

/// The time of the first entry, in milliseconds.
fn start_time(entries: &[Value]) -> Option<i64> {
    let time: jiff::Timestamp = entries.first()?["timestamp"].as_str()?.parse().unwrap();
    Some(time.as_millisecond())
}

/// The time of the first recorded message, in milliseconds.
fn first_message_time(records: &[Value]) -> Option<i64> {
    records.iter().find_map(|record| record["line"]["message"]["timestamp"].as_i64())
}

/// Adds milliseconds to every timestamp.
fn shift_times(value: &mut Value, by: i64) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::Number(time) if key == "timestamp" => {
                        *value = (time.as_i64().unwrap() + by).into()
                    }
                    Value::String(time) if key == "timestamp" => {
                        let time: jiff::Timestamp = time.parse().unwrap();
                        let moved = jiff::Timestamp::from_millisecond(time.as_millisecond() + by).unwrap();
                        *value = moved.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string().into();
                    }
                    _ => shift_times(value, by),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| shift_times(value, by)),
        _ => {}
    }
}
