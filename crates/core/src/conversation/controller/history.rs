//! Folds the stored messages of a conversation, one by one and in portions: the first rows can be dropped, and
//! folding can resume from a stored [`Fold`]. Reading the file is the caller's task.

use super::tool_calls::{Call, Stage};
use super::{ControllerSnapshot, Fold, MessageController, Report};
use crate::conversation::limit;
use crate::conversation::message::Message;
use crate::conversation::ui_message::Mark;

impl MessageController {
    /// Folds a whole history. Calls without a result are closed as interrupted.
    pub fn load_messages_from_history(history: impl IntoIterator<Item = Message>) -> Self {
        let mut controller = Self::default();
        for message in history {
            controller.fold_history_message(message);
        }
        controller.finish_history();
        controller
    }

    /// Folds the next message of a history.
    pub fn fold_history_message(&mut self, mut message: Message) -> Report {
        let mut report = Report::new();
        limit::cut_message(&mut message);
        // History does not record the end of a run. No tool is running when a user message is stored.
        if matches!(message, Message::User { .. }) {
            self.close_open_calls(&mut report);
        }
        self.message_end(message, &mut report);
        report
    }

    /// Ends the history and closes everything that is still open.
    pub fn finish_history(&mut self) -> Report {
        let mut report = Report::new();
        self.settle(&mut report);
        report
    }

    /// Resumes folding from a stored state, holding none of the earlier rows.
    pub fn resume_from(fold: Fold) -> Self {
        Self::restore(ControllerSnapshot { first: fold.body, rows: Vec::new(), fold })
    }

    /// Drops the rows before `row`. The others keep their numbers. Later changes of dropped rows are lost here;
    /// the caller folds the history again to get them.
    pub fn drop_rows_before(&mut self, row: usize) {
        let row = row.min(self.fold.body);
        if let Some(held) = row.checked_sub(self.first) {
            self.rows.drain(..held);
            self.first = row;
        }
    }

    /// Whether folding can resume from the `Fold` alone, which does not contain the pending rows.
    pub fn has_no_pending_rows(&self) -> bool {
        self.total() == self.fold.body
    }

    /// The number of the first row held that a later message may still change. All rows before it are final.
    /// `events` says whether events other than messages may follow, such as the end of a process.
    pub fn first_changeable_row(&self, events: bool) -> usize {
        let fold = &self.fold;
        let calls = fold.calls.iter().filter(|call| events || self.is_open_to_history(call));
        let calls = calls.filter_map(|call| call.row);
        let blocks = fold.blocks.iter().flatten().filter_map(|block| block.row);
        let named = fold.named.iter().filter(|_| events).map(|named| named.row);
        let held = calls.chain(blocks).chain(named).chain(fold.open_user).filter(|row| *row >= self.first);
        // A repeated failure or exit changes the last row.
        held.chain([fold.body.saturating_sub(1)]).min().unwrap_or_default()
    }

    /// Whether a later message may change the call: its assistant message or its result is missing, or its row was
    /// closed without an end.
    fn is_open_to_history(&self, call: &Call) -> bool {
        let row = call.row.and_then(|row| row.checked_sub(self.first)).and_then(|held| self.rows.get(held));
        let closed_without_end =
            row.is_some_and(|row| matches!(row.mark, Some(Mark::Interrupted | Mark::Cancelled)));
        !call.claimed || !call.has_result || call.stage != Stage::Ended || closed_without_end
    }
}

impl Fold {
    /// The number of calls, named rows and blocks it holds, as a measure of its size.
    pub fn entry_count(&self) -> usize {
        self.calls.len() + self.named.len() + self.blocks.as_ref().map_or(0, Vec::len)
    }
}
