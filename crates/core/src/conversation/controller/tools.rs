//! Tool rows: one per call, whatever order its start, updates, end and result message come in.
//! Which row a call has is known by `calls`.

use serde_json::Value;

use super::calls::{Call, Stage};
use super::{MessageController, Report};
use crate::conversation::ui_message::{Mark, Phase, ToolStep};
use crate::protocol::event::ToolOutput;

/// How a call ended.
pub(super) struct End {
    pub(super) output: ToolOutput,
    pub(super) is_error: bool,
    pub(super) duration_ms: Option<u64>,
}

impl MessageController {
    /// What is known of a call by now: its id and name, its arguments once complete.
    pub(super) fn name_call(
        &mut self,
        row: usize,
        id: String,
        tool: String,
        arguments: Option<Value>,
        report: &mut Report,
    ) {
        if let Some(call) = self.fold.calls.iter_mut().rfind(|call| call.row == Some(row)) {
            call.id.clone_from(&id);
            call.tool.clone_from(&tool);
            call.claimed = true;
        }
        self.change_step(row, report, |step| {
            let renamed = step.call_id != id || step.tool_name != tool;
            step.call_id = id;
            step.tool_name = tool;
            let arguments = arguments.filter(|arguments| step.tool_args != *arguments);
            let changed = arguments.is_some();
            if let Some(arguments) = arguments {
                step.tool_args = arguments;
            }
            renamed || changed
        });
    }

    pub(super) fn tool_start(&mut self, id: String, tool: String, arguments: Value, report: &mut Report) {
        let row = match self.placed_call(&id, &tool, |call| call.stage == Stage::Calling, report) {
            Some((row, call)) => {
                if call.stage == Stage::Calling {
                    call.stage = Stage::Running;
                }
                row
            }
            None => self.new_call(self.fold.body, id, tool, Stage::Running, false, report),
        };
        self.change_step(row, report, |step| {
            let starts = step.phase == Phase::Calling;
            if starts {
                step.phase = Phase::Running;
            }
            let named = !arguments.is_null() && step.tool_args != arguments;
            if named {
                step.tool_args = arguments;
            }
            starts || named
        });
    }

    /// All output so far: it takes the place of what was shown.
    pub(super) fn tool_update(&mut self, id: String, tool: String, output: ToolOutput, report: &mut Report) {
        let row = match self.placed_call(&id, &tool, |call| call.stage.is_open(), report) {
            Some((row, call)) if call.stage.is_open() => {
                call.stage = Stage::Running;
                row
            }
            Some(_) => return,
            None => self.new_call(self.fold.body, id, tool, Stage::Running, false, report),
        };
        self.change_step(row, report, |step| {
            let next = Some(output.text).filter(|text| !text.is_empty());
            let differs = step.phase != Phase::Running || step.result != next;
            step.phase = Phase::Running;
            step.result = next;
            differs
        });
    }

    /// The message with a call's result. Most often it repeats what the execution's end has said already.
    pub(super) fn tool_result(&mut self, id: String, tool: String, end: End, report: &mut Report) {
        let row = match self.placed_call(&id, &tool, |call| !call.told, report) {
            Some((row, call)) => {
                call.told = true;
                call.stage = Stage::Ended;
                row
            }
            None => {
                let row = self.new_call(self.fold.body, id, tool, Stage::Ended, false, report);
                if let Some(call) = self.fold.calls.last_mut() {
                    call.told = true;
                }
                row
            }
        };
        self.end_row(row, end, report);
    }

    /// The end of an execution.
    pub(super) fn tool_end(&mut self, id: String, tool: String, end: End, report: &mut Report) {
        let row = match self.placed_call(&id, &tool, |call| call.stage.is_open(), report) {
            Some((row, call)) => {
                call.stage = Stage::Ended;
                row
            }
            None => self.new_call(self.fold.body, id, tool, Stage::Ended, false, report),
        };
        self.end_row(row, end, report);
    }

    /// The first real end counts.
    fn end_row(&mut self, row: usize, end: End, report: &mut Report) {
        self.change(row, report, |message| {
            let given_up = matches!(message.mark, Some(Mark::Interrupted | Mark::Cancelled));
            let Some(step) = &mut message.tool_step else { return false };
            if !step.phase.is_open() && !given_up {
                return false;
            }
            step.phase = if end.is_error { Phase::Error } else { Phase::Done };
            step.result = Some(end.output.text);
            step.details = end.output.details;
            step.duration_ms = end.duration_ms;
            message.images = end.output.images;
            message.mark = None;
            true
        });
    }

    /// A call that is known and its row. A row that had no id until now gets the one it was found by.
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
