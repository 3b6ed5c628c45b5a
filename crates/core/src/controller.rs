//! `MessageController`: folds events into the one list of rows.
//!
//! # Contract
//! - Pure: the same events give the same rows, on the server and in the page, live and from history.
//! - A row's id, kind and order never change once it is visible. Its text grows, or is replaced by the agent's final
//!   word; a tool's phase only moves forwards, except that a real end may replace an "interrupted" one.
//! - Ends are idempotent: a second one changes nothing and never adds a row.
//! - Every application reports exactly the rows it inserted, touched and removed, and costs the same in a
//!   conversation of ten rows and of fifty thousand: nothing here walks the list.
//! - No input makes it panic; what it does not understand changes nothing.
//!
//! # Shape of the list
//! `rows[..body]` is the conversation in the order history gives it. `rows[body..]` stands *aside*: prompts the
//! server has not confirmed, and shell commands whose place is known only when the run is over. A page may hold only
//! the end of a conversation: `first` is the index of `rows[0]` in the whole; all remembered indices count from the
//! whole conversation's start.

mod aside;
mod blocks;
mod tools;

use serde::{Deserialize, Serialize};

use crate::event::{Event, Update};
use crate::message::{Message, StopReason};
use crate::ui_message::{Kind, Mark, Phase, UiMessage};

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
    /// The row of the user message between its start and its end.
    open_user: Option<usize>,
    /// The blocks of the assistant message between its start and its end.
    blocks: Option<Vec<Block>>,
    /// The newest tool calls, oldest first.
    calls: Vec<Call>,
}

/// One content block of the open assistant message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Block {
    index: usize,
    kind: Kind,
    /// None while all of its text is blank: blank text gives no row.
    row: Option<usize>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    blank: String,
}

/// A tool call and the row that shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Call {
    id: String,
    tool: String,
    row: usize,
    /// Mirrors the row's phase, so that rows outside a page's window count too.
    phase: Phase,
}

impl MessageController {
    /// Goes on from a snapshot: the end of a conversation and where its fold stood.
    pub fn restore(first: usize, rows: Vec<UiMessage>, fold: Fold) -> Self {
        let total = first.saturating_add(rows.len());
        let mut controller = Self { rows, first, fold };
        controller.fold.body = controller.fold.body.clamp(first, total);
        controller.mend_after_restore();
        controller
    }

    /// Folds a whole history through the same path as live events; calls that have no result are interrupted.
    pub fn load_messages_from_history(history: impl IntoIterator<Item = Message>) -> Self {
        let mut controller = Self::default();
        let mut report = Report::new();
        for message in history {
            controller.message_end(message, &mut report);
        }
        controller.close_open_calls(&mut report);
        controller
    }

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

    /// A tool is being called or runs.
    pub fn has_open_call(&self) -> bool {
        self.fold.calls.iter().any(|call| call.phase.is_open())
    }

    /// Puts older rows before those held.
    pub fn prepend(&mut self, first: usize, older: Vec<UiMessage>) -> bool {
        if first.checked_add(older.len()) != Some(self.first) {
            return false;
        }
        self.first = first;
        self.rows.splice(0..0, older);
        true
    }

    pub fn handle_server_event(&mut self, event: Event) -> Report {
        let mut report = Report::new();
        match event {
            Event::AgentStart => self.fold.running = true,
            Event::AgentEnd { will_retry: true } => {}
            Event::AgentEnd { will_retry: false } | Event::AgentSettled { .. } => self.settle(&mut report),
            Event::ProcessExit { code, signal, expected, stderr } => {
                self.settle(&mut report);
                if !expected && code != Some(0) {
                    let text = exit_text(code, signal, &stderr);
                    self.push(UiMessage { kind: Kind::Error, text, ..UiMessage::default() }, &mut report);
                }
            }
            Event::MessageStart { message } => self.message_start(message, &mut report),
            Event::MessageUpdate { update } => self.message_update(update, &mut report),
            Event::MessageEnd { message } => self.message_end(message, &mut report),
            Event::ToolExecutionStart { tool_call_id, tool_name, args } => {
                self.tool_start(tool_call_id, tool_name, args, &mut report);
            }
            Event::ToolExecutionUpdate { tool_call_id, tool_name, partial_result } => {
                self.tool_update(&tool_call_id, &tool_name, partial_result, &mut report);
            }
            Event::ToolExecutionEnd { tool_call_id, tool_name, result, is_error, duration_ms } => {
                self.tool_end(tool_call_id, tool_name, result, is_error, duration_ms, &mut report);
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

    fn message_start(&mut self, message: Message, report: &mut Report) {
        match message {
            Message::User { content, client_id } => {
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
            Update::TextEnd { content_index, content } => self.finish_block(content_index, &content, report),
            Update::ThinkingEnd { content_index, content } => {
                self.finish_block(content_index, &content, report)
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
            Message::User { content, client_id } => {
                if let Some(row) = self.fold.open_user.take() {
                    self.change(row, report, |message| {
                        let text = content.text();
                        let changed = message.text != text;
                        message.text = text;
                        changed
                    });
                } else {
                    self.user_row(&content, client_id, report);
                }
            }
            Message::Assistant { content, stop_reason, error_message } => {
                self.settle_blocks(content, report);
                self.fold.blocks = None;
                self.message_outcome(stop_reason, error_message, report);
            }
            Message::ToolResult { tool_call_id, tool_name, content, details, is_error, duration_ms } => {
                let output = crate::event::ToolOutput::from_content(&content, details);
                self.tool_end(tool_call_id, tool_name, output, is_error, duration_ms, report);
            }
            Message::BashExecution { result } => {
                self.push(
                    UiMessage { kind: Kind::Bash, bash_result: Some(result), ..UiMessage::default() },
                    report,
                );
            }
            Message::Custom { content, display: true } => self.push_system(content.text(), report),
            Message::CompactionSummary { summary } | Message::BranchSummary { summary } => {
                self.push_system(summary, report);
            }
            Message::Custom { display: false, .. } | Message::Hidden => {}
        }
    }

    /// An assistant message that failed says so in a row; one that was stopped keeps its text, marked.
    fn message_outcome(
        &mut self,
        stop_reason: StopReason,
        error_message: Option<String>,
        report: &mut Report,
    ) {
        match stop_reason {
            StopReason::Error => {
                let text =
                    error_message.unwrap_or_else(|| "The model's answer ended in an error.".to_owned());
                self.failure_row(text, report);
            }
            StopReason::Aborted => {
                let last = self.fold.body.checked_sub(1);
                if let Some(row) = last {
                    self.change(row, report, |message| {
                        let partial = matches!(message.kind, Kind::Assistant | Kind::Thinking);
                        partial && message.mark.replace(Mark::Interrupted) != Some(Mark::Interrupted)
                    });
                }
            }
            _ => {}
        }
    }

    /// Attempts of one request that fail one after the other are one row, with the words of the last.
    fn failure_row(&mut self, text: String, report: &mut Report) {
        let last = self.fold.body.checked_sub(1);
        let held = last.and_then(|row| self.rows.get(row.checked_sub(self.first)?));
        match last.filter(|_| held.is_some_and(|message| message.kind == Kind::Error)) {
            Some(row) => self.change(row, report, |message| {
                let differs = message.text != text;
                message.text = text;
                differs
            }),
            None => drop(self.push(UiMessage { kind: Kind::Error, text, ..UiMessage::default() }, report)),
        }
    }

    /// The run is over, whatever way: nothing spins on, and what stood aside takes its place.
    fn settle(&mut self, report: &mut Report) {
        self.fold.running = false;
        self.fold.open_user = None;
        self.fold.blocks = None;
        self.close_open_calls(report);
        self.bring_in_bash_rows(report);
    }

    fn push_system(&mut self, text: String, report: &mut Report) {
        if !text.trim().is_empty() {
            self.push(UiMessage { kind: Kind::System, text, ..UiMessage::default() }, report);
        }
    }

    /// Adds a row at the end of the conversation proper; gives it an id unless it has one.
    fn push(&mut self, mut message: UiMessage, report: &mut Report) -> usize {
        if message.id.is_empty() {
            message.id = format!("r{}", self.fold.next_id);
        }
        self.fold.next_id += 1;
        let row = self.fold.body;
        self.rows.insert(row - self.first, message);
        self.fold.body += 1;
        report.push(Change::Inserted(row - self.first));
        row
    }

    /// Changes a row in place. A row outside this page's window is the server's to change.
    fn change(&mut self, row: usize, report: &mut Report, change: impl FnOnce(&mut UiMessage) -> bool) {
        let held = row.checked_sub(self.first);
        if let Some(held) = held
            && let Some(message) = self.rows.get_mut(held)
            && change(message)
        {
            report.push(Change::Touched(held));
        }
    }

    /// Takes a row out; every remembered index behind it moves up.
    fn remove(&mut self, row: usize, report: &mut Report) {
        let Some(held) = row.checked_sub(self.first).filter(|held| *held < self.rows.len()) else { return };
        self.rows.remove(held);
        report.push(Change::Removed(held));
        if row < self.fold.body {
            self.fold.body -= 1;
        }
        let moved = |index: &mut usize| {
            if *index > row {
                *index -= 1;
            }
        };
        self.fold.calls.retain(|call| call.row != row);
        self.fold.calls.iter_mut().for_each(|call| moved(&mut call.row));
        self.fold.open_user.iter_mut().for_each(moved);
        for block in self.fold.blocks.iter_mut().flatten() {
            block.row = block.row.filter(|index| *index != row);
            block.row.iter_mut().for_each(moved);
        }
    }

    /// A snapshot is input like any other: an index out of bounds is dropped, and calls mirror the rows shown.
    fn mend_after_restore(&mut self) {
        let body = self.fold.body;
        self.fold.calls.retain(|call| call.row < body);
        for call in &mut self.fold.calls {
            let held = call.row.checked_sub(self.first).and_then(|held| self.rows.get(held));
            if let Some(step) = held.and_then(|message| message.tool_step.as_ref()) {
                call.phase = step.phase;
            }
        }
        self.fold.open_user = self.fold.open_user.filter(|row| *row < body);
        for block in self.fold.blocks.iter_mut().flatten() {
            block.row = block.row.filter(|row| *row < body);
        }
    }
}

fn exit_text(code: Option<i32>, signal: Option<i32>, stderr: &[String]) -> String {
    let how = match (code, signal) {
        (_, Some(signal)) => format!("The agent's process was ended by signal {signal}."),
        (Some(code), None) => format!("The agent's process ended with exit code {code}."),
        (None, None) => "The agent's process ended unexpectedly.".to_owned(),
    };
    if stderr.is_empty() { how } else { format!("{how}\n{}", stderr.join("\n")) }
}

#[cfg(test)]
#[path = "controller/tests.rs"]
mod tests;
