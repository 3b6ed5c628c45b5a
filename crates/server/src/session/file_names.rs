//! Finds files of a project by letters of their paths, for `@` in the composer. Names only, and only below the
//! project's folder: nothing here opens a file or follows a link. Files that git ignores are left out.

use std::path::Path;

use ignore::WalkBuilder;
use pilothouse_core::limits::{FOUND_FILES, SCANNED_FILES};

/// Returns the paths that match best. Blocks while reading the disk.
pub fn find(folder: &Path, query: &str) -> Vec<String> {
    let query: Vec<char> = query.to_lowercase().chars().filter(|letter| !letter.is_whitespace()).collect();
    let walk = WalkBuilder::new(folder)
        .hidden(false)
        .require_git(false)
        .follow_links(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    let mut found: Vec<(Rank, String)> = Vec::new();
    for entry in walk.flatten().take(SCANNED_FILES) {
        let Some(path) = entry.path().strip_prefix(folder).ok().and_then(Path::to_str) else { continue };
        if path.is_empty() {
            continue;
        }
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let path = if is_folder { format!("{path}/") } else { path.to_owned() };
        if let Some(rank) = rank(&path, &query) {
            found.push((rank, path));
        }
    }
    found.sort();
    found.truncate(FOUND_FILES);
    found.into_iter().map(|(_, path)| path).collect()
}

/// The rank of a match, smaller is better: the kind of match, then the length of the path.
type Rank = (u8, usize);

fn rank(path: &str, query: &[char]) -> Option<Rank> {
    let lower = path.to_lowercase();
    let wanted: String = query.iter().collect();
    let name = lower.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let class = if query.is_empty() || name == wanted {
        0
    } else if name.starts_with(&wanted) {
        1
    } else if name.contains(&wanted) {
        2
    } else if lower.contains(&wanted) {
        3
    } else if has_in_order(name, query) {
        4
    } else if has_in_order(&lower, query) {
        5
    } else {
        return None;
    };
    // Hidden files are rarely wanted.
    let hidden = usize::from(path.starts_with('.') || path.contains("/."));
    Some((class, hidden * 100_000 + path.matches('/').count() * 1_000 + path.len()))
}

fn has_in_order(text: &str, letters: &[char]) -> bool {
    let mut text = text.chars();
    letters.iter().all(|letter| text.any(|other| other == *letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for path in
            ["src/main.rs", "src/ui/mainsail.rs", "docs/remain.md", "target/main.rs", ".git/main", ".env"]
        {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        std::fs::write(folder.path().join(".gitignore"), "target/\n").unwrap();
        folder
    }

    #[test]
    fn names_that_begin_so_come_first_and_what_git_ignores_does_not_come() {
        let project = project();
        assert_eq!(find(project.path(), "MAIN"), ["src/main.rs", "src/ui/mainsail.rs", "docs/remain.md"]);
        assert_eq!(find(project.path(), "uims"), ["src/ui/mainsail.rs"], "the letters in order");
        assert_eq!(find(project.path(), "env"), [".env"]);
        assert!(find(project.path(), "nothing").is_empty());
        assert_eq!(find(project.path(), "")[..2], ["src/", "docs/"], "hidden files come last");
    }

    #[test]
    fn a_link_out_of_the_folder_is_not_followed() {
        let (project, other) = (project(), tempfile::tempdir().unwrap());
        std::fs::write(other.path().join("secret.txt"), "").unwrap();
        std::os::unix::fs::symlink(other.path(), project.path().join("out")).unwrap();
        assert!(find(project.path(), "secret").is_empty());
    }
}
