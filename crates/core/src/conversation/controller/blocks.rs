//! The content blocks of the open assistant message: text, thinking and tool calls. The rows of a message are in
//! the order of the block index, as in history, whichever block streams first. `tool_calls` handles the execution
//! of a call.

use serde::{Deserialize, Serialize};

use super::tool_calls::Stage;
use super::{MessageController, Report};
use crate::conversation::limit::{self, BlockText, REST_OF_MESSAGE};
use crate::conversation::message::{Content, Part, ToolCall};
use crate::conversation::ui_message::{Image, Kind, Mark, UiMessage};
use crate::json::FromJson;
use crate::limits::MESSAGE_PARTS;
use crate::protocol::event::{Event, LAST_BLOCK, Update};

/// One content block of the open assistant message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromJson)]
pub(super) struct MessageBlock {
    pub(super) index: usize,
    /// `System` for an image, whose row is one of the assistant.
    pub(super) kind: Kind,
    /// None while all text of the block is blank, since blank text has no row.
    pub(super) row: Option<usize>,
    /// The blank text so far. It becomes part of the row once other text follows.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    blank: String,
}

impl MessageBlock {
    /// The kind of the block's row.
    pub(super) const fn row_kind(&self) -> Kind {
        match self.kind {
            Kind::System => Kind::Assistant,
            kind => kind,
        }
    }
}

/// Whether a block is one too many for a message. A message that is complete was cut in the same way.
const fn is_left_out(index: usize) -> bool {
    index >= MESSAGE_PARTS - 1
}

impl MessageController {
    /// Appends a delta to a block. Opens a message if none is open.
    pub(super) fn append(&mut self, index: usize, kind: Kind, delta: &str, report: &mut Report) {
        let index = self.index_of_block(index, kind);
        if is_left_out(index) {
            if !delta.trim().is_empty() {
                self.show_rest_is_left_out(report);
            }
            return;
        }
        let block = self.block(index, kind);
        if let Some(row) = block.row {
            if !delta.is_empty() {
                self.change(row, report, |message| {
                    limit::append(&mut message.text, &mut message.left_out, delta);
                    true
                });
            }
            return;
        }
        let mut text = BlockText { text: std::mem::take(&mut block.blank), left_out: 0 };
        text.append(delta);
        if text.text.trim_start().is_empty() {
            block.blank = text.text;
        } else {
            self.insert_text_row(index, kind, text, report);
        }
    }

    /// Replaces text that the row of its block does not show any more by the number of its bytes, so that it need not be
    /// sent.
    pub fn drop_left_out_text(&self, event: &mut Event) {
        let Event::MessageUpdate { update } = event else { return };
        let (content_index, kind, bytes) = match update {
            Update::TextDelta { content_index, delta } => (*content_index, Kind::Assistant, delta.len()),
            Update::ThinkingDelta { content_index, delta } => (*content_index, Kind::Thinking, delta.len()),
            _ => return,
        };
        let content_index = self.index_of_block(content_index, kind);
        let mut blocks = self.fold.blocks.iter().flatten().filter(|block| block.index == content_index);
        let row = blocks.next().filter(|block| block.kind == kind && blocks.next().is_none());
        let held = row.and_then(|block| block.row?.checked_sub(self.first()));
        if held.and_then(|held| self.rows().get(held)).is_some_and(|row| row.left_out > 0) {
            let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
            *update = Update::LeftOut { content_index, bytes };
        }
    }

    /// Counts bytes of a block that are too many to be shown.
    pub(super) fn leave_out(&mut self, index: usize, bytes: u64, report: &mut Report) {
        let is_text = |block: &&MessageBlock| matches!(block.kind, Kind::Assistant | Kind::Thinking);
        let mut blocks = self.fold.blocks.iter().flatten().filter(is_text);
        if let Some(row) = blocks.rfind(|block| block.index == index).and_then(|block| block.row) {
            self.change(row, report, |message| {
                message.left_out = message.left_out.saturating_add(bytes);
                bytes > 0
            });
        }
    }

    /// Shows that a message has more blocks than are shown.
    fn show_rest_is_left_out(&mut self, report: &mut Report) {
        let index = MESSAGE_PARTS - 1;
        if self.block(index, Kind::Assistant).row.is_none() {
            let text = BlockText { text: REST_OF_MESSAGE.to_owned(), left_out: 0 };
            self.insert_text_row(index, Kind::Assistant, text, report);
        }
    }

    /// Applies the complete text of a block. Text of an unknown block, and text shorter than the row's, is
    /// ignored: only the message's end may add such a block or shorten a row.
    pub(super) fn finish_block(&mut self, index: usize, kind: Kind, content: String, report: &mut Report) {
        let index = self.index_of_block(index, kind);
        let mut blocks = self.fold.blocks.iter().flatten();
        let row = blocks.find(|block| block.index == index && block.kind == kind).and_then(|block| block.row);
        if let Some(row) = row {
            let content = BlockText::of(content, 0);
            self.change(row, report, |message| {
                let length = |text: &str, left_out: u64| left_out.saturating_add(text.len() as u64);
                let grows = length(&content.text, content.left_out) > length(&message.text, message.left_out);
                if grows {
                    (message.text, message.left_out) = (content.text, content.left_out);
                }
                grows
            });
        }
    }

    /// Applies a tool call block. The row appears once the tool's name is known; the arguments follow when the call is
    /// `complete`.
    pub(super) fn call_block(&mut self, index: usize, call: ToolCall, complete: bool, report: &mut Report) {
        let index = self.index_of_block(index, Kind::Tool);
        if is_left_out(index) {
            // Its start or its result adds a row.
            return self.show_rest_is_left_out(report);
        }
        let row = match self.block(index, Kind::Tool).row.or_else(|| self.claim_call(&call.id, &call.name)) {
            Some(row) => row,
            None => {
                let place = self.place_of_block(index);
                self.insert_call(place, call.id.clone(), call.name.clone(), Stage::Calling, true, report)
            }
        };
        self.block(index, Kind::Tool).row = Some(row);
        self.update_call(row, call, complete, report);
    }

    /// Applies an image block, which has a row of its own.
    pub(super) fn image_block(&mut self, index: usize, image: Image, report: &mut Report) {
        let index = self.index_of_block(index, Kind::System);
        if is_left_out(index) {
            return self.show_rest_is_left_out(report);
        }
        if self.block(index, Kind::System).row.is_some() {
            return;
        }
        let place = self.place_of_block(index);
        let message = UiMessage { kind: Kind::Assistant, images: vec![image], ..UiMessage::default() };
        let row = self.insert(place, message, report);
        self.block(index, Kind::System).row = Some(row);
    }

    /// Applies the message's end, which is authoritative: rows that differ get its text, rows it lacks are
    /// removed, and parts that were never streamed get a row. All other rows keep their id.
    pub(super) fn settle_blocks(&mut self, content: Content, stopped: bool, report: &mut Report) {
        let mut kept = Vec::new();
        let mut parts = content.0.into_iter().peekable();
        // A text and what is left out of it are one block.
        for index in 0.. {
            let Some(part) = parts.next() else { break };
            let mut left_out = 0;
            while let Some(Part::LeftOut { bytes }) =
                parts.next_if(|next| matches!(next, Part::LeftOut { .. }))
            {
                left_out = bytes.saturating_add(left_out);
            }
            match part {
                Part::Text { text } if !text.trim().is_empty() => {
                    self.settle_text(index, Kind::Assistant, BlockText { text, left_out }, report);
                    kept.push((index, Kind::Assistant));
                }
                Part::Thinking { thinking: text } if !text.trim().is_empty() => {
                    self.settle_text(index, Kind::Thinking, BlockText { text, left_out }, report);
                    kept.push((index, Kind::Thinking));
                }
                Part::ToolCall(call) => {
                    self.call_block(index, call, true, report);
                    kept.push((index, Kind::Tool));
                }
                Part::Image(image) => {
                    self.image_block(index, image, report);
                    kept.push((index, Kind::System));
                }
                _ => {}
            }
        }
        while let Some(blocks) = &mut self.fold.blocks {
            let Some(gone) = blocks.iter().position(|block| !kept.contains(&(block.index, block.kind)))
            else {
                break;
            };
            // A call whose execution has begun keeps its row, even if the message lacks it.
            if let Some(row) = blocks.remove(gone).row
                && !self.is_past_calling(row)
            {
                self.remove(row, report);
            }
        }
        if stopped {
            self.interrupt_message(report);
        }
        self.fold.blocks = None;
    }

    /// Closes the open message before it is complete. Its last row is marked if it is text.
    pub(super) fn interrupt_message(&mut self, report: &mut Report) {
        let last = self.fold.blocks.take().unwrap_or_default().into_iter().max_by_key(|block| block.row);
        if let Some(MessageBlock { kind: Kind::Assistant | Kind::Thinking, row: Some(row), .. }) = last {
            self.change(row, report, |message| {
                message.mark.replace(Mark::Interrupted) != Some(Mark::Interrupted)
            });
        }
    }

    fn settle_text(&mut self, index: usize, kind: Kind, text: BlockText, report: &mut Report) {
        match self.block(index, kind).row {
            Some(row) => self.set_text(row, text, report),
            None => self.insert_text_row(index, kind, text, report),
        }
    }

    fn insert_text_row(&mut self, index: usize, kind: Kind, text: BlockText, report: &mut Report) {
        let place = self.place_of_block(index);
        let BlockText { text, left_out } = text;
        let row = self.insert(place, UiMessage { kind, text, left_out, ..UiMessage::default() }, report);
        self.block(index, kind).row = Some(row);
    }

    /// The row number for a new row of this block: before the first row of a block with a higher index.
    fn place_of_block(&self, index: usize) -> usize {
        let later = self.fold.blocks.iter().flatten().filter(|block| block.index > index);
        later.filter_map(|block| block.row).min().unwrap_or(self.fold.body)
    }

    /// Resolves [`LAST_BLOCK`], which agents without block numbers send. It means the last block if that has the
    /// same kind and its row is the last of the body; otherwise a new block begins.
    fn index_of_block(&self, index: usize, kind: Kind) -> usize {
        if index != LAST_BLOCK {
            return index;
        }
        match self.fold.blocks.iter().flatten().max_by_key(|block| block.index) {
            Some(last) if last.kind == kind && kind != Kind::Tool && self.is_at_the_end(last) => last.index,
            Some(last) => (last.index + 1).min(LAST_BLOCK - 1),
            None => 0,
        }
    }

    fn is_at_the_end(&self, block: &MessageBlock) -> bool {
        block.row.is_none_or(|row| row + 1 == self.fold.body)
    }

    /// The block with this index and kind. Adds the block, and opens a message, if there is none.
    fn block(&mut self, index: usize, kind: Kind) -> &mut MessageBlock {
        let blocks = self.fold.blocks.get_or_insert_default();
        let position = match blocks.iter().position(|block| block.index == index && block.kind == kind) {
            Some(position) => position,
            None => {
                blocks.push(MessageBlock { index, kind, row: None, blank: String::new() });
                blocks.len() - 1
            }
        };
        &mut blocks[position]
    }
}
