//! Long output is cut to its end, as pi does: the last 2000 lines or 50 KB, whichever is less.

use serde_json::{Value, json};

pub(crate) const MAX_LINES: usize = 2000;
pub(crate) const MAX_BYTES: usize = 50 * 1024;

/// Which end of a long text is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    Head,
    Tail,
}

pub(crate) struct Truncated {
    pub(crate) content: String,
    /// Of the whole: a tail may stand for more than was kept in memory.
    pub(crate) total_lines: usize,
    pub(crate) total_bytes: usize,
    /// `None` if nothing was cut.
    pub(crate) by: Option<&'static str>,
}

impl Truncated {
    pub(crate) fn is_cut(&self) -> bool {
        self.by.is_some()
    }

    pub(crate) fn output_lines(&self) -> usize {
        self.content.lines().count()
    }

    /// `details.truncation` of a tool result.
    pub(crate) fn describe(&self) -> Value {
        json!({
            "content": self.content,
            "truncated": self.is_cut(),
            "truncatedBy": self.by,
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

/// Cuts `text`, the end (or all) of something with `total_lines` lines and `total_bytes` bytes.
pub(crate) fn truncate(text: &str, keep: Keep, total_lines: usize, total_bytes: usize) -> Truncated {
    let lines: Vec<&str> = text.lines().collect();
    let whole = total_lines <= MAX_LINES && total_bytes <= MAX_BYTES;
    if whole {
        return Truncated { content: text.to_owned(), total_lines, total_bytes, by: None };
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
        // One line longer than the limit: a part of it is better than nothing.
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
    Truncated { content: kept.join("\n"), total_lines, total_bytes, by: Some(by) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, keep: Keep) -> Truncated {
        truncate(text, keep, text.lines().count(), text.len())
    }

    #[test]
    fn short_text_stays_as_it_is() {
        let same = cut("one\ntwo\n", Keep::Tail);
        assert_eq!(same.content, "one\ntwo\n");
        assert!(!same.is_cut());
    }

    #[test]
    fn the_numbers_are_those_of_the_recording() {
        let numbers: String = (1..=5000).map(|number| format!("{number}\n")).collect();
        let tail = cut(&numbers, Keep::Tail);
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
        assert!(cut(&numbers, Keep::Head).content.ends_with("\n2000"));
    }

    #[test]
    fn long_lines_are_cut_by_bytes_at_a_character() {
        let line = "ä".repeat(60_000);
        let tail = cut(&line, Keep::Tail);
        assert_eq!(tail.by, Some("bytes"));
        assert!(tail.content.len() <= MAX_BYTES);
        assert!(cut(&line, Keep::Head).content.len() <= MAX_BYTES);
    }
}
