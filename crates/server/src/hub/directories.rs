//! Lists folders for the folder picker. Names only: nothing here opens a file.

use std::path::{Path, PathBuf};

use pilothouse_core::limits::DIRECTORY_ENTRIES;
use pilothouse_core::protocol::{CommandError, DirectoryListing, ErrorCode};

use crate::allowed_roots::AllowedRoots;

/// Lists the folders in a folder that is inside the roots.
pub async fn list(
    path: String,
    default: PathBuf,
    roots: AllowedRoots,
) -> Result<DirectoryListing, CommandError> {
    let listed = tokio::task::spawn_blocking(move || read(&roots.resolve(&path, &default)?, &roots)).await;
    listed.map_err(|error| CommandError::new(ErrorCode::Internal, error.to_string()))?
}

fn read(folder: &Path, roots: &AllowedRoots) -> Result<DirectoryListing, CommandError> {
    let entries = std::fs::read_dir(folder).map_err(|error| {
        CommandError::new(ErrorCode::Gone, format!("Couldn't read {}: {error}.", folder.display()))
    })?;
    let is_link_out = |path: &Path| {
        path.is_symlink() && !path.canonicalize().is_ok_and(|real| roots.root_of(&real).is_some())
    };
    let mut folders: Vec<String> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir() && !is_link_out(path))
        .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
        .filter(|name| !name.starts_with('.'))
        .collect();
    folders.sort_by_key(|name| name.to_lowercase());
    let truncated = folders.len() > DIRECTORY_ENTRIES;
    folders.truncate(DIRECTORY_ENTRIES);
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let root = roots.root_of(folder).unwrap_or_else(|| folder.to_owned());
    let parent = folder.parent().filter(|_| root != folder);
    let other_roots = || roots.existing().into_iter().filter(|other| *other != root);
    Ok(DirectoryListing {
        path: text(folder),
        parent: parent.map(text),
        folders,
        truncated,
        roots: if parent.is_none() { other_roots().map(|root| text(&root)).collect() } else { Vec::new() },
        root: text(&root),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn top(folder: &tempfile::TempDir) -> PathBuf {
        folder.path().canonicalize().unwrap()
    }

    #[tokio::test]
    async fn lists_visible_folders_in_order() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["beta", "Alpha", ".hidden"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        std::fs::write(folder.path().join("file"), "").unwrap();
        let roots = AllowedRoots::new(vec![top(&folder)]);
        let listing = list(String::new(), top(&folder), roots).await.unwrap();
        assert_eq!(listing.folders, ["Alpha", "beta"]);
    }

    #[tokio::test]
    async fn the_way_up_ends_at_the_root_where_the_others_are_offered() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["one/deep", "two", "three"] {
            std::fs::create_dir_all(folder.path().join(path)).unwrap();
        }
        let top = top(&folder);
        std::os::unix::fs::symlink(top.join("three"), top.join("one/out")).unwrap();
        std::os::unix::fs::symlink(top.join("two"), top.join("one/to-two")).unwrap();
        let path = |name: &str| top.join(name).to_string_lossy().into_owned();
        let roots = AllowedRoots::new(vec![top.join("one"), top.join("two")]);
        let listed = |name: &str| list(path(name), top.clone(), roots.clone());
        let one = listed("one").await.unwrap();
        assert_eq!((one.parent, one.root, one.roots), (None, path("one"), vec![path("two")]));
        assert_eq!(one.folders, ["deep", "to-two"], "a link out of the roots is not offered");
        let deep = listed("one/deep").await.unwrap();
        assert_eq!((deep.parent, deep.root, deep.roots), (Some(path("one")), path("one"), vec![]));
        assert!(listed("three").await.is_err());
        assert_eq!(listed("one/to-two").await.unwrap().root, path("two"));
    }
}
