//! Parses a recorded conversation into steps: await a command, send a line.
//!
//! A recording has one record per line: `{"dir":"in"|"out","t":milliseconds,"line":object}`.

use std::time::Duration;

use anyhow::Context;
use serde_json::Value;

#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) steps: Vec<ScriptStep>,
    pub(crate) queries: Vec<RecordedQuery>,
}

#[derive(Debug)]
pub(crate) enum ScriptStep {
    /// Waits until a command of this kind arrives.
    Await { kind: String, id: Option<Value> },
    /// Sends a line, this long after the previous step.
    Send { delay: Duration, line: RecordedLine },
}

/// A recorded query with its response. Queries are not steps, because the server may send them at any time.
#[derive(Debug)]
pub(crate) struct RecordedQuery {
    pub(crate) kind: String,
    pub(crate) id: Option<Value>,
    /// The index of the step that followed the query.
    pub(crate) before_step: usize,
    pub(crate) response: RecordedLine,
}

/// A recorded line, as text and parsed.
#[derive(Clone, Debug)]
pub(crate) struct RecordedLine {
    pub(crate) raw: String,
    pub(crate) object: Value,
}

impl RecordedLine {
    /// Replaces the first value of a field within the text, because serialising the whole line again would round
    /// its numbers. Works only for fields that pi writes before any text of the conversation. Does nothing if the
    /// field is missing.
    pub(crate) fn replace(&mut self, field: &str, value: &Value) {
        let key = format!("\"{field}\":");
        let Some(start) = self.raw.find(&key).map(|start| start + key.len()) else { return };
        let mut rest = serde_json::Deserializer::from_str(&self.raw[start..]).into_iter::<Value>();
        if let Some(Ok(_)) = rest.next() {
            let end = start + rest.byte_offset();
            self.raw.replace_range(start..end, &value.to_string());
        }
    }
}

impl Recording {
    /// Parses a recording. With `strict`, queries are steps as well.
    pub(crate) fn parse(text: &str, strict: bool) -> anyhow::Result<Self> {
        let mut recording = Self { steps: Vec::new(), queries: Vec::new() };
        let mut unanswered: Vec<OpenQuery> = Vec::new();
        let mut time = 0;
        for (number, record) in text.lines().enumerate().filter(|(_, record)| !record.trim().is_empty()) {
            let parsed: Value =
                serde_json::from_str(record).with_context(|| format!("line {} is not JSON", number + 1))?;
            let record_time = parsed["t"].as_u64().unwrap_or(time);
            let delay = Duration::from_millis(record_time.saturating_sub(time));
            time = record_time;
            let line =
                RecordedLine { raw: raw_line(record, &parsed["line"]), object: parsed["line"].clone() };
            match parsed["dir"].as_str() {
                Some("in") => {
                    // Input without a type is not a command and cannot be awaited.
                    let Some(kind) = line.object["type"].as_str().map(str::to_owned) else { continue };
                    let id = line.object.get("id").cloned();
                    if is_query(&kind) && !strict {
                        let before_step = recording.steps.len();
                        unanswered.push(OpenQuery { kind, id, before_step });
                    } else {
                        recording.steps.push(ScriptStep::Await { kind, id });
                    }
                }
                Some("out") => match take_answered(&mut unanswered, &line.object) {
                    Some(OpenQuery { kind, id, before_step }) => {
                        recording.queries.push(RecordedQuery { kind, id, before_step, response: line });
                    }
                    None => recording.steps.push(ScriptStep::Send { delay, line }),
                },
                _ => anyhow::bail!("line {} has no direction", number + 1),
            }
        }
        Ok(recording)
    }

    /// The steps from `start` on that await a command, with their indexes.
    pub(crate) fn awaited_from(&self, start: usize) -> impl Iterator<Item = (usize, &str)> {
        self.steps.iter().enumerate().skip(start).filter_map(|(index, step)| match step {
            ScriptStep::Await { kind, .. } => Some((index, kind.as_str())),
            ScriptStep::Send { .. } => None,
        })
    }
}

/// Whether a command only reads and changes nothing.
pub(crate) fn is_query(kind: &str) -> bool {
    kind.starts_with("get_")
}

/// Whether an actual command may take the place of a recorded one. All commands that send a message are
/// equivalent.
pub(crate) fn is_equivalent(recorded: &str, actual: &str) -> bool {
    const MESSAGES: [&str; 3] = ["prompt", "steer", "follow_up"];
    recorded == actual || (MESSAGES.contains(&recorded) && MESSAGES.contains(&actual))
}

/// A query whose response has not been parsed yet.
struct OpenQuery {
    kind: String,
    id: Option<Value>,
    before_step: usize,
}

/// Removes and returns the query that a line responds to.
fn take_answered(unanswered: &mut Vec<OpenQuery>, line: &Value) -> Option<OpenQuery> {
    if line["type"] != "response" {
        return None;
    }
    let index = unanswered
        .iter()
        .position(|query| line["command"] == query.kind && query.id.as_ref() == line.get("id"))?;
    Some(unanswered.remove(index))
}

/// The exact text of the `line` field, which is the last one of a record; otherwise the field serialised again.
fn raw_line(record: &str, line: &Value) -> String {
    let exact_text = || {
        let (_, rest) = record.split_once("\"line\":")?;
        let raw = rest.trim_end().strip_suffix('}')?.trim();
        (serde_json::from_str::<Value>(raw).ok()? == *line).then(|| raw.to_owned())
    };
    exact_text().unwrap_or_else(|| line.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = r#"
    {"dir":"in","t":5,"line":{"id":"req-1","type":"get_state"}}
    {"dir":"out","t":100,"line":{"id":"req-1","type":"response","command":"get_state","success":true}}
    {"dir":"in","t":101,"line":{"id":"req-2","type":"prompt","message":"Hello"}}
    {"dir":"out","t":150,"line":{"type":"z","a":1.50,"b":"\"line\":"}}
    {"dir":"in","t":160,"line":{"$raw":"not json"}}
    {"dir":"out","t":170,"line":{"type":"agent_settled","aborted":false}}
    "#;

    #[test]
    fn queries_are_not_steps() {
        let recording = Recording::parse(RECORD, false).unwrap();
        assert_eq!(recording.queries.len(), 1);
        assert_eq!(recording.queries[0].before_step, 0);
        assert_eq!(recording.steps.len(), 3);
        assert_eq!(recording.awaited_from(0).collect::<Vec<_>>(), [(0, "prompt")]);
        assert_eq!(recording.awaited_from(1).count(), 0);
    }

    #[test]
    fn a_strict_recording_awaits_queries_too() {
        let recording = Recording::parse(RECORD, true).unwrap();
        assert!(recording.queries.is_empty());
        assert_eq!(
            recording.awaited_from(0).map(|(_, kind)| kind).collect::<Vec<_>>(),
            ["get_state", "prompt"]
        );
    }

    #[test]
    fn lines_keep_their_bytes_and_delays() {
        let recording = Recording::parse(RECORD, false).unwrap();
        let ScriptStep::Send { delay, line } = &recording.steps[1] else { panic!("{:?}", recording.steps) };
        assert_eq!(line.raw, r#"{"type":"z","a":1.50,"b":"\"line\":"}"#);
        assert_eq!(*delay, Duration::from_millis(49));
    }

    #[test]
    fn other_files_are_rejected() {
        assert!(Recording::parse("{\"type\":\"session\"}", false).is_err());
        assert!(Recording::parse("hello", false).is_err());
    }

    #[test]
    fn commands_that_send_messages_are_equivalent() {
        assert!(is_equivalent("steer", "prompt"));
        assert!(is_equivalent("abort", "abort"));
        assert!(!is_equivalent("abort", "prompt"));
    }

    #[test]
    fn replacing_a_field_keeps_the_rest() {
        let raw = r#"{"id":"req-1","type":"response","data":{"cost":0.00045999999999999996,"id":"x"}}"#;
        let mut line = RecordedLine { raw: raw.to_owned(), object: Value::Null };
        line.replace("id", &serde_json::json!(7));
        line.replace("missing", &Value::Null);
        assert_eq!(line.raw, r#"{"id":7,"type":"response","data":{"cost":0.00045999999999999996,"id":"x"}}"#);
    }
}
