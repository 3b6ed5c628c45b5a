//! Finds out about the agents on offer: which version each is, and why it cannot be used, in words that say what to
//! do. Asked in the background when the server starts, and again while something is wrong.

use std::path::Path;

use pilothouse_agents::pi::PiCommand;
use pilothouse_core::limits::STDERR_LINE_BYTES;
use pilothouse_core::render::visible_text::visible_string;

use crate::agent::catalogue::{Agent, find_program};
use crate::agent::probe;
use crate::agent::process::{self, Finished};

/// What was found out about one agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub version: Option<String>,
    pub problem: Option<String>,
}

/// The oldest Node.js that pi 1.x runs on.
const NODE: (u32, u32) = (22, 19);

/// `mark` is carried by what is started for it: see `leftovers`.
pub async fn look_at(agent: &Agent, folder: &Path, mark: &str) -> Found {
    if agent.demo {
        return Found { version: Some(env!("CARGO_PKG_VERSION").to_owned()), problem: None };
    }
    let program = agent.command.first().map(String::as_str).unwrap_or_default();
    if find_program(program).is_none() {
        let problem = format!(
            "The program '{program}' was not found. Install it, or correct the agent's command, and start Pilothouse again."
        );
        return Found { version: None, problem: Some(problem) };
    }
    let finished = match process::run_to_end(&agent.visit(folder, mark, &["--version"])).await {
        Ok(finished) => finished,
        Err(why) => return Found { version: None, problem: Some(format!("{} {why}", agent.name)) },
    };
    let version = version_in(&finished.stdout).or_else(|| version_in(&finished.stderr));
    if !finished.success {
        return Found { version: None, problem: Some(why_it_failed(&agent.name, &finished)) };
    }
    let problem =
        match probe::run(&agent.visit(folder, mark, &MODELS), vec![PiCommand::GetAvailableModels]).await {
            Ok(answers) => {
                let models =
                    answers.first().and_then(|answer| answer.data.get("models")?.as_array().map(Vec::len));
                (models == Some(0)).then(|| no_model(&agent.name))
            }
            Err(why) => Some(does_not_start(&agent.name, &why)),
        };
    Found { version, problem }
}

/// A look at the models leaves no session behind.
const MODELS: [&str; 3] = ["--mode", "rpc", "--no-session"];

fn no_model(name: &str) -> String {
    format!(
        "{name} has no model to work with. Run it in a terminal and use /login, or set a provider's key \
         (such as ANTHROPIC_API_KEY) where Pilothouse is started."
    )
}

fn why_it_failed(name: &str, finished: &Finished) -> String {
    if let Some(node) = node_version(&finished.stderr).filter(|node| (node.0, node.1) < NODE) {
        return format!(
            "{name} needs Node.js {}.{} or newer, and found {}.{}. Install a newer Node.js (from nodejs.org, or \
             with a version manager) and start Pilothouse again.",
            NODE.0, NODE.1, node.0, node.1
        );
    }
    let complaint = finished.stderr.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no word why");
    does_not_start(name, complaint)
}

/// In the agent's own words, which may be anybody's: as much as a person reads, and nothing hidden in it.
fn does_not_start(name: &str, words: &str) -> String {
    let words = &words[..words.floor_char_boundary(STDERR_LINE_BYTES)];
    let lines: Vec<String> = words.trim().lines().map(visible_string).collect();
    format!("{name} does not start: {}", lines.join("\n"))
}

/// Node.js ends a failure with its own version.
fn node_version(stderr: &str) -> Option<(u32, u32)> {
    let version = stderr.lines().find_map(|line| line.trim().strip_prefix("Node.js v"))?;
    let mut parts = version.split('.').map(str::parse);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}

/// The first word that looks like a version.
fn version_in(text: &str) -> Option<String> {
    let words = text.split_whitespace().map(|word| word.trim_start_matches('v'));
    let mut versions = words.filter(|word| {
        word.starts_with(|letter: char| letter.is_ascii_digit()) && word.contains('.') && word.len() <= 40
    });
    versions.next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD_NODE: &str = "file:///pi/cli.js:2\nSyntaxError: The requested module 'node:module' does not provide an \
                            export named 'enableCompileCache'\n\nNode.js v20.20.2\n";

    fn failed(stderr: &str) -> Finished {
        Finished { success: false, stdout: String::new(), stderr: stderr.to_owned() }
    }

    #[test]
    fn too_old_a_node_is_told_with_what_to_do() {
        let words = why_it_failed("pi", &failed(OLD_NODE));
        assert!(words.contains("needs Node.js 22.19 or newer, and found 20.20"), "{words}");
        let other = why_it_failed("pi", &failed("Error: no such option\n\nNode.js v24.21.0\n"));
        assert!(other.contains("does not start"), "{other}");
        assert_eq!(why_it_failed("pi", &failed("")), "pi does not start: no word why");
    }

    #[test]
    fn what_an_agent_complains_of_hides_nothing_and_has_an_end() {
        let words = why_it_failed("pi", &failed("no such \u{202e}file\n"));
        assert!(words.contains("no such ") && !words.contains('\u{202e}'), "{words}");
        let long = why_it_failed("pi", &failed(&"ä".repeat(STDERR_LINE_BYTES)));
        assert!(long.len() < STDERR_LINE_BYTES + 100);
        assert_eq!(does_not_start("pi", "one\ntwo\n"), "pi does not start: one\ntwo");
    }

    #[test]
    fn the_version_is_found_wherever_it_is_printed() {
        assert_eq!(version_in("1.5.0\n").as_deref(), Some("1.5.0"));
        assert_eq!(version_in("pi v0.73.1 (linux)").as_deref(), Some("0.73.1"));
        assert_eq!(version_in("none here"), None);
    }

    #[tokio::test]
    async fn an_agent_whose_program_is_missing_says_so() {
        let agent = Agent::parse("gone=pi:/nonexistent/pi").unwrap();
        let found = look_at(&agent, Path::new("/"), "test:missing").await;
        assert!(found.problem.unwrap().contains("was not found"));
    }

    #[tokio::test]
    async fn an_agent_that_fails_is_told_in_its_own_words() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("agent.sh"), "echo 'cannot be' >&2; exit 3").unwrap();
        let agent = Agent::parse("odd=pi:sh agent.sh").unwrap();
        let found = look_at(&agent, folder.path(), &format!("{}:visit", folder.path().display())).await;
        assert_eq!(found.problem.as_deref(), Some("odd does not start: cannot be"));
    }

    #[tokio::test]
    async fn an_agent_without_a_model_is_told_with_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let script = "case \"$1\" in --version) echo 1.5.0;; *) read -r line;
            echo '{\"id\":\"0\",\"type\":\"response\",\"command\":\"get_available_models\",\"success\":true,\"data\":{\"models\":[]}}';; esac";
        std::fs::write(folder.path().join("agent.sh"), script).unwrap();
        let agent = Agent::parse("bare=pi:sh agent.sh").unwrap();
        let found = look_at(&agent, folder.path(), &format!("{}:visit", folder.path().display())).await;
        assert_eq!(found.version.as_deref(), Some("1.5.0"));
        assert!(found.problem.unwrap().contains("/login"));
    }
}
