//! Groups the output of a search by file. Tools print `path:line: text` for a match and `path-line- text` for the
//! lines around it.

use crate::limits::SHOWN_MATCH_LINES;

/// The matches in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileMatches {
    pub path: String,
    pub lines: Vec<MatchLine>,
}

/// A line with a match, or one around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchLine {
    pub number: u32,
    pub text: String,
    /// The line contains a match.
    pub hit: bool,
}

/// The matches by file. None if the output has another form, or is too long to be shown line by line.
pub fn parse_matches(result: &str) -> Option<Vec<FileMatches>> {
    let mut files: Vec<FileMatches> = Vec::new();
    let mut others = 0;
    for (count, line) in result.lines().filter(|line| !line.trim().is_empty() && *line != "--").enumerate() {
        if count >= SHOWN_MATCH_LINES {
            return None;
        }
        let Some((path, found)) = parse_line(line, ':').or_else(|| parse_line(line, '-')) else {
            others += 1;
            continue;
        };
        match files.last_mut().filter(|file| file.path == path) {
            Some(file) => file.lines.push(found),
            None => files.push(FileMatches { path: path.to_owned(), lines: vec![found] }),
        }
    }
    // Grouping would lose a line of another form, such as a note that the list was truncated.
    (others == 0 && !files.is_empty()).then_some(files)
}

fn parse_line(line: &str, separator: char) -> Option<(&str, MatchLine)> {
    // The path may contain the separator too, so a number between two separators is required.
    for (end, _) in line.match_indices(separator).filter(|(end, _)| *end > 0) {
        let rest = &line[end + separator.len_utf8()..];
        if let Some((number, text)) = rest.split_once(separator)
            && let Ok(number) = number.parse()
        {
            let text = text.strip_prefix(' ').unwrap_or(text).to_owned();
            return Some((&line[..end], MatchLine { number, text, hit: separator == ':' }));
        }
    }
    None
}
