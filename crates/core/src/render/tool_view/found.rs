//! What a search printed, by file. Tools print `path:line: text`; lines around a hit have dashes instead.

use crate::limits::SHOWN_FOUND_LINES;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundIn {
    pub path: String,
    pub lines: Vec<FoundLine>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLine {
    pub number: u32,
    pub text: String,
    /// It has what was looked for; others stand around it.
    pub hit: bool,
}

/// None if this is not such a list, or one too long to be built line by line: then it is shown as it was printed.
pub fn found_in(result: &str) -> Option<Vec<FoundIn>> {
    let mut files: Vec<FoundIn> = Vec::new();
    let mut others = 0;
    for (count, line) in result.lines().filter(|line| !line.trim().is_empty() && *line != "--").enumerate() {
        if count >= SHOWN_FOUND_LINES {
            return None;
        }
        let Some((path, found)) = parse(line, ':').or_else(|| parse(line, '-')) else {
            others += 1;
            continue;
        };
        match files.last_mut().filter(|file| file.path == path) {
            Some(file) => file.lines.push(found),
            None => files.push(FoundIn { path: path.to_owned(), lines: vec![found] }),
        }
    }
    // A line that says something about the list, such as that it was cut, would be lost.
    (others == 0 && !files.is_empty()).then_some(files)
}

fn parse(line: &str, sign: char) -> Option<(&str, FoundLine)> {
    // The path may have the sign, too: what counts is a number between two of them.
    for (end, _) in line.match_indices(sign).filter(|(end, _)| *end > 0) {
        let rest = &line[end + sign.len_utf8()..];
        if let Some((number, text)) = rest.split_once(sign)
            && let Ok(number) = number.parse()
        {
            let text = text.strip_prefix(' ').unwrap_or(text).to_owned();
            return Some((&line[..end], FoundLine { number, text, hit: sign == ':' }));
        }
    }
    None
}
