//! The server's services for agents that have no files, no queue and no shell of their own.

use pilothouse_core::conversation::ask::auto_approve::AutoApprove;
use pilothouse_core::protocol::{ErrorCode, HubCommand, LoginKind, QueueEdit, SessionCommand};
use pilothouse_core::{Kind, Mark, SessionState};
use pilothouse_test_support::acp_script;
use pilothouse_test_support::client::{Client, prompt};
use pilothouse_test_support::rows;
use pilothouse_test_support::wait::until_true;
use serde_json::Value;

use super::{replaying, setup};

/// An agent that logs what it receives and ends a turn when the file `go` exists.
pub(super) const PATIENT: &str = r#"
while read -r line; do
    echo "$line" >>received.log
    case "$line" in
    *'"initialize"'*) initialized "$(id "$line")" '{"sessionCapabilities":{"resume":{}},"promptCapabilities":{"image":true}}' ;;
    *'"session/new"'*) answer "$(id "$line")" '{"sessionId":"s1"}' ;;
    *'"session/resume"'*) answer "$(id "$line")" '{}' ;;
    *'"session/prompt"'*)
        say "working"
        until [ -e go ]; do sleep 0.02; done
        rm go
        answer "$(id "$line")" '{"stopReason":"end_turn"}' ;;
    esac
done
"#;

/// The texts of the prompts that the agent has received, in order. Blocks of one prompt are joined by a bar.
pub(super) fn prompts(folder: &std::path::Path) -> Vec<String> {
    let log = std::fs::read_to_string(folder.join("received.log")).unwrap_or_default();
    let requests = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let prompts = requests.filter(|request| request["method"] == "session/prompt");
    prompts
        .map(|request| {
            let blocks = request["params"]["prompt"].as_array().unwrap().clone();
            blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("|")
        })
        .collect()
}

pub(super) fn go(folder: &std::path::Path) {
    std::fs::write(folder.join("go"), "").unwrap();
}

#[tokio::test]
async fn messages_sent_while_the_agent_works_are_sent_one_by_one_after_the_turn() {
    let folder = tempfile::tempdir().unwrap();
    let server = setup(&acp_script::write(folder.path(), "patient", PATIENT)).project(folder.path()).start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("agent", folder.path()).await;
    client.prompt(&session, "one").await.unwrap();
    client.until_text(&session, "working").await;
    for (id, text) in [("a", "two"), ("b", "three"), ("c", "four")] {
        client.ask(&session, prompt(id, text)).await.unwrap();
    }
    client.until(&session, "the queue", |view| view.meta.queue.items().len() == 3).await;
    client.ask(&session, SessionCommand::RemoveQueued { item_id: "b".into(), revision: 0 }).await.unwrap();
    let edit = |revision, edit| SessionCommand::EditQueued { item_id: "c".into(), revision, edit };
    client.ask(&session, edit(0, QueueEdit::Begin)).await.unwrap();
    client
        .ask(&session, edit(1, QueueEdit::Finish { text: "five".into(), images: Vec::new() }))
        .await
        .unwrap();
    assert_eq!(prompts(folder.path()), ["one"], "a second prompt is never sent into a running turn");
    for expected in [&["one", "two"][..], &["one", "two", "five"]] {
        go(folder.path());
        until_true("the next prompt", || prompts(folder.path()) == expected).await;
    }
    go(folder.path());
    client.until(&session, "an empty queue", |view| view.meta.queue.is_empty()).await;
    client.until_state(&session, SessionState::Completed).await;
    let users = client.rows(&session).iter().filter(|row| row.kind == Kind::User);
    assert_eq!(users.map(|row| row.text.as_str()).collect::<Vec<_>>(), ["one", "two", "five"]);
}

#[tokio::test]
async fn shell_commands_run_without_the_agent_and_their_output_goes_with_the_next_prompt() {
    let folder = tempfile::tempdir().unwrap();
    let mut server =
        setup(&acp_script::write(folder.path(), "patient", PATIENT)).project(folder.path()).start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("agent", folder.path()).await;
    let shell = |id: &str, command: &str, exclude_from_context| SessionCommand::Bash {
        client_id: id.to_owned(),
        command: command.to_owned(),
        exclude_from_context,
    };
    client.ask(&session, shell("x", "echo seen; pwd", false)).await.unwrap();
    client.ask(&session, shell("y", "echo hidden", true)).await.unwrap();
    client
        .until(&session, "both results", |view| {
            let rows = view.controller.rows().iter();
            rows.filter(|row| row.bash_result.as_ref().is_some_and(|result| result.exit_code == Some(0)))
                .count()
                == 2
        })
        .await;
    assert_eq!(prompts(folder.path()), [""; 0]);
    client.prompt(&session, "What did I run?").await.unwrap();
    client.until_text(&session, "working").await;
    let sent = prompts(folder.path());
    assert!(sent[0].contains("I ran `echo seen; pwd`") && sent[0].contains("seen"), "{sent:?}");
    assert!(sent[0].ends_with("|What did I run?") && !sent[0].contains("hidden"), "{sent:?}");
    let user = client.rows(&session).iter().find(|row| row.kind == Kind::User).unwrap().text.clone();
    assert_eq!(user, "What did I run?", "the row has only what the user wrote");
    go(folder.path());
    client.until_state(&session, SessionState::Completed).await;
    client.ask(&session, shell("z", "sleep 600", false)).await.unwrap();
    client.until(&session, "a running command", |view| view.controller.rows().len() == 5).await;
    client.ask(&session, SessionCommand::AbortBash).await.unwrap();
    client
        .until(&session, "a cancelled command", |view| {
            let last = view.controller.rows().last().and_then(|row| row.bash_result.clone());
            last.is_some_and(|result| result.cancelled && !result.running)
        })
        .await;
    let live = rows::render(client.rows(&session));
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    client.open(&session).await;
    assert_eq!(rows::render(client.rows(&session)), live);
}

#[tokio::test]
async fn a_session_is_resumed_by_the_agents_own_id_after_a_restart_of_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let mut server =
        setup(&acp_script::write(folder.path(), "patient", PATIENT)).project(folder.path()).start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("agent", folder.path()).await;
    go(folder.path());
    client.prompt(&session, "remember this").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    let rename = SessionCommand::RenameSession { title: "My name for it".to_owned() };
    client.ask(&session, rename).await.unwrap();
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    let listed = client.welcome.sessions.iter().find(|listed| listed.id == session).unwrap();
    assert_eq!((listed.title.as_str(), listed.agent.as_str()), ("My name for it", "agent"));
    client.open(&session).await;
    go(folder.path());
    client.prompt(&session, "go on").await.unwrap();
    client.until(&session, "the second answer", |view| view.controller.rows().len() == 4).await;
    client.until_state(&session, SessionState::Completed).await;
    let log = std::fs::read_to_string(folder.path().join("received.log")).unwrap();
    let resumed = log.lines().find(|line| line.contains("session/resume")).unwrap();
    assert!(resumed.contains(r#""sessionId":"s1""#), "{resumed}");
    assert_eq!(log.matches("session/new").count(), 1);
    // The conversation is found by search.
    let found = client.ask_hub(HubCommand::Search { query: "remember this".to_owned() }).await.unwrap();
    assert_eq!(found["hits"][0]["session_id"], session.as_str(), "{found}");
}

#[tokio::test]
async fn an_agent_that_forgot_the_session_says_so_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let script =
        PATIENT.replace(r#"answer "$(id "$line")" '{}'"#, r#"fail "$(id "$line")" -32002 "no such session""#);
    assert_ne!(script, PATIENT);
    let mut server =
        setup(&acp_script::write(folder.path(), "patient", &script)).project(folder.path()).start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("agent", folder.path()).await;
    go(folder.path());
    client.prompt(&session, "one").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    client.open(&session).await;
    go(folder.path());
    client.prompt(&session, "two").await.unwrap();
    client.until(&session, "the end", |view| view.controller.rows().len() == 5).await;
    let notes: Vec<&str> = client
        .rows(&session)
        .iter()
        .filter(|row| row.kind == Kind::System)
        .map(|row| row.text.as_str())
        .collect();
    assert!(notes[0].contains("couldn't continue this session (no such session)"), "{notes:?}");
}

/// An agent that asks for permission to do what the prompt says: `read PATH`, `edit PATH` or `run`.
pub(super) const ASKING: &str = r#"
while read -r line; do
    case "$line" in
    *'"initialize"'*) initialized "$(id "$line")" ;;
    *'"session/new"'*) answer "$(id "$line")" '{"sessionId":"s1"}' ;;
    *'"session/prompt"'*)
        prompt=$(id "$line")
        words=($(sed -E 's/.*"text":"([^"]*)".*/\1/' <<<"$line"))
        path=${words[1]}
        case "${words[0]}" in
        read) call='"kind":"read","title":"Read a file","locations":[{"path":"'"$path"'"}]' ;;
        edit) call='"kind":"edit","title":"Edit a file","content":[{"type":"diff","path":"'"$path"'","oldText":"a","newText":"b"}]' ;;
        *) call='"kind":"execute","title":"rm -r x","rawInput":{"command":"rm -r x"}' ;;
        esac
        update '{"sessionUpdate":"tool_call","toolCallId":"c'$prompt'","status":"pending",'"$call"'}'
        printf '{"jsonrpc":"2.0","id":"ask-%s","method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c%s"},"options":[{"optionId":"always","name":"Always allow","kind":"allow_always"},{"optionId":"ok","name":"Allow","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}\n' $prompt $prompt
        ;;
    *'"ask-'*)
        echo "$line" >>answers.log
        update '{"sessionUpdate":"tool_call_update","toolCallId":"c'$prompt'","status":"completed"}'
        answer "$prompt" '{"stopReason":"end_turn"}' ;;
    esac
done
"#;

#[tokio::test]
async fn auto_approve_answers_what_its_level_covers_and_records_each_answer() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    std::fs::create_dir(&project).unwrap();
    std::fs::write(project.join("a.txt"), "a").unwrap();
    std::os::unix::fs::symlink("/etc", project.join("link")).unwrap();
    let mut server = setup(&acp_script::write(folder.path(), "asking", ASKING)).project(&project).start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("agent", &project).await;
    let set = |level, remember| SessionCommand::SetAutoApprove { level, remember };
    let inside = project.join("a.txt").display().to_string();
    let through_link = project.join("link/hosts").display().to_string();

    // Off: everything waits for the user.
    client.prompt(&session, &format!("read {inside}")).await.unwrap();
    client.until_state(&session, SessionState::WaitingApproval).await;
    // Turning it on answers what is open.
    client.ask(&session, set(AutoApprove::Edits, Some(true))).await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    client.prompt(&session, &format!("edit {inside}")).await.unwrap();
    client.until(&session, "the second answer", |view| view.controller.rows().len() == 6).await;
    client.until_state(&session, SessionState::Completed).await;
    assert!(client.view(&session).meta.asks.is_empty(), "no card stays behind");
    let answered: Vec<String> = client
        .rows(&session)
        .iter()
        .filter(|row| row.mark == Some(Mark::Answered))
        .map(|row| row.text.clone())
        .collect();
    assert_eq!(answered, ["Approved automatically: Read a file", "Approved automatically: Edit a file"]);
    let log = std::fs::read_to_string(project.join("answers.log")).unwrap();
    assert_eq!(log.matches(r#""optionId":"ok""#).count(), 2, "once, never always: {log}");

    // Outside the folder, also through a link, and shell commands: the user decides.
    for (number, text) in
        [format!("edit {through_link}"), "edit /etc/hosts".to_owned(), "run".to_owned()].iter().enumerate()
    {
        client.prompt(&session, text).await.unwrap();
        client.until_state(&session, SessionState::WaitingApproval).await;
        let ask = client.view(&session).meta.asks[0].clone();
        let answer = pilothouse_core::conversation::ask::Answer::Choose("no".to_owned());
        client.ask(&session, SessionCommand::answer(&ask, answer)).await.unwrap();
        client.until(&session, "the end", |view| view.controller.rows().len() == 9 + 3 * number).await;
        client.until_state(&session, SessionState::Completed).await;
    }

    // The level survives a restart, and is the default of new sessions in this folder only.
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    let listed = client.welcome.sessions.iter().find(|listed| listed.id == session).unwrap();
    assert_eq!(listed.auto_approve, AutoApprove::Edits);
    let same_folder = client.new_session_of("agent", &project).await;
    assert_eq!(client.view(&same_folder).meta.auto_approve, AutoApprove::Edits);
    let other_folder = client.new_session_of("agent", folder.path()).await;
    assert_eq!(client.view(&other_folder).meta.auto_approve, AutoApprove::Off);
    client.open(&session).await;
    client.ask(&session, set(AutoApprove::Everything, None)).await.unwrap();
    client.prompt(&session, "run").await.unwrap();
    client
        .until(&session, "an automatic answer", |view| {
            view.controller.rows().iter().any(|row| row.text.contains("Approved automatically: rm -r x"))
        })
        .await;
}

#[tokio::test]
async fn an_agent_that_needs_a_login_says_how_and_works_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"
    methods='[{"id":"web","name":"Log in on the web"},{"id":"key","name":"API key","type":"env_var","vars":[{"name":"SOME_KEY"}]}]'
    while read -r line; do
        case "$line" in
        *'"initialize"'*) answer "$(id "$line")" '{"protocolVersion":1,"agentCapabilities":{},"authMethods":'"$methods"'}' ;;
        *'"authenticate"'*) touch logged-in; answer "$(id "$line")" '{}' ;;
        *'"session/new"'*)
            if [ -e logged-in ]; then answer "$(id "$line")" '{"sessionId":"s1"}'
            else fail "$(id "$line")" -32000 "Authentication required"; fi ;;
        *'"session/prompt"'*) say "hello"; answer "$(id "$line")" '{"stopReason":"end_turn"}' ;;
        esac
    done"#;
    let server = setup(&acp_script::write(folder.path(), "login", script)).project(folder.path()).start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("agent", folder.path()).await;
    let error = client.prompt(&session, "hi").await.unwrap_err();
    assert_eq!(error.code, ErrorCode::AgentFailed);
    assert!(error.message.contains("needs a login"), "{}", error.message);
    client.until_state(&session, SessionState::Error).await;
    let login = client.view(&session).meta.login.clone().unwrap();
    assert_eq!(login.message, "Authentication required");
    assert_eq!(login.methods[1].kind, LoginKind::Environment);
    assert_eq!(login.methods[1].variables, ["SOME_KEY"]);
    client.ask(&session, SessionCommand::LogIn { method: "web".to_owned() }).await.unwrap();
    client.until(&session, "no login", |view| view.meta.login.is_none()).await;
    client.ask(&session, SessionCommand::Retry).await.unwrap();
    client.until_text(&session, "hello").await;
}

#[tokio::test]
async fn steering_reaches_the_running_turn_of_an_agent_that_can_be_steered() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = setup(&replaying("codex/steering")).project(folder.path()).start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("agent", folder.path()).await;
    client.ask(&session, SessionCommand::SetMode { mode: "read-only".to_owned() }).await.unwrap();
    client.prompt(&session, "[[longbash]] Count slowly.").await.unwrap();
    client.until(&session, "a running tool", |view| view.controller.has_open_call()).await;
    client.ask(&session, prompt("steer", "Steer: stop after this.")).await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    client.until(&session, "an empty queue", |view| view.meta.queue.is_empty()).await;
    let users: Vec<&str> = client
        .rows(&session)
        .iter()
        .filter(|row| row.kind == Kind::User)
        .map(|row| row.text.as_str())
        .collect();
    assert_eq!(users, ["[[longbash]] Count slowly.", "Steer: stop after this."]);
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    client.open(&session).await;
    assert_eq!(client.view(&session).meta.mode, "read-only");
}

#[tokio::test]
async fn agents_are_added_removed_and_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let command = acp_script::write(folder.path(), "patient", PATIENT);
    let mut server = setup(&command).project(folder.path()).start();
    let mut client = Client::connect(&server).await;
    assert!(client.welcome.available.iter().any(|agent| agent.name == "goose" && !agent.install.is_empty()));
    let add = |name: &str, command: &str| HubCommand::AddAgent {
        name: name.to_owned(),
        command: command.to_owned(),
    };
    client.ask_hub(add("mine", &command)).await.unwrap();
    assert_eq!(client.ask_hub(add("mine", "x")).await.unwrap_err().code, ErrorCode::Conflict);
    assert!(client.ask_hub(add("<b>", "x")).await.unwrap_err().message.contains("not a valid name"));
    assert!(client.ask_hub(add("other", "'open")).await.unwrap_err().message.contains("open quote"));
    client
        .until_welcome("the version", |welcome| {
            welcome.agents.iter().any(|agent| agent.name == "mine" && agent.version.as_deref() == Some("7.1"))
        })
        .await;
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    let mine = client.welcome.agents.iter().find(|agent| agent.name == "mine").unwrap();
    assert!(mine.custom);
    client.ask_hub(HubCommand::RemoveAgent { name: "mine".to_owned() }).await.unwrap();
    assert!(client.ask_hub(HubCommand::RemoveAgent { name: "agent".to_owned() }).await.is_err());
    client
        .until_welcome("no such agent", |welcome| !welcome.agents.iter().any(|agent| agent.name == "mine"))
        .await;
}

#[tokio::test]
async fn a_check_for_agents_is_answered_once_the_new_ones_are_discovered() {
    let (folder, programs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let command = acp_script::write(folder.path(), "patient", PATIENT);
    let server = setup(&command).programs(programs.path()).project(folder.path()).start();
    let mut client = Client::connect(&server).await;
    assert!(!client.welcome.agents.iter().any(|agent| agent.name == "kimi"));
    acp_script::install(programs.path(), "kimi", PATIENT);
    client.ask_hub(HubCommand::CheckAgents).await.unwrap();
    let kimi = client.welcome.agents.iter().find(|agent| agent.name == "kimi").unwrap();
    assert_eq!(kimi.version.as_deref(), Some("7.1"));
}

#[tokio::test]
async fn a_deleted_session_is_deleted_by_its_agent_too_and_its_file_is_in_the_trash() {
    let folder = tempfile::tempdir().unwrap();
    let script = PATIENT.replace(r#"{"resume":{}}"#, r#"{"resume":{},"close":{},"delete":{}}"#);
    assert_ne!(script, PATIENT);
    let script = script.replace("esac", r#"*'"session/delete"'*) answer "$(id "$line")" '{}' ;; esac"#);
    let server = setup(&acp_script::write(folder.path(), "patient", &script)).project(folder.path()).start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("agent", folder.path()).await;
    go(folder.path());
    client.prompt(&session, "one").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    // The list knows the agent's id once it has read the file.
    client.ask_hub(HubCommand::ListSessions).await.unwrap();
    client.ask_hub(HubCommand::DeleteSession { session_id: session.clone() }).await.unwrap();
    let log = || std::fs::read_to_string(folder.path().join("received.log")).unwrap();
    until_true("the agent's copy to be deleted", || {
        log().lines().any(|line| line.contains("session/delete") && line.contains(r#""sessionId":"s1""#))
    })
    .await;
    assert!(log().contains("session/close"), "the agent was told that the session is closed");
    assert!(!client.welcome.sessions.iter().any(|listed| listed.id == session));
}

#[tokio::test]
async fn a_stop_returns_the_queue_and_an_edited_message_is_not_sent() {
    let folder = tempfile::tempdir().unwrap();
    // It follows a stop only when it is told to.
    let server = setup(&acp_script::write(folder.path(), "patient", PATIENT)).project(folder.path()).start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("agent", folder.path()).await;
    client.prompt(&session, "one").await.unwrap();
    client.until_text(&session, "working").await;
    client.ask(&session, prompt("a", "two")).await.unwrap();
    client.ask(&session, prompt("b", "three")).await.unwrap();
    let stopped = client.ask(&session, SessionCommand::Abort).await.unwrap();
    assert_eq!(stopped["restored"].as_array().unwrap().len(), 2, "{stopped}");
    client.until_state(&session, SessionState::Stopped).await;
    go(folder.path());
    client.until(&session, "the end of the run", |view| !view.controller.is_running()).await;
    client.prompt(&session, "four").await.unwrap();
    until_true("the next prompt", || prompts(folder.path()) == ["one", "four"]).await;
}

#[tokio::test]
async fn auto_approve_also_answers_the_gates_of_an_agent_with_pis_protocol() {
    let (server, project) = crate::server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "/approve").await.unwrap();
    client.until_state(&session, SessionState::WaitingApproval).await;
    let set = |level| SessionCommand::SetAutoApprove { level, remember: None };
    client.ask(&session, set(AutoApprove::Edits)).await.unwrap();
    assert_eq!(client.view(&session).meta.asks.len(), 1, "it is not known what the gate is about");
    client.ask(&session, set(AutoApprove::Everything)).await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    let rows = client.rows(&session);
    assert!(rows.iter().any(|row| row.text.starts_with("Approved automatically")), "{rows:?}");
    assert!(client.view(&session).meta.asks.is_empty());
}

#[tokio::test]
async fn a_new_session_has_the_agents_settings_before_its_first_prompt() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"
    while read -r line; do
        case "$line" in
        *'"initialize"'*) initialized "$(id "$line")" '{"sessionCapabilities":{"resume":{}}}' ;;
        *'"session/new"'*) answer "$(id "$line")" '{"sessionId":"s1","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"plan","name":"Plan"}]}}' ;;
        *'"session/set_mode"'*) answer "$(id "$line")" '{}' ;;
        esac
    done"#;
    let mut server = setup(&acp_script::write(folder.path(), "modes", script)).project(folder.path()).start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("agent", folder.path()).await;
    client.until(&session, "the mode", |view| view.meta.mode == "ask").await;
    assert_eq!(client.view(&session).meta.state, SessionState::Idle);
    client.ask(&session, SessionCommand::SetMode { mode: "plan".to_owned() }).await.unwrap();
    client.until(&session, "the other mode", |view| view.meta.mode == "plan").await;
    // A session whose process does not run offers what the agent said before.
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    client.open(&session).await;
    let capabilities = &client.view(&session).meta.capabilities;
    assert_eq!(capabilities.modes.iter().map(|mode| mode.name.as_str()).collect::<Vec<_>>(), ["Ask", "Plan"]);
    assert!(capabilities.resume);
}

#[tokio::test]
async fn a_kill_in_mid_turn_keeps_what_was_shown() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"
    while read -r line; do
        case "$line" in
        *'"initialize"'*) initialized "$(id "$line")" '{"sessionCapabilities":{"resume":{}}}' ;;
        *'"session/new"'*) answer "$(id "$line")" '{"sessionId":"s1"}' ;;
        *'"session/resume"'*) answer "$(id "$line")" '{}' ;;
        *'"session/prompt"'*)
            say "I look"
            update '{"sessionUpdate":"tool_call","toolCallId":"c1","title":"ls","kind":"execute","status":"in_progress","rawInput":{"command":"ls"}}'
            update '{"sessionUpdate":"tool_call_update","toolCallId":"c1","_meta":{"terminal_output_delta":{"data":"first file\n"}}}'
            update '{"sessionUpdate":"tool_call_update","toolCallId":"c1","_meta":{"terminal_output_delta":{"data":"second file\n"}}}' ;;
        esac
    done"#;
    let mut server =
        setup(&acp_script::write(folder.path(), "looking", script)).project(folder.path()).start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("agent", folder.path()).await;
    client.prompt(&session, "look").await.unwrap();
    let output = |view: &pilothouse_core::SessionView| {
        let step = view.controller.rows().iter().find_map(|row| row.tool_step.as_ref());
        step.is_some_and(|step| step.result.as_ref().is_some_and(|output| output.contains("second file")))
    };
    client.until(&session, "the output", output).await;
    // The output is noted a moment after it is shown; a kill before that would lose it.
    let store = rusqlite::Connection::open(server.data.join("store.db")).unwrap();
    let is_noted = || {
        let note = store.query_row("SELECT events FROM in_flight", [], |row| row.get::<_, String>(0));
        note.is_ok_and(|note| note.contains("second file"))
    };
    until_true("the note of what is in progress", is_noted).await;
    drop(store);
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    client.open(&session).await;
    let rows = client.rows(&session);
    let texts: Vec<&str> =
        rows.iter().filter(|row| row.kind == Kind::Assistant).map(|row| row.text.as_str()).collect();
    assert_eq!(texts, ["I look"]);
    let step = rows.iter().find_map(|row| row.tool_step.as_ref()).unwrap();
    let output = step.result.clone().unwrap_or_default();
    assert!(output.starts_with("first file\nsecond file\n"), "{output}");
    assert!(!client.view(&session).controller.has_open_call(), "nothing runs any more");
    assert_eq!(client.view(&session).meta.state, SessionState::Paused);
}

#[tokio::test]
async fn a_retry_sends_the_refused_message_after_those_that_wait() {
    let folder = tempfile::tempdir().unwrap();
    // It needs a login as soon as the file `locked` exists.
    let script = r#"
    while read -r line; do
        echo "$line" >>received.log
        case "$line" in
        *'"initialize"'*) answer "$(id "$line")" '{"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"web","name":"Log in"}]}' ;;
        *'"authenticate"'*) rm locked; answer "$(id "$line")" '{}' ;;
        *'"session/new"'*)
            if [ -e locked ]; then fail "$(id "$line")" -32000 "Authentication required"
            else answer "$(id "$line")" '{"sessionId":"s1"}'; fi ;;
        *'"session/prompt"'*)
            say "working"
            until [ -e go ]; do sleep 0.02; done
            answer "$(id "$line")" '{"stopReason":"end_turn"}' ;;
        esac
    done"#;
    let mut server =
        setup(&acp_script::write(folder.path(), "locked", script)).project(folder.path()).start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("agent", folder.path()).await;
    client.prompt(&session, "one").await.unwrap();
    client.until_text(&session, "working").await;
    client.ask(&session, prompt("queued", "two")).await.unwrap();
    server.kill_and_restart();
    std::fs::write(folder.path().join("locked"), "").unwrap();
    let mut client = Client::connect(&server).await;
    client.open(&session).await;
    assert!(client.prompt(&session, "three").await.unwrap_err().message.contains("needs a login"));
    client.ask(&session, SessionCommand::LogIn { method: "web".to_owned() }).await.unwrap();
    go(folder.path());
    client.ask(&session, SessionCommand::Retry).await.unwrap();
    until_true("every prompt", || prompts(folder.path()) == ["one", "two", "three"]).await;
}

#[tokio::test]
async fn trying_again_after_a_login_elsewhere_starts_the_agent_anew() {
    let folder = tempfile::tempdir().unwrap();
    // It reads its credentials when it starts.
    let script = r#"
    if [ -e credentials ]; then loggedin=yes; fi
    while read -r line; do
        case "$line" in
        *'"initialize"'*) answer "$(id "$line")" '{"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"tty","name":"Terminal","type":"terminal","args":["login"]}]}' ;;
        *'"session/new"'*)
            if [ "$loggedin" ]; then answer "$(id "$line")" '{"sessionId":"s1"}'
            else fail "$(id "$line")" -32000 "Authentication required"; fi ;;
        *'"session/prompt"'*) say "hello"; answer "$(id "$line")" '{"stopReason":"end_turn"}' ;;
        esac
    done"#;
    let server = setup(&acp_script::write(folder.path(), "login", script)).project(folder.path()).start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("agent", folder.path()).await;
    client.until(&session, "the login before any message", |view| view.meta.login.is_some()).await;
    client.ask(&session, SessionCommand::Retry).await.unwrap();
    assert!(client.prompt(&session, "hi").await.unwrap_err().message.contains("needs a login"));
    std::fs::write(folder.path().join("credentials"), "").unwrap();
    client.ask(&session, SessionCommand::Retry).await.unwrap();
    client.until_text(&session, "hello").await;
    client.until_state(&session, SessionState::Completed).await;
    assert!(client.view(&session).meta.login.is_none());
    // Without a message, too.
    std::fs::remove_file(folder.path().join("credentials")).unwrap();
    let other = client.new_session_of("agent", folder.path()).await;
    client.until(&other, "the login", |view| view.meta.login.is_some()).await;
    std::fs::write(folder.path().join("credentials"), "").unwrap();
    client.ask(&other, SessionCommand::Retry).await.unwrap();
    client.until(&other, "no login", |view| view.meta.login.is_none()).await;
    assert_eq!(client.view(&other).meta.state, SessionState::Idle);
}

/// An agent whose options begin with their defaults in every process.
const OPTIONS: &str = r#"
model=small; fast=false
options() { echo '[{"id":"model","name":"Model","category":"model","type":"select","currentValue":"'$model'","options":[{"value":"small","name":"Small"},{"value":"large","name":"Large"}]},{"id":"fast","name":"Fast","type":"boolean","currentValue":'$fast'}]'; }
while read -r line; do
    case "$line" in
    *'"initialize"'*) initialized "$(id "$line")" '{"sessionCapabilities":{"resume":{}}}' ;;
    *'"session/new"'*) answer "$(id "$line")" '{"sessionId":"s1","configOptions":'"$(options)"'}' ;;
    *'"session/resume"'*) answer "$(id "$line")" '{"configOptions":'"$(options)"'}' ;;
    *'"session/set_config_option"'*)
        case "$line" in *'"large"'*) model=large ;; *'"fast"'*) fast=true ;; esac
        answer "$(id "$line")" '{"configOptions":'"$(options)"'}' ;;
    *'"session/prompt"'*) say "$model $fast"; answer "$(id "$line")" '{"stopReason":"end_turn"}' ;;
    esac
done"#;

#[tokio::test]
async fn a_new_process_gets_the_settings_that_the_user_chose() {
    let folder = tempfile::tempdir().unwrap();
    let mut server =
        setup(&acp_script::write(folder.path(), "options", OPTIONS)).project(folder.path()).start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("agent", folder.path()).await;
    let set_model = SessionCommand::SetModel { provider: String::new(), model_id: "large".to_owned() };
    client.ask(&session, set_model).await.unwrap();
    let set_fast = SessionCommand::SetOption { option_id: "fast".to_owned(), value: "true".to_owned() };
    client.ask(&session, set_fast).await.unwrap();
    client.prompt(&session, "one").await.unwrap();
    client.until_text(&session, "large true").await;
    client.until_state(&session, SessionState::Completed).await;
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    client.open(&session).await;
    assert_eq!(client.view(&session).meta.model.as_ref().unwrap().id, "large");
    client.prompt(&session, "two").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    let texts: Vec<&str> = client
        .rows(&session)
        .iter()
        .filter(|row| row.kind == Kind::Assistant)
        .map(|row| row.text.as_str())
        .collect();
    assert_eq!(texts, ["large true", "large true"]);
}

#[tokio::test]
async fn a_stop_does_not_wait_for_a_steering_message_that_the_agent_never_accepts() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"
    while read -r line; do
        echo "$line" >>received.log
        case "$line" in
        *'"initialize"'*) answer "$(id "$line")" '{"protocolVersion":1,"agentCapabilities":{},"_meta":{"steering":{"supported":true}}}' ;;
        *'"session/new"'*) answer "$(id "$line")" '{"sessionId":"s1"}' ;;
        *'"session/prompt"'*) prompt=$(id "$line"); say "working" ;;
        *'"session/cancel"'*) answer "$prompt" '{"stopReason":"cancelled"}' ;;
        esac
    done"#;
    let server = setup(&acp_script::write(folder.path(), "steered", script)).project(folder.path()).start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("agent", folder.path()).await;
    client.prompt(&session, "one").await.unwrap();
    client.until_text(&session, "working").await;
    client.ask(&session, prompt("steer", "two")).await.unwrap();
    let log = || std::fs::read_to_string(folder.path().join("received.log")).unwrap();
    until_true("the steering message", || log().contains("_session/steering")).await;
    let stopped = client.ask(&session, SessionCommand::Abort).await.unwrap();
    assert_eq!(stopped["restored"].as_array().unwrap().len(), 1, "{stopped}");
    client.until_state(&session, SessionState::Stopped).await;
    until_true("the cancel", || log().contains("session/cancel")).await;
    client.until(&session, "the end of the run", |view| !view.controller.is_running()).await;
    assert!(client.view(&session).meta.queue.is_empty());
}
