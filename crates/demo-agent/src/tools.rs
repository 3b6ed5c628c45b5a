//! Carries out the tools that scenes call: files, shell, questions. They really happen.
//!
//! Results are spelled as pi's own tools spell them. Writing is confined to the scratch folder: whatever a scene
//! says, the user's project is never changed.

pub(crate) mod ask_user;
mod bash;
mod diff;
mod files;
mod scratch;

use std::{sync::Arc, time::Instant};

use serde_json::{Value, json};
use tokio::sync::watch;

use crate::{
    agent::{Agent, models},
    pace::Cancel,
    protocol::{Content, Event, Message, ToolContent},
    scenes::{self, Call, Tool},
    session,
};
pub(crate) use scratch::Scratch;

/// A call with the id under which everybody knows it.
#[derive(Clone, Debug)]
pub(crate) struct NumberedCall {
    pub(crate) id: String,
    pub(crate) call: Call,
}

/// What a tool needs besides its arguments.
pub(crate) struct Workbench<'a> {
    pub(crate) agent: &'a Arc<Agent>,
    pub(crate) cancel: &'a Cancel,
}

/// Runs the calls of one reply side by side; the results come back in the order of the calls.
///
/// All start in call order and end in the order of how long they should take, so that a conversation is the same every
/// time even when nothing is waited for.
pub(crate) async fn run_all(bench: &Workbench<'_>, calls: &[NumberedCall]) -> Vec<Message> {
    let mut by_duration: Vec<usize> = (0..calls.len()).collect();
    by_duration.sort_by_key(|place| calls[*place].call.lasts);
    let ended = watch::Sender::new(0_usize);
    let agent = bench.agent;
    for NumberedCall { id, call } in calls {
        agent.output.emit(&Event::ToolExecutionStart {
            tool_call_id: id,
            tool_name: call.tool.name(),
            args: &call.tool.arguments(),
        });
    }
    let runs = calls.iter().enumerate().map(|(place, call)| {
        let turn = by_duration.iter().position(|other| *other == place).unwrap_or_default();
        run_one(bench, call, turn, &ended)
    });
    futures_util::future::join_all(runs).await
}

async fn run_one(
    bench: &Workbench<'_>,
    numbered: &NumberedCall,
    turn: usize,
    ended: &watch::Sender<usize>,
) -> Message {
    let NumberedCall { id, call } = numbered;
    let started = Instant::now();
    let result = perform(bench, id, &call.tool).await;
    if let Some(lasts) = bench.agent.pace.scale(call.lasts) {
        let rest = lasts.saturating_sub(started.elapsed());
        tokio::select! {
            () = bench.cancel.cancelled() => {}
            () = tokio::time::sleep(rest) => {}
        }
    }
    // The sender outlives the wait, so this ends when the calls before it have ended.
    let _ = ended.subscribe().wait_for(|count| *count >= turn).await;
    let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let is_error = is_error(&result);
    bench.agent.output.emit(&Event::ToolExecutionEnd {
        tool_call_id: id,
        tool_name: call.tool.name(),
        result: &result.content,
        is_error,
        duration_ms,
    });
    ended.send_modify(|count| *count += 1);
    Message::ToolResult {
        tool_call_id: id.clone(),
        tool_name: call.tool.name().to_owned(),
        content: result.content.content,
        details: result.content.details,
        is_error,
        duration_ms,
        timestamp: session::milliseconds(),
    }
}

/// A tool's outcome; a thrown error has empty details, as pi gives it.
pub(crate) struct Outcome {
    content: ToolContent,
    threw: bool,
}

fn is_error(outcome: &Outcome) -> bool {
    outcome.threw || outcome.content.is_error
}

impl Outcome {
    pub(crate) fn ok(content: ToolContent) -> Self {
        Self { content, threw: false }
    }

    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::ok(ToolContent { content: vec![Content::text(text)], ..ToolContent::default() })
    }

    pub(crate) fn error(text: impl Into<String>) -> Self {
        Self {
            content: ToolContent {
                content: vec![Content::text(text)],
                details: Some(json!({})),
                ..ToolContent::default()
            },
            threw: true,
        }
    }
}

async fn perform(bench: &Workbench<'_>, id: &str, tool: &Tool) -> Outcome {
    let folder = &bench.agent.folder;
    match tool {
        Tool::Ls { path } => files::list(&folder.join(path)),
        Tool::Read { path } => files::read(&folder.join(path)),
        Tool::Bash { command, ask_first } => {
            let ask = *ask_first || bench.agent.with(|state| state.mode == models::ASK);
            if ask && !ask_user::allow(bench.agent, command).await {
                return Outcome::error(scenes::BLOCKED);
            }
            bash::run(bench, id, command).await
        }
        Tool::Write { path, content } => files::write(&bench.agent.scratch, path, content),
        Tool::Edit { path, edits } => files::edit(&bench.agent.scratch, path, edits),
        Tool::Grep { pattern, path } => files::search(&folder.join(path), pattern),
        Tool::Todo { .. } => Outcome::text("The plan is updated."),
        Tool::Task { answer, .. } => Outcome::text(answer.clone()),
        Tool::AskUser(question) => {
            let answer = ask_user::ask(bench.agent, question).await;
            Outcome::text(answer_text(&answer))
        }
    }
}

/// An answer in words; one that was cancelled is none.
fn answer_text(answer: &Value) -> String {
    match (&answer["value"], &answer["confirmed"]) {
        (Value::String(text), _) => text.clone(),
        (_, Value::Bool(true)) => "yes".to_owned(),
        (_, Value::Bool(false)) => "no".to_owned(),
        _ => "(cancelled)".to_owned(),
    }
}

#[cfg(test)]
mod tests;
