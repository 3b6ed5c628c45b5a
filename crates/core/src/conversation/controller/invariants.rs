//! Checks what must hold after every event. Property tests and fuzz targets call it after each step. The product
//! never does, because the check walks the whole list.

use std::collections::BTreeSet;

use super::MessageController;
use crate::conversation::ui_message::{Kind, Mark};
use crate::limits::{OPEN_CALLS, RECENT_NAMED_ROWS};

impl MessageController {
    /// Describes the first broken invariant, if any.
    #[doc(hidden)]
    pub fn broken_invariant(&self) -> Option<String> {
        let fold = &self.fold;
        let body = fold.body;
        if body < self.first || body > self.total() {
            return Some(format!("the body ends at row {body}, outside {}..={}", self.first, self.total()));
        }
        let mut ids = BTreeSet::new();
        if let Some(invalid) = self.rows.iter().find(|row| row.id.is_empty() || !ids.insert(&row.id)) {
            return Some(format!("row id {:?} is empty or used twice", invalid.id));
        }
        let indices = (fold.open_user.iter().copied())
            .chain(fold.failure)
            .chain(fold.exit)
            .chain(fold.named.iter().map(|named| named.row))
            .chain(fold.calls.iter().filter_map(|call| call.row))
            .chain(fold.blocks.iter().flatten().filter_map(|block| block.row));
        if let Some(index) = indices.into_iter().find(|index| *index >= body) {
            return Some(format!("stored row number {index} is outside the body of {body} rows"));
        }
        if fold.calls.len() > OPEN_CALLS || fold.named.len() > RECENT_NAMED_ROWS {
            return Some("the fold remembers more calls or named rows than allowed".to_owned());
        }
        self.broken_row().or_else(|| self.broken_call_map())
    }

    fn broken_row(&self) -> Option<String> {
        let pending_start = self.fold.body - self.first;
        self.rows.iter().enumerate().find_map(|(held, row)| {
            let shape = (row.kind == Kind::Tool) == row.tool_step.is_some()
                && (row.kind == Kind::Bash) == row.bash_result.is_some();
            let blank = matches!(row.kind, Kind::Assistant | Kind::Thinking)
                && row.text.trim().is_empty()
                && row.images.is_empty();
            let reopened = row.mark.is_some_and(|mark| matches!(mark, Mark::Interrupted | Mark::Cancelled))
                && row.tool_step.as_ref().is_some_and(|step| step.phase.is_open());
            let stray =
                held >= pending_start && matches!(row.kind, Kind::Tool | Kind::Assistant | Kind::Thinking);
            (!shape || blank || reopened || stray).then(|| format!("row {held} is inconsistent: {row:?}"))
        })
    }

    /// Checks that no two calls share a row, and that exactly the open rows have an open call.
    fn broken_call_map(&self) -> Option<String> {
        let placed: Vec<usize> = self.fold.calls.iter().filter_map(|call| call.row).collect();
        let distinct: BTreeSet<usize> = placed.iter().copied().collect();
        if placed.len() != distinct.len() {
            return Some("two calls share a row".to_owned());
        }
        let mapped: BTreeSet<usize> =
            self.open_calls().filter_map(|(_, row)| row.checked_sub(self.first)).collect();
        let open = |row: &crate::UiMessage| row.tool_step.as_ref().is_some_and(|step| step.phase.is_open());
        let shown: BTreeSet<usize> =
            self.rows.iter().enumerate().filter(|(_, row)| open(row)).map(|(held, _)| held).collect();
        (mapped != shown).then(|| format!("open calls are at {mapped:?}, open rows at {shown:?}"))
    }
}
