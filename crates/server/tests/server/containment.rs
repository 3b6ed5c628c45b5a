//! Everything that an agent starts ends with it, whatever it does to survive.

use std::path::Path;

use pilothouse_core::protocol::SessionCommand;
use pilothouse_core::{BashResult, Kind, SessionState};
use pilothouse_test_support::acp_script;
use pilothouse_test_support::client::Client;
use pilothouse_test_support::process::{children, is_alive, signal, until_gone};
use pilothouse_test_support::server::{ServerSetup, TestServer};
use pilothouse_test_support::stubborn_children::StubbornChildren;
use pilothouse_test_support::wait::{until, until_some};

use crate::{binary, server};

/// An agent that follows a stop of its turn and writes its process id into a file for each session. A prompt starts a helper, which reads from a pipe, and then runs `tool`.
fn obedient(tool: &str) -> String {
    format!(
        r#"
while read -r line; do
    case "$line" in
    *'"initialize"'*) initialized "$(id "$line")" ;;
    *'"session/new"'*) echo $$ >agent.pid; answer "$(id "$line")" '{{"sessionId":"s1"}}' ;;
    *'"session/prompt"'*)
        prompt=$(id "$line")
        update '{{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","kind":"execute","status":"in_progress"}}'
        [ -e helper ] || {{ coproc cat; echo $COPROC_PID >helper; }}
        {tool} ;;
    *'"session/cancel"'*) answer $prompt '{{"stopReason":"cancelled"}}' ;;
    esac
done"#
    )
}

struct Story {
    server: TestServer,
    client: Client,
    session: String,
    children: StubbornChildren,
    project: tempfile::TempDir,
}

/// Starts a server with a scripted agent whose script may run the children's command as `$CHILDREN`.
async fn story(script: &str) -> Story {
    let project = tempfile::tempdir().unwrap();
    let children = StubbornChildren::new(project.path());
    let script = script.replace("$CHILDREN", &children.command());
    let command = acp_script::write(project.path(), "agent", &script);
    let setup = ServerSetup::new(binary()).project(project.path()).agent(&format!("agent=acp:{command}"));
    let server = setup.start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("agent", project.path()).await;
    Story { server, client, session, children, project }
}

impl Story {
    /// The agent of the session; a probe of the agent opens none.
    async fn agent(&self) -> u32 {
        let id = async || read_id(&self.project.path().join("agent.pid"));
        until_some("the agent's process id", id).await
    }

    async fn stop(&mut self) {
        self.client.ask(&self.session, SessionCommand::Abort).await.unwrap();
        self.client.until_state(&self.session, SessionState::Stopped).await;
    }

    async fn until_shell_result(&mut self) -> BashResult {
        let ended = |result: &BashResult| !result.running;
        let rows = |client: &Client, session: &str| {
            client.rows(session).iter().filter_map(|row| row.bash_result.clone()).find(ended)
        };
        self.client
            .until(&self.session, "the end of the command", |view| {
                view.controller.rows().iter().filter_map(|row| row.bash_result.as_ref()).any(ended)
            })
            .await;
        rows(&self.client, &self.session).unwrap()
    }
}

fn read_id(file: &Path) -> Option<u32> {
    std::fs::read_to_string(file).ok()?.trim().parse().ok()
}

fn shell(command: &str) -> SessionCommand {
    SessionCommand::Bash { client_id: "b".into(), command: command.into(), exclude_from_context: false }
}

#[tokio::test]
async fn promise_30_a_stop_ends_what_the_turn_started_and_not_the_agent_and_its_helpers() {
    let mut story = story(&obedient("$CHILDREN")).await;
    story.client.prompt(&story.session, "Hello").await.unwrap();
    story.children.until_started().await;
    let agent = story.agent().await;
    let helper = read_id(&story.project.path().join("helper")).unwrap();
    for text in ["Again", "Once more"] {
        story.stop().await;
        story.children.until_gone();
        assert!(is_alive(agent), "the agent was ended");
        assert!(
            is_alive(helper),
            "the helper was ended, which the stopped turn or one before it had started"
        );
        // Waits until everything has ended, and does not end with the turn before.
        story.client.prompt(&story.session, text).await.unwrap();
        story.children.until_started().await;
    }
    assert_eq!(story.agent().await, agent, "the same process serves the next prompt");
}

#[tokio::test]
async fn promise_30_what_ran_before_a_turn_survives_its_stop() {
    let tool = r#"if [ -e background ]; then $CHILDREN; else
        setsid sh -c 'echo $$ >background.new; mv background.new background; exec sleep 600' &
        until [ -e background ]; do sleep 0.01; done
        answer $prompt '{"stopReason":"end_turn"}'
    fi"#;
    let mut story = story(&obedient(tool)).await;
    story.client.prompt(&story.session, "Start the development server").await.unwrap();
    story.client.until_state(&story.session, SessionState::Completed).await;
    let background = read_id(&story.project.path().join("background")).unwrap();
    story.client.prompt(&story.session, "Go on").await.unwrap();
    story.children.until_started().await;
    story.stop().await;
    story.children.until_gone();
    assert!(is_alive(background), "a process of an earlier turn was ended");
    let status = story.server.terminate();
    assert_eq!(status.code(), Some(0));
    until_gone(background);
}

#[tokio::test]
async fn promise_30_a_stopped_shell_command_ends_with_what_it_started() {
    // The server runs the command.
    let mut story = story(&obedient("")).await;
    let command = format!("{}; echo started; sleep 600", story.children.command());
    story.client.ask(&story.session, shell(&command)).await.unwrap();
    story.children.until_started().await;
    story.client.ask(&story.session, SessionCommand::AbortBash).await.unwrap();
    let result = story.until_shell_result().await;
    assert!(result.cancelled && result.exit_code.is_none(), "{result:?}");
    story.children.until_gone();

    // The agent runs it.
    let (server, project) = server();
    let children = StubbornChildren::new(project.path());
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "Hello").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    let agent = server.agent();
    client.ask(&session, shell(&format!("{}; sleep 600", children.command()))).await.unwrap();
    children.until_started().await;
    client.ask(&session, SessionCommand::AbortBash).await.unwrap();
    children.until_gone();
    // Prompts wait until everything has ended.
    client.prompt(&session, "Go on").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    assert!(is_alive(agent) && server.agent() == agent);
}

#[tokio::test]
async fn the_end_of_a_shell_command_ends_what_it_started_and_its_exit_code_is_shown() {
    let mut story = story(&obedient("")).await;
    let command = format!("{}; echo done; exit 3", story.children.command());
    story.client.ask(&story.session, shell(&command)).await.unwrap();
    let result = story.until_shell_result().await;
    assert_eq!((result.output.as_str(), result.exit_code, result.cancelled), ("done\n", Some(3), false));
    assert_eq!(story.children.running(), [], "ended before the command is shown as ended");
}

#[tokio::test]
async fn promise_31_the_end_of_an_agent_ends_what_it_started_and_shows_how_it_ended() {
    for (end, shown) in [
        ("exit 5", "exited with code 5"),
        ("kill -9 $$", "terminated by signal 9"),
        ("kill -TERM $$", "terminated by signal 15"),
        ("kill -SEGV $$", "terminated by signal 11"),
    ] {
        let mut story = story(&obedient(&format!("$CHILDREN; {end}"))).await;
        let _ = story.client.prompt(&story.session, "Hello").await;
        story.client.until_state(&story.session, SessionState::Error).await;
        let error =
            story.client.rows(&story.session).iter().find(|row| row.kind == Kind::Error).unwrap().clone();
        assert!(error.text.contains(shown), "{}", error.text);
        assert_eq!(story.children.running(), [], "{end}: ended before the agent is shown as ended");
    }
}

#[tokio::test]
async fn promise_31_sigterm_of_the_server_ends_everything() {
    let mut story = story(&obedient("$CHILDREN")).await;
    story.client.prompt(&story.session, "Hello").await.unwrap();
    story.children.until_started().await;
    let status = story.server.terminate();
    assert_eq!(status.code(), Some(0));
    story.children.until_gone();
}

#[tokio::test]
async fn promise_31_a_killed_server_leaves_nothing_behind() {
    let mut story = story(&obedient("$CHILDREN")).await;
    story.client.prompt(&story.session, "Hello").await.unwrap();
    story.children.until_started().await;
    let (agent, supervisors) = (story.agent().await, children(story.server.process_id()));
    story.server.kill();
    story.children.until_gone();
    until_gone(agent);
    assert!(!supervisors.is_empty());
    supervisors.into_iter().for_each(until_gone);
}

/// A server with an agent that starts children when it is asked for its version, and then runs `after`.
async fn server_that_probes(after: &str) -> (TestServer, StubbornChildren, tempfile::TempDir) {
    let project = tempfile::tempdir().unwrap();
    let children = StubbornChildren::new(project.path());
    let script = format!("case \"$*\" in *--version*) {}; {after};; *) exit 1;; esac", children.command());
    std::fs::write(project.path().join("agent.sh"), script).unwrap();
    let setup = ServerSetup::new(binary()).project(project.path());
    let server = setup.agent(&format!("probed=pi:sh {}/agent.sh", project.path().display())).start();
    children.until_started().await;
    (server, children, project)
}

#[tokio::test]
async fn promise_31_children_of_a_version_probe_end_with_it_and_with_the_server() {
    let (_server, children, _project) = server_that_probes("echo 1.5.0").await;
    children.until_gone();
    let (mut server, children, _project) = server_that_probes("sleep 600").await;
    server.terminate();
    children.until_gone();
    let (mut server, children, _project) = server_that_probes("sleep 600").await;
    server.kill();
    children.until_gone();
}

#[tokio::test]
async fn an_agent_ends_with_its_supervisor_and_the_session_goes_on() {
    let mut story = story(&obedient("sleep 600 & echo $! >tool")).await;
    story.client.prompt(&story.session, "Hello").await.unwrap();
    let tool = async || read_id(&story.project.path().join("tool"));
    let tool = until_some("the tool", tool).await;
    let agent = story.agent().await;
    let is_supervisor = |process: &u32| children(*process).contains(&agent);
    let supervisor = children(story.server.process_id()).into_iter().find(is_supervisor).unwrap();
    signal(supervisor, "KILL");
    story.client.until_state(&story.session, SessionState::Error).await;
    until_gone(agent);
    until_gone(tool);
    std::fs::remove_file(story.project.path().join("agent.pid")).unwrap();
    story.client.prompt(&story.session, "Again").await.unwrap();
    let next = story.agent().await;
    assert_ne!(next, agent);
    story.server.terminate();
    until_gone(next);
}

#[tokio::test]
async fn a_supervisor_that_is_asked_to_end_ends_everything() {
    let mut story = story(&obedient("$CHILDREN")).await;
    story.client.prompt(&story.session, "Hello").await.unwrap();
    story.children.until_started().await;
    children(story.server.process_id()).into_iter().for_each(|supervisor| signal(supervisor, "TERM"));
    story.client.until_state(&story.session, SessionState::Error).await;
    story.children.until_gone();
}

#[tokio::test]
async fn processes_that_fork_all_the_time_are_caught() {
    // Each generation starts the next one and ends.
    let script = r#"next() { echo $BASHPID >"$1"; next "$1" & }; next "$1""#;
    let mut story = story(&obedient("bash restless.sh first & bash restless.sh second &")).await;
    std::fs::write(story.project.path().join("restless.sh"), script).unwrap();
    story.client.prompt(&story.session, "Hello").await.unwrap();
    let count = |name: &str| read_id(&story.project.path().join(name));
    let first = until("the first generation", || count("first"));
    until("later generations", || count("first").filter(|id| *id > first + 20));
    let supervisors = children(story.server.process_id());
    story.server.kill();
    // A supervisor ends when nothing is left below it.
    supervisors.into_iter().for_each(until_gone);
    let last = [count("first"), count("second")];
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert_eq!([count("first"), count("second")], last, "a generation survived");
}

#[tokio::test]
async fn promise_29_an_agent_inherits_neither_secrets_nor_files_of_the_server() {
    let tool = "env >seen.env; ls -l /proc/self/fd >seen.fd; answer $prompt '{\"stopReason\":\"end_turn\"}'";
    let mut story = story(&obedient(tool)).await;
    story.client.prompt(&story.session, "Hello").await.unwrap();
    story.client.until_state(&story.session, SessionState::Completed).await;
    let seen = |name: &str| std::fs::read_to_string(story.project.path().join(name)).unwrap();
    let environment = seen("seen.env");
    let mut names: Vec<&str> = environment.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    names.retain(|name| !["_", "PWD", "OLDPWD", "SHLVL"].contains(name));
    names.sort_unstable();
    assert_eq!(names, ["HOME", "LANG", "PATH", "PILOTHOUSE_DEMO_PACE", "PILOTHOUSE_SESSION"]);
    let files = seen("seen.fd");
    assert!(!files.contains(&*story.server.data.to_string_lossy()), "{files}");
    assert_eq!(files.matches("socket:").count(), 0, "{files}");
}
