//! Which row shows which tool call: the map of the newest calls. A call is found by its id, or without one by its
//! tool; of several that fit, the oldest is meant, since agents answer in the order they asked. Ids may be empty and
//! may repeat in a later turn.
//!
//! The map is part of every snapshot, so that a page that holds only the last rows stays in step with the server. It
//! is bounded: of calls that are over, the newest are remembered.

use serde::{Deserialize, Serialize};

use super::{MessageController, Report};
use crate::conversation::ui_message::{Kind, Mark, Phase, ToolStep, UiMessage};
use crate::json::{readable, readable_names};
use crate::limits::{OPEN_CALLS, RECENT_CALLS};

/// A tool call and the row that shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) tool: String,
    /// None for a call whose row a snapshot did not have: it stays for the next pass.
    pub(super) row: Option<usize>,
    /// Mirrors the row's phase, so that rows outside a page's window count too.
    pub(super) stage: Stage,
    /// The assistant message with this call has been seen; a later call with the same id is another one.
    pub(super) claimed: bool,
    /// Its result message has been seen; a later one with the same id belongs to another call.
    pub(super) told: bool,
}

readable!(Call {
    id "id", tool "tool", stage "stage"; row "row", claimed "claimed", told "told",
});

/// How far a call is; how it ended is told by its row alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stage {
    Calling,
    Running,
    Ended,
}

readable_names!(Stage { "calling" Calling, "running" Running, "ended" Ended });

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

impl MessageController {
    /// A tool is being called or runs.
    pub fn has_open_call(&self) -> bool {
        self.fold.calls.iter().any(|call| call.row.is_some() && call.stage.is_open())
    }

    /// The calls that have not ended, by id, with the number of their row in the conversation.
    pub fn running_calls(&self) -> impl Iterator<Item = (&str, usize)> {
        let open = self.fold.calls.iter().filter(|call| call.stage.is_open());
        open.filter_map(|call| Some((call.id.as_str(), call.row?)))
    }

    /// A new row, before row `place`, for a call that has just appeared. One that has ended already is to be closed
    /// by the caller, who knows how.
    pub(super) fn new_call(
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
        self.make_room(report);
        self.fold.calls.push(Call { id, tool, row: Some(row), stage, claimed, told: false });
        row
    }

    /// An end that came before its call: the row is there already. Calls of earlier runs are not meant.
    pub(super) fn claim_call(&mut self, id: &str, tool: &str) -> Option<usize> {
        let unclaimed = |call: &Call| !call.claimed;
        let position = self.find_call(id, tool, unclaimed).filter(|position| {
            let call = &self.fold.calls[*position];
            unclaimed(call) && call.id == id
        })?;
        self.fold.calls[position].claimed = true;
        self.fold.calls[position].row
    }

    /// By id, else among the calls without one by the tool; the oldest that `fits`, else the newest with that id.
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

    /// Closes every row that still waits for an end that will not come. What comes from now on means later calls.
    pub(super) fn close_open_calls(&mut self, report: &mut Report) {
        let mut open = Vec::new();
        for call in &mut self.fold.calls {
            (call.claimed, call.told) = (true, true);
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

    /// Forgets the oldest calls of which all has been told. The others stay, so that what is still to come finds them;
    /// only a flood of them closes the oldest.
    pub(super) fn make_room(&mut self, report: &mut Report) {
        while self.fold.calls.len() >= RECENT_CALLS {
            let over = |call: &Call| call.told && !call.stage.is_open();
            if let Some(over) = self.fold.calls.iter().position(over) {
                self.fold.calls.remove(over);
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
