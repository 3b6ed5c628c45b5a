//! Commands of a client to a session: stop, steering, answers, settings, and invalid input.

use pilothouse_core::conversation::ask::{Answer, AskKind};
use pilothouse_core::protocol::{ErrorCode, HubCommand, SessionCommand};
use pilothouse_core::{Mark, SessionState};

use pilothouse_test_support::client::{Client, prompt, visible};

use crate::server;

#[tokio::test]
async fn a_stop_marks_the_partial_text_and_returns_the_queue() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "/wait never").await.unwrap();
    client.until_text(&session, "exists.").await;
    client.ask(&session, prompt("queued", "And then this")).await.unwrap();
    assert_eq!(client.view(&session).meta.queue.items()[0].text, "And then this");
    let restored = client.ask(&session, SessionCommand::Abort).await.unwrap();
    assert_eq!(restored["restored"][0]["text"], "And then this");
    client.until_state(&session, SessionState::Stopped).await;
    client
        .until(&session, "the mark", |view| {
            view.controller.rows().last().is_some_and(|row| row.mark == Some(Mark::Interrupted))
        })
        .await;
    assert!(client.view(&session).meta.queue.is_empty());
    let rows = visible(client.rows(&session));

    // The session continues after a stop.
    client.prompt(&session, "Hello again").await.unwrap();
    client.until_state(&session, SessionState::Completed).await;
    assert_eq!(visible(client.rows(&session))[..rows.len()], rows[..]);
}

#[tokio::test]
async fn a_prompt_sent_directly_after_a_stop_starts_a_new_run() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    for turn in 0..5 {
        client.prompt(&session, "/wait-tool never").await.unwrap();
        client.until(&session, "a running tool", |view| view.controller.has_open_call()).await;
        let stop = client.send(&session, SessionCommand::Abort).await;
        let next = client.send(&session, prompt(&format!("next-{turn}"), "Something else")).await;
        client.response(&stop).await.unwrap();
        assert_eq!(client.response(&next).await.unwrap()["disposition"], "started");
        client.until_state(&session, SessionState::Completed).await;
        let prompts = client.rows(&session).iter().filter(|row| row.text == "Something else").count();
        assert_eq!((prompts, client.view(&session).meta.queue.items().len()), (turn + 1, 0));
    }
}

#[tokio::test]
async fn a_stop_during_a_tool_closes_its_row() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "/wait-tool never").await.unwrap();
    client
        .until(&session, "a running tool", |view| {
            let steps = view.controller.rows().iter().filter_map(|row| row.tool_step.as_ref());
            steps.filter(|step| step.phase == pilothouse_core::Phase::Running).count() == 1
        })
        .await;
    client.ask(&session, SessionCommand::Abort).await.unwrap();
    client.until(&session, "no running tool", |view| !view.controller.has_open_call()).await;
    assert_eq!(client.view(&session).meta.state, SessionState::Stopped);
}

#[tokio::test]
async fn a_message_sent_during_a_run_is_scheduled_and_then_delivered() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "/wait-tool go").await.unwrap();
    client.until(&session, "a running tool", |view| view.controller.has_open_call()).await;
    client.ask(&session, prompt("steer-1", "Look left")).await.unwrap();
    assert_eq!(client.view(&session).meta.queue.items()[0].id, "steer-1");
    assert!(
        !client.rows(&session).iter().any(|row| row.text == "Look left"),
        "the scheduled message is already in the conversation"
    );
    std::fs::write(project.path().join("go"), "").unwrap();
    client.until_state(&session, SessionState::Completed).await;
    assert!(client.view(&session).meta.queue.is_empty());
    let delivered = client.rows(&session).iter().filter(|row| row.text == "Look left").collect::<Vec<_>>();
    assert_eq!((delivered.len(), delivered[0].id.as_str()), (1, "u-steer-1"));
}

#[tokio::test]
async fn case_70_a_question_is_answered_once_and_closes_in_every_client() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let mut other = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    other.open(&session).await;
    client.prompt(&session, "/ask").await.unwrap();
    let mut kinds = Vec::new();
    loop {
        client
            .until(&session, "a question or the end", |view| {
                !view.meta.asks.is_empty() || view.meta.state == SessionState::Completed
            })
            .await;
        let Some(ask) = client.view(&session).meta.asks.first().cloned() else { break };
        other
            .until(&session, "the question", |view| view.meta.asks.iter().any(|open| open.id == ask.id))
            .await;
        kinds.push(ask.kind);
        let answer = match ask.kind {
            AskKind::Select => {
                let wrong = SessionCommand::answer(&ask, Answer::Choose("none of these".into()));
                assert_eq!(client.ask(&session, wrong).await.unwrap_err().code, ErrorCode::InvalidRequest);
                Answer::Choose(ask.options[0].clone())
            }
            AskKind::Confirm => Answer::Confirm(true),
            AskKind::Input | AskKind::Editor => Answer::Text("Ada".into()),
            AskKind::Permission | AskKind::Form => panic!("the demo agent asks no such question: {ask:?}"),
        };
        let command = SessionCommand::answer(&ask, answer);
        other.ask(&session, command.clone()).await.unwrap();
        client
            .until(&session, "the closed question", |view| {
                !view.meta.asks.iter().any(|open| open.id == ask.id)
            })
            .await;
        assert_eq!(
            client.ask(&session, command).await.unwrap_err().code,
            ErrorCode::Gone,
            "a second answer was accepted"
        );
    }
    assert_eq!(kinds, [AskKind::Select, AskKind::Confirm, AskKind::Input, AskKind::Editor]);
}

#[tokio::test]
async fn a_stop_declines_an_open_approval() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    client.prompt(&session, "/approve").await.unwrap();
    client.until_state(&session, SessionState::WaitingApproval).await;
    // A client that opens the session now sees the approval, too.
    let mut other = Client::connect(&server).await;
    other.open(&session).await;
    assert_eq!(other.view(&session).meta.asks, client.view(&session).meta.asks);
    client.ask(&session, SessionCommand::Abort).await.unwrap();
    client.until_state(&session, SessionState::Stopped).await;
    other.until(&session, "the end of the approval", |view| view.meta.asks.is_empty()).await;
}

#[tokio::test]
async fn commands_models_thinking_level_and_usage_are_reported() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let session = client.new_session(project.path()).await;
    let commands = client.ask(&session, SessionCommand::GetCommands).await.unwrap();
    assert!(
        commands["commands"].as_array().unwrap().iter().any(|command| command["name"] == "tour"),
        "{commands}"
    );
    let models = client.ask(&session, SessionCommand::GetAvailableModels).await.unwrap();
    let ids: Vec<&str> =
        models["models"].as_array().unwrap().iter().map(|model| model["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&"demo-guide") && ids.contains(&"demo-guide-terse"), "{ids:?}");
    client.ask(&session, SessionCommand::SetThinkingLevel { level: "high".into() }).await.unwrap();
    client.until(&session, "the thinking level", |view| view.meta.thinking_level == "high").await;
    client.prompt(&session, "Hello").await.unwrap();
    client
        .until(&session, "usage", |view| {
            view.meta.context_usage.as_ref().is_some_and(|usage| usage.tokens > Some(0))
        })
        .await;
}

#[tokio::test]
async fn invalid_input_is_refused_with_a_reason_and_changes_nothing() {
    let (server, project) = server();
    let mut client = Client::connect(&server).await;
    let new = |agent: &str, cwd: &str| HubCommand::NewSession { agent: agent.into(), cwd: cwd.into() };
    for (command, code, reason) in [
        (new("unknown", ""), ErrorCode::InvalidRequest, "no agent"),
        (new("demo", "/nonexistent"), ErrorCode::Gone, "doesn't exist"),
        (new("demo", "relative"), ErrorCode::InvalidRequest, "full path"),
    ] {
        let error = client.ask_hub(command).await.unwrap_err();
        assert!(error.code == code && error.message.contains(reason), "{error:?}");
    }
    client.send_text(r#"{"id":"p0","type":"prompt","client_id":"p0","message":"Hello"}"#).await;
    let error = client.response("p0").await.unwrap_err();
    assert!(error.code == ErrorCode::InvalidRequest && error.message.contains("session_id"), "{error:?}");

    let session = client.new_session(project.path()).await;
    let long = "x".repeat(pilothouse_core::limits::PROMPT_BYTES + 1);
    for (command, code, reason) in [
        (prompt("p1", "  \n "), ErrorCode::InvalidRequest, "empty"),
        (prompt("p2", &long), ErrorCode::InvalidRequest, "limit"),
        (SessionCommand::Retry, ErrorCode::Gone, "no message"),
    ] {
        let error = client.ask(&session, command).await.unwrap_err();
        assert!(error.code == code && error.message.contains(reason), "{error:?}");
    }
    assert_eq!((client.view(&session).meta.state, client.rows(&session)), (SessionState::Idle, &[][..]));
}
