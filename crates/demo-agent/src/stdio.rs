//! The way to stdout: one thread that writes whole lines in the order they were handed over.
//!
//! A thread of its own, because a reader that stops reading must not stop the agent from hearing `abort` or SIGTERM.
//! Handing over never waits; whoever produces a lot calls `keep_pace`. Faults happen here and nowhere else.

mod faults;

use std::{
    io::{self, BufRead, Write},
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use serde::Serialize;
use serde_json::Value;
use tokio::sync::{Notify, oneshot};

use crate::{
    protocol::{Event, Response},
    shell::ProcessGroups,
};
pub use faults::Fault;
use faults::Mishap;

/// So many lines may wait before `keep_pace` holds the producer back.
const WAITING_LINES: usize = 256;

#[derive(Clone)]
pub(crate) struct Output {
    sender: mpsc::Sender<Item>,
    waiting: Arc<Waiting>,
    /// Up to this many lines the agent does nothing before the last one is written, so that a sudden end finds it
    /// exactly there.
    in_step_until: u64,
}

enum Item {
    Line(Vec<u8>),
    /// The same, and somebody waits for it.
    Awaited(Vec<u8>, mpsc::Sender<()>),
    /// Everything before this has been written.
    Flushed(oneshot::Sender<()>),
}

#[derive(Default)]
struct Waiting {
    lines: AtomicUsize,
    handed_over: AtomicU64,
    written: Notify,
}

impl Output {
    /// Starts the writing thread.
    pub(crate) fn to_stdout(faults: &[Fault], groups: ProcessGroups) -> io::Result<Self> {
        let (sender, receiver) = mpsc::channel();
        let waiting = Arc::new(Waiting::default());
        let writer = Writer { sink: io::stdout(), faults: faults.to_vec(), groups, sent: 0 };
        let writer_waiting = Arc::clone(&waiting);
        thread::Builder::new()
            .name("stdout".to_owned())
            .spawn(move || writer.write_all(&receiver, &writer_waiting))?;
        let in_step_until = faults.iter().filter_map(sudden_end).max().unwrap_or(0);
        Ok(Self { sender, waiting, in_step_until })
    }

    pub(crate) fn emit(&self, event: &Event) {
        self.send(event);
    }

    pub(crate) fn send(&self, object: &impl Serialize) {
        if let Ok(line) = serde_json::to_vec(object) {
            self.send_line(line);
        }
    }

    /// Sends a line that is JSON already; without its LF.
    pub(crate) fn send_line(&self, line: Vec<u8>) {
        self.waiting.lines.fetch_add(1, Ordering::Relaxed);
        let before = self.waiting.handed_over.fetch_add(1, Ordering::Relaxed);
        // Sending fails only when the thread has ended, and with it the process.
        if before >= self.in_step_until {
            let _ = self.sender.send(Item::Line(line));
        } else {
            let (sender, written) = mpsc::channel();
            let _ = self.sender.send(Item::Awaited(line, sender));
            let _ = written.recv();
        }
    }

    pub(crate) fn succeed(&self, id: Option<&Value>, command: &str, data: Option<Value>) {
        self.respond(id, Some(command), Ok(data));
    }

    pub(crate) fn fail(&self, id: Option<&Value>, command: &str, error: impl Into<String>) {
        self.respond(id, Some(command), Err(error.into()));
    }

    pub(crate) fn respond(
        &self,
        id: Option<&Value>,
        command: Option<&str>,
        outcome: Result<Option<Value>, String>,
    ) {
        let success = outcome.is_ok();
        let (data, error) = match outcome {
            Ok(data) => (data, None),
            Err(error) => (None, Some(error)),
        };
        self.send(&Response { id, r#type: "response", command, success, data, error });
    }

    /// Waits while too many lines are unwritten.
    pub(crate) async fn keep_pace(&self) {
        loop {
            let written = self.waiting.written.notified();
            if self.waiting.lines.load(Ordering::Relaxed) < WAITING_LINES {
                return;
            }
            written.await;
        }
    }

    /// Waits until everything handed over is written, or a moment, if nobody reads.
    pub(crate) async fn flush(&self) {
        let (sender, receiver) = oneshot::channel();
        if self.sender.send(Item::Flushed(sender)).is_ok() {
            let _ = tokio::time::timeout(Duration::from_millis(500), receiver).await;
        }
    }
}

struct Writer {
    sink: io::Stdout,
    faults: Vec<Fault>,
    groups: ProcessGroups,
    sent: u64,
}

impl Writer {
    fn write_all(mut self, receiver: &mpsc::Receiver<Item>, waiting: &Waiting) {
        if self.write_items(receiver, waiting).is_err() {
            // Nobody reads any more: the server is gone, and so are we, without a word.
            self.groups.kill_all();
            std::process::exit(0);
        }
    }

    fn write_items(&mut self, receiver: &mpsc::Receiver<Item>, waiting: &Waiting) -> io::Result<()> {
        self.meet_faults(b"")?;
        for item in receiver {
            match item {
                Item::Flushed(done) => {
                    let _ = done.send(());
                }
                Item::Line(line) => self.write_line(line, waiting)?,
                Item::Awaited(line, written) => {
                    self.write_line(line, waiting)?;
                    let _ = written.send(());
                }
            }
        }
        Ok(())
    }

    fn write_line(&mut self, mut line: Vec<u8>, waiting: &Waiting) -> io::Result<()> {
        line.push(b'\n');
        let mut sink = self.sink.lock();
        sink.write_all(&line)?;
        sink.flush()?;
        drop(sink);
        self.sent += 1;
        waiting.lines.fetch_sub(1, Ordering::Relaxed);
        waiting.written.notify_waiters();
        self.meet_faults(&line)
    }

    fn meet_faults(&mut self, last_line: &[u8]) -> io::Result<()> {
        for fault in &self.faults {
            if let Fault::After(after, mishap) = fault
                && *after == self.sent
            {
                faults::happen(*mishap, last_line, &mut self.sink.lock(), &self.groups)?;
            }
        }
        Ok(())
    }
}

/// After how many lines a fault ends the process.
fn sudden_end(fault: &Fault) -> Option<u64> {
    match fault {
        Fault::After(lines, Mishap::Die { .. } | Mishap::Kill) => Some(*lines),
        _ => None,
    }
}

/// Lines without their LF; the channel closes with stdin.
pub(crate) fn lines_of_stdin() -> io::Result<tokio::sync::mpsc::Receiver<Vec<u8>>> {
    let (sender, receiver) = tokio::sync::mpsc::channel(64);
    thread::Builder::new()
        .name("stdin".to_owned())
        .spawn(move || read_lines(io::stdin().lock(), |line| sender.blocking_send(line).is_ok()))?;
    Ok(receiver)
}

fn read_lines(mut source: impl BufRead, mut deliver: impl FnMut(Vec<u8>) -> bool) {
    loop {
        let mut line = Vec::new();
        match source.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        if !deliver(line) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_on_lf_alone() {
        let mut lines = Vec::new();
        read_lines("a\u{2028}b\r\n\nlast".as_bytes(), |line| {
            lines.push(String::from_utf8(line).unwrap());
            true
        });
        assert_eq!(lines, ["a\u{2028}b\r", "", "last"]);
    }
}
