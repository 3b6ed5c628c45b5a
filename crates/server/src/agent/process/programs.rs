//! Running pi processes that are not ours, and the sessions that they have open: a program in a terminal, or of another
//! server. Read from `/proc`, so nothing is found where it does not exist.
//!
//! pi replaces its arguments by its name as soon as it has started (`process.title`), so usually only its folder is known.
//! While it runs a command, that command's environment names the session.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A running pi.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub id: ProgramId,
    /// When it started, in milliseconds since 1970.
    pub started_at: u64,
    pub cwd: PathBuf,
    /// Its folder with settings and sessions, if its environment tells.
    pub folder: Option<PathBuf>,
    pub place: Place,
    pub session: OpenSession,
}

/// Identifies a process, whose id may be reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramId {
    pub process: i32,
    pub started: u64,
}

/// Where a program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Terminal,
    OtherServer,
    Unknown,
}

/// The session that a program has open, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenSession {
    /// The name of its file.
    File(OsString),
    /// Its id, or the beginning of it.
    Id(String),
    /// The newest of the folder.
    Newest,
    /// A new one, one that the user picked, or one that hidden arguments name.
    Unknown,
    /// None: nothing is stored.
    None,
}

impl Program {
    /// The name that the user sees.
    pub const fn name(&self) -> &'static str {
        match self.place {
            Place::Terminal => "pi in a terminal",
            Place::OtherServer => "pi of another Pilothouse",
            Place::Unknown => "pi",
        }
    }
}

/// The runtimes that run pi as a script.
const RUNTIMES: [&str; 4] = ["node", "nodejs", "bun", "deno"];

/// The options of Node.js that are followed by a value.
const RUNTIME_VALUES: [&str; 8] =
    ["-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file"];

/// The options of pi that are followed by a value, which may look like an option.
const VALUES: [&str; 22] = [
    "--provider",
    "--model",
    "--api-key",
    "--system-prompt",
    "--append-system-prompt",
    "--name",
    "-n",
    "--fork",
    "--session-dir",
    "--models",
    "--tools",
    "-t",
    "--exclude-tools",
    "-xt",
    "--thinking",
    "--extension",
    "-e",
    "--skill",
    "--prompt-template",
    "--theme",
    "--use-theme",
    "--mode",
];

/// The words and options with which pi stores no session.
const SUBCOMMANDS: [&str; 8] = ["install", "remove", "uninstall", "update", "list", "config", "auth", "mcp"];
const NOTHING_STORED: [&str; 7] =
    ["--no-session", "--help", "-h", "--version", "-v", "--list-models", "--export"];

/// Reads the command line of a process, whose arguments end with NULs. `None` if it is not pi.
pub fn session_in_command_line(command_line: &[u8]) -> Option<OpenSession> {
    let mut words = command_line.split(|byte| *byte == 0).map(OsStr::from_bytes);
    let program = words.next()?;
    let name = Path::new(program).file_name()?.to_str()?;
    if name == "pi" || name == "pi-rpc" {
        let rest: Vec<&OsStr> = words.collect();
        // A title is padded with NULs up to the length of the arguments that it replaces.
        let is_title = rest.len() > 1 && rest.iter().all(|word| word.is_empty());
        return Some(if is_title { OpenSession::Unknown } else { session_in_arguments(&rest) });
    }
    if !RUNTIMES.contains(&name) {
        return None;
    }
    let rest: Vec<&OsStr> = words.collect();
    let mut script = 0;
    while rest.get(script)?.as_bytes().starts_with(b"-") {
        let takes_value = rest[script].to_str().is_some_and(|option| RUNTIME_VALUES.contains(&option));
        script += if takes_value { 2 } else { 1 };
    }
    let path = Path::new(rest.get(script)?);
    let is_pi = path.file_name().is_some_and(|name| name == "pi")
        || path.components().any(|part| part.as_os_str() == "pi-coding-agent");
    is_pi.then(|| session_in_arguments(&rest[script + 1..]))
}

/// Reads pi's arguments as pi does.
fn session_in_arguments(arguments: &[&OsStr]) -> OpenSession {
    let text = |argument: &OsStr| argument.to_str().unwrap_or_default().to_owned();
    if arguments.first().is_some_and(|first| SUBCOMMANDS.contains(&text(first).as_str())) {
        return OpenSession::None;
    }
    let mut session = OpenSession::Unknown;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match text(argument).as_str() {
            "--" => break,
            "--session" => {
                let Some(value) = rest.next().filter(|value| !value.is_empty()) else { continue };
                let is_path = value.as_bytes().contains(&b'/') || value.as_bytes().ends_with(b".jsonl");
                session = match (is_path, Path::new(value).file_name(), value.to_str()) {
                    (true, Some(name), _) => OpenSession::File(name.to_owned()),
                    (false, _, Some(id)) => OpenSession::Id(id.to_owned()),
                    _ => OpenSession::Unknown,
                };
            }
            "--session-id" => {
                if let Some(id) = rest.next().and_then(|id| id.to_str()).filter(|id| !id.is_empty()) {
                    session = OpenSession::Id(id.to_owned());
                }
            }
            "--continue" | "-c" => session = OpenSession::Newest,
            option if NOTHING_STORED.contains(&option) => return OpenSession::None,
            option if VALUES.contains(&option) => drop(rest.next()),
            _ => {}
        }
    }
    session
}

/// The value of a variable in an environment, which ends with NULs.
fn variable<'a>(environment: &'a [u8], name: &str) -> Option<&'a OsStr> {
    let value = |entry: &'a [u8]| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"=");
    environment
        .split(|byte| *byte == 0)
        .find_map(value)
        .filter(|value| !value.is_empty())
        .map(OsStr::from_bytes)
}

/// pi's folder according to the environment of a process.
fn folder_in(environment: &[u8]) -> Option<PathBuf> {
    let home = || Some(Path::new(variable(environment, "HOME")?).join(".pi/agent"));
    variable(environment, "PI_CODING_AGENT_DIR").map(PathBuf::from).or_else(home)
}

/// The session that a command of pi was started from.
fn session_of_command(environment: &[u8]) -> Option<OpenSession> {
    let file = variable(environment, "PI_SESSION_FILE")?;
    Some(OpenSession::File(Path::new(file).file_name()?.to_owned()))
}

/// A folder that no longer exists has a note after its name.
fn without_deleted(folder: PathBuf) -> PathBuf {
    let bytes = folder.into_os_string().into_vec();
    match bytes.strip_suffix(b" (deleted)") {
        Some(path) => PathBuf::from(OsStr::from_bytes(path)),
        None => PathBuf::from(OsString::from_vec(bytes)),
    }
}

#[cfg(target_os = "linux")]
pub use scan::running_programs;

/// Elsewhere than on Linux nothing is found.
#[cfg(not(target_os = "linux"))]
pub fn running_programs(_installation: &str) -> Vec<Program> {
    Vec::new()
}

#[cfg(target_os = "linux")]
mod scan {
    use std::fs::File;
    use std::io::Read as _;

    use pilothouse_core::limits::{PROCESS_BYTES, PROCESS_CHILDREN, SCANNED_PROCESSES};
    use rustix::param::clock_ticks_per_second;

    use super::super::descendants::{self, may_be_below_this_process};
    use super::*;
    use crate::agent::orphans::{self, MARK};
    use crate::clock::now_ms;

    /// The running pi processes that neither this server nor an agent of it has started. Blocks.
    pub fn running_programs(installation: &str) -> Vec<Program> {
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten().take(SCANNED_PROCESSES);
        let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        ids.filter_map(|id| read_program(id, installation)).collect()
    }

    pub(super) fn read_program(id: i32, installation: &str) -> Option<Program> {
        // Few processes pass this, so that nothing else is read of the others.
        let session = session_in_command_line(&read(id, "cmdline")?)?;
        let (entry, has_terminal) = descendants::read_with_terminal(id)?;
        if session == OpenSession::None || may_be_below_this_process(id) {
            return None;
        }
        // Those of another user cannot be read, and cannot write our files.
        let cwd = without_deleted(std::fs::read_link(format!("/proc/{id}/cwd")).ok()?);
        let environment = read(id, "environ").unwrap_or_default();
        let mark = variable(&environment, MARK).map(|mark| mark.to_string_lossy().into_owned());
        if mark.as_ref().is_some_and(|mark| mark.starts_with(&orphans::mark(installation, ""))) {
            return None;
        }
        let place = match (has_terminal, mark) {
            (true, _) => Place::Terminal,
            (false, Some(_)) => Place::OtherServer,
            (false, None) => Place::Unknown,
        };
        let age = descendants::now().saturating_sub(entry.started) * 1_000 / clock_ticks_per_second().max(1);
        Some(Program {
            id: ProgramId { process: id, started: entry.started },
            started_at: now_ms().saturating_sub(age),
            cwd,
            folder: folder_in(&environment),
            place,
            session: session_of_children(id).unwrap_or(session),
        })
    }

    /// The session in the environment of the commands that a process runs.
    fn session_of_children(id: i32) -> Option<OpenSession> {
        let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).ok()?;
        let ids = children.split_whitespace().take(PROCESS_CHILDREN).filter_map(|id| id.parse().ok());
        ids.filter_map(|id: i32| read(id, "environ")).find_map(|environment| session_of_command(&environment))
    }

    fn read(id: i32, name: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(format!("/proc/{id}/{name}")).ok()?.take(PROCESS_BYTES).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}

#[cfg(test)]
#[path = "programs_tests.rs"]
mod tests;
