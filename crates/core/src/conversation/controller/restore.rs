//! Snapshots: saves the last rows with the [`Fold`], and restores a controller from them. A snapshot is untrusted
//! input, so restoring repairs it: it drops row numbers out of bounds and rebuilds the map of calls from the rows.
//! Restoring the result once more changes nothing.

use std::collections::BTreeSet;

use super::pending_rows::is_client_row_id;
use super::rows::NamedRow;
use super::tool_calls::{Call, Stage};
use super::{Fold, MessageController, Report};
use crate::conversation::ui_message::{Kind, UiMessage};
use crate::limits::{OPEN_CALLS, RECENT_NAMED_ROWS};

/// The last rows of a conversation and the state needed to fold the next event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ControllerSnapshot {
    /// The number of the first of these rows.
    pub first: usize,
    pub rows: Vec<UiMessage>,
    pub fold: Fold,
}

impl MessageController {
    /// A snapshot of the last `limit` rows. It always includes all pending rows.
    pub fn snapshot(&self, limit: usize) -> ControllerSnapshot {
        let start = self.rows.len().saturating_sub(limit).min(self.fold.body - self.first);
        let rows = self.rows[start..].to_vec();
        ControllerSnapshot { first: self.first + start, rows, fold: self.fold.clone() }
    }

    pub fn restore(snapshot: ControllerSnapshot) -> Self {
        let ControllerSnapshot { first, rows, fold } = snapshot;
        // No conversation is that long, and counting on from here must not overflow.
        let first = first.min(usize::MAX / 2);
        let mut controller = Self { rows, first, fold };
        controller.repair_counters();
        controller.repair_row_ids();
        controller.repair_row_numbers();
        controller.repair_calls();
        while controller.fold.calls.len() > OPEN_CALLS {
            controller.evict_calls(&mut Report::new());
        }
        controller
    }

    /// Adds older rows before those held. Returns false, without a change, if they are not adjacent.
    pub fn prepend(&mut self, first: usize, older: Vec<UiMessage>) -> bool {
        if first.checked_add(older.len()) != Some(self.first) {
            return false;
        }
        self.first = first;
        self.rows.splice(0..0, older);
        true
    }

    fn repair_counters(&mut self) {
        // Rows of these kinds are never pending.
        let in_body =
            |message: &UiMessage| matches!(message.kind, Kind::Tool | Kind::Assistant | Kind::Thinking);
        let least = self.first + self.rows.iter().rposition(in_body).map_or(0, |last| last + 1);
        self.fold.body = self.fold.body.clamp(least, self.total());
        let number_in_id =
            |message: &UiMessage| message.id.strip_prefix('r').and_then(|id| id.parse::<u64>().ok());
        let unused =
            self.rows.iter().filter_map(number_in_id).max().map_or(0, |highest| highest.saturating_add(1));
        self.fold.next_id = self.fold.next_id.max(self.fold.body as u64).max(unused).min(u64::MAX / 2);
    }

    /// Assigns a new id to each row whose id is missing or already used.
    fn repair_row_ids(&mut self) {
        let mut seen = BTreeSet::new();
        for message in &mut self.rows {
            while message.id.is_empty() || !seen.insert(message.id.clone()) {
                message.id = format!("r{}", self.fold.next_id);
                self.fold.next_id += 1;
            }
        }
        let (first, body) = (self.first, self.fold.body);
        let has_its_row = |named: &NamedRow| {
            let held = named.row.checked_sub(first);
            named.row < body && held.is_none_or(|held| self.rows[held].id == named.id)
        };
        self.fold.named.retain(has_its_row);
        self.fold.named.truncate(RECENT_NAMED_ROWS);
        for held in 0..body - self.first {
            let id = &self.rows[held].id;
            if self.fold.named.len() < RECENT_NAMED_ROWS && is_client_row_id(id) {
                self.remember_name(self.first + held, &id.clone());
            }
        }
    }

    fn repair_row_numbers(&mut self) {
        let fits = |row: usize, kind: Kind| {
            let held = row.checked_sub(self.first);
            row < self.fold.body && held.is_none_or(|held| self.rows[held].kind == kind)
        };
        let open_user = self.fold.open_user.filter(|row| fits(*row, Kind::User));
        let failure = self.fold.failure.filter(|row| fits(*row, Kind::Error));
        let exit = self.fold.exit.filter(|row| fits(*row, Kind::Error));
        let mut blocks = self.fold.blocks.clone();
        for block in blocks.iter_mut().flatten() {
            block.row = block.row.filter(|row| fits(*row, block.row_kind()));
        }
        self.fold.open_user = open_user;
        self.fold.failure = failure;
        self.fold.exit = exit;
        self.fold.blocks = blocks;
    }

    /// Links every call to its row and adds a call for every open tool row that has none. Calls whose row is
    /// before those held stay as they are. A call without a row stays too, for the next event with its id.
    fn repair_calls(&mut self) {
        let mut calls = std::mem::take(&mut self.fold.calls);
        let mut linked = BTreeSet::new();
        for call in &mut calls {
            call.row = call.row.filter(|row| self.can_be_row_of(*row, call) && linked.insert(*row));
        }
        for (row, message) in self.tool_rows() {
            let Some(step) = message.tool_step.as_ref().filter(|_| !linked.contains(&row)) else { continue };
            let unlinked =
                |call: &&mut Call| call.row.is_none() && !call.id.is_empty() && call.id == step.call_id;
            if let Some(call) = calls.iter_mut().find(unlinked) {
                call.row = Some(row);
                linked.insert(row);
            } else if step.phase.is_open() {
                let stage = Stage::of(step.phase);
                let (id, tool) = (step.call_id.clone(), step.tool_name.clone());
                calls.push(Call { id, tool, row: Some(row), stage, claimed: true, has_result: false });
                linked.insert(row);
            }
        }
        for call in &mut calls {
            let held =
                call.row.and_then(|row| row.checked_sub(self.first)).and_then(|held| self.rows.get(held));
            if let Some(step) = held.and_then(|message| message.tool_step.as_ref()) {
                call.stage = Stage::of(step.phase);
            }
        }
        self.fold.calls = calls;
    }

    /// Whether this row can belong to the call: it is before the rows held, or it is a tool row with the call's
    /// id.
    fn can_be_row_of(&self, row: usize, call: &Call) -> bool {
        let Some(held) = row.checked_sub(self.first) else { return true };
        let step = self.rows.get(held).and_then(|message| message.tool_step.as_ref());
        row < self.fold.body && step.is_some_and(|step| step.call_id == call.id)
    }

    fn tool_rows(&self) -> impl Iterator<Item = (usize, &UiMessage)> {
        let body = self.rows.iter().take(self.fold.body - self.first).enumerate();
        body.filter(|(_, message)| message.kind == Kind::Tool)
            .map(|(held, message)| (self.first + held, message))
    }
}
