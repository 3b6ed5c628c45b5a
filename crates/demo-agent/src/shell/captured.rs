//! The output of a shell command as it grows: text from bytes, the end of it in memory, all of it in a file once it
//! is long.

use std::{
    fs::File,
    io::Write,
    path::{Path, PathBuf},
};

use super::truncation::{Keep, MAX_BYTES, MAX_LINES, Truncated, truncate};

/// Enough to cut the last lines from; what is older lives in the file.
const IN_MEMORY: usize = 4 * MAX_BYTES;
/// A command that never stops printing must not fill the disk.
const IN_FILE: usize = 64 * 1024 * 1024;

#[derive(Default)]
pub(crate) struct Captured {
    /// The first bytes of a character whose rest has not arrived.
    incomplete: Vec<u8>,
    text: String,
    bytes: usize,
    line_ends: usize,
    spool: Option<(PathBuf, File)>,
}

impl Captured {
    /// Takes bytes and returns the text that they complete.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        self.incomplete.extend_from_slice(bytes);
        let complete = self.incomplete.len() - unfinished(&self.incomplete);
        let text = String::from_utf8_lossy(&self.incomplete[..complete]).into_owned();
        self.incomplete.drain(..complete);
        self.add(&text);
        text
    }

    /// Nothing more will come: what is left over is not a character.
    pub(crate) fn finish(&mut self) -> String {
        let rest = std::mem::take(&mut self.incomplete);
        let text = String::from_utf8_lossy(&rest).into_owned();
        self.add(&text);
        text
    }

    /// The end of the output, at most so much of it.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn truncated(&self) -> Truncated {
        truncate(&self.text, Keep::Tail, self.lines(), self.bytes)
    }

    /// Where all of it can be read, if it was cut.
    pub(crate) fn full_output_path(&self) -> Option<&Path> {
        self.spool.as_ref().map(|(path, _)| path.as_path())
    }

    fn lines(&self) -> usize {
        let open_line = !self.text.is_empty() && !self.text.ends_with('\n');
        self.line_ends + usize::from(open_line)
    }

    fn add(&mut self, text: &str) {
        self.text.push_str(text);
        self.bytes += text.len();
        self.line_ends += text.matches('\n').count();
        let is_long = self.bytes > MAX_BYTES || self.lines() > MAX_LINES;
        match &mut self.spool {
            // A full disk costs the file, not the conversation.
            Some((_, file)) if self.bytes <= IN_FILE => drop(file.write_all(text.as_bytes())),
            Some(_) => {}
            None if is_long => self.spool = open_spool(&self.text),
            None => {}
        }
        if self.text.len() > IN_MEMORY {
            let cut = self.text.ceil_char_boundary(self.text.len() - IN_MEMORY / 2);
            self.text.drain(..cut);
        }
    }
}

fn open_spool(text: &str) -> Option<(PathBuf, File)> {
    let id = uuid::Uuid::now_v7().simple().to_string();
    let path = std::env::temp_dir().join(format!("pi-bash-{}.log", id.get(16..)?));
    let mut file = File::create(&path).ok()?;
    file.write_all(text.as_bytes()).ok()?;
    Some((path, file))
}

/// How many bytes at the end are the start of a character that goes on.
fn unfinished(bytes: &[u8]) -> usize {
    let tail = &bytes[bytes.len().saturating_sub(3)..];
    for back in 1..=tail.len() {
        let lead = tail[tail.len() - back];
        let length = match lead {
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            0x80..=0xBF => continue,
            _ => return 0,
        };
        return if back < length { back } else { 0 };
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_cut_in_two_arrives_whole() {
        let mut captured = Captured::default();
        let anchor = "⚓".as_bytes();
        assert_eq!(captured.push(&anchor[..2]), "");
        assert_eq!(captured.push(&anchor[2..]), "⚓");
        assert_eq!(captured.push(b"\xff ok \xe2"), "\u{fffd} ok ");
        assert_eq!(captured.finish(), "\u{fffd}");
    }

    #[test]
    fn long_output_keeps_its_end_and_a_file() {
        let mut captured = Captured::default();
        for number in 1..=6000 {
            captured.push(format!("{number}\n").as_bytes());
        }
        let truncated = captured.truncated();
        assert_eq!(truncated.total_lines, 6000);
        assert!(truncated.content.starts_with("4001\n"));
        let path = captured.full_output_path().unwrap().to_owned();
        let all = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        assert_eq!(all.lines().count(), 6000);
    }
}
