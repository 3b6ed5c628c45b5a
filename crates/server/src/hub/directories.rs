//! Lists folders for the folder picker. Names only: nothing here opens a file.

use std::path::{Path, PathBuf};

use pilothouse_core::limits::DIRECTORY_ENTRIES;
use pilothouse_core::protocol::{CommandError, DirectoryListing, ErrorCode};

/// Resolves the path that a user typed: empty is the default, `~` is home, the rest must be absolute. Blocks.
pub fn resolve(path: &str, default: &Path) -> Result<PathBuf, CommandError> {
    let path = path.trim();
    if path.contains('\0') {
        return Err(CommandError::invalid("A folder name can't contain NUL."));
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
        return Err(CommandError::invalid(format!("'{path}' is not a full path. Start it with / or ~.")));
    }
    resolved.canonicalize().map_err(|_| {
        CommandError::new(ErrorCode::Gone, format!("The folder {} doesn't exist.", resolved.display()))
    })
}

fn home() -> PathBuf {
    std::env::var_os("HOME").map_or_else(|| PathBuf::from("/"), PathBuf::from)
}

/// Lists the folders in a folder.
pub async fn list(path: String, default: PathBuf) -> Result<DirectoryListing, CommandError> {
    let listed = tokio::task::spawn_blocking(move || read(&resolve(&path, &default)?)).await;
    listed.map_err(|error| CommandError::new(ErrorCode::Internal, error.to_string()))?
}

fn read(folder: &Path) -> Result<DirectoryListing, CommandError> {
    let entries = std::fs::read_dir(folder).map_err(|error| {
        CommandError::new(ErrorCode::Gone, format!("Couldn't read {}: {error}.", folder.display()))
    })?;
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
        let listing = list(String::new(), root.path().to_owned()).await.unwrap();
        assert_eq!(listing.folders, ["Alpha", "beta"]);
    }

    #[tokio::test]
    async fn invalid_paths_are_refused() {
        for path in ["relative", "/nonexistent/folder", "a\0b"] {
            assert!(list(path.to_owned(), PathBuf::from("/")).await.is_err(), "{path}");
        }
    }
}
