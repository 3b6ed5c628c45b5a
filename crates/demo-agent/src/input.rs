//! The way from stdin: lines, split on LF alone. U+2028 and its like are text within a line.
//!
//! A thread of its own: a blocking read that is under way must not keep the process from ending.

use std::{
    io::{self, BufRead},
    thread,
};

use tokio::sync::mpsc;

/// Lines without their LF; the channel closes with stdin.
pub(crate) fn lines_of_stdin() -> io::Result<mpsc::Receiver<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel(64);
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
