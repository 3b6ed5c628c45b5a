//! Stdin and stdout, one thread each.
//!
//! The writing thread writes whole lines in the order of `send`. A server that stops reading therefore does not
//! keep the agent from handling `abort` or SIGTERM. Sending does not block, except before a fault that ends the
//! process; producers of many lines call `wait_for_room`. Only the writing thread injects faults.
//!
//! The reading thread exists because a blocking read must not keep the process from ending.

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
pub(crate) use faults::Fault;

/// The number of unwritten lines from which `wait_for_room` waits.
const MAX_UNWRITTEN: usize = 256;

/// The sending side of stdout.
#[derive(Clone)]
pub(crate) struct Output {
    sender: mpsc::Sender<WriterItem>,
    backlog: Arc<Backlog>,
    /// The first lines, up to this count, are sent synchronously, so that a fault which ends the process hits the
    /// agent exactly after that line.
    synchronous_lines: u64,
}

enum WriterItem {
    Line(Vec<u8>),
    /// A line whose sender waits until it is written.
    SynchronousLine(Vec<u8>, mpsc::Sender<()>),
    /// Reports that everything before it is written.
    Flush(oneshot::Sender<()>),
}

#[derive(Default)]
struct Backlog {
    unwritten: AtomicUsize,
    /// The number of lines sent so far, written or not.
    sent: AtomicU64,
    /// Notified for every line that is written.
    written: Notify,
}

impl Output {
    /// Starts the writing thread.
    pub(crate) fn to_stdout(faults: &[Fault], groups: ProcessGroups) -> io::Result<Self> {
        let (sender, receiver) = mpsc::channel();
        let backlog = Arc::new(Backlog::default());
        let writer = Writer { sink: io::stdout(), faults: faults.to_vec(), groups, written: 0 };
        let writer_backlog = Arc::clone(&backlog);
        thread::Builder::new()
            .name("stdout".to_owned())
            .spawn(move || writer.run(&receiver, &writer_backlog))?;
        let synchronous_lines = faults.iter().filter_map(Fault::ends_after).max().unwrap_or(0);
        Ok(Self { sender, backlog, synchronous_lines })
    }

    pub(crate) fn emit(&self, event: &Event) {
        self.send(event);
    }

    pub(crate) fn send(&self, object: &impl Serialize) {
        if let Ok(line) = serde_json::to_vec(object) {
            self.send_line(line);
        }
    }

    /// Sends a line of JSON, given without its line feed.
    pub(crate) fn send_line(&self, line: Vec<u8>) {
        self.backlog.unwritten.fetch_add(1, Ordering::Relaxed);
        let index = self.backlog.sent.fetch_add(1, Ordering::Relaxed);
        // Sending fails only if the writing thread has ended, which also ends the process.
        if index >= self.synchronous_lines {
            let _ = self.sender.send(WriterItem::Line(line));
        } else {
            let (sender, written) = mpsc::channel();
            let _ = self.sender.send(WriterItem::SynchronousLine(line, sender));
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
    pub(crate) async fn wait_for_room(&self) {
        loop {
            let written = self.backlog.written.notified();
            if self.backlog.unwritten.load(Ordering::Relaxed) < MAX_UNWRITTEN {
                return;
            }
            written.await;
        }
    }

    /// Waits until every line is written, or for half a second if the server does not read.
    pub(crate) async fn flush(&self) {
        let (sender, receiver) = oneshot::channel();
        if self.sender.send(WriterItem::Flush(sender)).is_ok() {
            let _ = tokio::time::timeout(Duration::from_millis(500), receiver).await;
        }
    }
}

/// The writing thread.
struct Writer {
    sink: io::Stdout,
    faults: Vec<Fault>,
    groups: ProcessGroups,
    /// The number of lines written so far.
    written: u64,
}

impl Writer {
    fn run(mut self, receiver: &mpsc::Receiver<WriterItem>, backlog: &Backlog) {
        if self.write_items(receiver, backlog).is_err() {
            // Stdout is closed, so the server has ended. Exit without an error message.
            self.groups.kill_all();
            std::process::exit(0);
        }
    }

    fn write_items(&mut self, receiver: &mpsc::Receiver<WriterItem>, backlog: &Backlog) -> io::Result<()> {
        self.inject_faults(b"")?;
        for item in receiver {
            match item {
                WriterItem::Flush(done) => {
                    let _ = done.send(());
                }
                WriterItem::Line(line) => self.write_line(line, backlog)?,
                WriterItem::SynchronousLine(line, written) => {
                    self.write_line(line, backlog)?;
                    let _ = written.send(());
                }
            }
        }
        Ok(())
    }

    fn write_line(&mut self, mut line: Vec<u8>, backlog: &Backlog) -> io::Result<()> {
        line.push(b'\n');
        let mut sink = self.sink.lock();
        sink.write_all(&line)?;
        sink.flush()?;
        drop(sink);
        self.written += 1;
        backlog.unwritten.fetch_sub(1, Ordering::Relaxed);
        backlog.written.notify_waiters();
        self.inject_faults(&line)
    }

    fn inject_faults(&mut self, last_line: &[u8]) -> io::Result<()> {
        for fault in &self.faults {
            if let Fault::After(lines, action) = fault
                && *lines == self.written
            {
                faults::inject(*action, last_line, &mut self.sink.lock(), &self.groups)?;
            }
        }
        Ok(())
    }
}

/// Starts the reading thread. Returns the lines of stdin without their line feeds; the channel closes with stdin.
///
/// Lines end with LF only: U+2028 and similar characters belong to the text of a line.
pub(crate) fn read_stdin() -> io::Result<tokio::sync::mpsc::Receiver<Vec<u8>>> {
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
    fn lines_end_with_lf_only() {
        let mut lines = Vec::new();
        read_lines("a\u{2028}b\r\n\nlast".as_bytes(), |line| {
            lines.push(String::from_utf8(line).unwrap());
            true
        });
        assert_eq!(lines, ["a\u{2028}b\r", "", "last"]);
    }
}
