//! The folders that clients may choose from: by default the home folder and the one in which the server was started, each
//! with everything below it. Sessions that exist in an agent's own files may be elsewhere; they can be continued, because
//! the user has worked there.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use pilothouse_core::limits::{NAMED_ROOTS, PATH_BYTES};
use pilothouse_core::protocol::{CommandError, ErrorCode};

use crate::agent::catalogue::expand_home;

/// The allowed folders. Clones share them.
#[derive(Clone, Debug)]
pub struct AllowedRoots(Arc<[PathBuf]>);

impl AllowedRoots {
    pub fn new(roots: Vec<PathBuf>) -> Self {
        Self(roots.into())
    }

    /// Allows every folder.
    pub fn everything() -> Self {
        Self::new(vec![PathBuf::from("/")])
    }

    /// The roots used if none are configured. `explicit_start` says that the user has named the start folder: a service
    /// that is started in `/` should not open the whole disk.
    pub fn defaults(home: &Path, start: &Path, explicit_start: bool) -> Self {
        let is_narrow = |folder: &&Path| folder.is_absolute() && folder.parent().is_some();
        let home = Some(home).filter(is_narrow);
        let start = Some(start).filter(|folder| explicit_start || is_narrow(folder));
        Self::new([home, start].into_iter().flatten().map(Path::to_owned).collect())
    }

    /// The roots that exist, without links, the outermost ones only.
    pub fn existing(&self) -> Vec<PathBuf> {
        let mut roots: Vec<PathBuf> = self.0.iter().filter_map(|root| root.canonicalize().ok()).collect();
        let all = roots.clone();
        roots.retain(|root| !all.iter().any(|other| other != root && root.starts_with(other)));
        let mut seen = Vec::new();
        roots.retain(|root| {
            !seen.contains(root) && {
                seen.push(root.clone());
                true
            }
        });
        roots
    }

    /// The root that contains a folder, which must have no links in its path.
    pub fn root_of(&self, folder: &Path) -> Option<PathBuf> {
        self.existing().into_iter().find(|root| folder.starts_with(root))
    }

    /// Resolves the path that a client sent: empty is the default, `~` is home, the rest must be absolute. Links are
    /// followed before the folder is compared with the roots. Blocks.
    pub fn resolve(&self, path: &str, default: &Path) -> Result<PathBuf, CommandError> {
        let path = path.trim();
        if path.len() > PATH_BYTES {
            return Err(CommandError::invalid("This path is too long."));
        }
        if path.contains('\0') {
            return Err(CommandError::invalid("A folder name can't contain NUL."));
        }
        let resolved = match path {
            "" => default.to_owned(),
            "~" => expand_home("~"),
            _ if path.starts_with("~/") => expand_home(path),
            _ => PathBuf::from(path),
        };
        if !resolved.is_absolute() {
            return Err(CommandError::invalid(format!("'{path}' is not a full path. Start it with / or ~.")));
        }
        match resolved.canonicalize() {
            Ok(folder) if self.root_of(&folder).is_some() => Ok(folder),
            // Whether something exists elsewhere is not revealed.
            Err(_) if self.contains_by_name(&resolved) => {
                let text = format!("The folder {} doesn't exist.", resolved.display());
                Err(CommandError::new(ErrorCode::Gone, text))
            }
            _ => Err(self.refusal(&resolved)),
        }
    }

    /// Refuses the folder of a session that a link leads out of the roots. A folder that never was inside is one in which
    /// an agent has worked before. Blocks.
    pub fn check_session_folder(&self, folder: &Path) -> Result<(), CommandError> {
        let is_inside = folder.canonicalize().is_ok_and(|real| self.root_of(&real).is_some());
        if is_inside || !self.contains_by_name(folder) { Ok(()) } else { Err(self.refusal(folder)) }
    }

    /// Whether a path is inside without following links.
    fn contains_by_name(&self, path: &Path) -> bool {
        let path = without_dots(path);
        self.0.iter().any(|root| path.starts_with(root))
            || self.existing().iter().any(|root| path.starts_with(root))
    }

    fn refusal(&self, folder: &Path) -> CommandError {
        let roots = self.existing();
        let mut names: Vec<String> =
            roots.iter().take(NAMED_ROOTS).map(|root| root.display().to_string()).collect();
        if roots.len() > NAMED_ROOTS {
            names.push(format!("{} more", roots.len() - NAMED_ROOTS));
        }
        let names = if names.is_empty() { "there are none".to_owned() } else { names.join(", ") };
        CommandError::invalid(format!(
            "{} is outside the allowed folders ({names}). To change them, start Pilothouse with --allowed-root, or set \
             allowed_roots in the configuration.",
            folder.display()
        ))
    }
}

/// Resolves `.` and `..` by name.
fn without_dots(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(result.pop()),
            Component::CurDir => {}
            other => result.push(other),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    struct Fixture {
        _folder: tempfile::TempDir,
        top: PathBuf,
        roots: AllowedRoots,
    }

    /// `home` and `work/inside` are allowed.
    fn fixture() -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for path in ["home/project", "home-evil", "work/inside/deep", "work/outside"] {
            std::fs::create_dir_all(top.join(path)).unwrap();
        }
        symlink(top.join("work/outside"), top.join("home/out")).unwrap();
        symlink(top.join("home"), top.join("work/in")).unwrap();
        let roots = AllowedRoots::new(vec![top.join("home"), top.join("work/inside")]);
        Fixture { _folder: folder, top, roots }
    }

    impl Fixture {
        fn resolve(&self, path: &str) -> Result<PathBuf, CommandError> {
            let path = path.replace("TOP", &self.top.to_string_lossy());
            self.roots.resolve(&path, &self.top.join("home"))
        }
    }

    #[test]
    fn folders_inside_are_found_also_through_a_link_from_outside() {
        let fixture = fixture();
        for (path, expected) in [
            ("", "home"),
            ("TOP/home/", "home"),
            (" TOP/home/project ", "home/project"),
            ("TOP/home/project/../project", "home/project"),
            ("TOP/work/inside/deep", "work/inside/deep"),
            ("TOP/work/in/project", "home/project"),
            ("TOP/work/outside/../inside", "work/inside"),
        ] {
            assert_eq!(fixture.resolve(path), Ok(fixture.top.join(expected)), "{path}");
        }
    }

    #[test]
    fn folders_outside_are_refused_with_the_roots_and_the_way_to_allow_more() {
        let fixture = fixture();
        for path in [
            "/",
            "/etc",
            "/nonexistent/folder",
            "TOP",
            "TOP/home-evil",
            "TOP/home/..",
            "TOP/home/../home-evil",
            "TOP/home/project/../../work",
            "TOP/home/out",
            "TOP/home/out/../inside/..",
            "TOP/work/nonexistent",
            "TOP/home/../nonexistent",
        ] {
            let error = fixture.resolve(path).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidRequest, "{path}");
            for part in
                ["outside the allowed folders", "/home, ", "/work/inside)", "--allowed-root", "allowed_roots"]
            {
                assert!(error.message.contains(part), "{path}: {}", error.message);
            }
        }
    }

    #[test]
    fn paths_that_are_none_are_refused() {
        let fixture = fixture();
        for (path, part) in [
            ("relative", "not a full path"),
            ("../..", "not a full path"),
            ("~user", "not a full path"),
            ("TOP/home\0", "NUL"),
            ("TOP/home/missing", "doesn't exist"),
            ("TOP/home/%2e%2e", "doesn't exist"),
            ("TOP/home/..%2f..", "doesn't exist"),
            (&"/x".repeat(PATH_BYTES), "too long"),
        ] {
            let error = fixture.resolve(path).unwrap_err();
            assert!(error.message.contains(part), "{path}: {}", error.message);
        }
    }

    #[test]
    fn a_session_whose_folder_became_a_link_out_is_refused_and_one_that_was_outside_is_not() {
        let fixture = fixture();
        let check = |path: &str| fixture.roots.check_session_folder(&fixture.top.join(path)).is_ok();
        assert!(check("home/project") && check("work/outside") && check("work/in"));
        assert!(!check("home/out"));
    }

    #[test]
    fn the_defaults_do_not_open_the_whole_disk() {
        let roots = |home: &str, start: &str, explicit| {
            let AllowedRoots(roots) = AllowedRoots::defaults(Path::new(home), Path::new(start), explicit);
            roots.iter().map(|root| root.to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(roots("/home/ada", "/srv", false), ["/home/ada", "/srv"]);
        assert_eq!(roots("/", "/srv", false), ["/srv"]);
        assert_eq!(roots("", "/", false), Vec::<String>::new());
        assert_eq!(roots("relative", "/", true), ["/"], "the user has chosen it");
        let none = AllowedRoots::new(Vec::new());
        assert!(none.resolve("/etc", Path::new("/")).unwrap_err().message.contains("there are none"));
    }

    #[test]
    fn roots_inside_others_and_repeated_ones_count_once() {
        let fixture = fixture();
        let paths = ["home/project", "home", "work/in", "home", "missing"];
        let roots = AllowedRoots::new(paths.iter().map(|path| fixture.top.join(path)).collect());
        assert_eq!(roots.existing(), [fixture.top.join("home")]);
        assert_eq!(AllowedRoots::everything().resolve("/etc", Path::new("/")), Ok(PathBuf::from("/etc")));
    }
}
