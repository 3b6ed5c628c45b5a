//! Lists folders for the folder picker. Names only: nothing here opens a file.

use std::path::{Path, PathBuf};

use pilothouse_core::limits::DIRECTORY_ENTRIES;
use pilothouse_core::protocol::DirectoryListing;
use serde_json::Value;

/// The folder a person means: empty is the default, `~` is home, the rest must be absolute.
pub fn resolve(path: &str, default: &Path) -> Result<PathBuf, String> {
    let path = path.trim();
    if path.contains('\0') {
        return Err("A folder's name has no NUL in it.".to_owned());
    }
    let resolved = match path {
        "" => default.to_owned(),
        "~" => home(),
        _ => match path.strip_prefix("~/") {
            Some(rest) => home().join(rest),
            None => PathBuf::from(path),
        },
    };
    if !resolved.is_absolute() {
        return Err(format!("'{path}' is not a whole path; it should start with / or ~."));
    }
    resolved.canonicalize().map_err(|_| format!("The folder {} does not exist.", resolved.display()))
}

fn home() -> PathBuf {
    std::env::var_os("HOME").map_or_else(|| PathBuf::from("/"), PathBuf::from)
}

pub async fn list(path: &str, default: &Path) -> Result<Value, String> {
    let folder = resolve(path, default)?;
    let listing =
        tokio::task::spawn_blocking(move || read(&folder)).await.map_err(|error| error.to_string())??;
    serde_json::to_value(listing).map_err(|error| error.to_string())
}

fn read(folder: &Path) -> Result<DirectoryListing, String> {
    let entries =
        std::fs::read_dir(folder).map_err(|error| format!("{} cannot be read: {error}", folder.display()))?;
    let mut folders: Vec<String> = entries
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with('.'))
        .collect();
    folders.sort_by_key(|name| name.to_lowercase());
    let truncated = folders.len() > DIRECTORY_ENTRIES;
    folders.truncate(DIRECTORY_ENTRIES);
    Ok(DirectoryListing {
        path: folder.to_string_lossy().into_owned(),
        parent: folder.parent().map(|parent| parent.to_string_lossy().into_owned()),
        folders,
        truncated,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lists_visible_folders_in_order() {
        let root = tempfile::tempdir().unwrap();
        for name in ["beta", "Alpha", ".hidden"] {
            std::fs::create_dir(root.path().join(name)).unwrap();
        }
        std::fs::write(root.path().join("file"), "").unwrap();
        let listing = list("", root.path()).await.unwrap();
        assert_eq!(listing["folders"], serde_json::json!(["Alpha", "beta"]));
    }

    #[tokio::test]
    async fn wrong_paths_get_a_sentence() {
        for path in ["relative", "/nonexistent/folder", "a\0b"] {
            assert!(list(path, Path::new("/")).await.is_err(), "{path}");
        }
    }
}
