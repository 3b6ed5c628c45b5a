//! `MessageController`: the reducer that folds events into the rows of a conversation.
//!
//! The server and the page run the same reducer over the same events, so both hold the same rows. Stored history
//! passes through the same functions as live events, so a reload shows exactly the rows that were streamed.
//!
//! # The list
//! The rows are in two parts:
//!
//! - The *body* is the conversation itself, in the order in which history stores it.
//! - The *pending rows* follow it. Their final place is not known yet: prompts that the server has not confirmed,
//!   shell commands of the current run, and errors that only this page shows.
//!
//! A page may hold only the last rows of a conversation, so there are two kinds of indices:
//!
//! - A *row number* (`row`, `body`, every index stored in [`Fold`]) counts from the start of the whole
//!   conversation. It is the same on the server and in every page.
//! - A *position* (`held`, every index in a [`Change`]) counts from the first row that this controller holds:
//!   `position = row - first`.
//!
//! # Contract
//! - **Pure.** The same events produce the same rows and the same `Fold`, on the server and in the page.
//! - **Stable rows.** A row keeps its id and its kind. Rows of the body keep their order; a new row may be
//!   inserted between them only for a block of the open assistant message. Text grows until the message's end
//!   replaces it with the final text. A tool call only advances (`Calling`, `Running`, then `Done` or `Error`),
//!   with one exception: a call that was closed because its end was missing accepts its real end later.
//! - **Idempotent.** A repeated end of a block, call, run or process changes nothing. Neither does a repeated
//!   start of a call, a user message or shell command with a known client id, or a repeated restore. This holds as
//!   long as the call or id is remembered (`RECENT_CALLS`, `RECENT_NAMED_ROWS`). Assistant messages carry no id,
//!   so each `MessageEnd` counts as a separate message.
//! - **Exact reports.** Each change of the list is reported, in order, as inserted, touched or removed.
//! - **Constant cost.** An event costs the same in a conversation of ten rows and of fifty thousand, because no
//!   event walks the whole list.
//! - **Bounded rows.** What is too long is cut by `limit`, which counts what is left out, and the row says so. Pieces and
//!   the whole have the same result, and so has an event that was cut before.
//! - **Total.** No input panics. Unknown events change nothing.
//!
//! # Modules
//! - `rows` inserts, changes and removes rows and keeps every stored row number valid.
//! - `blocks` handles the text, thinking and tool call blocks of the open assistant message.
//! - `tool_calls` finds the row of a tool call and applies its start, output, end and result.
//! - `pending_rows` handles the rows after the body.
//! - `history` folds stored messages, also in portions.
//! - `restore` saves and restores snapshots.
//! - `invariants` checks the contract for tests and fuzzing.

mod blocks;
mod history;
mod invariants;
mod pending_rows;
mod restore;
mod rows;
mod tool_calls;

use serde::{Deserialize, Serialize};

use crate::conversation::limit::{self, BlockText};
use crate::conversation::message::{Content, Message, StopReason, ToolCall};
use crate::conversation::ui_message::{Kind, Mark, UiMessage};
use crate::json::FromJson;
use crate::protocol::event::{Event, ToolOutput, Update};
use blocks::MessageBlock;
use rows::NamedRow;
use tool_calls::{Call, CallEnd};

pub use restore::ControllerSnapshot;

/// One change of the list, with the position of its row. The changes of a report apply in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Inserted(usize),
    Touched(usize),
    Removed(usize),
}

/// The changes that one event or local action made.
pub type Report = Vec<Change>;

/// The rows of a conversation and the state needed to fold the next event. See the module documentation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MessageController {
    rows: Vec<UiMessage>,
    /// The row number of `rows[0]`.
    first: usize,
    fold: Fold,
}

/// The reducer's state in addition to its rows. A snapshot includes it, so that a page can fold the next event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, FromJson)]
#[serde(default)]
pub struct Fold {
    /// The number of rows in the body. Rows with this number or a higher one are pending.
    body: usize,
    /// The number in the id of the next row that the reducer names itself.
    next_id: u64,
    /// A run is in progress, so finished shell commands stay pending.
    running: bool,
    /// The user stopped the last assistant message.
    stopped: bool,
    /// The row of the user message between its start and its end.
    open_user: Option<usize>,
    /// The blocks of the assistant message between its start and its end.
    blocks: Option<Vec<MessageBlock>>,
    /// The row of the last failed request. A retry that fails replaces its text.
    failure: Option<usize>,
    /// The row of the last process exit.
    exit: Option<usize>,
    /// The newest tool calls, oldest first.
    calls: Vec<Call>,
    /// The newest rows whose id was chosen by a client, oldest first.
    named: Vec<NamedRow>,
}

impl MessageController {
    /// The rows held here: the body's last rows and the pending rows.
    pub fn rows(&self) -> &[UiMessage] {
        &self.rows
    }

    /// The row number of the first row held.
    pub const fn first(&self) -> usize {
        self.first
    }

    pub const fn fold(&self) -> &Fold {
        &self.fold
    }

    /// The number of rows of the whole conversation, pending rows included.
    pub fn total(&self) -> usize {
        self.first + self.rows.len()
    }

    /// Whether the agent's events say that a run is in progress.
    pub const fn is_running(&self) -> bool {
        self.fold.running
    }

    /// Applies one event.
    pub fn handle_server_event(&mut self, mut event: Event) -> Report {
        let mut report = Report::new();
        event.cut_rows();
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
            Event::ProcessExit { code, signal, expected, stderr, shell_lives } => {
                self.process_exit(expected, shell_lives, &mut report);
                if !expected && code != Some(0) {
                    self.error_row(ErrorSource::Process, exit_text(code, signal, &stderr), &mut report);
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
            Event::ToolExecutionDelta { tool_call_id, delta } => {
                self.tool_delta(&tool_call_id, &delta, &mut report);
            }
            Event::ToolExecutionEnd { tool_call_id, tool_name, result, is_error, duration_ms } => {
                self.tool_end(
                    tool_call_id,
                    tool_name,
                    CallEnd { output: result, is_error, duration_ms },
                    &mut report,
                );
            }
            Event::ToolCallChanged { tool_call } => self.change_call(tool_call, &mut report),
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

    /// Ends the run and, unless they live on, the shell commands.
    fn process_exit(&mut self, expected: bool, shell_lives: bool, report: &mut Report) {
        self.fold.stopped |= expected;
        if !shell_lives {
            self.close_running_bash(report);
        }
        self.settle(report);
    }

    fn message_start(&mut self, message: Message, report: &mut Report) {
        match message {
            Message::User { content, client_id, .. } => {
                let row = self.user_row(&content, client_id, report);
                self.fold.open_user = Some(row);
            }
            Message::Assistant { .. } => self.fold.blocks = Some(Vec::new()),
            // The end of a tool result or an extension's message carries all of it.
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
                    let call = ToolCall { id, name: tool_name, ..ToolCall::default() };
                    self.call_block(content_index, call, false, report);
                }
            }
            Update::ToolcallEnd { content_index, tool_call } => {
                self.call_block(content_index, tool_call, true, report);
            }
            Update::LeftOut { content_index, bytes } => self.leave_out(content_index, bytes, report),
            Update::Image { content_index, image } => self.image_block(content_index, image, report),
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
                    self.error_row(ErrorSource::Request, failure_text(error_message), report);
                }
            }
            Message::ToolResult {
                tool_call_id,
                tool_name,
                content,
                details,
                is_error,
                duration_ms,
                call,
            } => {
                // A transcript stores a result after its assistant message, so the next delta opens a new message.
                self.fold.blocks = None;
                if let Some(call) = call {
                    self.change_call(*call, report);
                }
                let mut output = ToolOutput::from_content(&content, details);
                limit::cut_output(&mut output);
                self.tool_result(tool_call_id, tool_name, CallEnd { output, is_error, duration_ms }, report);
            }
            Message::BashExecution { result } => {
                self.push(
                    UiMessage { kind: Kind::Bash, bash_result: Some(result), ..UiMessage::default() },
                    report,
                );
            }
            Message::Custom { content, display: true } => self.push_system(row_text(&content), None, report),
            Message::Answered { words } => self.push_system(words.into(), Some(Mark::Answered), report),
            Message::CompactionSummary { summary } => {
                self.push_system(summary.into(), Some(Mark::Compacted), report);
            }
            Message::BranchSummary { summary } => {
                self.push_system(summary.into(), Some(Mark::LeftBranch), report)
            }
            Message::Custom { display: false, .. } | Message::Hidden => {}
        }
    }

    /// Adds an error row. Successive errors of one source with no row in between share a row, which shows the last.
    fn error_row(&mut self, source: ErrorSource, text: String, report: &mut Report) {
        let last = self.fold.body.checked_sub(1);
        let shared = source.row(&mut self.fold).filter(|row| Some(*row) == last);
        match shared {
            Some(row) => self.set_text(row, text.into(), report),
            None => {
                let row = self.push(UiMessage { kind: Kind::Error, text, ..UiMessage::default() }, report);
                *source.row(&mut self.fold) = Some(row);
            }
        }
    }

    /// Ends the run: closes everything that is still open and moves finished shell commands into the body.
    fn settle(&mut self, report: &mut Report) {
        self.fold.running = false;
        self.fold.open_user = None;
        self.interrupt_message(report);
        self.close_open_calls(report);
        self.adopt_finished_bash_rows(report);
    }

    fn push_system(&mut self, text: BlockText, mark: Option<Mark>, report: &mut Report) {
        let BlockText { text, left_out } = text;
        if !text.trim().is_empty() {
            let message = UiMessage { kind: Kind::System, text, mark, left_out, ..UiMessage::default() };
            self.push(message, report);
        }
    }
}

/// The text of a message that is one row.
fn row_text(content: &Content) -> BlockText {
    let mut text = content.text();
    let left_out = content.left_out().saturating_add(limit::cut_row(&mut text));
    BlockText { text, left_out }
}

/// The source of an error row.
#[derive(Clone, Copy)]
enum ErrorSource {
    /// A request to the model; a retry that fails replaces its text.
    Request,
    /// The end of the agent's process.
    Process,
}

impl ErrorSource {
    /// The row of the last error of this source.
    const fn row(self, fold: &mut Fold) -> &mut Option<usize> {
        match self {
            Self::Request => &mut fold.failure,
            Self::Process => &mut fold.exit,
        }
    }
}

fn failure_text(error_message: Option<String>) -> String {
    let given = error_message.filter(|text| !text.trim().is_empty());
    given.unwrap_or_else(|| "The model's reply failed without an error message.".to_owned())
}

fn exit_text(code: Option<i32>, signal: Option<i32>, stderr: &[String]) -> String {
    let how = match (code, signal) {
        (_, Some(signal)) => format!("The agent was terminated by signal {signal}."),
        (Some(code), None) => format!("The agent exited with code {code}."),
        (None, None) => "The agent exited unexpectedly.".to_owned(),
    };
    if stderr.is_empty() { how } else { format!("{how}\n{}", stderr.join("\n")) }
}

#[cfg(test)]
mod cases;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
pub(crate) mod test_support;
