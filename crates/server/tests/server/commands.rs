//! Steering, stopping, questions, settings: what a page can ask of a session.

use pilothouse_core::conversation::ask::{Answer, AskKind};
use pilothouse_core::protocol::{HubCommand, SessionCommand};
use pilothouse_core::{Mark, SessionState};

use pilothouse_test_support::client::{Client, prompt, visible};

use crate::server;

#[tokio::test]
async fn stop_keeps_the_partial_text_marks_it_and_gives_the_queue_back() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "/wait never").await.unwrap();
    page.until(&session, "half an answer", |view| view.controller.rows().len() >= 2).await;
    page.ask(&session, prompt("queued", "And then this")).await.unwrap();
    assert_eq!(page.view(&session).meta.queue.items().len(), 1);
    let restored = page.ask(&session, SessionCommand::Abort).await.unwrap();
    assert_eq!(restored["restored"][0]["text"], "And then this");
    page.until_state(&session, SessionState::Stopped).await;
    page.until(&session, "the mark", |view| {
        view.controller.rows().last().is_some_and(|row| row.mark == Some(Mark::Interrupted))
    })
    .await;
    assert!(page.view(&session).meta.queue.is_empty());
    let rows = visible(page.rows(&session));

    // It goes on after a stop.
    page.prompt(&session, "Hello again").await.unwrap();
    page.until_state(&session, SessionState::Completed).await;
    assert_eq!(visible(page.rows(&session))[..rows.len()], rows[..]);
}

#[tokio::test]
async fn a_prompt_sent_right_behind_a_stop_starts_a_run_of_its_own() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    for turn in 0..5 {
        page.prompt(&session, "/wait-tool never").await.unwrap();
        page.until(&session, "a running tool", |view| view.controller.has_open_call()).await;
        let stop = page.send(&session, SessionCommand::Abort).await;
        let next = page.send(&session, prompt(&format!("next-{turn}"), "Something else")).await;
        page.response(&stop).await.unwrap();
        assert_eq!(page.response(&next).await.unwrap()["disposition"], "started");
        page.until_state(&session, SessionState::Completed).await;
        let said = page.rows(&session).iter().filter(|row| row.text == "Something else").count();
        assert_eq!((said, page.view(&session).meta.queue.items().len()), (turn + 1, 0));
    }
}

#[tokio::test]
async fn stop_in_the_middle_of_a_tool_closes_its_row() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "/wait-tool never").await.unwrap();
    page.until(&session, "a running tool", |view| {
        let steps = view.controller.rows().iter().filter_map(|row| row.tool_step.as_ref());
        steps.filter(|step| step.phase == pilothouse_core::Phase::Running).count() == 1
    })
    .await;
    page.ask(&session, SessionCommand::Abort).await.unwrap();
    page.until(&session, "no running tool", |view| !view.controller.has_open_call()).await;
    assert_eq!(page.view(&session).meta.state, SessionState::Stopped);
}

#[tokio::test]
async fn a_message_sent_while_it_works_is_scheduled_and_then_taken_up() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "/wait-tool go").await.unwrap();
    page.until(&session, "a running tool", |view| view.controller.has_open_call()).await;
    page.ask(&session, prompt("steer-1", "Look left")).await.unwrap();
    assert_eq!(page.view(&session).meta.queue.items()[0].id, "steer-1");
    assert!(!page.rows(&session).iter().any(|row| row.text == "Look left"), "not in the timeline yet");
    std::fs::write(project.path().join("go"), "").unwrap();
    page.until_state(&session, SessionState::Completed).await;
    assert!(page.view(&session).meta.queue.is_empty());
    let taken = page.rows(&session).iter().filter(|row| row.text == "Look left").collect::<Vec<_>>();
    assert_eq!((taken.len(), taken[0].id.as_str()), (1, "u-steer-1"));
}

#[tokio::test]
async fn case_70_a_question_is_answered_once_and_closes_in_every_page() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let mut other = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    other.open(&session).await;
    page.prompt(&session, "/ask").await.unwrap();
    let mut kinds = Vec::new();
    loop {
        page.until(&session, "a question or the end", |view| {
            !view.meta.asks.is_empty() || view.meta.state == SessionState::Completed
        })
        .await;
        let Some(ask) = page.view(&session).meta.asks.first().cloned() else { break };
        other
            .until(&session, "the question", |view| view.meta.asks.iter().any(|open| open.id == ask.id))
            .await;
        kinds.push(ask.kind);
        let answer = match ask.kind {
            AskKind::Select => {
                let wrong = SessionCommand::Answer {
                    ask_id: ask.id.clone(),
                    answer: Answer::Choose("none of these".into()),
                };
                assert!(page.ask(&session, wrong).await.is_err());
                Answer::Choose(ask.options[0].clone())
            }
            AskKind::Confirm => Answer::Confirm(true),
            AskKind::Input | AskKind::Editor => Answer::Text("Ada".into()),
        };
        let command = SessionCommand::Answer { ask_id: ask.id.clone(), answer };
        other.ask(&session, command.clone()).await.unwrap();
        page.until(&session, "the question closed", |view| {
            !view.meta.asks.iter().any(|open| open.id == ask.id)
        })
        .await;
        assert!(page.ask(&session, command).await.unwrap_err().contains("closed"), "the second answer");
    }
    assert_eq!(kinds, [AskKind::Select, AskKind::Confirm, AskKind::Input, AskKind::Editor]);
}

#[tokio::test]
async fn an_approval_waits_and_stop_means_no() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    page.prompt(&session, "/approve").await.unwrap();
    page.until_state(&session, SessionState::WaitingApproval).await;
    // A page that opens now sees it too.
    let mut other = Client::connect(&server).await;
    other.open(&session).await;
    assert_eq!(other.view(&session).meta.asks.len(), 1);
    page.ask(&session, SessionCommand::Abort).await.unwrap();
    page.until_state(&session, SessionState::Stopped).await;
    other.until(&session, "closed", |view| view.meta.asks.is_empty()).await;
}

#[tokio::test]
async fn models_thinking_level_commands_and_usage_are_there() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let session = page.new_session(project.path()).await;
    let commands = page.ask(&session, SessionCommand::GetCommands).await.unwrap();
    assert!(
        commands["commands"].as_array().unwrap().iter().any(|command| command["name"] == "tour"),
        "{commands}"
    );
    let models = page.ask(&session, SessionCommand::GetAvailableModels).await.unwrap();
    assert!(models["models"].as_array().unwrap().len() >= 2);
    page.ask(&session, SessionCommand::SetThinkingLevel { level: "high".into() }).await.unwrap();
    page.until(&session, "the level", |view| view.meta.thinking_level == "high").await;
    page.prompt(&session, "Hello").await.unwrap();
    page.until(&session, "usage", |view| {
        view.meta.context_usage.as_ref().is_some_and(|usage| usage.tokens > Some(0))
    })
    .await;
}

#[tokio::test]
async fn bad_input_gets_a_sentence_and_changes_nothing() {
    let (server, project) = server();
    let mut page = Client::connect(&server).await;
    let new = |agent: &str, cwd: &str| HubCommand::NewSession { agent: agent.into(), cwd: cwd.into() };
    assert!(page.ask_hub(new("nobody", "")).await.unwrap_err().contains("no agent"));
    assert!(page.ask_hub(new("demo", "/nonexistent")).await.unwrap_err().contains("does not exist"));
    assert!(page.ask_hub(new("demo", "relative")).await.unwrap_err().contains("complete path"));
    page.send_text(r#"{"id":"p0","type":"prompt","client_id":"p0","message":"Hello"}"#).await;
    assert!(page.response("p0").await.unwrap_err().contains("session_id"));
    let session = page.new_session(project.path()).await;
    assert!(page.ask(&session, prompt("p1", "  \n ")).await.unwrap_err().contains("empty"));
    let long = "x".repeat(pilothouse_core::limits::PROMPT_BYTES + 1);
    assert!(page.ask(&session, prompt("p2", &long)).await.unwrap_err().contains("limit"));
    assert!(page.ask(&session, SessionCommand::Retry).await.unwrap_err().contains("no message"));
    assert_eq!((page.view(&session).meta.state, page.rows(&session).len()), (SessionState::Idle, 0));
}
