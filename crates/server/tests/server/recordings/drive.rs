//! Drives one scenario as a page would: every recorded input that a page can lead to, when what was recorded before it
//! has been shown. Meanwhile other pages join.

use pilothouse_core::SessionView;
use pilothouse_core::conversation::ask::{Answer, AskKind};
use pilothouse_core::conversation::queue::Lane;
use pilothouse_core::conversation::ui_message::Image;
use pilothouse_core::protocol::SessionCommand;
use serde_json::Value;
use tokio::sync::watch;

use pilothouse_test_support::PATIENCE;
use pilothouse_test_support::client::{Client, assert_same};
use pilothouse_test_support::process::{children, command_line, signal};
use pilothouse_test_support::recordings::events_of;
use pilothouse_test_support::rows;
use pilothouse_test_support::server::TestServer;

use super::prepare::{Process, Scenario, is_question};

/// Pages that join one after the other.
const JOINED: usize = 20;

/// What came of a scenario, to be compared with what the next server shows.
pub struct Played {
    pub name: String,
    pub session: String,
    pub rows: Vec<String>,
    /// Pages that joined before the last event.
    pub joined_in_the_middle: usize,
    pub events: u64,
}

pub async fn play(
    server: &TestServer,
    scenario: &Scenario,
    agent: &str,
    project: &std::path::Path,
) -> Played {
    let mut page = Client::connect(server).await;
    let session = page.new_session_of(agent, project).await;
    let lines = scenario.processes.iter().flat_map(|process| &process.records);
    let lines = lines.filter(|record| record["dir"] == "out").count();
    let (seen, _) = watch::channel((0, false));
    let work = async {
        let mut driver = Driver {
            page: &mut page,
            session: &session,
            scenario,
            shown: SessionView::default(),
            sent: 0,
            requests: Vec::new(),
            answered: Vec::new(),
            seen: &seen,
        };
        for process in &scenario.processes {
            driver.process(server, process).await;
        }
        // Those that expire do so by the clock.
        driver.page.until(&session, "closed questions", |view| view.meta.asks.is_empty()).await;
        let last = driver.page.view(&session).seq;
        seen.send_replace((last, true));
    };
    let joiners = (0..JOINED)
        .map(|number| join(server, &session, seen.subscribe(), (lines * (number + 1) / (JOINED + 4)) as u64));
    let ((), joined) = tokio::join!(work, futures_util::future::join_all(joiners));
    let mut joined_in_the_middle = 0;
    for (mut other, at) in joined {
        // What is told after the end of a run reaches everybody in a moment.
        while other.view(&session).seq != page.view(&session).seq {
            let (here, there) = (other.view(&session).seq, page.view(&session).seq);
            other.until(&session, "everything", |view| view.seq >= there).await;
            page.until(&session, "everything", |view| view.seq >= here).await;
        }
        joined_in_the_middle += usize::from(at > 0 && at < page.view(&session).seq);
        assert_same(other.view(&session), page.view(&session));
    }
    let rows = rows::render(page.rows(&session));
    if page.view(&session).controller.is_running() {
        // What is under way is noted a moment later.
        let last = page.rows(&session).last().unwrap();
        let output = last.tool_step.as_ref().and_then(|step| step.result.as_deref());
        crate::kept::noted(server, output.unwrap_or(&last.text).trim()).await;
    }
    Played {
        name: scenario.name.clone(),
        session: session.clone(),
        rows,
        joined_in_the_middle,
        events: page.view(&session).seq,
    }
}

/// A page that opens the session once so many events have come, and stays to the end.
async fn join(
    server: &TestServer,
    session: &str,
    mut seen: watch::Receiver<(u64, bool)>,
    at: u64,
) -> (Client, u64) {
    let mut page = Client::connect(server).await;
    let mut joined_at = None;
    loop {
        let (seq, over) = *seen.borrow_and_update();
        if joined_at.is_none() && (seq >= at || over) {
            page.open(session).await;
            joined_at = Some(page.view(session).seq);
        }
        if let Some(joined_at) = joined_at.filter(|_| over && page.view(session).seq >= seq) {
            return (page, joined_at);
        }
        tokio::select! {
            _ = seen.changed(), if !over => {}
            () = page.receive_frame() => {}
        }
    }
}

struct Driver<'a> {
    page: &'a mut Client,
    session: &'a str,
    scenario: &'a Scenario,
    /// What the recording has shown so far.
    shown: SessionView,
    sent: usize,
    /// The requests of this page's that stand for recorded ones, and those that must be answered by now.
    requests: Vec<(Value, String)>,
    answered: Vec<(String, bool)>,
    seen: &'a watch::Sender<(u64, bool)>,
}

impl Driver<'_> {
    async fn process(&mut self, server: &TestServer, process: &Process) {
        for record in &process.records {
            if record["dir"] == "in" && !is_question(&record["line"]) {
                self.input(&record["line"]).await;
            }
            if record["line"]["type"] == "response"
                && let Some(place) = self.requests.iter().position(|(id, _)| *id == record["line"]["id"])
            {
                let success = record["line"]["success"] == true;
                self.answered.push((self.requests.remove(place).1, success));
            }
            for event in events_of(record, &self.shown.controller) {
                self.shown.apply(event);
            }
        }
        self.until_shown(None).await;
        if let Some(name) = process.signal {
            let runs =
                |process: &&u32| command_line(**process).iter().any(|word| word.contains(self.session));
            signal(*children(server.process_id()).iter().find(runs).unwrap(), name);
            self.page.until_state(self.session, pilothouse_core::SessionState::Error).await;
            self.shown = SessionView::default();
        }
    }

    async fn input(&mut self, line: &Value) {
        let ask = (line["type"] == "extension_ui_response").then(|| line["id"].as_str().unwrap());
        self.until_shown(ask).await;
        let view = self.page.view(self.session);
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
                // A stop has answered it.
                let Some(ask) = view.meta.asks.iter().find(|ask| line["id"] == ask.id) else { return };
                let answer = match (&line["confirmed"], &line["value"]) {
                    (Value::Bool(yes), _) => Answer::Confirm(*yes),
                    (_, Value::String(choice)) if ask.kind == AskKind::Select => {
                        Answer::Choose(choice.clone())
                    }
                    (_, Value::String(text)) => Answer::Text(text.clone()),
                    _ => Answer::Cancel,
                };
                SessionCommand::Answer { ask_id: ask.id.clone(), answer }
            }
            other => panic!("{}: nothing is known of the input {other}", self.scenario.name),
        };
        let request = self.page.send(self.session, command).await;
        self.requests.push((line["id"].clone(), request));
    }

    /// Waits until the page shows what the recording has shown by now.
    async fn until_shown(&mut self, ask: Option<&str>) {
        let expected = rows::render(self.shown.controller.rows());
        loop {
            let view = self.page.view(self.session);
            self.seen.send_replace((view.seq, false));
            let missing = missing(&expected, view);
            let waits =
                self.answered.iter().find(|(request, _)| self.page.received_response(request).is_none());
            let rests = self.shown.controller.is_running()
                || self.shown.meta.compacting
                || ask.is_some()
                || !view.meta.state.is_active();
            let in_step = self.shown.controller.is_running() == view.controller.is_running()
                && self.shown.meta.compacting == view.meta.compacting
                && self.shown.meta.retry.is_some() == view.meta.retry.is_some()
                && ask.is_none_or(|ask| view.meta.asks.iter().any(|open| open.id == ask));
            if missing.is_none() && waits.is_none() && rests && in_step {
                break;
            }
            let waits = waits.is_none();
            let waited = tokio::time::timeout(PATIENCE, self.page.receive_frame()).await;
            assert!(
                waited.is_ok(),
                "{}: waited in vain for {missing:?} after {} inputs (at rest: {rests}, in step: {in_step}, ask: {ask:?}, answered: {waits}): {:?} {:?} {:#?}",
                self.scenario.name,
                self.sent,
                self.page.view(self.session).meta.state,
                self.page.view(self.session).meta.reason,
                rows::render_shortened(self.page.rows(self.session)),
            );
        }
        for (request, success) in self.answered.drain(..) {
            let answer = self.page.received_response(&request).unwrap();
            assert_eq!(answer.is_ok(), success, "{}: {request} {answer:?}", self.scenario.name);
        }
    }
}

/// The first recorded row that the page does not show, in its turn. The page may show more: what only the server knows.
fn missing(expected: &[String], view: &SessionView) -> Option<String> {
    let shown = rows::render(view.controller.rows());
    let mut shown = shown.iter();
    expected.iter().find(|row| !shown.any(|shown| shown == *row)).cloned()
}
