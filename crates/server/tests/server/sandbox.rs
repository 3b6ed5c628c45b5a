//! Agents in a bubblewrap sandbox: what they can do, what they cannot, and what is said where the system has no sandbox.

use std::path::{Path, PathBuf};
use std::process::Command;

use pilothouse_core::SessionState;
use pilothouse_core::protocol::{ErrorCode, SessionCommand};
use pilothouse_test_support::acp_script;
use pilothouse_test_support::client::Client;
use pilothouse_test_support::process::{command_line, descendants, is_alive, until_gone};
use pilothouse_test_support::server::{ServerSetup, TestServer};
use pilothouse_test_support::stubborn_children::{NAMES, write_script};
use pilothouse_test_support::wait::{until_some, until_true};
use tempfile::TempDir;

use crate::binary;

/// An agent that runs `tool` for each prompt and follows a stop.
fn agent(tool: &str) -> String {
    format!(
        r#"
while read -r line; do
    case "$line" in
    *'"initialize"'*) initialized "$(id "$line")" ;;
    *'"session/new"'*) answer "$(id "$line")" '{{"sessionId":"s1"}}' ;;
    *'"session/prompt"'*) prompt=$(id "$line"); {tool} ;;
    *'"session/cancel"'*) answer $prompt '{{"stopReason":"cancelled"}}' ;;
    esac
done"#
    )
}

/// Ends the turn.
const DONE: &str = r#"answer $prompt '{"stopReason":"end_turn"}'"#;

/// A folder that is not below /tmp, where a sandbox sees nothing of the system anyway.
fn folder_outside_tmp() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

struct Fixture {
    project: TempDir,
    home: TempDir,
}

impl Fixture {
    fn new() -> Self {
        Self { project: tempfile::tempdir().unwrap(), home: folder_outside_tmp() }
    }

    /// The setup of a server with a sandboxed agent that runs this script.
    fn setup(&self, script: &str, settings: &str) -> ServerSetup {
        let command = acp_script::write(self.project.path(), "agent", script);
        let config = format!(
            "[[agent]]\nname = 'agent'\nprotocol = 'acp'\ncommand = \"{command}\"\nsandbox = 'bubblewrap'\n{settings}\n"
        );
        let file = self.config();
        std::fs::write(&file, config).unwrap();
        ServerSetup::new(binary())
            .project(self.project.path())
            .env("HOME", self.home.path())
            .argument("--config")
            .argument(file)
    }

    fn config(&self) -> PathBuf {
        self.home.path().join("config.toml")
    }

    /// What a prompt has written into a file of the project.
    fn seen(&self, name: &str) -> String {
        std::fs::read_to_string(self.project.path().join(name)).unwrap_or_default()
    }

    /// Runs a prompt for which the agent runs `tool`, and waits for the end of the turn.
    async fn run(&self, tool: &str, settings: &str, data: TempDir) -> TestServer {
        let server = self.setup(&agent(&format!("{tool}; {DONE}")), settings).start_in(data);
        let mut client = Client::connect(&server).await;
        let session = client.new_session_of("agent", self.project.path()).await;
        client.prompt(&session, "Hello").await.unwrap();
        client.until_state(&session, SessionState::Completed).await;
        server
    }
}

/// Whether this system runs sandboxes. Where it does not, the agent must not start and the page must say why.
async fn has_sandbox() -> bool {
    let arguments = ["--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "true"];
    if Command::new("bwrap").args(arguments).status().is_ok_and(|status| status.success()) {
        return true;
    }
    let fixture = Fixture::new();
    let server = fixture.setup(&agent("say started"), "").start();
    let message = until_refused(&server, fixture.project.path()).await;
    assert!(message.contains("run in a sandbox, but"), "{message}");
    false
}

/// Sends a prompt to the agent, which does not start, and returns the reason. It is shown for the agent, too.
async fn until_refused(server: &TestServer, project: &Path) -> String {
    let mut client = Client::connect(server).await;
    let session = client.new_session_of("agent", project).await;
    let error = client.prompt(&session, "Hello").await.unwrap_err();
    assert_eq!(error.code, ErrorCode::AgentFailed);
    let problem = async || {
        let listed = Client::connect(server).await.welcome.agents.clone();
        listed.into_iter().find(|agent| agent.name == "agent")?.problem
    };
    let problem = until_some("the problem of the agent", problem).await;
    let sentence = error.message.trim_end_matches('.');
    assert!(problem.contains(sentence), "{problem}\n{sentence}");
    error.message
}

#[tokio::test]
async fn a_sandboxed_agent_writes_to_its_project_its_state_and_a_private_tmp_only() {
    if !has_sandbox().await {
        return;
    }
    let fixture = Fixture::new();
    std::fs::write(fixture.home.path().join("notes"), "readable").unwrap();
    let outside = tempfile::NamedTempFile::new().unwrap();
    let name = uuid::Uuid::now_v7().to_string();
    let tool = format!(
        r#"for place in . ~/.state ~ /etc /usr /tmp /var/tmp /run /dev/shm; do
               if touch "$place/{name}" 2>/dev/null; then echo "$place"; fi
           done >writable
           if [ -e '{}' ]; then echo visible; else echo hidden; fi >outside
           cat ~/notes >notes"#,
        outside.path().display()
    );
    let _server = fixture.run(&tool, "sandbox_write = ['~/.state']", folder_outside_tmp()).await;
    let state = fixture.home.path().join(".state");
    let writable = [".", state.to_str().unwrap(), "/tmp", "/var/tmp", "/run", "/dev/shm"];
    assert_eq!(fixture.seen("writable").lines().collect::<Vec<_>>(), writable);
    assert!(fixture.project.path().join(&name).exists() && state.join(&name).exists());
    for private in &writable[2..] {
        assert!(!Path::new(private).join(&name).exists(), "{private} is not private");
    }
    assert_eq!((fixture.seen("outside").trim(), fixture.seen("notes").trim()), ("hidden", "readable"));
}

#[tokio::test]
async fn a_sandboxed_agent_sees_neither_the_data_nor_the_configuration_nor_the_processes_of_the_server() {
    if !has_sandbox().await {
        return;
    }
    let (fixture, data) = (Fixture::new(), folder_outside_tmp());
    let tool = format!(
        r#"ls -A '{}' >files
           cat '{}' >config
           cat /proc/[0-9]*/cmdline | tr '\0' '\n' >processes"#,
        data.path().display(),
        fixture.config().display(),
    );
    let server = fixture.run(&tool, "", data).await;
    assert!(server.data.join("store.db").exists());
    assert_eq!(fixture.seen("files"), "");
    assert!(fixture.config().metadata().unwrap().len() > 0);
    assert_eq!(fixture.seen("config"), "");
    let processes = fixture.seen("processes");
    assert!(processes.contains("agent.sh") && !processes.contains("--listen"), "{processes}");
}

#[tokio::test]
async fn a_sandboxed_agent_has_the_network_as_configured() {
    if !has_sandbox().await {
        return;
    }
    for (settings, seen) in
        [("", "connected"), ("network = true", "connected"), ("network = false", "refused")]
    {
        let fixture = Fixture::new();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let tool = format!(
            "if (exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null; then echo connected; else echo refused; fi >network"
        );
        let _server = fixture.run(&tool, settings, folder_outside_tmp()).await;
        assert_eq!(fixture.seen("network").trim(), seen, "{settings}");
    }
}

#[tokio::test]
async fn promise_30_and_31_hold_in_a_sandbox() {
    if !has_sandbox().await {
        return;
    }
    let fixture = Fixture::new();
    // The ids in the files are those inside the sandbox.
    let command = write_script(fixture.project.path());
    let mut server = fixture.setup(&agent(&command), "").start();
    let file = |name: &str| fixture.project.path().join(name);
    let is_one_of = |id: u32, programs: &[&str]| {
        command_line(id).first().is_some_and(|word| programs.contains(&word.as_str()))
    };
    let processes = |server: &TestServer| {
        descendants(server.process_id()).into_iter().partition::<Vec<u32>, _>(|id| is_one_of(*id, &["sleep"]))
    };
    // The script that starts them, and what it runs for that, have ended as well.
    let only_children_are_left = |server: &TestServer| {
        let (children, agent) = processes(server);
        children.len() == 5 && agent.iter().all(|id| is_one_of(*id, &["pilothouse", "bwrap", "bash"]))
    };
    // The agent is not asked for its version any more.
    let is_known = async || {
        let agents = Client::connect(&server).await.welcome.agents.clone();
        agents.iter().find(|agent| agent.name == "agent")?.version.clone()
    };
    until_some("the agent's version", is_known).await;
    until_true("no process", || descendants(server.process_id()).is_empty()).await;
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("agent", fixture.project.path()).await;
    let mut first_agent = None;
    for text in ["Hello", "Again"] {
        client.prompt(&session, text).await.unwrap();
        until_true("the children", || NAMES.iter().all(|name| file(name).exists())).await;
        until_true("five sleeping children", || only_children_are_left(&server)).await;
        let (stubborn, agent) = processes(&server);
        client.ask(&session, SessionCommand::Abort).await.unwrap();
        client.until_state(&session, SessionState::Stopped).await;
        stubborn.into_iter().for_each(until_gone);
        assert!(agent.iter().all(|id| is_alive(*id)), "more was ended than what the turn had started");
        assert_eq!(first_agent.get_or_insert_with(|| agent.clone()), &agent, "the agent serves both prompts");
        NAMES.iter().for_each(|name| std::fs::remove_file(file(name)).unwrap());
    }
    client.prompt(&session, "Once more").await.unwrap();
    until_true("five sleeping children", || only_children_are_left(&server)).await;
    let all = descendants(server.process_id());
    server.kill();
    all.into_iter().for_each(until_gone);
}

#[tokio::test]
async fn an_agent_does_not_start_where_the_kernel_refuses_sandboxes() {
    let limit = "echo 0 >/proc/sys/user/max_user_namespaces";
    let unshare = ["unshare", "--user", "--map-root-user"];
    let is_possible = Command::new(unshare[0]).args(&unshare[1..]).arg("true").status();
    if !is_possible.is_ok_and(|status| status.success()) {
        assert!(!has_sandbox().await, "user namespaces are possible, but not for this test");
        return;
    }
    let fixture = Fixture::new();
    let server = fixture.setup(&agent("say started"), "").after(limit).wrapped(&unshare).start();
    let message = until_refused(&server, fixture.project.path()).await;
    assert!(message.contains("this system refuses it") && message.contains("namespace"), "{message}");
    assert!(message.contains("remove sandbox = \"bubblewrap\""), "{message}");
}

#[tokio::test]
async fn an_agent_does_not_start_without_bubblewrap() {
    let fixture = Fixture::new();
    let programs = tempfile::tempdir().unwrap();
    for program in ["bash", "sh", "sed", "cat"] {
        let place = ["/usr/bin", "/bin"].map(|folder| Path::new(folder).join(program));
        let found = place.iter().find(|path| path.exists()).unwrap();
        std::os::unix::fs::symlink(found, programs.path().join(program)).unwrap();
    }
    let server = fixture.setup(&agent("say started"), "").env("PATH", programs.path()).start();
    let message = until_refused(&server, fixture.project.path()).await;
    assert!(message.contains("'bwrap' was not found; install the package bubblewrap"), "{message}");
}
