//! The captured output of a shell command: decoded as text, with its end in memory and, once it is long, all of it
//! in a file.

use std::{
    fs::File,
    io::Write,
    path::{Path, PathBuf},
};

use super::truncation::{Keep, MAX_BYTES, MAX_LINES, Truncated, truncate};

/// The limit in memory, which leaves enough to truncate to the last lines.
const MAX_IN_MEMORY: usize = 4 * MAX_BYTES;
/// The limit in the file, so that a command that never stops printing does not fill the disk.
const MAX_IN_FILE: usize = 64 * 1024 * 1024;

#[derive(Default)]
pub(crate) struct Captured {
    /// The first bytes of a character that has not arrived completely.
    incomplete: Vec<u8>,
    text: String,
    bytes: usize,
    line_ends: usize,
    full_output: Option<(PathBuf, File)>,
}

impl Captured {
    /// Adds bytes and returns the text that they complete.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        self.incomplete.extend_from_slice(bytes);
        let complete = self.incomplete.len() - incomplete_suffix(&self.incomplete);
        let text = String::from_utf8_lossy(&self.incomplete[..complete]).into_owned();
        self.incomplete.drain(..complete);
        self.add(&text);
        text
    }

    /// Ends the output. Bytes of an incomplete character become a replacement character.
    pub(crate) fn finish(&mut self) -> String {
        let rest = std::mem::take(&mut self.incomplete);
        let text = String::from_utf8_lossy(&rest).into_owned();
        self.add(&text);
        text
    }

    /// The end of the output, up to the limit in memory.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn truncated(&self) -> Truncated {
        truncate(&self.text, Keep::Tail, self.lines(), self.bytes)
    }

    /// The file with the whole output, if the output is long.
    pub(crate) fn full_output_path(&self) -> Option<&Path> {
        self.full_output.as_ref().map(|(path, _)| path.as_path())
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
        match &mut self.full_output {
            // An error, such as a full disk, only makes the file incomplete.
            Some((_, file)) if self.bytes <= MAX_IN_FILE => drop(file.write_all(text.as_bytes())),
            Some(_) => {}
            None if is_long => self.full_output = create_full_output(&self.text),
            None => {}
        }
        if self.text.len() > MAX_IN_MEMORY {
            let cut = self.text.ceil_char_boundary(self.text.len() - MAX_IN_MEMORY / 2);
            self.text.drain(..cut);
        }
    }
}

fn create_full_output(text: &str) -> Option<(PathBuf, File)> {
    let id = uuid::Uuid::now_v7().simple().to_string();
    let path = std::env::temp_dir().join(format!("pi-bash-{}.log", id.get(16..)?));
    let mut file = File::create(&path).ok()?;
    file.write_all(text.as_bytes()).ok()?;
    Some((path, file))
}

/// The number of bytes at the end that begin an incomplete character.
fn incomplete_suffix(bytes: &[u8]) -> usize {
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
    fn a_character_that_arrives_in_two_parts_is_decoded() {
        let mut captured = Captured::default();
        let anchor = "⚓".as_bytes();
        assert_eq!(captured.push(&anchor[..2]), "");
        assert_eq!(captured.push(&anchor[2..]), "⚓");
        assert_eq!(captured.push(b"\xff ok \xe2"), "\u{fffd} ok ");
        assert_eq!(captured.finish(), "\u{fffd}");
    }

    #[test]
    fn long_output_keeps_its_end_and_is_written_to_a_file() {
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
