//! Truncation of long text, as in pi: to the first or last 2000 lines or 50 KB, whichever is less.

use serde_json::{Value, json};

pub(crate) const MAX_LINES: usize = 2000;
pub(crate) const MAX_BYTES: usize = 50 * 1024;

/// The end of a long text to keep.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    Head,
    Tail,
}

pub(crate) struct Truncated {
    pub(crate) content: String,
    /// The lines of the whole text, which may be longer than the part kept in memory.
    pub(crate) total_lines: usize,
    pub(crate) total_bytes: usize,
    /// The limit that applied, `lines` or `bytes`; `None` if nothing was cut.
    pub(crate) truncated_by: Option<&'static str>,
}

impl Truncated {
    pub(crate) fn is_truncated(&self) -> bool {
        self.truncated_by.is_some()
    }

    pub(crate) fn output_lines(&self) -> usize {
        self.content.lines().count()
    }

    /// The `details.truncation` of a tool result.
    pub(crate) fn describe(&self) -> Value {
        json!({
            "content": self.content,
            "truncated": self.is_truncated(),
            "truncatedBy": self.truncated_by,
            "totalLines": self.total_lines,
            "totalBytes": self.total_bytes,
            "outputLines": self.output_lines(),
            "outputBytes": self.content.len(),
            "lastLinePartial": false,
            "firstLineExceedsLimit": false,
            "maxLines": MAX_LINES,
            "maxBytes": MAX_BYTES,
        })
    }
}

/// Truncates `text`, which is all or the end of a text with `total_lines` lines and `total_bytes` bytes.
pub(crate) fn truncate(text: &str, keep: Keep, total_lines: usize, total_bytes: usize) -> Truncated {
    let lines: Vec<&str> = text.lines().collect();
    if total_lines <= MAX_LINES && total_bytes <= MAX_BYTES {
        return Truncated { content: text.to_owned(), total_lines, total_bytes, truncated_by: None };
    }
    let mut kept: Vec<&str> = Vec::new();
    let mut bytes = 0;
    let mut by = "lines";
    let ordered: Box<dyn Iterator<Item = &&str>> = match keep {
        Keep::Head => Box::new(lines.iter()),
        Keep::Tail => Box::new(lines.iter().rev()),
    };
    for line in ordered.take(MAX_LINES) {
        if bytes + line.len() + 1 > MAX_BYTES {
            by = "bytes";
            break;
        }
        bytes += line.len() + 1;
        kept.push(line);
    }
    if kept.is_empty() {
        // A single line is longer than the limit: keep a part of it.
        by = "bytes";
        kept.extend(match keep {
            Keep::Head => lines.first().map(|line| &line[..line.floor_char_boundary(MAX_BYTES)]),
            Keep::Tail => lines.last().map(|line| {
                let start = line.len().saturating_sub(MAX_BYTES);
                &line[line.ceil_char_boundary(start)..]
            }),
        });
    }
    if keep == Keep::Tail {
        kept.reverse();
    }
    Truncated { content: kept.join("\n"), total_lines, total_bytes, truncated_by: Some(by) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn truncate_text(text: &str, keep: Keep) -> Truncated {
        truncate(text, keep, text.lines().count(), text.len())
    }

    #[test]
    fn short_text_is_unchanged() {
        let truncated = truncate_text("one\ntwo\n", Keep::Tail);
        assert_eq!(truncated.content, "one\ntwo\n");
        assert!(!truncated.is_truncated());
    }

    #[test]
    fn the_details_match_a_recording_of_pi() {
        let numbers: String = (1..=5000).map(|number| format!("{number}\n")).collect();
        let tail = truncate_text(&numbers, Keep::Tail);
        assert!(tail.content.starts_with("3001\n"));
        assert!(tail.content.ends_with("5000"));
        let mut described = tail.describe();
        described["content"] = Value::Null;
        assert_eq!(
            described,
            json!({"content": null, "truncated": true, "truncatedBy": "lines", "totalLines": 5000,
                "totalBytes": 23893, "outputLines": 2000, "outputBytes": 9999, "lastLinePartial": false,
                "firstLineExceedsLimit": false, "maxLines": 2000, "maxBytes": 51200})
        );
        assert!(truncate_text(&numbers, Keep::Head).content.ends_with("\n2000"));
    }

    #[test]
    fn long_lines_are_truncated_by_bytes_at_a_character_boundary() {
        let line = "ä".repeat(60_000);
        let tail = truncate_text(&line, Keep::Tail);
        assert_eq!(tail.truncated_by, Some("bytes"));
        assert!(tail.content.len() <= MAX_BYTES);
        assert!(truncate_text(&line, Keep::Head).content.len() <= MAX_BYTES);
    }
}
