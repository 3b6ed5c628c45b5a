//! Carries out a fault on the way to stdout: stalls, floods, junk, sudden ends.

use std::{
    io::{self, Write},
    thread,
};

use serde_json::Value;

use super::{fault::Mishap, process_groups::ProcessGroups};

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
}
