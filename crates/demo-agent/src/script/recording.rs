//! Reads a recorded conversation and turns it into cues: wait for a command, send a line.
//!
//! One record per line, `{"dir":"in"|"out","t":milliseconds,"line":object}`. Pure: what the cues lead to is played
//! elsewhere.

use std::time::Duration;

use anyhow::Context;
use serde_json::Value;

#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) cues: Vec<Cue>,
    pub(crate) questions: Vec<RecordedQuestion>,
}

#[derive(Debug)]
pub(crate) enum Cue {
    /// Nothing goes on before a command of this kind has come.
    Await {
        kind: String,
        id: Option<Value>,
    },
    Send {
        after: Duration,
        line: Line,
    },
}

/// A command that only asked, with its answer. The server asks when it likes, so these do not hold up the play.
#[derive(Debug)]
pub(crate) struct RecordedQuestion {
    pub(crate) kind: String,
    pub(crate) id: Option<Value>,
    /// Before which cue it was asked.
    pub(crate) before: usize,
    pub(crate) answer: Line,
}

/// A line as it was recorded, byte for byte, and what it says.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) raw: String,
    pub(crate) object: Value,
}

impl Line {
    /// Gives a field another value, in the text: spelling the whole line anew would round its numbers. The field is
    /// one that pi writes before any text of a conversation; without it nothing changes.
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
    /// `strict`: questions are cues as well.
    pub(crate) fn parse(text: &str, strict: bool) -> anyhow::Result<Self> {
        let mut recording = Self { cues: Vec::new(), questions: Vec::new() };
        let mut unanswered: Vec<(String, Option<Value>, usize)> = Vec::new();
        let mut time = 0;
        for (number, record) in text.lines().enumerate().filter(|(_, record)| !record.trim().is_empty()) {
            let parsed: Value =
                serde_json::from_str(record).with_context(|| format!("line {} is no JSON", number + 1))?;
            let at = parsed["t"].as_u64().unwrap_or(time);
            let after = Duration::from_millis(at.saturating_sub(time));
            time = at;
            let line = Line { raw: raw_line(record, &parsed["line"]), object: parsed["line"].clone() };
            match parsed["dir"].as_str() {
                Some("in") => {
                    // Text that was no JSON object cannot be waited for.
                    let Some(kind) = line.object["type"].as_str().map(str::to_owned) else { continue };
                    let id = line.object.get("id").cloned();
                    if is_question(&kind) && !strict {
                        unanswered.push((kind, id, recording.cues.len()));
                    } else {
                        recording.cues.push(Cue::Await { kind, id });
                    }
                }
                Some("out") => match take_question(&mut unanswered, &line.object) {
                    Some((kind, id, before)) => {
                        recording.questions.push(RecordedQuestion { kind, id, before, answer: line });
                    }
                    None => recording.cues.push(Cue::Send { after, line }),
                },
                _ => anyhow::bail!("line {} has no direction", number + 1),
            }
        }
        Ok(recording)
    }

    /// The cues that wait for a command, from `place` on.
    pub(crate) fn awaited_from(&self, place: usize) -> impl Iterator<Item = (usize, &str)> {
        self.cues.iter().enumerate().skip(place).filter_map(|(place, cue)| match cue {
            Cue::Await { kind, .. } => Some((place, kind.as_str())),
            Cue::Send { .. } => None,
        })
    }
}

/// Commands that change nothing.
pub(crate) fn is_question(kind: &str) -> bool {
    kind.starts_with("get_")
}

/// Whether a command of one kind may stand for another: a message is a message, however it is sent.
pub(crate) fn same_kind(recorded: &str, actual: &str) -> bool {
    const MESSAGES: [&str; 3] = ["prompt", "steer", "follow_up"];
    recorded == actual || (MESSAGES.contains(&recorded) && MESSAGES.contains(&actual))
}

type Unanswered = (String, Option<Value>, usize);

fn take_question(unanswered: &mut Vec<Unanswered>, answer: &Value) -> Option<Unanswered> {
    if answer["type"] != "response" {
        return None;
    }
    let place = unanswered
        .iter()
        .position(|(kind, id, _)| answer["command"] == *kind && id.as_ref() == answer.get("id"))?;
    Some(unanswered.remove(place))
}

/// The text of the `line` field, which comes last in a record; spelled anew if it does not.
fn raw_line(record: &str, line: &Value) -> String {
    let cut = || {
        let (_, rest) = record.split_once("\"line\":")?;
        let raw = rest.trim_end().strip_suffix('}')?.trim();
        (serde_json::from_str::<Value>(raw).ok()? == *line).then(|| raw.to_owned())
    };
    cut().unwrap_or_else(|| line.to_string())
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
    fn questions_stand_aside() {
        let recording = Recording::parse(RECORD, false).unwrap();
        assert_eq!(recording.questions.len(), 1);
        assert_eq!(recording.questions[0].before, 0);
        assert_eq!(recording.cues.len(), 3);
        assert_eq!(recording.awaited_from(0).collect::<Vec<_>>(), [(0, "prompt")]);
        assert_eq!(recording.awaited_from(1).count(), 0);
    }

    #[test]
    fn a_strict_recording_waits_for_all() {
        let recording = Recording::parse(RECORD, true).unwrap();
        assert!(recording.questions.is_empty());
        assert_eq!(
            recording.awaited_from(0).map(|(_, kind)| kind).collect::<Vec<_>>(),
            ["get_state", "prompt"]
        );
    }

    #[test]
    fn lines_keep_their_bytes_and_spacing() {
        let recording = Recording::parse(RECORD, false).unwrap();
        let Cue::Send { after, line } = &recording.cues[1] else { panic!("{:?}", recording.cues) };
        assert_eq!(line.raw, r#"{"type":"z","a":1.50,"b":"\"line\":"}"#);
        assert_eq!(*after, Duration::from_millis(49));
    }

    #[test]
    fn what_is_no_recording_is_refused() {
        assert!(Recording::parse("{\"type\":\"session\"}", false).is_err());
        assert!(Recording::parse("hello", false).is_err());
    }

    #[test]
    fn messages_stand_for_each_other() {
        assert!(same_kind("steer", "prompt"));
        assert!(same_kind("abort", "abort"));
        assert!(!same_kind("abort", "prompt"));
    }

    #[test]
    fn a_replaced_field_leaves_the_rest_alone() {
        let raw = r#"{"id":"req-1","type":"response","data":{"cost":0.00045999999999999996,"id":"x"}}"#;
        let mut line = Line { raw: raw.to_owned(), object: Value::Null };
        line.replace("id", &serde_json::json!(7));
        line.replace("missing", &Value::Null);
        assert_eq!(line.raw, r#"{"id":7,"type":"response","data":{"cost":0.00045999999999999996,"id":"x"}}"#);
    }
}
