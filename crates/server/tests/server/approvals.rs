//! Answers to approvals: only for what was displayed, and recorded in the audit log before the agent gets them.

use pilothouse_core::SessionState;
use pilothouse_core::conversation::ask::Answer;
use pilothouse_core::conversation::ask::auto_approve::AutoApprove;
use pilothouse_core::protocol::{ApprovalLog, ErrorCode, HubCommand, SessionCommand};
use pilothouse_test_support::client::Client;
use pilothouse_test_support::scripted_agent::{PI_VERSION, Script, write_stand_in};
use pilothouse_test_support::server::ServerSetup;
use serde_json::json;

use crate::{binary, server};

async fn approval_log(client: &mut Client) -> ApprovalLog {
    let reply = client.ask_hub(HubCommand::ListApprovals).await.unwrap();
    serde_json::from_value(reply).unwrap()
}

#[tokio::test]
async fn promise_33_an_answer_counts_only_for_what_was_displayed() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "/approve").await.unwrap();
    client.until_state(&session, SessionState::WaitingApproval).await;
    let ask = client.view(&session).meta.asks[0].clone();
    let yes = Answer::Choose(ask.options[0].clone());
    for shown in [String::new(), ask.shown.to_lowercase(), ask.shown.clone() + "x"] {
        let other = SessionCommand::Answer { ask_id: ask.id.clone(), answer: yes.clone(), shown };
        assert_eq!(client.ask(&session, other).await.unwrap_err().code, ErrorCode::Conflict);
    }
    assert!(approval_log(&mut client).await.entries.is_empty());
    assert_eq!(client.view(&session).meta.state, SessionState::WaitingApproval);
    client.ask(&session, SessionCommand::answer(&ask, yes)).await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
}

#[tokio::test]
async fn promise_35_every_answer_to_an_approval_is_in_the_audit_log() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    let mut options = Vec::new();
    for option in 0..2 {
        client.prompt(&session, "/approve").await.unwrap();
        client.until_state(&session, SessionState::WaitingApproval).await;
        let ask = client.view(&session).meta.asks[0].clone();
        let answer = Answer::Choose(ask.options[option].clone());
        options = ask.options.clone();
        client.ask(&session, SessionCommand::answer(&ask, answer)).await.unwrap();
        client.until_state(&session, SessionState::Completed).await;
        let newest = approval_log(&mut client).await.entries[0].clone();
        assert_eq!((&newest.session, &newest.hash), (&session, &ask.shown));
        let title = ask.title.lines().next().unwrap();
        assert!(newest.shown.contains(title), "{}", newest.shown);
        assert!(newest.shown.contains(&format!("In {}", project.path().display())), "{}", newest.shown);
        assert!(newest.at > 0 && !newest.device.is_empty() && !newest.device_id.is_empty(), "{newest:?}");
    }
    // A question that is no approval is not recorded.
    client.prompt(&session, "/ask").await.unwrap();
    client.until_state(&session, SessionState::WaitingInput).await;
    client.ask(&session, SessionCommand::Abort).await.unwrap();
    client.until(&session, "the end of the run", |view| view.meta.asks.is_empty()).await;
    let log = approval_log(&mut client).await;
    let answers: Vec<(&str, bool)> =
        log.entries.iter().map(|entry| (entry.answer.as_str(), entry.approved)).collect();
    assert_eq!(answers.len(), 2);
    assert_eq!((answers[1].0, answers[0].0), (options[0].as_str(), options[1].as_str()));
    assert_eq!((answers[1].1, answers[0].1), (true, false), "{answers:?}");
    let lines = std::fs::read_to_string(&log.file).unwrap();
    assert_eq!(lines.lines().count(), 2);
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&log.file).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test]
async fn an_automatic_approval_is_in_the_audit_log_with_its_reason() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    let everything = SessionCommand::SetAutoApprove { level: AutoApprove::Everything, remember: None };
    client.ask(&session, everything).await.unwrap();
    client.prompt(&session, "/approve").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    let log = approval_log(&mut client).await;
    assert_eq!(log.entries.len(), 1);
    let entry = &log.entries[0];
    assert_eq!((entry.device.as_str(), entry.device_id.as_str()), ("Auto-approve: Everything", ""));
    assert!(entry.approved);
}

#[tokio::test]
async fn an_answer_that_cannot_be_recorded_is_not_sent() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "/approve").await.unwrap();
    client.until_state(&session, SessionState::WaitingApproval).await;
    let ask = client.view(&session).meta.asks[0].clone();
    let answer = SessionCommand::answer(&ask, Answer::Choose(ask.options[0].clone()));
    let file = server.data.join("approvals.jsonl");
    std::fs::create_dir(&file).unwrap();
    let error = client.ask(&session, answer.clone()).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::NotStored, "{}", error.message);
    assert_eq!(client.view(&session).meta.asks.len(), 1);
    std::fs::remove_dir(&file).unwrap();
    client.ask(&session, answer).await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
}

#[tokio::test]
async fn promise_34_silence_is_never_consent() {
    let folder = tempfile::tempdir().unwrap();
    let (script, received) = (folder.path().join("script.jsonl"), folder.path().join("received"));
    let mut asking = Script::default();
    asking.run(|asking| {
        let ask = |title: &str| json!({"title": title, "message": "rm -r build"});
        let mut short = ask("Soon over");
        short["timeout"] = json!(400);
        asking.extension("confirm", short);
        asking.extension("confirm", ask("Open until the end"));
        asking.expect_command("extension_ui_response");
    });
    std::fs::write(&script, asking.records()).unwrap();
    let session = format!(
        "tee -a '{}' | '{}' demo-agent --session-id \"$id\" --script '{}'",
        received.display(),
        binary().display(),
        script.display()
    );
    let program = write_stand_in(folder.path(), binary(), PI_VERSION, &session);
    let mut server = ServerSetup::new(binary())
        .project(folder.path())
        .agent(&format!("asking=pi:sh '{}'", program.display()))
        .env("PI_CODING_AGENT_DIR", folder.path())
        .start();
    let mut client = Client::connect(&server).await;
    let session = client.new_session_of("asking", folder.path()).await;
    client.prompt(&session, "Go on").await.unwrap();
    client.until(&session, "both approvals", |view| view.meta.asks.len() == 2).await;
    let asks = client.view(&session).meta.asks.clone();
    // Everybody has gone while one of them expires.
    drop(client);
    let mut client = Client::connect(&server).await;
    client.open(&session).await;
    client.until(&session, "the end of the short one", |view| view.meta.asks.len() == 1).await;
    client.until_text(&session, "Expired without an answer: Soon over").await;
    let late = SessionCommand::answer(&asks[0], Answer::Confirm(true));
    assert_eq!(client.ask(&session, late).await.unwrap_err().code, ErrorCode::Gone);
    server.kill_and_restart();
    let mut client = Client::connect(&server).await;
    client.open(&session).await;
    client.until_text(&session, "Not answered because the agent exited: Open until the end").await;
    let late = SessionCommand::answer(&asks[1], Answer::Confirm(true));
    assert_eq!(client.ask(&session, late).await.unwrap_err().code, ErrorCode::Gone);
    let received = std::fs::read_to_string(received).unwrap();
    assert!(received.contains("Go on"), "the test does not see what the agent receives");
    assert!(!received.contains("\"confirmed\":true"), "{received}");
}
