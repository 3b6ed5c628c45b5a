//! The content blocks of the open assistant message: text, thinking and tool calls. The rows of a message are in
//! the order of the block index, as in history, whichever block streams first. `tool_calls` handles the execution
//! of a call.

use serde::{Deserialize, Serialize};

use super::tool_calls::Stage;
use super::{MessageController, Report};
use crate::conversation::message::{Content, Part, ToolCall};
use crate::conversation::ui_message::{Image, Kind, Mark, UiMessage};
use crate::json::FromJson;
use crate::protocol::event::LAST_BLOCK;

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

impl MessageController {
    /// Appends a delta to a block. Opens a message if none is open.
    pub(super) fn append(&mut self, index: usize, kind: Kind, delta: &str, report: &mut Report) {
        let index = self.index_of_block(index, kind);
        let block = self.block(index, kind);
        if let Some(row) = block.row {
            if !delta.is_empty() {
                self.change(row, report, |message| {
                    message.text.push_str(delta);
                    true
                });
            }
            return;
        }
        block.blank.push_str(delta);
        if !block.blank.trim().is_empty() {
            let text = std::mem::take(&mut block.blank);
            self.insert_text_row(index, kind, text, report);
        }
    }

    /// Applies the complete text of a block. Text of an unknown block, and text shorter than the row's, is
    /// ignored: only the message's end may add such a block or shorten a row.
    pub(super) fn finish_block(&mut self, index: usize, kind: Kind, content: String, report: &mut Report) {
        let index = self.index_of_block(index, kind);
        let mut blocks = self.fold.blocks.iter().flatten();
        let row = blocks.find(|block| block.index == index && block.kind == kind).and_then(|block| block.row);
        if let Some(row) = row {
            self.change(row, report, |message| {
                let grows = content.len() > message.text.len();
                if grows {
                    message.text = content;
                }
                grows
            });
        }
    }

    /// Applies a tool call block. The row appears once the tool's name is known; the arguments follow when the call is
    /// `complete`.
    pub(super) fn call_block(&mut self, index: usize, call: ToolCall, complete: bool, report: &mut Report) {
        let index = self.index_of_block(index, Kind::Tool);
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
        for (index, part) in content.0.into_iter().enumerate() {
            match part {
                Part::Text { text } if !text.trim().is_empty() => {
                    self.settle_text(index, Kind::Assistant, text, report);
                    kept.push((index, Kind::Assistant));
                }
                Part::Thinking { thinking } if !thinking.trim().is_empty() => {
                    self.settle_text(index, Kind::Thinking, thinking, report);
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

    fn settle_text(&mut self, index: usize, kind: Kind, text: String, report: &mut Report) {
        match self.block(index, kind).row {
            Some(row) => self.set_text(row, text, report),
            None => self.insert_text_row(index, kind, text, report),
        }
    }

    fn insert_text_row(&mut self, index: usize, kind: Kind, text: String, report: &mut Report) {
        let place = self.place_of_block(index);
        let row = self.insert(place, UiMessage { kind, text, ..UiMessage::default() }, report);
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
