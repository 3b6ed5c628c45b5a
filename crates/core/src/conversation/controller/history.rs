//! Folding an agent's own record of a conversation, message by message, and in pieces: rows at the front can be let go,
//! and a fold that was put aside can be taken up again at its place. Where the record is kept is not known here.

use super::calls::{Call, Stage};
use super::{Fold, MessageController, Report, Saved};
use crate::conversation::message::Message;
use crate::conversation::ui_message::Mark;

impl MessageController {
    /// Folds a whole history through the same path as live events; calls that have no result are interrupted.
    pub fn load_messages_from_history(history: impl IntoIterator<Item = Message>) -> Self {
        let mut controller = Self::default();
        for message in history {
            controller.take_history(message);
        }
        controller.end_history();
        controller
    }

    /// The next message of a history.
    pub fn take_history(&mut self, message: Message) -> Report {
        let mut report = Report::new();
        // History has no ends of runs. A user message comes after one, or while no tool runs.
        if matches!(message, Message::User { .. }) {
            self.close_open_calls(&mut report);
        }
        self.message_end(message, &mut report);
        report
    }

    /// There is no more history: what has not ended by now does not.
    pub fn end_history(&mut self) -> Report {
        let mut report = Report::new();
        self.settle(&mut report);
        report
    }

    /// Goes on where a fold was put aside, holding no row of what was before.
    pub fn go_on_from(fold: Fold) -> Self {
        Self::restore(Saved { first: fold.body, rows: Vec::new(), fold })
    }

    /// Lets the rows before this one go. They count on, and what is still told of them is the business of whoever
    /// folds them again.
    pub fn forget_before(&mut self, row: usize) {
        let row = row.min(self.fold.body);
        if let Some(held) = row.checked_sub(self.first) {
            self.rows.drain(..held);
            self.first = row;
        }
    }

    /// Nothing stands aside: the fold alone is enough to go on from here.
    pub fn is_whole(&self) -> bool {
        self.total() == self.fold.body
    }

    /// The first of the rows held that a later message of history may still change; all before it are as they stay.
    /// With `events` those count that are more than messages, such as the end of a process.
    pub fn changeable_from(&self, events: bool) -> usize {
        let fold = &self.fold;
        let calls = fold.calls.iter().filter(|call| events || self.is_open_to_history(call));
        let calls = calls.filter_map(|call| call.row);
        let blocks = fold.blocks.iter().flatten().filter_map(|block| block.row);
        let named = fold.named.iter().filter(|_| events).map(|named| named.row);
        let held = calls.chain(blocks).chain(named).chain(fold.open_user).filter(|row| *row >= self.first);
        // A failure or an exit that is told again takes the last row's place.
        held.chain([fold.body.saturating_sub(1)]).min().unwrap_or_default()
    }

    /// A result or its call may still come, or a real end where one was given up.
    fn is_open_to_history(&self, call: &Call) -> bool {
        let row = call.row.and_then(|row| row.checked_sub(self.first)).and_then(|held| self.rows.get(held));
        let given_up = row.is_some_and(|row| matches!(row.mark, Some(Mark::Interrupted | Mark::Cancelled)));
        !call.claimed || !call.told || call.stage != Stage::Ended || given_up
    }
}

impl Fold {
    /// How many things it remembers: what it costs to keep.
    pub fn remembered(&self) -> usize {
        self.calls.len() + self.named.len() + self.blocks.as_ref().map_or(0, Vec::len)
    }
}
