//! The content blocks of the assistant message that is being streamed: text, thinking and the calls in it.
//! Blocks of one message stand in the order of their index, as history has them, whichever is streamed first.
//! What becomes of a call after that is in `tools`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::calls::Stage;
use super::{MessageController, Report};
use crate::conversation::message::{Content, Part};
use crate::conversation::ui_message::{Kind, Mark, UiMessage};
use crate::json::readable;
use crate::protocol::event::LAST_BLOCK;

/// One content block of the open assistant message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Block {
    pub(super) index: usize,
    pub(super) kind: Kind,
    /// None while all of its text is blank: blank text gives no row.
    pub(super) row: Option<usize>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    blank: String,
}

readable!(Block { index "index", kind "kind"; row "row", blank "blank" });

impl MessageController {
    /// A delta. Without a message start before it, it opens a message by itself.
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
            self.text_row(index, kind, text, report);
        }
    }

    /// All text of a block so far. A block that nothing has been seen of waits for the message's end, and so does a
    /// text that is shorter than what is shown: only that end may take something back.
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

    /// A call in the message: a row as soon as its tool is known, its arguments when they are complete.
    pub(super) fn call_block(
        &mut self,
        index: usize,
        id: String,
        tool: String,
        arguments: Option<Value>,
        report: &mut Report,
    ) {
        let index = self.index_of_block(index, Kind::Tool);
        let row = match self.block(index, Kind::Tool).row.or_else(|| self.claim_call(&id, &tool)) {
            Some(row) => row,
            None => {
                let place = self.place_of_block(index);
                self.new_call(place, id.clone(), tool.clone(), Stage::Calling, true, report)
            }
        };
        self.block(index, Kind::Tool).row = Some(row);
        self.name_call(row, id, tool, arguments, report);
    }

    /// The message's end is authoritative: rows that differ take its text, rows it does not have go, rows that were
    /// never streamed come. Ids of the others stay. Of a stopped message the last row is marked, if it is a text.
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
                    self.call_block(index, call.id, call.name, Some(call.arguments), report);
                    kept.push((index, Kind::Tool));
                }
                _ => {}
            }
        }
        while let Some(blocks) = &mut self.fold.blocks {
            let Some(gone) = blocks.iter().position(|block| !kept.contains(&(block.index, block.kind)))
            else {
                break;
            };
            // A call that has been carried out is never dropped, whatever its message says.
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

    /// The message under way ends before it is complete: its last row says so, if it is a text.
    pub(super) fn interrupt_message(&mut self, report: &mut Report) {
        let last = self.fold.blocks.take().unwrap_or_default().into_iter().max_by_key(|block| block.row);
        if let Some(Block { kind: Kind::Assistant | Kind::Thinking, row: Some(row), .. }) = last {
            self.change(row, report, |message| {
                message.mark.replace(Mark::Interrupted) != Some(Mark::Interrupted)
            });
        }
    }

    fn settle_text(&mut self, index: usize, kind: Kind, text: String, report: &mut Report) {
        match self.block(index, kind).row {
            Some(row) => self.set_text(row, text, report),
            None => self.text_row(index, kind, text, report),
        }
    }

    fn text_row(&mut self, index: usize, kind: Kind, text: String, report: &mut Report) {
        let place = self.place_of_block(index);
        let row = self.insert(place, UiMessage { kind, text, ..UiMessage::default() }, report);
        self.block(index, kind).row = Some(row);
    }

    /// Before the first row of a block with a higher index.
    fn place_of_block(&self, index: usize) -> usize {
        let later = self.fold.blocks.iter().flatten().filter(|block| block.index > index);
        later.filter_map(|block| block.row).min().unwrap_or(self.fold.body)
    }

    /// An agent that does not number its blocks means the last one. If that is of another kind, or something else has
    /// come after it, a new one begins.
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

    fn is_at_the_end(&self, block: &Block) -> bool {
        block.row.is_none_or(|row| row + 1 == self.fold.body)
    }

    /// The block of this index and kind in the open message, which is opened if need be.
    fn block(&mut self, index: usize, kind: Kind) -> &mut Block {
        let blocks = self.fold.blocks.get_or_insert_default();
        let position = match blocks.iter().position(|block| block.index == index && block.kind == kind) {
            Some(position) => position,
            None => {
                blocks.push(Block { index, kind, row: None, blank: String::new() });
                blocks.len() - 1
            }
        };
        &mut blocks[position]
    }
}
