//! What a session waits for, and for how long. Time is not waited for: it is handed to the one place that acts on it.

use std::time::Duration;

use pilothouse_agents::framing::Line;

use pilothouse_core::SessionState;
use serde_json::json;

use super::*;
use crate::config::Config;
use crate::store::Store;

const TEN_MINUTES: Duration = Duration::from_secs(600);

/// An agent that answers a shell command when a file is there. Its third request is the command: two come first when
/// it is started.
const SLOW_AGENT: &str = r#"
    while read -r line; do case "$line" in *'"bash"'*)
        until [ -e go ]; do sleep 0.02; done
        echo '{"id":"3","type":"response","command":"bash","success":true,"data":{"output":"built","exitCode":0}}';;
    esac; done"#;

fn session(folder: &std::path::Path) -> Session {
    std::fs::write(folder.join("agent.sh"), SLOW_AGENT).unwrap();
    let agent = Agent::from_words("slow", "pi", vec!["sh".into(), "agent.sh".into()]).unwrap();
    let agent = Agent { folder: folder.to_owned(), ..agent };
    let origin = Origin {
        id: "s".to_owned(),
        agent: Arc::new(agent.clone()),
        cwd: folder.to_owned(),
        file: None,
        blobs: Blobs::default(),
        mark: crate::agent::orphans::mark(&folder.to_string_lossy(), "s"),
    };
    let config = Config {
        listen: ([127, 0, 0, 1], 0).into(),
        data_dir: folder.to_owned(),
        cwd: folder.to_owned(),
        agents: vec![agent],
        allowed_hosts: Vec::new(),
        open: false,
        idle: Some(TEN_MINUTES / 2),
    };
    let search = crate::search::Search::open(folder).unwrap();
    let hub = Hub::new(config, Store::in_memory().unwrap(), search);
    Session::new(origin, None, Restored::default(), hub)
}

fn command(session: &mut Session, command: Command) {
    let (page, _frames) = crate::client::client_channel(1);
    session.command(&page, "request".to_owned(), command);
}

fn result(session: &Session) -> &pilothouse_core::BashResult {
    session.view.controller.rows().iter().find_map(|row| row.bash_result.as_ref()).unwrap()
}

/// Takes what the agent says until the condition holds; only a hang fails.
async fn until(session: &mut Session, condition: impl Fn(&Session) -> bool) {
    while !condition(session) {
        let event = tokio::time::timeout(Duration::from_secs(30), session.process_events.recv()).await;
        session.process_event(event.expect("the agent is silent").unwrap());
    }
}

#[tokio::test]
async fn case_37_a_shell_command_of_ten_minutes_does_not_time_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = session(folder.path());
    let bash = Command::Bash {
        client_id: "b".into(),
        command: "build everything".into(),
        exclude_from_context: false,
    };
    command(&mut session, bash);
    session.mind_idleness();
    assert_eq!((session.stop_deadline, session.idle_deadline), (None, None), "nothing is due because of it");
    // A question beside it that may stay open for just less than that shows that the time has passed.
    let question = json!({
        "type": "extension_ui_request", "id": "q", "method": "input", "title": "Well?", "timeout": 599_000,
    });
    session.process_event(ProcessEvent::Lines(vec![Line::Complete(question.to_string().into_bytes())]));
    assert_eq!(session.view.asks.len(), 1);

    session.pass_deadlines(Instant::now() + TEN_MINUTES);
    assert_eq!(session.view.asks, [], "the question's time is over");
    assert!(result(&session).running && !session.ending, "the command's is not");

    std::fs::write(folder.path().join("go"), "").unwrap();
    until(&mut session, |session| !result(session).running).await;
    let ended = result(&session);
    assert_eq!((ended.output.as_str(), ended.exit_code, ended.cancelled), ("built", Some(0), false));
    session.end_process();
    until(&mut session, |session| session.process.is_none()).await;
}

#[tokio::test]
async fn a_session_whose_page_is_being_loaded_anew_waits_for_it_whatever_else_is_due() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = session(folder.path());
    session.judge_later();
    session.mind_use();
    let first = session.next_deadline();
    assert!(!session.is_over(first), "the file is looked at before");
    session.pass_deadlines(first);
    session.mind_use();
    let last = session.next_deadline();
    assert!(first < last && session.is_over(last), "then nothing is left to wait for");
    let (page, _frames) = crate::client::client_channel(1);
    session.subscribe(page, None, None);
    session.mind_use();
    assert!(!session.is_over(last), "somebody is there again");
}

#[tokio::test]
async fn what_a_session_is_found_in_when_it_is_opened_is_what_the_sidebars_say() {
    let folder = tempfile::tempdir().unwrap();
    let hub = session(folder.path()).hub;
    let id = hub.new_session("slow", folder.path().to_owned()).unwrap();
    let before = hub.sessions().remove(0);
    hub.session_opened(&id, SessionState::Paused);
    let after = hub.sessions().remove(0);
    assert_eq!((after.state, after.modified), (SessionState::Paused, before.modified));
}
