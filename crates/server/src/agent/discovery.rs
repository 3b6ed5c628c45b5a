//! Determines the version of each offered agent and, if it cannot be used, the reason and the remedy. Runs in the
//! background when the server starts, and again for agents that had a problem.

use std::path::Path;

use pilothouse_agents::{Reply, Request};
use pilothouse_core::limits::STDERR_LINE_BYTES;
use pilothouse_core::render::visible_text::visible_string;

use super::catalogue::{Agent, Protocol, find_program};
use super::probe;
use super::process::{self, FinishedProgram};

/// The version of an agent, and why it cannot be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovered {
    pub version: Option<String>,
    pub problem: Option<String>,
    /// The name by which the agent introduces itself.
    pub title: Option<String>,
    pub lists_sessions: bool,
}

/// Asks an agent for its version and its models. `mark` is inherited by the processes that this starts.
pub async fn discover(agent: &Agent, folder: &Path, mark: &str) -> Discovered {
    if agent.demo {
        return Discovered { version: Some(env!("CARGO_PKG_VERSION").to_owned()), ..Discovered::default() };
    }
    let problem = |problem: String| Discovered { problem: Some(problem), ..Discovered::default() };
    let program = agent.command.first().cloned().unwrap_or_default();
    let name = program.clone();
    let found = tokio::task::spawn_blocking(move || find_program(&name)).await;
    if !matches!(found, Ok(Some(_))) {
        return problem(format!(
            "'{program}' was not found. Install it or correct the agent's command, then check again."
        ));
    }
    if agent.protocol == Protocol::Acp {
        return introduce(agent, folder, mark).await;
    }
    let finished = match process::run_to_end(&agent.launch_version(folder, mark.to_owned())).await {
        Ok(finished) => finished,
        Err(error) => return problem(format!("{} {error}", agent.name)),
    };
    if !finished.success {
        return problem(explain(agent, &finished));
    }
    let version = version_in(&finished.stdout).or_else(|| version_in(&finished.stderr));
    let launch = agent.launch_without_session(folder, mark.to_owned());
    let problem = match probe::run(agent, &launch, Request::Models).await {
        Ok(Reply::Models(models)) if models.is_empty() => Some(agent.explain_no_model()),
        Ok(_) => None,
        Err(error) => Some(does_not_start(&agent.name, &error)),
    };
    Discovered { version, problem, ..Discovered::default() }
}

/// Lets an agent introduce itself, which it does when it starts.
async fn introduce(agent: &Agent, folder: &Path, mark: &str) -> Discovered {
    let launch = agent.launch_without_session(folder, mark.to_owned());
    match probe::introduce(agent, &launch).await {
        Ok(introduction) => Discovered {
            version: introduction.version,
            title: introduction.title,
            lists_sessions: introduction.capabilities.list_sessions && introduction.capabilities.resume,
            problem: None,
        },
        Err(error) => {
            Discovered { problem: Some(does_not_start(&agent.name, &error)), ..Discovered::default() }
        }
    }
}

fn explain(agent: &Agent, finished: &FinishedProgram) -> String {
    let last_line = || finished.stderr.lines().rfind(|line| !line.trim().is_empty());
    agent
        .explain_failure(finished)
        .unwrap_or_else(|| does_not_start(&agent.name, last_line().unwrap_or("it gave no reason")))
}

/// The problem in the agent's own words, truncated and with hidden characters made visible.
fn does_not_start(name: &str, words: &str) -> String {
    let words = &words[..words.floor_char_boundary(STDERR_LINE_BYTES)];
    let lines: Vec<String> = words.trim().lines().map(visible_string).collect();
    format!("{name} doesn't start: {}", lines.join("\n"))
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
    use pilothouse_core::limits::PROBE_OUTPUT_BYTES;

    use super::*;

    fn failed(stderr: &str) -> FinishedProgram {
        FinishedProgram { success: false, stdout: String::new(), stderr: stderr.to_owned() }
    }

    fn explained(stderr: &str) -> String {
        explain(&Agent::parse("pi=pi:pi").unwrap(), &failed(stderr))
    }

    #[test]
    fn a_failure_is_explained_by_its_last_line() {
        assert_eq!(explained("Error: no such option\n\n"), "pi doesn't start: Error: no such option");
        assert_eq!(explained(""), "pi doesn't start: it gave no reason");
    }

    #[test]
    fn an_explanation_hides_nothing_and_is_of_limited_length() {
        let text = explained("no such \u{202e}file\n");
        assert!(text.contains("no such ") && !text.contains('\u{202e}'), "{text}");
        assert!(explained(&"ä".repeat(STDERR_LINE_BYTES)).len() < STDERR_LINE_BYTES + 100);
        assert_eq!(does_not_start("pi", "one\ntwo\n"), "pi doesn't start: one\ntwo");
    }

    #[test]
    fn the_version_is_found_wherever_it_is_printed() {
        assert_eq!(version_in("1.5.0\n").as_deref(), Some("1.5.0"));
        assert_eq!(version_in("pi v0.73.1 (linux)").as_deref(), Some("0.73.1"));
        assert_eq!(version_in("none here"), None);
    }

    #[tokio::test]
    async fn an_agent_whose_program_is_missing_is_reported() {
        let agent = Agent::parse("gone=pi:/nonexistent/pi").unwrap();
        let found = discover(&agent, Path::new("/"), "test:missing").await;
        assert!(found.problem.unwrap().contains("was not found"));
    }

    #[tokio::test]
    async fn an_agent_that_fails_is_reported_in_its_own_words() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("agent.sh"), "echo 'cannot be' >&2; exit 3").unwrap();
        let agent = Agent::parse("odd=pi:sh agent.sh").unwrap();
        let found = discover(&agent, folder.path(), &format!("{}:probe", folder.path().display())).await;
        assert_eq!(found.problem.as_deref(), Some("odd doesn't start: cannot be"));
    }

    #[tokio::test]
    async fn the_beginning_of_a_long_output_is_enough() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("agent.sh"), "echo 1.5.0; yes padding | head -c 3000000; exit 0")
            .unwrap();
        let agent = Agent::parse("long=pi:sh agent.sh").unwrap();
        let launch = agent.launch_version(folder.path(), format!("{}:long", folder.path().display()));
        let finished = process::run_to_end(&launch).await.unwrap();
        assert!(finished.success, "the program was read to its end");
        assert_eq!(version_in(&finished.stdout).as_deref(), Some("1.5.0"));
        assert_eq!(finished.stdout.len() as u64, PROBE_OUTPUT_BYTES);
    }

    #[tokio::test]
    async fn an_agent_without_a_model_is_reported_with_a_remedy() {
        let folder = tempfile::tempdir().unwrap();
        // `open` sends the first two commands, so the request has the id 3.
        let script = r#"
            case "$1" in
            --version) echo 1.5.0;;
            *) while read -r line; do case "$line" in *get_available_models*)
                echo '{"id":"3","type":"response","success":true,"data":{"models":[]}}';;
            esac; done;;
            esac"#;
        std::fs::write(folder.path().join("agent.sh"), script).unwrap();
        let agent = Agent::parse("bare=pi:sh agent.sh").unwrap();
        let found = discover(&agent, folder.path(), &format!("{}:probe", folder.path().display())).await;
        assert_eq!(found.version.as_deref(), Some("1.5.0"));
        assert!(found.problem.unwrap().contains("/login"));
    }
}
