//! Tool rows: one for each call, whichever order its start, output, end and result message arrive in.
//!
//! `Fold::calls` maps the newest calls to their rows. An event finds its call by id, or without an id by the
//! tool's name. Ids may be empty and may repeat in a later turn; of several candidates the oldest that fits is chosen,
//! since agents report results in the order of their calls.
//!
//! The map is part of every snapshot, so that a page that holds only the last rows stays in step with the server.
//! It is bounded: of the finished calls, only the newest are remembered.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{MessageController, Report};
use crate::conversation::live_output;
use crate::conversation::message::ToolCall;
use crate::conversation::ui_message::{Kind, Mark, Phase, ToolStep, UiMessage};
use crate::json::FromJson;
use crate::limits::{OPEN_CALLS, RECENT_CALLS};
use crate::protocol::event::ToolOutput;

/// A tool call and the row that shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromJson)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) tool: String,
    /// None for a call whose row is missing in a snapshot. The next event for its id adds a row.
    pub(super) row: Option<usize>,
    /// Mirrors the row's phase, also for rows that are not held.
    pub(super) stage: Stage,
    /// The assistant message with this call was seen. A later call with the same id is a different one.
    #[serde(default)]
    pub(super) claimed: bool,
    /// The result message was seen. A later one with the same id belongs to a different call.
    #[serde(rename = "told")]
    #[serde(default)]
    pub(super) has_result: bool,
}

/// The progress of a call. Only the row knows whether it succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stage {
    Calling,
    Running,
    Ended,
}

impl Stage {
    pub(super) const fn of(phase: Phase) -> Self {
        match phase {
            Phase::Calling => Self::Calling,
            Phase::Running => Self::Running,
            Phase::Done | Phase::Error => Self::Ended,
        }
    }

    pub(super) const fn is_open(self) -> bool {
        !matches!(self, Self::Ended)
    }
}

/// The outcome of a call.
pub(super) struct CallEnd {
    pub(super) output: ToolOutput,
    pub(super) is_error: bool,
    pub(super) duration_ms: Option<u64>,
}

/// Events of a call.
impl MessageController {
    /// Applies the id, the tool and, if they are `complete`, the arguments of a call.
    pub(super) fn update_call(&mut self, row: usize, call: ToolCall, complete: bool, report: &mut Report) {
        let ToolCall { id, name, arguments, info, .. } = call;
        if let Some(call) = self.fold.calls.iter_mut().rfind(|call| call.row == Some(row)) {
            call.id.clone_from(&id);
            call.tool.clone_from(&name);
            call.claimed = true;
        }
        self.change_step(row, report, |step| {
            let renamed = step.call_id != id || step.tool_name != name;
            step.call_id = id;
            step.tool_name = name;
            let differs = complete && (step.tool_args != arguments || step.info != info);
            if differs {
                step.tool_args = arguments;
                step.info = info;
            }
            renamed || differs
        });
    }

    /// Applies what has changed about a call since it was reported. A call that is not known is ignored: its end adds
    /// a row.
    pub(super) fn change_call(&mut self, call: ToolCall, report: &mut Report) {
        if call.id.is_empty() {
            return;
        }
        let row = self.find_call(&call.id, &call.name, |known| known.stage.is_open());
        if let Some(row) = row.and_then(|position| self.fold.calls[position].row) {
            self.update_call(row, call, true, report);
        }
    }

    pub(super) fn tool_start(&mut self, id: String, tool: String, arguments: Value, report: &mut Report) {
        let row = match self.placed_call(&id, &tool, |call| call.stage == Stage::Calling, report) {
            Some((row, call)) => {
                if call.stage == Stage::Calling {
                    call.stage = Stage::Running;
                }
                row
            }
            None => self.insert_call(self.fold.body, id, tool, Stage::Running, false, report),
        };
        self.change_step(row, report, |step| {
            let starts = step.phase == Phase::Calling;
            if starts {
                step.phase = Phase::Running;
            }
            let differs = !arguments.is_null() && step.tool_args != arguments;
            if differs {
                step.tool_args = arguments;
            }
            starts || differs
        });
    }

    /// Applies an update, which carries all output so far and replaces what the row shows.
    pub(super) fn tool_update(&mut self, id: String, tool: String, output: ToolOutput, report: &mut Report) {
        let row = match self.placed_call(&id, &tool, |call| call.stage.is_open(), report) {
            Some((row, call)) if call.stage.is_open() => {
                call.stage = Stage::Running;
                row
            }
            Some(_) => return,
            None => self.insert_call(self.fold.body, id, tool, Stage::Running, false, report),
        };
        self.change(row, report, |message| {
            let Some(step) = &mut message.tool_step else { return false };
            let next = Some(output.text).filter(|text| !text.is_empty());
            let differs =
                step.phase != Phase::Running || step.result != next || message.left_out != output.left_out;
            step.phase = Phase::Running;
            step.result = next;
            message.left_out = output.left_out;
            differs
        });
    }

    /// Appends to the output of a running call. Its end carries all of it.
    pub(super) fn tool_delta(&mut self, id: &str, delta: &str, report: &mut Report) {
        let known = self.find_call(id, "", |call| call.stage == Stage::Running);
        let known = known.map(|position| &self.fold.calls[position]);
        let running = known.filter(|call| call.id == id && call.stage == Stage::Running);
        if let Some(row) = running.and_then(|call| call.row) {
            self.change(row, report, |message| {
                let Some(step) = &mut message.tool_step else { return false };
                let output = step.result.get_or_insert_default();
                live_output::append(output, &mut message.left_out, delta);
                true
            });
        }
    }

    /// Applies the message with a call's result, which usually repeats the end of the execution.
    pub(super) fn tool_result(&mut self, id: String, tool: String, end: CallEnd, report: &mut Report) {
        let row = match self.placed_call(&id, &tool, |call| !call.has_result, report) {
            Some((row, call)) => {
                call.has_result = true;
                call.stage = Stage::Ended;
                row
            }
            None => {
                let row = self.insert_call(self.fold.body, id, tool, Stage::Ended, false, report);
                if let Some(call) = self.fold.calls.last_mut() {
                    call.has_result = true;
                }
                row
            }
        };
        self.end_row(row, end, report);
    }

    /// Applies the end of an execution.
    pub(super) fn tool_end(&mut self, id: String, tool: String, end: CallEnd, report: &mut Report) {
        let row = match self.placed_call(&id, &tool, |call| call.stage.is_open(), report) {
            Some((row, call)) => {
                call.stage = Stage::Ended;
                row
            }
            None => self.insert_call(self.fold.body, id, tool, Stage::Ended, false, report),
        };
        self.end_row(row, end, report);
    }

    /// Shows the outcome in the row. The first real end counts; it also replaces the closing of a row without an
    /// end.
    fn end_row(&mut self, row: usize, end: CallEnd, report: &mut Report) {
        self.change(row, report, |message| {
            let closed_without_end = matches!(message.mark, Some(Mark::Interrupted | Mark::Cancelled));
            let Some(step) = &mut message.tool_step else { return false };
            if !step.phase.is_open() && !closed_without_end {
                return false;
            }
            step.phase = if end.is_error { Phase::Error } else { Phase::Done };
            step.result = Some(end.output.text);
            step.details = end.output.details;
            step.duration_ms = end.duration_ms;
            message.left_out = end.output.left_out;
            message.images = end.output.images;
            message.mark = None;
            true
        });
    }

    /// Finds a call that has a row. A call without an id takes the id it was looked up by.
    fn placed_call(
        &mut self,
        id: &str,
        tool: &str,
        fits: impl Fn(&Call) -> bool,
        report: &mut Report,
    ) -> Option<(usize, &mut Call)> {
        let position = self.find_call(id, tool, fits)?;
        let row = self.fold.calls[position].row?;
        if self.fold.calls[position].id.is_empty() && !id.is_empty() {
            id.clone_into(&mut self.fold.calls[position].id);
            self.change_step(row, report, |step| {
                id.clone_into(&mut step.call_id);
                true
            });
        }
        Some((row, &mut self.fold.calls[position]))
    }

    fn change_step(&mut self, row: usize, report: &mut Report, change: impl FnOnce(&mut ToolStep) -> bool) {
        self.change(row, report, |message| message.tool_step.as_mut().is_some_and(change));
    }
}

/// The map of calls.
impl MessageController {
    /// Whether any call has not ended.
    pub fn has_open_call(&self) -> bool {
        self.fold.calls.iter().any(|call| call.row.is_some() && call.stage.is_open())
    }

    /// The ids of the calls that have not ended, with their row numbers.
    pub(super) fn open_calls(&self) -> impl Iterator<Item = (&str, usize)> {
        let open = self.fold.calls.iter().filter(|call| call.stage.is_open());
        open.filter_map(|call| Some((call.id.as_str(), call.row?)))
    }

    /// Inserts a row for a new call before row `place`. If `stage` is `Ended`, the caller must end the row.
    pub(super) fn insert_call(
        &mut self,
        place: usize,
        id: String,
        tool: String,
        stage: Stage,
        claimed: bool,
        report: &mut Report,
    ) -> usize {
        let phase = if stage == Stage::Calling { Phase::Calling } else { Phase::Running };
        let step = ToolStep { call_id: id.clone(), tool_name: tool.clone(), phase, ..ToolStep::default() };
        let message = UiMessage { kind: Kind::Tool, tool_step: Some(step), ..UiMessage::default() };
        let row = self.insert(place, message, report);
        let unplaced = |call: &Call| call.row.is_none() && !id.is_empty() && call.id == id;
        if let Some(position) = self.fold.calls.iter().position(unplaced) {
            self.fold.calls.remove(position);
        }
        self.evict_calls(report);
        self.fold.calls.push(Call { id, tool, row: Some(row), stage, claimed, has_result: false });
        row
    }

    /// The row of a call whose start or end arrived before the assistant message that contains it. Calls of
    /// earlier runs do not count.
    pub(super) fn claim_call(&mut self, id: &str, tool: &str) -> Option<usize> {
        let unclaimed = |call: &Call| !call.claimed;
        let position = self.find_call(id, tool, unclaimed).filter(|position| {
            let call = &self.fold.calls[*position];
            unclaimed(call) && call.id == id
        })?;
        self.fold.calls[position].claimed = true;
        self.fold.calls[position].row
    }

    /// Finds the position of a call in the map: the oldest with this id that `fits`, else the newest with this id,
    /// else the oldest call of the tool that has no id and `fits`. Without an id only calls without one count.
    pub(super) fn find_call(&self, id: &str, tool: &str, fits: impl Fn(&Call) -> bool) -> Option<usize> {
        let calls = &self.fold.calls;
        let nameless = |call: &Call| call.row.is_some() && call.id.is_empty() && call.tool == tool;
        let same = |call: &Call| call.row.is_some() && call.id == id;
        if id.is_empty() {
            let oldest = calls.iter().position(|call| nameless(call) && fits(call));
            return oldest.or_else(|| calls.iter().rposition(nameless));
        }
        let oldest = calls.iter().position(|call| same(call) && fits(call));
        oldest
            .or_else(|| calls.iter().rposition(same))
            .or_else(|| calls.iter().position(|call| nameless(call) && fits(call)))
    }

    pub(super) fn is_past_calling(&self, row: usize) -> bool {
        self.fold.calls.iter().any(|call| call.row == Some(row) && call.stage != Stage::Calling)
    }

    /// Closes every call that is still open. Later messages and results refer to later calls.
    pub(super) fn close_open_calls(&mut self, report: &mut Report) {
        let mut open = Vec::new();
        for call in &mut self.fold.calls {
            (call.claimed, call.has_result) = (true, true);
            if call.stage.is_open()
                && let Some(row) = call.row
            {
                call.stage = Stage::Ended;
                open.push(row);
            }
        }
        open.into_iter().for_each(|row| self.close_row(row, report));
    }

    fn close_row(&mut self, row: usize, report: &mut Report) {
        let mark = if self.fold.stopped { Mark::Cancelled } else { Mark::Interrupted };
        self.change(row, report, |message| {
            let Some(step) = message.tool_step.as_mut().filter(|step| step.phase.is_open()) else {
                return false;
            };
            step.phase = Phase::Error;
            message.mark = Some(mark);
            true
        });
    }

    /// Makes room for one more call by forgetting the oldest finished ones. Unfinished calls stay, so that their
    /// ends find them, unless there are more than `OPEN_CALLS`: then the oldest is closed.
    pub(super) fn evict_calls(&mut self, report: &mut Report) {
        while self.fold.calls.len() >= RECENT_CALLS {
            let finished = |call: &Call| call.has_result && !call.stage.is_open();
            if let Some(position) = self.fold.calls.iter().position(finished) {
                self.fold.calls.remove(position);
            } else if self.fold.calls.len() >= OPEN_CALLS {
                if let Some(row) = self.fold.calls.remove(0).row {
                    self.close_row(row, report);
                }
            } else {
                return;
            }
        }
    }
}
