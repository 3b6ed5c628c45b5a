//! Splits an agent's output into lines. Only LF ends a line: U+2028 and U+2029 are ordinary characters inside JSON
//! strings, and pi writes them as they are.

use pilothouse_core::limits::AGENT_LINE_BYTES;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    Complete(Vec<u8>),
    /// Longer than the limit; its bytes were dropped.
    TooLong {
        bytes: usize,
    },
}

#[derive(Debug)]
pub struct LineBuffer {
    partial: Vec<u8>,
    /// Bytes of the present line that were dropped, once it is too long.
    dropped: usize,
    limit: usize,
}

impl Default for LineBuffer {
    fn default() -> Self {
        Self::with_limit(AGENT_LINE_BYTES)
    }
}

impl LineBuffer {
    pub fn with_limit(limit: usize) -> Self {
        Self { partial: Vec::new(), dropped: 0, limit }
    }

    /// Takes in what was read; gives back the lines that are complete now. Half a line waits for its rest.
    pub fn push(&mut self, mut bytes: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.extend(&bytes[..end]);
            bytes = &bytes[end + 1..];
            lines.extend(self.take());
        }
        self.extend(bytes);
        lines
    }

    /// What stands after the last line break when the output ends.
    pub fn finish(&mut self) -> Option<Line> {
        self.take()
    }

    fn extend(&mut self, bytes: &[u8]) {
        if self.dropped > 0 || self.partial.len() + bytes.len() > self.limit {
            self.dropped += self.partial.len() + bytes.len();
            self.partial = Vec::new();
        } else {
            self.partial.extend_from_slice(bytes);
        }
    }

    fn take(&mut self) -> Option<Line> {
        let dropped = std::mem::take(&mut self.dropped);
        let mut line = std::mem::take(&mut self.partial);
        if dropped > 0 {
            return Some(Line::TooLong { bytes: dropped });
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        (!line.is_empty()).then_some(Line::Complete(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pieces: &[&str]) -> Vec<Line> {
        let mut buffer = LineBuffer::with_limit(20);
        let mut lines: Vec<Line> = pieces.iter().flat_map(|piece| buffer.push(piece.as_bytes())).collect();
        lines.extend(buffer.finish());
        lines
    }

    fn complete(text: &str) -> Line {
        Line::Complete(text.as_bytes().to_vec())
    }

    #[test]
    fn half_a_record_waits_for_its_rest() {
        assert_eq!(lines(&["{\"a\"", ":1}\n{", "}\n"]), [complete("{\"a\":1}"), complete("{}")]);
    }

    #[test]
    fn a_line_separator_inside_a_string_is_no_line_break() {
        assert_eq!(lines(&["\"a\u{2028}b\"\r\n"]), [complete("\"a\u{2028}b\"")]);
    }

    #[test]
    fn blank_lines_are_nothing_and_the_last_line_needs_no_break() {
        assert_eq!(lines(&["\n\r\n", "end"]), [complete("end")]);
    }

    #[test]
    fn a_line_at_the_limit_is_kept_and_one_above_is_dropped_without_harming_the_next() {
        let at_limit = "x".repeat(20);
        assert_eq!(lines(&[&at_limit, "\n"]), [complete(&at_limit)]);
        assert_eq!(
            lines(&["x".repeat(15).as_str(), "y".repeat(15).as_str(), "z\nok\n"]),
            [Line::TooLong { bytes: 31 }, complete("ok")]
        );
    }
}
