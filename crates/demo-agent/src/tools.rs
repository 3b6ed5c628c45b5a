//! The tools that scenes call: files, shell and questions. They really run.
//!
//! Results have the format of pi's tools. Files are written only to the scratch folder, so that the file tools
//! never change the user's project.

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

/// A tool call with its id.
#[derive(Clone, Debug)]
pub(crate) struct NumberedCall {
    pub(crate) id: String,
    pub(crate) call: Call,
}

/// The environment that a tool runs in.
pub(crate) struct ToolContext<'a> {
    pub(crate) agent: &'a Arc<Agent>,
    pub(crate) cancel: &'a Cancel,
}

/// Runs the calls of one reply in parallel and returns the results in the order of the calls.
///
/// The calls start in order and end in the order of their nominal durations, so that a conversation is the same
/// every time, even at the instant pace.
pub(crate) async fn run_all(context: &ToolContext<'_>, calls: &[NumberedCall]) -> Vec<Message> {
    let mut by_duration: Vec<usize> = (0..calls.len()).collect();
    by_duration.sort_by_key(|index| calls[*index].call.duration);
    let ended = watch::Sender::new(0_usize);
    let agent = context.agent;
    for NumberedCall { id, call } in calls {
        agent.output.emit(&Event::ToolExecutionStart {
            tool_call_id: id,
            tool_name: call.tool.name(),
            args: &call.tool.arguments(),
        });
    }
    let runs = calls.iter().enumerate().map(|(index, call)| {
        let rank = by_duration.iter().position(|other| *other == index).unwrap_or_default();
        run_one(context, call, rank, &ended)
    });
    futures_util::future::join_all(runs).await
}

/// Runs one call. `rank` is the number of calls that end before it.
async fn run_one(
    context: &ToolContext<'_>,
    numbered: &NumberedCall,
    rank: usize,
    ended: &watch::Sender<usize>,
) -> Message {
    let NumberedCall { id, call } = numbered;
    let started = Instant::now();
    let result = perform(context, id, &call.tool).await;
    if let Some(duration) = context.agent.pace.scale(call.duration) {
        let rest = duration.saturating_sub(started.elapsed());
        tokio::select! {
            () = context.cancel.cancelled() => {}
            () = tokio::time::sleep(rest) => {}
        }
    }
    // Fails only if the sender is dropped, but it outlives the wait.
    let _ = ended.subscribe().wait_for(|count| *count >= rank).await;
    let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let is_error = result.is_error();
    context.agent.output.emit(&Event::ToolExecutionEnd {
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

/// The result of a tool. As in pi, a thrown error has empty details.
pub(crate) struct ToolOutcome {
    content: ToolContent,
    threw: bool,
}

impl ToolOutcome {
    fn is_error(&self) -> bool {
        self.threw || self.content.is_error
    }

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

async fn perform(context: &ToolContext<'_>, id: &str, tool: &Tool) -> ToolOutcome {
    let folder = &context.agent.folder;
    match tool {
        Tool::Ls { path } => files::list(&folder.join(path)),
        Tool::Read { path } => files::read(&folder.join(path)),
        Tool::Bash { command, ask_first } => {
            let ask = *ask_first || context.agent.with(|state| state.mode == models::ASK);
            if ask && !ask_user::request_approval(context.agent, command).await {
                return ToolOutcome::error(scenes::BLOCKED);
            }
            bash::run(context, id, command).await
        }
        Tool::Write { path, content } => files::write(&context.agent.scratch, path, content),
        Tool::Edit { path, edits } => files::edit(&context.agent.scratch, path, edits),
        Tool::Grep { pattern, path } => files::search(&folder.join(path), pattern),
        Tool::Todo { .. } => ToolOutcome::text("The plan is updated."),
        Tool::Task { answer, .. } => ToolOutcome::text(answer.clone()),
        Tool::AskUser(question) => {
            let answer = ask_user::ask(context.agent, question).await;
            ToolOutcome::text(answer_text(&answer))
        }
    }
}

/// The answer to a question as text for the model.
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
