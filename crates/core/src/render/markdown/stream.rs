//! Parses a text that grows, into finished blocks and a live tail. Finished text is never parsed again, except
//! when a definition arrives for one of its links.
//!
//! - `split` finds the end of the finished text.
//! - `tail` builds the blocks of the rest: `hold` keeps undecided lines back and `heal` completes unfinished spans.
//! - `fence` appends to an open block of code without parsing it.

mod fence;
mod heal;
mod hold;
mod split;
mod tail;

use self::fence::{Fence, FenceProgress};
use self::split::{ends_with_blank_line, finished_len};
use super::Block;
use super::parse::parse;
use super::references::References;

/// The changes made by one call. The finished blocks are the first `kept` of the previous ones, then `finished` new
/// ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub kept: usize,
    pub finished: usize,
    pub tail_changed: bool,
    /// The indices of kept blocks that changed because a definition for one of their links arrived.
    pub resolved: Vec<usize>,
}

/// A text under construction and its blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MarkdownStream {
    source: String,
    blocks: Vec<Block>,
    tail: Vec<Block>,
    /// The end of the finished text, always the start of a line.
    tail_start: usize,
    /// The start of the last line, which has no line break yet.
    line_start: usize,
    /// The open block of code, if that is the whole tail.
    fence: Option<Fence>,
    pieces: Vec<FinishedPiece>,
    references: References,
    unresolved: Vec<UnresolvedPiece>,
    ended: bool,
}

/// A part of the source that was finished in one step.
#[derive(Clone, Debug, PartialEq)]
struct FinishedPiece {
    end: usize,
    first_block: usize,
    /// The length of the source at that time. A change after it does not affect the piece.
    decided_by: usize,
}

/// A finished piece with links whose labels are not defined yet.
#[derive(Clone, Debug, PartialEq)]
struct UnresolvedPiece {
    start: usize,
    end: usize,
    first_block: usize,
    labels: Vec<String>,
}

impl MarkdownStream {
    /// The finished blocks.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The blocks of the unfinished text, usually one or none.
    pub fn tail(&self) -> &[Block] {
        &self.tail
    }

    pub fn source(&self) -> &str {
        &self.source
    }

    /// Appends to the text.
    pub fn push(&mut self, delta: &str) -> Progress {
        let mut progress = self.progress();
        if delta.is_empty() {
            return progress;
        }
        let at_line_start = self.ended || self.line_start == self.source.len();
        if self.ended {
            self.reopen(self.source.len(), &mut progress);
        }
        self.source.push_str(delta);
        self.process_new_text(at_line_start || delta.contains('\n'), &mut progress);
        progress
    }

    /// Ends the text. Unfinished markup in the tail becomes literal text.
    pub fn finish(&mut self) -> Progress {
        let mut progress = self.progress();
        if !self.ended {
            self.finish_piece(self.source.len(), usize::MAX, &mut progress);
            self.ended = true;
            self.fence = None;
            self.line_start = self.source.len();
            progress.tail_changed = !self.tail.is_empty();
            self.tail.clear();
        }
        progress
    }

    /// Replaces the text, for example with the agent's final version. Blocks of the common beginning are kept.
    pub fn replace(&mut self, text: &str) -> Progress {
        let mut progress = self.progress();
        let pairs = self.source.char_indices().zip(text.chars());
        let common = pairs.take_while(|((_, old), new)| old == new).last();
        let common = common.map_or(0, |((at, character), _)| at + character.len_utf8());
        if common == self.source.len() && common == text.len() {
            return progress;
        }
        let rest = text.get(common..).unwrap_or_default();
        if !self.ended && common == self.source.len() {
            return self.push(rest);
        }
        self.reopen(common, &mut progress);
        self.source.push_str(rest);
        self.process_new_text(true, &mut progress);
        progress
    }

    /// Processes text that was appended to the source. `line_changed` says whether it begins or ends a line.
    fn process_new_text(&mut self, line_changed: bool, progress: &mut Progress) {
        let fence_changed = self.feed_fence(progress);
        if line_changed {
            let last_line = self.source.get(self.line_start..).unwrap_or_default();
            let new_lines = last_line.rfind('\n').map_or(0, |newline| newline + 1);
            self.line_start += new_lines;
            if self.fence.is_none() && (new_lines > 0 || ends_with_blank_line(self.open_lines())) {
                self.finish_decided_blocks(progress);
            }
        }
        match fence_changed {
            Some(changed) if self.fence.is_some() => progress.tail_changed |= changed,
            _ => self.update_tail(progress),
        }
    }

    /// Cuts the source at `common` and discards all pieces that depend on the text after it.
    fn reopen(&mut self, common: usize, progress: &mut Progress) {
        let mut agreed = self.pieces.iter().take_while(|piece| piece.decided_by <= common).count();
        let end = |agreed: usize| {
            self.pieces.get(..agreed).and_then(<[FinishedPiece]>::last).map_or(0, |piece| piece.end)
        };
        // Which blocks a discarded definition affected is not stored, so everything is parsed again.
        if self.references.any_defined_from(end(agreed)) {
            agreed = 0;
            self.references = References::default();
        }
        self.tail_start = end(agreed);
        self.line_start = self.tail_start;
        progress.kept = self.pieces.get(agreed).map_or(self.blocks.len(), |piece| piece.first_block);
        self.pieces.truncate(agreed);
        self.blocks.truncate(progress.kept);
        self.unresolved.retain(|piece| piece.end <= self.tail_start);
        self.source.truncate(common);
        self.fence = None;
        self.ended = false;
    }

    fn progress(&self) -> Progress {
        Progress { kept: self.blocks.len(), ..Progress::default() }
    }

    /// The complete lines that are not finished.
    fn open_lines(&self) -> &str {
        self.source.get(self.tail_start..self.line_start).unwrap_or_default()
    }

    /// Finishes all blocks that later text cannot change.
    fn finish_decided_blocks(&mut self, progress: &mut Progress) {
        loop {
            self.skip_blank_lines();
            if self.open_lines().is_empty() {
                return;
            }
            if let Some((fence, language)) = Fence::open_at(&self.source, self.tail_start) {
                self.tail = vec![Block::Code { language, text: String::new() }];
                self.fence = Some(fence);
                progress.tail_changed = true;
                let start = self.tail_start;
                self.feed_fence(progress);
                if self.fence.is_some() {
                    return;
                }
                if self.tail_start > start {
                    continue;
                }
            }
            let next_line = self.source.get(self.line_start..).unwrap_or_default();
            let length = finished_len(self.open_lines(), next_line);
            if length == 0 {
                return;
            }
            self.finish_piece(self.tail_start + length, self.source.len(), progress);
        }
    }

    fn skip_blank_lines(&mut self) {
        while let Some(end) = self.open_lines().find('\n') {
            if !self.open_lines().get(..=end).is_some_and(ends_with_blank_line) {
                break;
            }
            self.tail_start += end + 1;
        }
    }

    /// Appends new text to the open block of code. Returns whether the block changed, or None if none is open any
    /// more.
    fn feed_fence(&mut self, progress: &mut Progress) -> Option<bool> {
        let (Some(fence), Some(Block::Code { text, .. })) = (&mut self.fence, self.tail.first_mut()) else {
            return None;
        };
        match fence.feed(&self.source, text) {
            FenceProgress::Open(changed) => return Some(changed),
            FenceProgress::Closed(end) => {
                self.fence = None;
                self.finish_piece(end, end, progress);
            }
            FenceProgress::Unclear => self.fence = None,
        }
        None
    }

    /// Parses the source up to `end` into finished blocks.
    fn finish_piece(&mut self, end: usize, decided_by: usize, progress: &mut Progress) {
        let start = self.tail_start;
        let first_block = self.blocks.len();
        let parsed = parse(self.source.get(start..end).unwrap_or_default(), &self.references, None);
        progress.finished += parsed.blocks.len();
        self.blocks.extend(parsed.blocks);
        self.pieces.push(FinishedPiece { end, first_block, decided_by });
        self.tail_start = end;
        if !parsed.missing.is_empty() {
            self.unresolved.push(UnresolvedPiece { start, end, first_block, labels: parsed.missing });
        }
        let definitions = parsed.definitions.into_iter().map(|(label, mut definition)| {
            definition.piece = start;
            (label, definition)
        });
        if self.references.add_new(definitions.collect()) {
            self.resolve_links(progress);
        }
    }

    /// Parses the pieces again whose labels have been defined.
    fn resolve_links(&mut self, progress: &mut Progress) {
        for piece in &mut self.unresolved {
            if !piece.labels.iter().any(|label| self.references.get(label).is_some()) {
                continue;
            }
            let text = self.source.get(piece.start..piece.end).unwrap_or_default();
            let parsed = parse(text, &self.references, None);
            piece.labels = parsed.missing;
            for (position, block) in (piece.first_block..).zip(parsed.blocks) {
                if let Some(old) = self.blocks.get_mut(position).filter(|old| **old != block) {
                    *old = block;
                    if position < progress.kept && !progress.resolved.contains(&position) {
                        progress.resolved.push(position);
                    }
                }
            }
        }
        self.unresolved.retain(|piece| !piece.labels.is_empty());
    }

    fn update_tail(&mut self, progress: &mut Progress) {
        if self.fence.is_none() {
            let text = self.source.get(self.tail_start..).unwrap_or_default();
            let tail = tail::blocks(text, &self.references);
            progress.tail_changed |= tail != self.tail;
            self.tail = tail;
        }
    }
}

#[cfg(test)]
mod tests;
