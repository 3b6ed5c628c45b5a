//! Tool rows: one per call, whatever order its start, updates, end and result message come in.
//! A call is found by its id, newest first, since ids may repeat in a later turn; without an id, the oldest open
//! call of the same tool is meant.

use serde_json::Value;

use super::{Call, MessageController, Report};
use crate::event::ToolOutput;
use crate::limits::RECENT_CALLS;
use crate::ui_message::{Kind, Mark, Phase, ToolStep, UiMessage};

impl MessageController {
    /// A new row for a call that has just appeared.
    pub(super) fn new_call(&mut self, id: String, tool: String, phase: Phase, report: &mut Report) -> usize {
        let step = ToolStep { call_id: id.clone(), tool_name: tool.clone(), ..ToolStep::default() };
        let row =
            self.push(UiMessage { kind: Kind::Tool, tool_step: Some(step), ..UiMessage::default() }, report);
        if self.fold.calls.len() >= RECENT_CALLS {
            self.fold.calls.remove(0);
        }
        self.fold.calls.push(Call { id, tool, row, phase });
        row
    }

    /// What is known of a call by now: its id and name, its arguments once complete.
    pub(super) fn name_call(
        &mut self,
        row: usize,
        id: String,
        tool: String,
        arguments: Option<Value>,
        report: &mut Report,
    ) {
        if let Some(call) = self.fold.calls.iter_mut().find(|call| call.row == row) {
            call.id.clone_from(&id);
            call.tool.clone_from(&tool);
        }
        self.change_step(row, report, |step| {
            let arguments = arguments.unwrap_or_else(|| step.tool_args.clone());
            let named = ToolStep { call_id: id, tool_name: tool, tool_args: arguments, ..step.clone() };
            let differs = *step != named;
            *step = named;
            differs
        });
    }

    pub(super) fn tool_start(&mut self, id: String, tool: String, arguments: Value, report: &mut Report) {
        let row = match self.find_call(&id, &tool, |phase| phase == Phase::Calling) {
            Some(call) => {
                if call.phase == Phase::Calling {
                    call.phase = Phase::Running;
                }
                call.row
            }
            None => self.new_call(id, tool, Phase::Running, report),
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

    pub(super) fn tool_update(&mut self, id: &str, tool: &str, output: ToolOutput, report: &mut Report) {
        let row = match self.find_call(id, tool, Phase::is_open) {
            Some(call) if call.phase.is_open() => {
                call.phase = Phase::Running;
                call.row
            }
            Some(_) => return,
            None => self.new_call(id.to_owned(), tool.to_owned(), Phase::Running, report),
        };
        self.change_step(row, report, |step| {
            let next = Some(output.text).filter(|text| !text.is_empty());
            let differs = step.phase != Phase::Running || step.result != next;
            step.phase = Phase::Running;
            step.result = next;
            differs
        });
    }

    /// An end, from the execution or from the result message. The first real one counts.
    pub(super) fn tool_end(
        &mut self,
        id: String,
        tool: String,
        output: ToolOutput,
        is_error: bool,
        duration_ms: Option<u64>,
        report: &mut Report,
    ) {
        let phase = if is_error { Phase::Error } else { Phase::Done };
        let row = match self.find_call(&id, &tool, Phase::is_open) {
            Some(call) => {
                if call.phase.is_open() {
                    call.phase = phase;
                }
                call.row
            }
            None => self.new_call(id, tool, phase, report),
        };
        self.change(row, report, |message| {
            let interrupted = message.mark == Some(Mark::Interrupted);
            let Some(step) = &mut message.tool_step else { return false };
            if !step.phase.is_open() && !interrupted {
                return false;
            }
            step.phase = phase;
            step.result = Some(output.text);
            step.details = output.details;
            step.duration_ms = duration_ms;
            message.images = output.images;
            message.mark = None;
            true
        });
    }

    /// Closes every row that still waits for an end that will not come.
    pub(super) fn close_open_calls(&mut self, report: &mut Report) {
        let mut open = Vec::new();
        for call in self.fold.calls.iter_mut().filter(|call| call.phase.is_open()) {
            call.phase = Phase::Error;
            open.push(call.row);
        }
        for row in open {
            self.change(row, report, |message| {
                let Some(step) = message.tool_step.as_mut().filter(|step| step.phase.is_open()) else {
                    return false;
                };
                step.phase = Phase::Error;
                message.mark = Some(Mark::Interrupted);
                true
            });
        }
    }

    /// By id; a call without one is the oldest of its tool that still `fits`, else the last of them.
    fn find_call(&mut self, id: &str, tool: &str, fits: impl Fn(Phase) -> bool) -> Option<&mut Call> {
        let calls = &self.fold.calls;
        let nameless = |call: &Call| call.id.is_empty() && call.tool == tool;
        let oldest = || calls.iter().position(|call| nameless(call) && fits(call.phase));
        let position = if id.is_empty() {
            oldest().or_else(|| calls.iter().rposition(nameless))
        } else {
            calls.iter().rposition(|call| call.id == id).or_else(oldest)
        };
        position.map(|position| &mut self.fold.calls[position])
    }

    fn change_step(&mut self, row: usize, report: &mut Report, change: impl FnOnce(&mut ToolStep) -> bool) {
        self.change(row, report, |message| message.tool_step.as_mut().is_some_and(change));
    }
}
