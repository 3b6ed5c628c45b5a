//! The difference between this program's environment and the user's.
//!
//! Cargo and rustup set variables for what they start. A server that inherited them would hand them to
//! the agents it runs, and `RUSTUP_TOOLCHAIN` would override the toolchain of the projects they work on.

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

/// Gives a program the environment it would have without cargo in between.
pub(crate) fn restore(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if SET_BY_CARGO.contains(&name.as_ref()) || name.starts_with("CARGO_PKG_") {
            command.env_remove(name.as_ref());
        }
    }
    restore_library_paths(command);
}

/// Takes out the folders of libraries that cargo put in front of the user's: they hold one compiler's
/// libraries, and another compiler must not find them.
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
    fn keeps_the_users_libraries_and_drops_cargos() {
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
