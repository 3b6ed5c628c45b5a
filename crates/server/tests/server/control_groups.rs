//! Control groups (cgroup v2), where this system lets tests create one. Each server runs in a group of its own.

use std::path::{Path, PathBuf};

use pilothouse_core::SessionState;
use pilothouse_test_support::acp_script;
use pilothouse_test_support::client::Client;
use pilothouse_test_support::process::{children, signal, until_gone};
use pilothouse_test_support::server::{ServerSetup, TestServer};
use pilothouse_test_support::stubborn_children::StubbornChildren;
use pilothouse_test_support::wait::until;

use crate::binary;

/// A group for one test, removed at its end.
struct Group(PathBuf);

impl Group {
    /// Creates a group below that of the tests, or explains on standard error that this system does not allow it.
    fn create() -> Option<Self> {
        let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
        let mount = mounts.lines().find(|line| line.contains(" - cgroup2 "))?;
        let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap();
        let own = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
        let parent = Path::new(mount.split(' ').nth(4)?).join(own.trim_start_matches('/'));
        let folder = parent.join(format!("pilothouse-test-{}", uuid::Uuid::now_v7().simple()));
        match std::fs::create_dir(&folder) {
            Ok(()) => Some(Self(folder)),
            Err(error) => {
                eprintln!("skipped: this system does not let tests create a control group: {error}");
                None
            }
        }
    }

    /// The groups below this one.
    fn groups(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.0).unwrap().flatten().map(|entry| entry.path());
        entries.filter(|path| path.is_dir()).collect()
    }

    fn programs(&self) -> usize {
        self.groups().iter().filter(|path| path.to_string_lossy().contains("/agent-")).count()
    }

    /// Joins the group before the server starts.
    fn enter(&self, setup: ServerSetup) -> ServerSetup {
        setup.after(&format!("echo $$ >{}/cgroup.procs", self.0.display()))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = std::fs::write(self.0.join("cgroup.kill"), "1");
        until("an empty control group", || {
            self.groups().iter().for_each(|group| drop(std::fs::remove_dir(group)));
            std::fs::remove_dir(&self.0).ok()
        });
    }
}

/// An agent that starts the stubborn children for each prompt and does not end the turn.
fn agent(children: &StubbornChildren) -> String {
    format!(
        r#"
while read -r line; do
    case "$line" in
    *'"initialize"'*) initialized "$(id "$line")" ;;
    *'"session/new"'*) answer "$(id "$line")" '{{"sessionId":"s1"}}' ;;
    *'"session/prompt"'*) {} ;;
    esac
done"#,
        children.command()
    )
}

async fn prompt(server: &TestServer, project: &Path) -> (Client, String) {
    let mut client = Client::connect(server).await;
    let session = client.new_session_of("agent", project).await;
    client.prompt(&session, "Hello").await.unwrap();
    (client, session)
}

#[tokio::test]
async fn a_control_group_ends_what_outlives_a_killed_supervisor() {
    let Some(group) = Group::create() else { return };
    let project = tempfile::tempdir().unwrap();
    let stubborn = StubbornChildren::new(project.path());
    let command = acp_script::write(project.path(), "agent", &agent(&stubborn));
    let setup = ServerSetup::new(binary()).project(project.path()).agent(&format!("agent=acp:{command}"));
    let mut server = group.enter(setup).start();
    let (mut client, session) = prompt(&server, project.path()).await;
    for (name, id) in stubborn.until_started().await {
        let own = std::fs::read_to_string(format!("/proc/{id}/cgroup")).unwrap();
        assert!(own.contains("/agent-"), "{name} is not in a group of the agent: {own}");
    }
    // The server's own processes are not in the group that ends.
    children(server.process_id()).into_iter().for_each(|supervisor| signal(supervisor, "KILL"));
    client.until_state(&session, SessionState::Error).await;
    stubborn.until_gone();
    until("the removal of the groups", || (group.programs() == 0).then_some(()));

    // The supervisors are killed together with the server: the next server ends what is left.
    client.prompt(&session, "Again").await.unwrap();
    stubborn.until_started().await;
    let supervisors = children(server.process_id());
    supervisors.iter().chain([&server.process_id()]).for_each(|process| signal(*process, "STOP"));
    supervisors.iter().for_each(|supervisor| signal(*supervisor, "KILL"));
    server.kill();
    supervisors.into_iter().for_each(until_gone);
    assert!(
        stubborn.running().iter().any(|(name, _)| *name == "daemon"),
        "nothing is left for the next server"
    );
    server.restart();
    stubborn.until_gone();
    assert_eq!(server.terminate().code(), Some(0));
}

#[tokio::test]
async fn limits_are_applied_or_the_log_says_why_not() {
    let project = tempfile::tempdir().unwrap();
    let many = r#"for i in $(seq 60); do sleep 600 & done 2>errors; say "started $(jobs -p | wc -l)"
        answer $(id "$line") '{"stopReason":"end_turn"}'"#;
    let stubborn = StubbornChildren::new(project.path());
    let script = agent(&stubborn).replace(&stubborn.command(), many);
    let command = acp_script::write(project.path(), "agent", &script);
    let config = format!(
        "[[agent]]\nname = 'agent'\nprotocol = 'acp'\ncommand = \"{command}\"\nprocess_limit = 20\nmemory_limit = '1G'\n"
    );
    let file = project.path().join("config.toml");
    std::fs::write(&file, config).unwrap();
    let setup = ServerSetup::new(binary()).project(project.path()).argument("--config").argument(file);
    let outside = setup.clone().start();
    assert!(outside.log().contains("the limits of agent 'agent' are not applied"), "{}", outside.log());
    let Some(group) = Group::create() else { return };
    let controllers = std::fs::read_to_string(group.0.join("cgroup.controllers")).unwrap();
    let server = group.enter(setup).start();
    let (mut client, session) = prompt(&server, project.path()).await;
    client.until_state(&session, SessionState::Completed).await;
    let is_limited = controllers.split_whitespace().any(|name| name == "pids");
    let text = client.rows(&session)[1].text.clone();
    assert_eq!(text != "started 60", is_limited, "{text}");
    if !is_limited {
        assert!(server.log().contains("has no controller for"), "{}", server.log());
    }
}
