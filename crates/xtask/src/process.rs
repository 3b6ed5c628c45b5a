//! Starting other programs: wait for them, read them, bound them, find them.
//! What to start and why is decided elsewhere.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Runs a program with its output shown; `advice` is the sentence for when it fails.
pub(crate) fn run(command: &mut Command, advice: &str) -> Result<()> {
    let status = command.status().with_context(|| cannot_start(command))?;
    if !status.success() {
        bail!("{advice} (`{}` ended with {status})", name(command));
    }
    Ok(())
}

/// What a program printed, or nothing when it is missing or fails.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Whether a program succeeds in time; a program that does not end is ended.
pub(crate) fn succeeds_within(command: &mut Command, limit: Duration) -> Result<bool> {
    let mut child = command.spawn().with_context(|| cannot_start(command))?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Becomes the program, so that it gets Ctrl-C and its exit code is the command's.
#[cfg(unix)]
pub(crate) fn become_program(command: &mut Command) -> Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    let error = command.exec();
    Err(error).with_context(|| cannot_start(command))
}

#[cfg(not(unix))]
pub(crate) fn become_program(command: &mut Command) -> Result<ExitCode> {
    let status = command.status().with_context(|| cannot_start(command))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// The first program of that name on the PATH.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(&name))
        .find(|path| path.is_file())
}

/// A program's version: the first word of `--version` that begins with a digit.
pub(crate) fn version(program: &Path) -> Option<String> {
    version_in(&output(Command::new(program).arg("--version"))?)
}

fn version_in(text: &str) -> Option<String> {
    text.split_whitespace()
        .find(|word| word.starts_with(|first: char| first.is_ascii_digit()))
        .map(String::from)
}

/// The part of a version before its first dot.
pub(crate) fn major(version: &str) -> Option<u32> {
    version.split('.').next()?.parse().ok()
}

/// The PATH with folders put in front of it.
pub(crate) fn path_with(folders: impl IntoIterator<Item = PathBuf>) -> Result<std::ffi::OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = folders.into_iter().chain(std::env::split_paths(&path));
    std::env::join_paths(folders).context(
        "this folder's path contains the character that separates folders in PATH; move the project to another folder",
    )
}

fn name(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(OsStr::new("program"));
    let arguments = command.get_args().take(2).collect::<Vec<_>>();
    format!("{} {}", name.display(), arguments.join(OsStr::new(" ")).display())
}

fn cannot_start(command: &Command) -> String {
    format!("`{}` cannot be started; install it or add it to the PATH", command.get_program().display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_version_in_what_programs_say() {
        for (text, version) in [
            ("trunk 0.21.14", "0.21.14"),
            ("wasm-opt version 132 (version_132)", "132"),
            ("Chromium 156.0.8078.73 built on Debian 12", "156.0.8078.73"),
        ] {
            assert_eq!(version_in(text).as_deref(), Some(version));
        }
        assert_eq!(version_in("no version here"), None);
    }

    #[test]
    fn compares_by_the_major_version() {
        assert_eq!(major("156.0.8078.73"), Some(156));
        assert_eq!(major("132"), Some(132));
        assert_eq!(major("unknown"), None);
    }

    #[cfg(unix)]
    #[test]
    fn ends_a_program_that_takes_too_long() {
        let limit = Duration::from_millis(100);
        assert!(!succeeds_within(Command::new("sleep").arg("60"), limit).unwrap());
        assert!(succeeds_within(&mut Command::new("true"), Duration::from_secs(10)).unwrap());
    }
}
