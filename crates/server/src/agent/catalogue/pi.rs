//! How pi is started, where it keeps its files, and how its failures are explained.

use std::path::{Path, PathBuf};

use pilothouse_agents::pi::Generation;

use super::{Agent, SessionStart};

/// The environment variable that names pi's folder.
const FOLDER_VARIABLE: &str = "PI_CODING_AGENT_DIR";

/// The arguments of a process that reads and writes no session file.
pub(super) const NO_SESSION: [&str; 3] = ["--mode", "rpc", "--no-session"];

/// The oldest Node.js that pi 1.x runs on.
const NODE: (u32, u32) = (22, 19);

/// pi's folder for settings and sessions.
pub(super) fn default_folder() -> PathBuf {
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".pi/agent");
    std::env::var_os(FOLDER_VARIABLE).map_or_else(home, PathBuf::from)
}

pub(super) fn folder_variable(folder: &Path) -> (String, String) {
    (FOLDER_VARIABLE.to_owned(), folder.to_string_lossy().into_owned())
}

pub(super) fn folder_in(environment: &[(String, String)]) -> Option<PathBuf> {
    environment.iter().find(|(name, _)| name == FOLDER_VARIABLE).map(|(_, folder)| PathBuf::from(folder))
}

/// A session with a file is opened by the file: by its id pi looks only among the sessions of the working folder, and
/// starts a new one if it finds none.
pub(super) fn session_arguments(
    agent: &Agent,
    session: SessionStart<'_>,
    generation: Generation,
) -> [String; 4] {
    let by_id = || ("--session-id", session.session_id.to_owned());
    let (option, value) = match (session.file, generation) {
        _ if agent.demo => by_id(),
        (Some(file), _) => ("--session", file.to_string_lossy().into_owned()),
        (None, Generation::Current) => by_id(),
        (None, Generation::BeforeOne) => ("--session", new_session_file(agent, session)),
    };
    ["--mode".to_owned(), "rpc".to_owned(), option.to_owned(), value]
}

/// The arguments of a process that opens this copy of a session and creates new sessions beside the original.
pub(super) fn copy_arguments(original: Option<&Path>, copy: &Path) -> Vec<String> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let mut arguments = vec!["--mode".to_owned(), "rpc".to_owned(), "--session".to_owned(), text(copy)];
    if let Some(folder) = original.and_then(Path::parent) {
        arguments.extend(["--session-dir".to_owned(), text(folder)]);
    }
    arguments
}

/// The path that pi before 1.0 gets for the file of a new session.
fn new_session_file(agent: &Agent, session: SessionStart<'_>) -> String {
    let time = jiff::Timestamp::now().strftime("%Y-%m-%dT%H-%M-%S-%3fZ");
    let folder = session.folder.to_string_lossy();
    let project = folder.strip_prefix('/').unwrap_or(&folder).replace(['/', '\\', ':'], "-");
    let file = agent.session_folder().join(format!("--{project}--/{time}_{}.jsonl", session.session_id));
    file.to_string_lossy().into_owned()
}

pub(super) fn explain_no_model(name: &str) -> String {
    format!(
        "{name} has no model. Run it in a terminal and use /login, or set a provider's API key \
         (such as ANTHROPIC_API_KEY) and restart Pilothouse."
    )
}

/// Explains a Node.js that is too old, the usual reason for pi not to start.
pub(super) fn explain_failure(name: &str, stderr: &str) -> Option<String> {
    let (major, minor) = node_version(stderr).filter(|node| *node < NODE)?;
    Some(format!(
        "{name} needs Node.js {}.{} or newer, but found {major}.{minor}. Install a newer Node.js (from nodejs.org or \
         with a version manager) and restart Pilothouse.",
        NODE.0, NODE.1
    ))
}

/// The version that Node.js prints at the end of an uncaught error.
fn node_version(stderr: &str) -> Option<(u32, u32)> {
    let version = stderr.lines().find_map(|line| line.trim().strip_prefix("Node.js v"))?;
    let mut parts = version.split('.').map(str::parse);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_is_too_old_is_explained_with_a_remedy() {
        let old = "file:///pi/cli.js:2\nSyntaxError: The requested module 'node:module' does not provide an export \
                   named 'enableCompileCache'\n\nNode.js v20.20.2\n";
        let text = explain_failure("pi", old).unwrap();
        assert!(text.contains("needs Node.js 22.19 or newer, but found 20.20"), "{text}");
        assert_eq!(explain_failure("pi", "Error: no such option\n\nNode.js v24.21.0\n"), None);
        assert_eq!(explain_failure("pi", ""), None);
    }
}
