//! The recorded scenarios as the demo agent is to play them for a server: without what no page ever sends, one file for
//! each of the processes, and with times around the present, since what the server keeps beside them is of today.

use std::path::{Path, PathBuf};

use serde_json::Value;

use pilothouse_test_support::recordings;
use pilothouse_test_support::scripted_agent::write_stand_in;

use super::exceptions::{changes_session, is_never_sent};

const DAY: i64 = 24 * 60 * 60 * 1000;

pub struct Scenario {
    /// With the version in front, where it is not the newest.
    pub name: String,
    pub version: String,
    pub processes: Vec<Process>,
}

/// One run of pi.
pub struct Process {
    pub records: Vec<Value>,
    /// How it ended, unless by itself.
    pub signal: Option<&'static str>,
    /// The entries of its session file at its end.
    entries: Vec<Value>,
}

pub fn scenarios() -> Vec<Scenario> {
    recordings::scenarios().iter().map(playable).collect()
}

fn playable(scenario: &recordings::Scenario) -> Scenario {
    let session = scenario.session_files().into_iter().next();
    let mut entries: Vec<Value> = session.map(|(_, file)| lines(&file)).unwrap_or_default();
    let mut processes = Vec::new();
    let recorded = scenario.processes();
    let count = recorded.len();
    for (number, process) in recorded.into_iter().enumerate() {
        let signal = match (process.signal, process.code) {
            (Some(9), _) => Some("KILL"),
            (_, Some(143)) => Some("TERM"),
            // Only the end of the server closes stdin.
            _ if scenario.name.starts_with("stdin-closed") => Some("KILL"),
            _ => None,
        };
        let mut records = as_a_page_would(process.records);
        // pi hears of a prompt after the server, and of nothing that is kept of its sudden end.
        let days = if signal.is_some() { -1 } else { 1 };
        let began = milliseconds(&entries).or_else(|| first_said(&records)).unwrap_or_else(now);
        let shift = days * DAY + now() - began;
        let own = if number + 1 == count { entries.len() } else { stored_by(&records, &entries) };
        records.iter_mut().for_each(|record| shift_times(&mut record["line"], shift));
        let from = processes.last().map_or(0, |before: &Process| before.entries.len());
        entries[from..].iter_mut().for_each(|entry| shift_times(entry, shift));
        processes.push(Process { records, signal, entries: entries[..own].to_vec() });
        if number + 1 < count {
            entries[own..].iter_mut().for_each(|entry| shift_times(entry, -shift));
        }
    }
    Scenario { name: scenario.name.clone(), version: scenario.version().to_owned(), processes }
}

/// How many entries of the file are there when a process has said all of this.
fn stored_by(records: &[Value], entries: &[Value]) -> usize {
    let ended = records.iter().filter(|record| record["line"]["type"] == "message_end");
    let ended: Vec<&Value> = ended.map(|record| &record["line"]["message"]).collect();
    entries
        .iter()
        .rposition(|entry| ended.contains(&&entry["message"]))
        .map_or(entries.len().min(1), |place| place + 1)
}

/// Inputs that no page leads to are left out with what pi answered to them; with a change of session it ends.
fn as_a_page_would(recorded: Vec<Value>) -> Vec<Value> {
    let mut records: Vec<Value> = Vec::new();
    let mut dropped: Vec<Value> = Vec::new();
    let mut running = false;
    for (place, record) in recorded.iter().enumerate() {
        let line = &record["line"];
        if record["dir"] == "in" {
            if changes_session(line) {
                break;
            }
            let answer = recorded[place..].iter().map(|record| &record["line"]).find(|answer| {
                answer["type"] == "response"
                    && answer.get("id").is_some()
                    && answer.get("id") == line.get("id")
            });
            if is_never_sent(line, answer, running) {
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
        // The page has one Stop for all.
        if line["type"] == "abort_retry" {
            record["line"]["type"] = "abort".into();
        }
        // A stop answers the open dialog before it aborts: pi does not follow an abort while one is open.
        let is_input = |before: &&Value| before["dir"] == "in" && !is_question(&before["line"]);
        let answers_after_abort = record["line"]["type"] == "extension_ui_response"
            && records.iter().rfind(is_input).is_some_and(|before| before["line"]["type"] == "abort");
        let place = records.iter().rposition(|before| before["line"]["type"] == "abort");
        match place {
            Some(place) if answers_after_abort => records.insert(place, record),
            _ => records.push(record),
        }
    }
    // What nothing follows leads to nothing.
    let end = records.iter().rposition(|record| record["dir"] == "out").map_or(0, |place| place + 1);
    records.truncate(end);
    records
}

impl Process {
    /// Writes what the demo agent plays.
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
    /// A stand-in for pi in a folder of its own: tells its version, and plays one process after the other.
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

pub fn is_question(line: &Value) -> bool {
    line["type"].as_str().is_some_and(|kind| kind.starts_with("get_"))
}

fn lines(file: &[u8]) -> Vec<Value> {
    serde_json::Deserializer::from_slice(file).into_iter().map(Result::unwrap).collect()
}

fn now() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

/// When the session began.
fn milliseconds(entries: &[Value]) -> Option<i64> {
    let time: jiff::Timestamp = entries.first()?["timestamp"].as_str()?.parse().unwrap();
    Some(time.as_millisecond())
}

/// When something was first said in a session that has no file.
fn first_said(records: &[Value]) -> Option<i64> {
    records.iter().find_map(|record| record["line"]["message"]["timestamp"].as_i64())
}

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
