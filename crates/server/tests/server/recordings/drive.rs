//! Plays one scenario through a server. A client sends each recorded input once it shows the rows that were
//! recorded before it. Meanwhile other clients join.

use pilothouse_core::SessionView;
use pilothouse_core::conversation::ask::{Answer, AskKind};
use pilothouse_core::conversation::queue::Lane;
use pilothouse_core::conversation::ui_message::Image;
use pilothouse_core::protocol::SessionCommand;
use serde_json::Value;
use tokio::sync::watch;

use pilothouse_test_support::PATIENCE;
use pilothouse_test_support::client::{Client, assert_same, synchronise};
use pilothouse_test_support::process::{command_line, signal};
use pilothouse_test_support::recordings::events_of;
use pilothouse_test_support::rows;
use pilothouse_test_support::server::TestServer;

use super::prepare::{Process, Scenario, is_query};

/// The number of clients that join one after the other.
const JOINING_CLIENTS: usize = 20;

/// A played scenario, for the comparison with the restarted server.
pub struct PlayedScenario {
    pub name: String,
    pub session: String,
    pub rows: Vec<String>,
    /// The number of clients that joined before the last event.
    pub joined_midway: usize,
    pub events: u64,
}

/// Plays a scenario in a new session of this agent, with clients that join on the way.
pub async fn play(
    server: &TestServer,
    scenario: &Scenario,
    agent: &str,
    project: &std::path::Path,
) -> PlayedScenario {
    let mut client = Client::connect(server).await;
    let session = client.new_session_of(agent, project).await;
    let lines = scenario.processes.iter().flat_map(|process| &process.records);
    let lines = lines.filter(|record| record["dir"] == "out").count();
    let (progress, _) = watch::channel(Progress::default());
    let work = async {
        let mut driver = Driver {
            client: &mut client,
            session: &session,
            scenario,
            expected: SessionView::default(),
            sent: 0,
            pending: Vec::new(),
            answered: Vec::new(),
            progress: &progress,
        };
        for process in &scenario.processes {
            driver.play_process(server, process).await;
        }
        // Some questions expire.
        driver.client.until(&session, "closed questions", |view| view.meta.asks.is_empty()).await;
        progress.send_replace(Progress { seq: driver.client.view(&session).seq, ended: true });
    };
    let joiners = (0..JOINING_CLIENTS).map(|number| {
        join(server, &session, progress.subscribe(), (lines * (number + 1) / (JOINING_CLIENTS + 4)) as u64)
    });
    let ((), joined) = tokio::join!(work, futures_util::future::join_all(joiners));
    let mut joined_midway = 0;
    for (mut other, at) in joined {
        synchronise(&mut other, &mut client, &session).await;
        joined_midway += usize::from(at > 0 && at < client.view(&session).seq);
        assert_same(other.view(&session), client.view(&session));
    }
    let rows = rows::render(client.rows(&session));
    if client.view(&session).controller.is_running() {
        // The message in progress is stored at intervals.
        let last = client.rows(&session).last().unwrap();
        let output = last.tool_step.as_ref().and_then(|step| step.result.as_deref());
        crate::durability::until_stored(server, output.unwrap_or(&last.text).trim()).await;
    }
    PlayedScenario {
        name: scenario.name.clone(),
        session: session.clone(),
        rows,
        joined_midway,
        events: client.view(&session).seq,
    }
}

/// Connects a client that opens the session after the event with this number, and follows it to the end. Returns
/// the client and the number of the event at which it joined.
async fn join(
    server: &TestServer,
    session: &str,
    mut progress: watch::Receiver<Progress>,
    at: u64,
) -> (Client, u64) {
    let mut client = Client::connect(server).await;
    let mut joined_at = None;
    loop {
        let Progress { seq, ended } = *progress.borrow_and_update();
        if joined_at.is_none() && (seq >= at || ended) {
            client.open(session).await;
            joined_at = Some(client.view(session).seq);
        }
        if let Some(joined_at) = joined_at.filter(|_| ended && client.view(session).seq >= seq) {
            return (client, joined_at);
        }
        tokio::select! {
            _ = progress.changed(), if !ended => {}
            () = client.receive_frame() => {}
        }
    }
}

/// How far the first client is.
#[derive(Clone, Copy, Default)]
struct Progress {
    /// The number of the last event.
    seq: u64,
    /// The scenario has ended.
    ended: bool,
}

/// Sends the inputs of a scenario.
struct Driver<'a> {
    client: &'a mut Client,
    session: &'a str,
    scenario: &'a Scenario,
    /// The view of the recording so far.
    expected: SessionView,
    /// The number of inputs sent.
    sent: usize,
    /// The ids of recorded requests without a recorded response so far, each with the id of the client's request.
    pending: Vec<(Value, String)>,
    /// The client's requests whose responses are recorded, with the recorded success.
    answered: Vec<(String, bool)>,
    progress: &'a watch::Sender<Progress>,
}

impl Driver<'_> {
    /// Plays one process of the scenario, and ends it as recorded.
    async fn play_process(&mut self, server: &TestServer, process: &Process) {
        for record in &process.records {
            if record["dir"] == "in" && !is_query(&record["line"]) {
                self.send_input(&record["line"]).await;
            }
            if record["line"]["type"] == "response"
                && let Some(index) = self.pending.iter().position(|(id, _)| *id == record["line"]["id"])
            {
                let success = record["line"]["success"] == true;
                self.answered.push((self.pending.remove(index).1, success));
            }
            for event in events_of(record, &self.expected.controller) {
                self.expected.apply(event);
            }
        }
        self.until_in_step(None).await;
        if let Some(name) = process.signal {
            let runs =
                |process: &&u32| command_line(**process).iter().any(|word| word.contains(self.session));
            signal(*server.programs().iter().find(runs).unwrap(), name);
            self.client.until_state(self.session, pilothouse_core::SessionState::Error).await;
            self.expected = SessionView::default();
        }
    }

    /// Sends a recorded input as the command of a client.
    async fn send_input(&mut self, line: &Value) {
        let ask = (line["type"] == "extension_ui_response").then(|| line["id"].as_str().unwrap());
        self.until_in_step(ask).await;
        let view = self.client.view(self.session);
        let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        self.sent += 1;
        let client_id = format!("{}-{}", self.session.split('-').next_back().unwrap(), self.sent);
        let command = match line["type"].as_str().unwrap() {
            kind @ ("prompt" | "steer" | "follow_up") => {
                let images: Vec<Image> = serde_json::from_value(line["images"].clone()).unwrap_or_default();
                let later = kind == "follow_up" || line["streamingBehavior"] == "followUp";
                let streaming_behavior = if later { Lane::FollowUp } else { Lane::Steer };
                SessionCommand::Prompt { client_id, message: text("message"), images, streaming_behavior }
            }
            "bash" => {
                let exclude_from_context = line["excludeFromContext"].as_bool().unwrap_or_default();
                SessionCommand::Bash { client_id, command: text("command"), exclude_from_context }
            }
            "abort_bash" => SessionCommand::AbortBash,
            "abort" => SessionCommand::Abort,
            "clear_queue" => SessionCommand::ClearQueue,
            "compact" => SessionCommand::Compact {
                instructions: line["customInstructions"].as_str().map(str::to_owned),
            },
            "set_model" => SessionCommand::SetModel { provider: text("provider"), model_id: text("modelId") },
            "set_thinking_level" => SessionCommand::SetThinkingLevel { level: text("level") },
            "set_session_name" => SessionCommand::RenameSession { title: text("name") },
            "extension_ui_response" => {
                // A stop has closed the question.
                let Some(ask) = view.meta.asks.iter().find(|ask| line["id"] == ask.id) else { return };
                let answer = match (&line["confirmed"], &line["value"]) {
                    (Value::Bool(yes), _) => Answer::Confirm(*yes),
                    (_, Value::String(choice)) if ask.kind == AskKind::Select => {
                        Answer::Choose(choice.clone())
                    }
                    (_, Value::String(text)) => Answer::Text(text.clone()),
                    _ => Answer::Cancel,
                };
                SessionCommand::answer(ask, answer)
            }
            other => panic!("{}: unknown input {other}", self.scenario.name),
        };
        let request = self.client.send(self.session, command).await;
        self.pending.push((line["id"].clone(), request));
    }

    /// Waits until the client shows the recording so far, has the recorded responses, and has this question, if
    /// any.
    async fn until_in_step(&mut self, ask: Option<&str>) {
        let expected_rows = rows::render(self.expected.controller.rows());
        loop {
            let view = self.client.view(self.session);
            self.progress.send_replace(Progress { seq: view.seq, ended: false });
            let missing = missing_row(&expected_rows, view);
            let unanswered =
                self.answered.iter().find(|(request, _)| self.client.received_response(request).is_none());
            let settled = self.expected.controller.is_running()
                || self.expected.meta.compacting
                || ask.is_some()
                || !view.meta.state.is_active();
            let in_step = self.expected.controller.is_running() == view.controller.is_running()
                && self.expected.meta.compacting == view.meta.compacting
                && self.expected.meta.retry.is_some() == view.meta.retry.is_some()
                && ask.is_none_or(|ask| view.meta.asks.iter().any(|open| open.id == ask));
            if missing.is_none() && unanswered.is_none() && settled && in_step {
                break;
            }
            let answered = unanswered.is_none();
            let waited = tokio::time::timeout(PATIENCE, self.client.receive_frame()).await;
            assert!(
                waited.is_ok(),
                "{}: timed out after {} inputs; missing: {missing:?}, settled: {settled}, in step: {in_step}, ask: {ask:?}, \
                 answered: {answered}: {:?} {:?} {:#?}",
                self.scenario.name,
                self.sent,
                self.client.view(self.session).meta.state,
                self.client.view(self.session).meta.reason,
                rows::render_shortened(self.client.rows(self.session)),
            );
        }
        for (request, success) in self.answered.drain(..) {
            let answer = self.client.received_response(&request).unwrap();
            assert_eq!(answer.is_ok(), success, "{}: {request} {answer:?}", self.scenario.name);
        }
    }
}

/// The first recorded row that the client does not show in the recorded order. The client may show more rows:
/// those that only the server creates.
fn missing_row(expected: &[String], view: &SessionView) -> Option<String> {
    let shown = rows::render(view.controller.rows());
    let mut shown = shown.iter();
    expected.iter().find(|row| !shown.any(|shown| shown == *row)).cloned()
}
