//! The deadlines of a session. The tests do not wait: they pass the time to the code that acts on it.

use pilothouse_agents::framing::Line;
use pilothouse_core::SessionState;
use pilothouse_core::protocol::SessionCommand;
use serde_json::json;

use super::*;
use crate::agent::orphans;
use crate::agent::process::ProcessEvent;
use crate::allowed_roots::AllowedRoots;
use crate::client::client_channel;
use crate::config::Config;
use crate::store::Store;

const TEN_MINUTES: Duration = Duration::from_secs(600);

/// An agent that answers a shell command once a file exists. The command is its third request: two are sent at the
/// start.
const SLOW_AGENT: &str = r#"
    while read -r line; do case "$line" in *'"bash"'*)
        until [ -e go ]; do sleep 0.02; done
        echo '{"id":"3","type":"response","command":"bash","success":true,"data":{"output":"built","exitCode":0}}';;
    esac; done"#;

fn session(folder: &std::path::Path) -> Session {
    std::fs::write(folder.join("agent.sh"), SLOW_AGENT).unwrap();
    let agent = Agent::from_words("slow", "pi", vec!["sh".into(), "agent.sh".into()]).unwrap();
    let agent = Agent { folder: folder.to_owned(), ..agent };
    let origin = SessionOrigin {
        id: "s".to_owned(),
        agent: Arc::new(agent.clone()),
        cwd: folder.to_owned(),
        file: None,
        blobs: Blobs::default(),
        mark: orphans::mark(&folder.to_string_lossy(), "s"),
    };
    let config = Config {
        listen: ([127, 0, 0, 1], 0).into(),
        data_dir: folder.to_owned(),
        cwd: folder.to_owned(),
        allowed_roots: AllowedRoots::everything(),
        agents: vec![agent],
        allowed_hosts: Vec::new(),
        tls: None,
        device_expiry: None,
        open: false,
        idle: Some(TEN_MINUTES / 2),
    };
    let search = crate::search::Search::open(folder).unwrap();
    let hub = Hub::new(config, Store::open(folder).unwrap(), search);
    Session::new(origin, Recovered::default(), hub)
}

async fn command(session: &mut Session, command: SessionCommand) {
    let (client, _frames) = client_channel(ClientId(1));
    let responder = Responder { client, request: "request".to_owned(), command: command.name() };
    session.command(responder, command).await;
    session.process_agent_output().await;
}

fn shell_result(session: &Session) -> &pilothouse_core::BashResult {
    session.log.view().controller.rows().iter().find_map(|row| row.bash_result.as_ref()).unwrap()
}

/// Processes the agent's output until the condition holds. Only a hang fails.
async fn until(session: &mut Session, condition: impl Fn(&Session) -> bool) {
    while !condition(session) {
        let event = tokio::time::timeout(Duration::from_secs(30), session.agent.process_event()).await;
        session.process_event(event.expect("the agent is silent").unwrap()).await;
        session.process_agent_output().await;
    }
}

#[tokio::test]
async fn case_37_a_shell_command_of_ten_minutes_does_not_time_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = session(folder.path());
    let bash = SessionCommand::Bash {
        client_id: "b".into(),
        command: "build everything".into(),
        exclude_from_context: false,
    };
    command(&mut session, bash).await;
    // The agent of this test answers only the command.
    session.agent.set_ready();
    session.update_deadlines(Instant::now());
    assert_eq!(session.agent.next_deadline(), None, "nothing is due because of the command");
    // A question that expires a little earlier shows that the time has passed.
    let question = json!({
        "type": "extension_ui_request", "id": "q", "method": "input", "title": "Well?", "timeout": 599_000,
    });
    let line = Line::Complete(question.to_string().into_bytes());
    session.process_event(ProcessEvent::Lines(vec![line])).await;
    session.process_agent_output().await;
    assert_eq!(session.log.meta().asks.len(), 1);

    session.pass_deadlines(Instant::now() + TEN_MINUTES).await;
    assert_eq!(session.log.meta().asks, [], "the question has expired");
    assert!(shell_result(&session).running && !session.agent.is_ending(), "the command has not");

    std::fs::write(folder.path().join("go"), "").unwrap();
    until(&mut session, |session| !shell_result(session).running).await;
    let ended = shell_result(&session);
    assert_eq!((ended.output.as_str(), ended.exit_code, ended.cancelled), ("built", Some(0), false));
    session.agent.end();
    until(&mut session, |session| !session.agent.is_running()).await;
}

#[tokio::test]
async fn a_session_waits_for_a_client_that_reloads_whatever_else_is_due() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = session(folder.path());
    let now = Instant::now();
    session.file.check_later(now);
    session.update_deadlines(now);
    let first = session.next_deadline();
    assert!(!session.is_unused_since(first), "the file is checked first");
    session.pass_deadlines(first).await;
    session.update_deadlines(first);
    let last = session.next_deadline();
    assert!(first < last && session.is_unused_since(last), "then nothing is left to wait for");
    let (client, _frames) = client_channel(ClientId(1));
    session.input(Input::Subscribe { client, request: None, cursor: None, done: None }).await;
    session.update_deadlines(last);
    assert!(!session.is_unused_since(last), "a client has subscribed");
}

#[tokio::test]
async fn the_state_of_an_opened_session_is_what_the_sidebars_show() {
    let folder = tempfile::tempdir().unwrap();
    let hub = session(folder.path()).hub;
    let id = hub.new_session("slow", folder.path().to_owned()).await.unwrap();
    let before = hub.sessions().remove(0);
    hub.session_opened(&id, SessionState::Paused);
    let after = hub.sessions().remove(0);
    assert_eq!((after.state, after.modified), (SessionState::Paused, before.modified));
}
