//! Faults that tests request on the command line: stalls, floods, junk and sudden ends.

use std::{
    io::{self, Write},
    str::FromStr,
    thread,
};

use serde_json::Value;

use crate::shell::ProcessGroups;

/// A fault as given on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A fault that occurs once this many lines have been written.
    After(u64, FaultAction),
    /// Neither SIGTERM nor the end of stdin ends the process.
    IgnoreTerm,
}

impl Fault {
    /// The number of lines after which the fault ends the process.
    pub(crate) fn ends_after(&self) -> Option<u64> {
        match self {
            Self::After(lines, FaultAction::Die { .. } | FaultAction::Kill) => Some(*lines),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultAction {
    /// Write nothing more, but stay alive and keep reading.
    Stall,
    /// Write one line of this size, then continue.
    Flood { bytes: u64 },
    /// Write this many valid events, then continue.
    Lines { count: u64 },
    /// Write lines that are not events, then continue.
    Junk,
    /// Exit with this code and a message on stderr.
    Die { code: i32 },
    /// End at once with SIGKILL.
    Kill,
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "ignore-term" {
            return Ok(Self::IgnoreTerm);
        }
        let (name, position) = text.split_once('@').ok_or(
            "expected ignore-term or stall|flood|lines|junk|die|kill@N, with :AMOUNT where it applies",
        )?;
        let (lines, amount) = match position.split_once(':') {
            Some((lines, amount)) => (lines, Some(parse_number(amount)?)),
            None => (position, None),
        };
        let action = match (name, amount) {
            ("stall", None) => FaultAction::Stall,
            ("flood", bytes) => FaultAction::Flood { bytes: bytes.unwrap_or(100_000_000) },
            ("lines", count) => FaultAction::Lines { count: count.unwrap_or(1_000_000) },
            ("junk", None) => FaultAction::Junk,
            ("die", code) => FaultAction::Die {
                code: i32::try_from(code.unwrap_or(1)).map_err(|error| error.to_string())?,
            },
            ("kill", None) => FaultAction::Kill,
            _ => return Err(format!("no such fault: {text}")),
        };
        Ok(Self::After(parse_number(lines)?, action))
    }
}

fn parse_number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("not a number: {text}"))
}

/// Lines that a reader must survive: not JSON, not UTF-8, or JSON that is not an event.
const JUNK: [&[u8]; 10] = [
    b"Debugger attached.",
    b"{\"type\":\"message_update\",\"assistantMessageEvent\":{\"type\":\"text_del",
    b"\xff\xfe\xfd not UTF-8 \x80",
    b"",
    b"null",
    b"42",
    b"[]",
    b"{}",
    b"{\"type\":\"an_event_from_the_future\",\"value\":[1,2,3]}",
    b"{\"type\":7}",
];

/// Injects a fault into the output. `last_line` is the line that was written before it.
pub(crate) fn inject(
    action: FaultAction,
    last_line: &[u8],
    sink: &mut impl Write,
    groups: &ProcessGroups,
) -> io::Result<()> {
    match action {
        FaultAction::Stall => loop {
            thread::park();
        },
        FaultAction::Flood { bytes } => write_flood(bytes, sink)?,
        FaultAction::Lines { count } => {
            let line = valid_event(last_line);
            for _ in 0..count {
                sink.write_all(&line)?;
            }
        }
        FaultAction::Junk => {
            for line in JUNK {
                sink.write_all(line)?;
                sink.write_all(b"\n")?;
            }
        }
        FaultAction::Die { code } => {
            groups.kill_all();
            eprintln!("demo agent: dying with code {code}, as requested by --fault");
            std::process::exit(code);
        }
        FaultAction::Kill => {
            // A real SIGKILL leaves no chance to clean up.
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        }
    }
    sink.flush()
}

/// Writes one JSON line of `bytes` bytes, not counting the line feed, in small pieces.
fn write_flood(bytes: u64, sink: &mut impl Write) -> io::Result<()> {
    const OPENING: &[u8] = b"{\"type\":\"flood\",\"padding\":\"";
    const CLOSING: &[u8] = b"\"}";
    let piece = [b'x'; 64 * 1024];
    let mut left = bytes.saturating_sub((OPENING.len() + CLOSING.len()) as u64);
    sink.write_all(OPENING)?;
    while left > 0 {
        let size = usize::try_from(left).unwrap_or(usize::MAX).min(piece.len());
        sink.write_all(&piece[..size])?;
        left -= size as u64;
    }
    sink.write_all(CLOSING)?;
    sink.write_all(b"\n")
}

/// Returns an event that is valid after `last_line`: one more delta within a text, otherwise an empty queue.
fn valid_event(last_line: &[u8]) -> Vec<u8> {
    let text_delta = serde_json::from_slice::<Value>(last_line).ok().filter(|event| {
        event.pointer("/assistantMessageEvent/type").is_some_and(|kind| kind == "text_delta")
    });
    let mut line = match text_delta {
        Some(mut event) => {
            if let Some(delta) = event.pointer_mut("/assistantMessageEvent/delta") {
                *delta = Value::from(".");
            }
            event.to_string()
        }
        None => r#"{"type":"queue_update","steering":[],"followUp":[]}"#.to_owned(),
    };
    line.push('\n');
    line.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn injected(action: FaultAction, last_line: &str) -> Vec<u8> {
        let mut sink = Vec::new();
        inject(action, last_line.as_bytes(), &mut sink, &ProcessGroups::default()).unwrap();
        sink
    }

    #[test]
    fn a_flood_is_one_line_of_that_size() {
        let line = injected(FaultAction::Flood { bytes: 200_000 }, "");
        assert_eq!(line.len(), 200_001);
        assert!(serde_json::from_slice::<Value>(&line).is_ok());
    }

    #[test]
    fn injected_lines_continue_an_open_text() {
        let lines = injected(FaultAction::Lines { count: 3 }, "");
        assert_eq!(lines.split(|byte| *byte == b'\n').count(), 4);
        let delta = r#"{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":2,"delta":"abc"}}"#;
        let lines = String::from_utf8(injected(FaultAction::Lines { count: 2 }, delta)).unwrap();
        let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
        assert_eq!(first["assistantMessageEvent"]["contentIndex"], 2);
        assert_eq!(first["assistantMessageEvent"]["delta"], ".");
    }

    #[test]
    fn junk_contains_invalid_utf8() {
        assert!(String::from_utf8(injected(FaultAction::Junk, "")).is_err());
    }

    #[test]
    fn parses_every_fault() {
        for (text, fault) in [
            ("stall@3", Fault::After(3, FaultAction::Stall)),
            ("flood@0", Fault::After(0, FaultAction::Flood { bytes: 100_000_000 })),
            ("flood@1:50", Fault::After(1, FaultAction::Flood { bytes: 50 })),
            ("lines@2:10", Fault::After(2, FaultAction::Lines { count: 10 })),
            ("junk@4", Fault::After(4, FaultAction::Junk)),
            ("die@5", Fault::After(5, FaultAction::Die { code: 1 })),
            ("die@5:7", Fault::After(5, FaultAction::Die { code: 7 })),
            ("kill@6", Fault::After(6, FaultAction::Kill)),
            ("ignore-term", Fault::IgnoreTerm),
        ] {
            assert_eq!(text.parse(), Ok(fault));
        }
    }

    #[test]
    fn rejects_unknown_faults() {
        for text in ["", "stall", "stall@", "stall@x", "stall@1:2", "explode@1", "die@1:99999999999"] {
            assert!(text.parse::<Fault>().is_err(), "{text}");
        }
    }
}
