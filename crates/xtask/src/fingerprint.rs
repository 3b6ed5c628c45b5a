//! Detects changes by a hash of the names and contents of files.
//! Times are ignored: a checkout or a copy changes them without changing the content.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The fingerprint of files and folders below `root`, and of further words such as tool versions.
pub(crate) fn of(root: &Path, inputs: &[&str], words: &[&str]) -> Result<String> {
    let mut files = Vec::new();
    for input in inputs {
        collect(&root.join(input), &mut files)?;
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    for file in &files {
        file.strip_prefix(root).unwrap_or(file).hash(&mut hasher);
        let content = fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
        content.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// Collects every file below a path, which need not exist.
pub(crate) fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if path.is_file() {
        files.push(path.to_path_buf());
    } else if path.is_dir() {
        let entries = fs::read_dir(path).with_context(|| format!("{} cannot be read", path.display()))?;
        for entry in entries {
            collect(&entry?.path(), files)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A temporary folder, removed at the end of the test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("xtask-{name}-{}", std::process::id()));
            fs::create_dir_all(folder.join("src/deep")).unwrap();
            fs::write(folder.join("src/deep/a.rs"), "one").unwrap();
            fs::write(folder.join("index.html"), "page").unwrap();
            Self(folder)
        }

        fn fingerprint(&self) -> String {
            of(&self.0, &["src", "index.html", "missing"], &["tool 1"]).unwrap()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn times_do_not_affect_it() {
        let folder = Folder::new("times");
        let before = folder.fingerprint();
        fs::write(folder.0.join("src/deep/a.rs"), "one").unwrap();
        assert_eq!(folder.fingerprint(), before);
    }

    #[test]
    fn contents_names_new_files_and_tools_affect_it() {
        let folder = Folder::new("changes");
        let mut seen = vec![folder.fingerprint()];
        fs::write(folder.0.join("src/deep/a.rs"), "two").unwrap();
        seen.push(folder.fingerprint());
        fs::rename(folder.0.join("src/deep/a.rs"), folder.0.join("src/deep/b.rs")).unwrap();
        seen.push(folder.fingerprint());
        fs::write(folder.0.join("src/c.rs"), "").unwrap();
        seen.push(folder.fingerprint());
        seen.push(of(&folder.0, &["src", "index.html"], &["tool 2"]).unwrap());
        let count = seen.len();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), count);
    }

    #[test]
    fn files_outside_the_inputs_do_not_affect_it() {
        let folder = Folder::new("outside");
        let before = folder.fingerprint();
        fs::write(folder.0.join("README.md"), "words").unwrap();
        assert_eq!(folder.fingerprint(), before);
    }
}
