//! Finds and runs other programs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Runs a program and shows its output. If it fails, `advice` is the error message.
pub(crate) fn run(command: &mut Command, advice: &str) -> Result<()> {
    let status = command.status().with_context(|| cannot_start(command))?;
    if !status.success() {
        bail!("{advice} (`{}` ended with {status})", name(command));
    }
    Ok(())
}

/// The output of a program, or `None` if it is missing or fails.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Whether a program succeeds within a time limit; it is killed after that.
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

/// Replaces this process by the program, which then receives Ctrl-C and sets the exit code.
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

/// The file name of a program, with the extension of this system.
pub(crate) fn file_name(program: &str) -> String {
    format!("{program}{}", std::env::consts::EXE_SUFFIX)
}

/// The first program of that name on the PATH.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let name = file_name(name);
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(&name))
        .find(|path| path.is_file())
}

/// The version of a program: the first word of `--version` that starts with a digit.
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

/// The PATH with folders prepended.
pub(crate) fn path_with(folders: impl IntoIterator<Item = PathBuf>) -> Result<std::ffi::OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = folders.into_iter().chain(std::env::split_paths(&path));
    std::env::join_paths(folders).context(
        "the project's path contains the character that separates folders in PATH; move it to another folder",
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
    fn versions_are_found_in_the_output_of_programs() {
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
    fn the_major_version_is_the_first_number() {
        assert_eq!(major("156.0.8078.73"), Some(156));
        assert_eq!(major("132"), Some(132));
        assert_eq!(major("unknown"), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_exceeds_its_time_is_killed() {
        let limit = Duration::from_millis(100);
        assert!(!succeeds_within(Command::new("sleep").arg("60"), limit).unwrap());
        assert!(succeeds_within(&mut Command::new("true"), Duration::from_secs(10)).unwrap());
    }
}
