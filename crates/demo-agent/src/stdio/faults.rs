//! Carries out a fault on the way to stdout: stalls, floods, junk, sudden ends.

use std::{
    io::{self, Write},
    str::FromStr,
    thread,
};

use serde_json::Value;

use crate::shell::ProcessGroups;

/// Lines that a reader must survive. Each is sent as it is, with LF.
pub(crate) const JUNK: [&[u8]; 10] = [
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

pub(crate) fn happen(
    mishap: Mishap,
    last_line: &[u8],
    sink: &mut impl Write,
    groups: &ProcessGroups,
) -> io::Result<()> {
    match mishap {
        Mishap::Stall => loop {
            thread::park();
        },
        Mishap::Flood { bytes } => flood(bytes, sink)?,
        Mishap::Lines { count } => {
            let line = harmless_event(last_line);
            for _ in 0..count {
                sink.write_all(&line)?;
            }
        }
        Mishap::Junk => {
            for line in JUNK {
                sink.write_all(line)?;
                sink.write_all(b"\n")?;
            }
        }
        Mishap::Die { code } => {
            groups.kill_all();
            eprintln!("demo agent: dying with code {code}, as asked by --fault");
            std::process::exit(code);
        }
        Mishap::Kill => {
            // As after a real SIGKILL, nothing is tidied up.
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        }
    }
    sink.flush()
}

/// One JSON line of `bytes` bytes before its LF, written piece by piece.
fn flood(bytes: u64, sink: &mut impl Write) -> io::Result<()> {
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

/// An event that is in order at this place: in mid-text one more delta, otherwise the empty queue.
fn harmless_event(last_line: &[u8]) -> Vec<u8> {
    let in_mid_text = serde_json::from_slice::<Value>(last_line).ok().filter(|event| {
        event.pointer("/assistantMessageEvent/type").is_some_and(|kind| kind == "text_delta")
    });
    let mut line = match in_mid_text {
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Something happens once this many lines have been sent.
    After(u64, Mishap),
    /// Neither SIGTERM nor the end of stdin ends the process.
    IgnoreTerm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mishap {
    /// Send nothing more, but stay alive and keep reading.
    Stall,
    /// One line of so many bytes, then go on.
    Flood { bytes: u64 },
    /// So many well-formed event lines, then go on.
    Lines { count: u64 },
    /// Lines that are no JSON, or JSON that is no event, or not even UTF-8; then go on.
    Junk,
    /// Exit with this code and a line on stderr.
    Die { code: i32 },
    /// Be gone at once, as after SIGKILL.
    Kill,
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "ignore-term" {
            return Ok(Self::IgnoreTerm);
        }
        let (name, place) = text.split_once('@').ok_or(
            "expected ignore-term or stall|flood|lines|junk|die|kill@N, with :AMOUNT where it applies",
        )?;
        let (after, amount) = match place.split_once(':') {
            Some((after, amount)) => (after, Some(number(amount)?)),
            None => (place, None),
        };
        let mishap = match (name, amount) {
            ("stall", None) => Mishap::Stall,
            ("flood", bytes) => Mishap::Flood { bytes: bytes.unwrap_or(100_000_000) },
            ("lines", count) => Mishap::Lines { count: count.unwrap_or(1_000_000) },
            ("junk", None) => Mishap::Junk,
            ("die", code) => {
                Mishap::Die { code: i32::try_from(code.unwrap_or(1)).map_err(|error| error.to_string())? }
            }
            ("kill", None) => Mishap::Kill,
            _ => return Err(format!("no such fault: {text}")),
        };
        Ok(Self::After(number(after)?, mishap))
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("not a number: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(mishap: Mishap, last_line: &str) -> Vec<u8> {
        let mut sink = Vec::new();
        happen(mishap, last_line.as_bytes(), &mut sink, &ProcessGroups::default()).unwrap();
        sink
    }

    #[test]
    fn a_flood_is_one_line_of_that_size() {
        let line = written(Mishap::Flood { bytes: 200_000 }, "");
        assert_eq!(line.len(), 200_001);
        assert!(serde_json::from_slice::<Value>(&line).is_ok());
    }

    #[test]
    fn many_lines_continue_an_open_text() {
        let lines = written(Mishap::Lines { count: 3 }, "");
        assert_eq!(lines.split(|byte| *byte == b'\n').count(), 4);
        let delta = r#"{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":2,"delta":"abc"}}"#;
        let lines = String::from_utf8(written(Mishap::Lines { count: 2 }, delta)).unwrap();
        let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
        assert_eq!(first["assistantMessageEvent"]["contentIndex"], 2);
        assert_eq!(first["assistantMessageEvent"]["delta"], ".");
    }

    #[test]
    fn junk_is_not_all_utf8() {
        assert!(String::from_utf8(written(Mishap::Junk, "")).is_err());
    }

    #[test]
    fn reads_every_fault() {
        for (text, fault) in [
            ("stall@3", Fault::After(3, Mishap::Stall)),
            ("flood@0", Fault::After(0, Mishap::Flood { bytes: 100_000_000 })),
            ("flood@1:50", Fault::After(1, Mishap::Flood { bytes: 50 })),
            ("lines@2:10", Fault::After(2, Mishap::Lines { count: 10 })),
            ("junk@4", Fault::After(4, Mishap::Junk)),
            ("die@5", Fault::After(5, Mishap::Die { code: 1 })),
            ("die@5:7", Fault::After(5, Mishap::Die { code: 7 })),
            ("kill@6", Fault::After(6, Mishap::Kill)),
            ("ignore-term", Fault::IgnoreTerm),
        ] {
            assert_eq!(text.parse(), Ok(fault));
        }
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        for text in ["", "stall", "stall@", "stall@x", "stall@1:2", "explode@1", "die@1:99999999999"] {
            assert!(text.parse::<Fault>().is_err(), "{text}");
        }
    }
}
