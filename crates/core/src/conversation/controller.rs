//! `MessageController`: folds events into the one list of rows.
//!
//! # Contract
//! - Pure: the same events give the same rows, on the server and in the page, live and from history. History goes
//!   through the same functions as live events.
//! - What never changes once set: a row's id and kind, and its place among the rows before it. Its text grows, or is
//!   replaced by the agent's final word. A tool's phase only moves forwards; the one exception is a row that was closed
//!   because its end did not come: a real end that comes late after all takes its place.
//! - What is idempotent: every end of a block, a call, a run, a process; every start of a call; every user message
//!   and shell command with the same client id; restoring. A second one changes nothing and never adds a row, as long
//!   as the call is among those remembered (`RECENT_CALLS`). Other messages carry no id: each end is a message.
//! - Every application reports exactly the rows it inserted, touched and removed, and costs the same in a
//!   conversation of ten rows and of fifty thousand: nothing here walks the list.
//! - No input makes it panic; what it does not understand changes nothing.
//!
//! # Shape of the list
//! `rows[..body]` is the conversation in the order history gives it. `rows[body..]` stands *aside*: prompts the
//! server has not confirmed, and shell commands whose place is known only when the run is over. A page may hold only
//! the end of a conversation: `first` is the index of `rows[0]` in the whole; all remembered indices count from the
//! whole conversation's start, so that a page and the server fold the same events to the same rows.
//!
//! `list` changes rows and keeps the indices right, `blocks` is the assistant message under way, `tools` and `calls`
//! are the tool rows, `aside` what stands apart, `history` folds an agent's own record, `restore` goes on from a
//! snapshot, `invariants` says what always holds.

mod aside;
mod blocks;
mod calls;
mod history;
mod invariants;
mod list;
mod restore;
mod tools;

use serde::{Deserialize, Serialize};

use crate::conversation::message::{Message, StopReason};
use crate::conversation::ui_message::{Kind, Mark, UiMessage};
use crate::json::readable;
use crate::protocol::event::{Event, ToolOutput, Update};
use blocks::Block;
use calls::Call;
use list::Named;
use tools::End;

pub use restore::Saved;

/// One change of the list. Changes of a report apply in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Inserted(usize),
    Touched(usize),
    Removed(usize),
}

pub type Report = Vec<Change>;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct MessageController {
    rows: Vec<UiMessage>,
    first: usize,
    fold: Fold,
}

/// Where the fold stands beside its rows: all that is needed to go on from a snapshot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fold {
    /// Rows of the conversation proper, counted from its start; the rest stands aside.
    body: usize,
    next_id: u64,
    /// The agent works: shell rows wait for the end.
    running: bool,
    /// The last assistant message was stopped by the person.
    stopped: bool,
    /// The row of the user message between its start and its end.
    open_user: Option<usize>,
    /// The blocks of the assistant message between its start and its end.
    blocks: Option<Vec<Block>>,
    /// The row of the request that failed last: the next attempt's failure takes its place.
    failure: Option<usize>,
    /// The row of the process that ended last.
    exit: Option<usize>,
    /// The newest tool calls, oldest first.
    calls: Vec<Call>,
    /// The newest rows that carry an id of a page's, oldest first.
    named: Vec<Named>,
}

readable!(Fold {
    ; body "body", next_id "next_id", running "running", stopped "stopped", open_user "open_user", blocks "blocks",
    failure "failure", exit "exit", calls "calls", named "named",
});

impl MessageController {
    /// The rows held here, the first of which is number `first()` of the conversation.
    pub fn rows(&self) -> &[UiMessage] {
        &self.rows
    }

    pub const fn first(&self) -> usize {
        self.first
    }

    pub const fn fold(&self) -> &Fold {
        &self.fold
    }

    pub fn total(&self) -> usize {
        self.first + self.rows.len()
    }

    /// The agent works, as far as its own events tell.
    pub const fn is_running(&self) -> bool {
        self.fold.running
    }

    pub fn handle_server_event(&mut self, event: Event) -> Report {
        let mut report = Report::new();
        match event {
            Event::AgentStart => {
                self.interrupt_message(&mut report);
                self.fold.open_user = None;
                self.fold.running = true;
                self.fold.stopped = false;
            }
            Event::AgentEnd { will_retry: true } => {}
            Event::AgentEnd { will_retry: false } => self.settle(&mut report),
            Event::AgentSettled { aborted } => {
                self.fold.stopped |= aborted;
                self.settle(&mut report);
            }
            Event::ProcessExit { code, signal, expected, stderr } => {
                self.process_exit(expected, &mut report);
                if !expected && code != Some(0) {
                    self.exit_row(exit_text(code, signal, &stderr), &mut report);
                }
            }
            Event::MessageStart { message } => self.message_start(message, &mut report),
            Event::MessageUpdate { update } => self.message_update(update, &mut report),
            Event::MessageEnd { message } => self.message_end(message, &mut report),
            Event::ToolExecutionStart { tool_call_id, tool_name, args } => {
                self.tool_start(tool_call_id, tool_name, args, &mut report);
            }
            Event::ToolExecutionUpdate { tool_call_id, tool_name, partial_result } => {
                self.tool_update(tool_call_id, tool_name, partial_result, &mut report);
            }
            Event::ToolExecutionEnd { tool_call_id, tool_name, result, is_error, duration_ms } => {
                self.tool_end(
                    tool_call_id,
                    tool_name,
                    End { output: result, is_error, duration_ms },
                    &mut report,
                );
            }
            Event::CompactionEnd { summary: Some(summary), aborted: false, .. } => {
                self.message_end(Message::CompactionSummary { summary }, &mut report);
            }
            Event::BashStart { id, command, exclude_from_context } => {
                self.bash_start(&id, command, exclude_from_context, &mut report);
            }
            Event::BashExecutionUpdate { id, delta } => self.bash_update(&id, &delta, &mut report),
            Event::BashEnd { id, result } => self.bash_end(&id, result, &mut report),
            _ => {}
        }
        report
    }

    /// By itself, as are others that most conversations do without, so that a page can load it later.
    #[inline(never)]
    fn process_exit(&mut self, expected: bool, report: &mut Report) {
        self.fold.stopped |= expected;
        self.close_running_bash(report);
        self.settle(report);
    }

    fn message_start(&mut self, message: Message, report: &mut Report) {
        match message {
            Message::User { content, client_id, .. } => {
                let row = self.user_row(&content, client_id, report);
                self.fold.open_user = Some(row);
            }
            Message::Assistant { .. } => self.fold.blocks = Some(Vec::new()),
            // A tool's result and an extension's message are complete in their end.
            _ => {}
        }
    }

    fn message_update(&mut self, update: Update, report: &mut Report) {
        match update {
            Update::TextDelta { content_index, delta } => {
                self.append(content_index, Kind::Assistant, &delta, report)
            }
            Update::ThinkingDelta { content_index, delta } => {
                self.append(content_index, Kind::Thinking, &delta, report)
            }
            Update::TextEnd { content_index, content } => {
                self.finish_block(content_index, Kind::Assistant, content, report)
            }
            Update::ThinkingEnd { content_index, content } => {
                self.finish_block(content_index, Kind::Thinking, content, report)
            }
            Update::ToolcallStart { content_index, id, tool_name } => {
                if !tool_name.is_empty() {
                    self.call_block(content_index, id, tool_name, None, report);
                }
            }
            Update::ToolcallEnd { content_index, tool_call } => {
                self.call_block(
                    content_index,
                    tool_call.id,
                    tool_call.name,
                    Some(tool_call.arguments),
                    report,
                );
            }
            Update::Unknown => {}
        }
    }

    fn message_end(&mut self, message: Message, report: &mut Report) {
        match message {
            Message::User { content, client_id, .. } => match self.fold.open_user.take() {
                Some(row) if client_id.is_none() => self.set_user_content(row, &content, report),
                _ => drop(self.user_row(&content, client_id, report)),
            },
            Message::Assistant { content, stop_reason, error_message, .. } => {
                self.settle_blocks(content, stop_reason == StopReason::Aborted, report);
                self.fold.stopped = stop_reason == StopReason::Aborted;
                if stop_reason == StopReason::Error {
                    self.failure_row(error_message, report);
                }
            }
            Message::ToolResult { tool_call_id, tool_name, content, details, is_error, duration_ms } => {
                // In a transcript a result comes after its message: what is said next is a new one.
                self.fold.blocks = None;
                let output = ToolOutput::from_content(&content, details);
                self.tool_result(tool_call_id, tool_name, End { output, is_error, duration_ms }, report);
            }
            Message::BashExecution { result } => {
                self.push(
                    UiMessage { kind: Kind::Bash, bash_result: Some(result), ..UiMessage::default() },
                    report,
                );
            }
            Message::Custom { content, display: true } => self.push_system(content.text(), None, report),
            Message::Answered { words } => self.push_system(words, Some(Mark::Answered), report),
            Message::CompactionSummary { summary } => {
                self.push_system(summary, Some(Mark::Compacted), report);
            }
            Message::BranchSummary { summary } => self.push_system(summary, Some(Mark::LeftBranch), report),
            Message::Custom { display: false, .. } | Message::Hidden => {}
        }
    }

    /// Attempts of one request that fail one after the other are one row, with the words of the last.
    #[inline(never)]
    fn failure_row(&mut self, error_message: Option<String>, report: &mut Report) {
        let text = error_message
            .filter(|text| !text.trim().is_empty())
            .unwrap_or_else(|| "The model's answer ended in an error.".to_owned());
        let last = self.fold.body.checked_sub(1);
        match self.fold.failure.filter(|failure| Some(*failure) == last) {
            Some(row) => self.set_text(row, text, report),
            None => {
                let row = self.push(UiMessage { kind: Kind::Error, text, ..UiMessage::default() }, report);
                self.fold.failure = Some(row);
            }
        }
    }

    /// A process that ends again before anything else has happened is one row.
    #[inline(never)]
    fn exit_row(&mut self, text: String, report: &mut Report) {
        let last = self.fold.body.checked_sub(1);
        match self.fold.exit.filter(|exit| Some(*exit) == last) {
            Some(row) => self.set_text(row, text, report),
            None => {
                let row = self.push(UiMessage { kind: Kind::Error, text, ..UiMessage::default() }, report);
                self.fold.exit = Some(row);
            }
        }
    }

    /// The run is over, whatever way: nothing spins on, and what stood aside takes its place.
    fn settle(&mut self, report: &mut Report) {
        self.fold.running = false;
        self.fold.open_user = None;
        self.interrupt_message(report);
        self.close_open_calls(report);
        self.bring_in_bash_rows(report);
    }

    fn push_system(&mut self, text: String, mark: Option<Mark>, report: &mut Report) {
        if !text.trim().is_empty() {
            self.push(UiMessage { kind: Kind::System, text, mark, ..UiMessage::default() }, report);
        }
    }
}

#[inline(never)]
fn exit_text(code: Option<i32>, signal: Option<i32>, stderr: &[String]) -> String {
    let how = match (code, signal) {
        (_, Some(signal)) => format!("The agent's process was ended by signal {signal}."),
        (Some(code), None) => format!("The agent's process ended with exit code {code}."),
        (None, None) => "The agent's process ended unexpectedly.".to_owned(),
    };
    if stderr.is_empty() { how } else { format!("{how}\n{}", stderr.join("\n")) }
}

#[cfg(test)]
mod cases;
#[cfg(test)]
mod properties;
#[cfg(test)]
pub(crate) mod sample;
