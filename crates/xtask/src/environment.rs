//! Restores the user's environment for the programs that are started.
//!
//! Cargo and rustup set variables for their child processes. The server would pass them on to its agents, and
//! `RUSTUP_TOOLCHAIN` would override the toolchain of the projects that agents work on.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

const SET_BY_CARGO: [&str; 6] = [
    "CARGO",
    "CARGO_MANIFEST_DIR",
    "CARGO_MANIFEST_PATH",
    "RUSTUP_TOOLCHAIN",
    "RUSTUP_TOOLCHAIN_SOURCE",
    "RUST_RECURSION_COUNT",
];

const LIBRARY_PATHS: [&str; 2] = ["LD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"];

/// Removes the variables that cargo and rustup set.
pub(crate) fn restore(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if SET_BY_CARGO.contains(&name.as_ref()) || name.starts_with("CARGO_PKG_") {
            command.env_remove(name.as_ref());
        }
    }
    restore_library_paths(command);
}

/// Removes the library folders that cargo prepends: they contain libraries of one compiler, which another compiler must
/// not load.
pub(crate) fn restore_library_paths(command: &mut Command) {
    for name in LIBRARY_PATHS {
        let Some(value) = std::env::var_os(name) else {
            continue;
        };
        match without_cargos_folders(&value) {
            Some(rest) => command.env(name, rest),
            None => command.env_remove(name),
        };
    }
}

fn without_cargos_folders(value: &OsString) -> Option<OsString> {
    let kept: Vec<_> = std::env::split_paths(value)
        .filter(|folder| !folder.as_os_str().is_empty() && !is_cargos(folder))
        .collect();
    (!kept.is_empty()).then(|| std::env::join_paths(kept).ok()).flatten()
}

fn is_cargos(folder: &Path) -> bool {
    let has = |name: &str| folder.iter().any(|part| part == name);
    has("rustlib") || has(".rustup") || (has("target") && (has("debug") || has("release")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_library_folders_of_cargo_are_removed() {
        let folders = [
            "/home/me/pilothouse/target/debug/deps",
            "/home/me/.rustup/toolchains/stable/lib",
            "/opt/mine/lib",
        ];
        let value = std::env::join_paths(folders).unwrap();
        assert_eq!(without_cargos_folders(&value), Some(OsString::from("/opt/mine/lib")));
        let value = std::env::join_paths(&folders[..2]).unwrap();
        assert_eq!(without_cargos_folders(&value), None);
    }
}
