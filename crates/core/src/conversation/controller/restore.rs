//! Going on from a snapshot. A snapshot is input like any other: an index out of bounds is dropped, and the map of
//! calls is made to mirror the rows that are shown, before any new event. Doing it twice gives the same.

use std::collections::BTreeSet;

use super::aside::is_named_by_a_page;
use super::calls::{Call, Stage};
use super::list::Named;
use super::{Fold, MessageController, Report};
use crate::conversation::ui_message::{Kind, UiMessage};
use crate::limits::{OPEN_CALLS, RECENT_NAMED_ROWS};

/// The end of a conversation and where its fold stood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Saved {
    /// The number of the first of these rows in the conversation.
    pub first: usize,
    pub rows: Vec<UiMessage>,
    pub fold: Fold,
}

impl MessageController {
    /// The last rows, up to `limit` of them and all that stand aside, and what is needed to go on from there.
    pub fn snapshot(&self, limit: usize) -> Saved {
        let start = self.rows.len().saturating_sub(limit).min(self.fold.body - self.first);
        Saved { first: self.first + start, rows: self.rows[start..].to_vec(), fold: self.fold.clone() }
    }

    pub fn restore(saved: Saved) -> Self {
        let Saved { first, rows, fold } = saved;
        // A number this large is no conversation's; counting on from it must not overflow.
        let first = first.min(usize::MAX / 2);
        let mut controller = Self { rows, first, fold };
        controller.mend_numbers();
        controller.mend_names();
        controller.mend_indices();
        controller.mend_calls();
        while controller.fold.calls.len() > OPEN_CALLS {
            controller.make_room(&mut Report::new());
        }
        controller
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

    fn mend_numbers(&mut self) {
        let belongs =
            |message: &UiMessage| matches!(message.kind, Kind::Tool | Kind::Assistant | Kind::Thinking);
        let least = self.first + self.rows.iter().rposition(belongs).map_or(0, |last| last + 1);
        self.fold.body = self.fold.body.clamp(least, self.total());
        let counted =
            |message: &UiMessage| message.id.strip_prefix('r').and_then(|id| id.parse::<u64>().ok());
        let highest =
            self.rows.iter().filter_map(counted).max().map_or(0, |highest| highest.saturating_add(1));
        self.fold.next_id = self.fold.next_id.max(self.fold.body as u64).max(highest).min(u64::MAX / 2);
    }

    /// Rows are told apart by their ids: a row without one, or with another's, gets its own.
    fn mend_names(&mut self) {
        let mut seen = BTreeSet::new();
        for message in &mut self.rows {
            while message.id.is_empty() || !seen.insert(message.id.clone()) {
                message.id = format!("r{}", self.fold.next_id);
                self.fold.next_id += 1;
            }
        }
        let (first, body) = (self.first, self.fold.body);
        let carries = |named: &Named| {
            let held = named.row.checked_sub(first);
            named.row < body && held.is_none_or(|held| self.rows[held].id == named.id)
        };
        self.fold.named.retain(carries);
        self.fold.named.truncate(RECENT_NAMED_ROWS);
        for held in 0..body - self.first {
            let id = &self.rows[held].id;
            if self.fold.named.len() < RECENT_NAMED_ROWS && is_named_by_a_page(id) {
                self.remember_name(self.first + held, &id.clone());
            }
        }
    }

    fn mend_indices(&mut self) {
        let fits = |row: usize, kind: Kind| {
            let held = row.checked_sub(self.first);
            row < self.fold.body && held.is_none_or(|held| self.rows[held].kind == kind)
        };
        let open_user = self.fold.open_user.filter(|row| fits(*row, Kind::User));
        let failure = self.fold.failure.filter(|row| fits(*row, Kind::Error));
        let exit = self.fold.exit.filter(|row| fits(*row, Kind::Error));
        let mut blocks = self.fold.blocks.clone();
        for block in blocks.iter_mut().flatten() {
            block.row = block.row.filter(|row| fits(*row, block.kind));
        }
        self.fold.open_user = open_user;
        self.fold.failure = failure;
        self.fold.exit = exit;
        self.fold.blocks = blocks;
    }

    /// Every call is linked to its row, and every row that still runs is in the map. Calls whose row is not among the
    /// rows held, but before them, stay as they are; a call that has no row at all is kept for the next pass.
    fn mend_calls(&mut self) {
        let mut calls = std::mem::take(&mut self.fold.calls);
        let mut linked = BTreeSet::new();
        for call in &mut calls {
            call.row = call.row.filter(|row| self.shows(*row, call) && linked.insert(*row));
        }
        for (row, message) in self.body_rows() {
            let Some(step) = message.tool_step.as_ref().filter(|_| !linked.contains(&row)) else { continue };
            let lost =
                |call: &&mut Call| call.row.is_none() && !call.id.is_empty() && call.id == step.call_id;
            if let Some(call) = calls.iter_mut().find(lost) {
                call.row = Some(row);
                linked.insert(row);
            } else if step.phase.is_open() {
                let stage = Stage::of(step.phase);
                let (id, tool) = (step.call_id.clone(), step.tool_name.clone());
                calls.push(Call { id, tool, row: Some(row), stage, claimed: true, told: false });
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

    /// Whether this row can be the call's: before the rows held, or a tool row with its id.
    fn shows(&self, row: usize, call: &Call) -> bool {
        let Some(held) = row.checked_sub(self.first) else { return true };
        let step = self.rows.get(held).and_then(|message| message.tool_step.as_ref());
        row < self.fold.body && step.is_some_and(|step| step.call_id == call.id)
    }

    fn body_rows(&self) -> impl Iterator<Item = (usize, &UiMessage)> {
        let body = self.rows.iter().take(self.fold.body - self.first).enumerate();
        body.filter(|(_, message)| message.kind == Kind::Tool)
            .map(|(held, message)| (self.first + held, message))
    }
}
