//! Splits an agent's output into lines. Only LF ends a line: U+2028 and U+2029 are ordinary characters inside JSON
//! strings, and pi writes them unescaped.

use pilothouse_core::limits::AGENT_LINE_BYTES;

/// A line without its line break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    Complete(Vec<u8>),
    /// The line exceeded the limit and its bytes were dropped.
    TooLong {
        bytes: usize,
    },
}

/// Buffers incomplete lines of a byte stream, up to a limit.
#[derive(Debug)]
pub struct LineBuffer {
    partial: Vec<u8>,
    /// The number of bytes dropped from the current line since it exceeded the limit.
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

    /// Adds bytes and returns the lines they complete. An incomplete last line stays buffered; blank lines are skipped.
    pub fn push(&mut self, mut bytes: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.extend(&bytes[..end]);
            bytes = &bytes[end + 1..];
            lines.extend(self.take_line());
        }
        self.extend(bytes);
        lines
    }

    /// Returns the line after the last line break, at the end of the output.
    pub fn finish(&mut self) -> Option<Line> {
        self.take_line()
    }

    fn extend(&mut self, bytes: &[u8]) {
        if self.dropped > 0 || self.partial.len() + bytes.len() > self.limit {
            self.dropped += self.partial.len() + bytes.len();
            self.partial = Vec::new();
        } else {
            self.partial.extend_from_slice(bytes);
        }
    }

    fn take_line(&mut self) -> Option<Line> {
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

    fn lines(chunks: &[&str]) -> Vec<Line> {
        let mut buffer = LineBuffer::with_limit(20);
        let mut lines: Vec<Line> = chunks.iter().flat_map(|chunk| buffer.push(chunk.as_bytes())).collect();
        lines.extend(buffer.finish());
        lines
    }

    fn complete(text: &str) -> Line {
        Line::Complete(text.as_bytes().to_vec())
    }

    #[test]
    fn an_incomplete_line_waits_for_its_end() {
        assert_eq!(lines(&["{\"a\"", ":1}\n{", "}\n"]), [complete("{\"a\":1}"), complete("{}")]);
    }

    #[test]
    fn u_2028_inside_a_string_is_not_a_line_break() {
        assert_eq!(lines(&["\"a\u{2028}b\"\r\n"]), [complete("\"a\u{2028}b\"")]);
    }

    #[test]
    fn blank_lines_are_skipped_and_the_last_line_needs_no_break() {
        assert_eq!(lines(&["\n\r\n", "end"]), [complete("end")]);
    }

    #[test]
    fn a_line_at_the_limit_is_kept_and_a_longer_one_is_dropped() {
        let at_limit = "x".repeat(20);
        assert_eq!(lines(&[&at_limit, "\n"]), [complete(&at_limit)]);
        assert_eq!(
            lines(&["x".repeat(15).as_str(), "y".repeat(15).as_str(), "z\nok\n"]),
            [Line::TooLong { bytes: 31 }, complete("ok")]
        );
    }
}
