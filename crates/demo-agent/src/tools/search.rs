//! Looks for a word in the files of a folder, as pi's own `grep` prints it. Small text files only, and not many: the
//! demo shows what a search looks like.

use std::{fs, path::Path};

use super::Outcome;

const MAX_HITS: usize = 12;
const MAX_FILES: usize = 200;
const MAX_FILE: u64 = 256 * 1024;
const MAX_LINE: usize = 200;

pub(super) fn search(folder: &Path, pattern: &str) -> Outcome {
    let mut files: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.metadata().is_ok_and(|about| about.is_file() && about.len() <= MAX_FILE))
        .collect();
    files.sort();
    let mut hits = Vec::new();
    for file in files.iter().take(MAX_FILES) {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let Ok(text) = fs::read_to_string(file) else { continue };
        let lines = text.lines().enumerate().filter(|(_, line)| line.to_lowercase().contains(pattern));
        hits.extend(lines.map(|(number, line)| {
            let line: String = line.trim().chars().take(MAX_LINE).collect();
            format!("{name}:{}: {line}", number + 1)
        }));
        if hits.len() >= MAX_HITS {
            hits.truncate(MAX_HITS);
            break;
        }
    }
    Outcome::text(if hits.is_empty() { "No matches found".to_owned() } else { hits.join("\n") })
}
