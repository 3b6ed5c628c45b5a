//! The content blocks of the assistant message that is being streamed: text, thinking and the calls in it.
//! What becomes of a call after that is in `tools`.

use serde_json::Value;

use super::{Block, MessageController, Report};
use crate::message::{Content, Part};
use crate::ui_message::{Kind, Phase, UiMessage};

impl MessageController {
    /// A delta. Without a message start before it, it opens a message by itself.
    pub(super) fn append(&mut self, index: usize, kind: Kind, delta: &str, report: &mut Report) {
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
            let row = self.push(UiMessage { kind, text, ..UiMessage::default() }, report);
            self.block(index, kind).row = Some(row);
        }
    }

    /// The whole text of a block. One that nothing has been seen of waits for the message's end.
    pub(super) fn finish_block(&mut self, index: usize, content: &str, report: &mut Report) {
        let row =
            self.fold.blocks.iter().flatten().find(|block| block.index == index).and_then(|block| block.row);
        if let Some(row) = row.filter(|_| !content.trim().is_empty()) {
            self.set_text(row, content, report);
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
        let row = match self.block(index, Kind::Tool).row {
            Some(row) => row,
            None => {
                let row = self.new_call(id.clone(), tool.clone(), Phase::Calling, report);
                self.block(index, Kind::Tool).row = Some(row);
                row
            }
        };
        self.name_call(row, id, tool, arguments, report);
    }

    /// The message's end is authoritative: rows that differ take its text, rows it does not have go, rows that were
    /// never streamed come. Ids and places of the others stay.
    pub(super) fn settle_blocks(&mut self, content: Content, report: &mut Report) {
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
            if let Some(row) = blocks.remove(gone).row {
                self.remove(row, report);
            }
        }
    }

    fn settle_text(&mut self, index: usize, kind: Kind, text: String, report: &mut Report) {
        match self.block(index, kind).row {
            Some(row) => self.set_text(row, &text, report),
            None => {
                let row = self.push(UiMessage { kind, text, ..UiMessage::default() }, report);
                self.block(index, kind).row = Some(row);
            }
        }
    }

    fn set_text(&mut self, row: usize, text: &str, report: &mut Report) {
        self.change(row, report, |message| {
            let differs = message.text != text;
            if differs {
                text.clone_into(&mut message.text);
            }
            differs
        });
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
