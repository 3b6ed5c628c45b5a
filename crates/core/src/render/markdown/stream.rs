//! A text that arrives in pieces, as finished blocks and a live tail. Everything before `open` is finished: it is
//! never parsed again, except when a definition turns up that a finished link has been waiting for.

use super::fence::{Fed, Fence};
use super::parse::build;
use super::references::References;
use super::split::{ends_blank, finished};
use super::{Block, tail};

/// What a call has changed. The blocks are now the `kept` first ones of before and `finished` new ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub kept: usize,
    pub finished: usize,
    pub tail_changed: bool,
    /// Kept blocks that changed, since a definition came for a link in them.
    pub resolved: Vec<usize>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct MarkdownStream {
    source: String,
    blocks: Vec<Block>,
    tail: Vec<Block>,
    /// Where the text begins that is not finished: always at the start of a line.
    open: usize,
    /// Where the line begins that has no end yet.
    line: usize,
    /// The open block of code that the tail consists of, if it does.
    fence: Option<Fence>,
    pieces: Vec<Piece>,
    references: References,
    waiting: Vec<Waiting>,
    ended: bool,
}

/// A part of the source that was finished at once.
#[derive(Clone, Debug, PartialEq)]
struct Piece {
    end: usize,
    first_block: usize,
    /// How much of the source had been seen then. What comes behind that does not change the piece.
    decided_by: usize,
}

/// A piece in which labels are used that nothing defines so far.
#[derive(Clone, Debug, PartialEq)]
struct Waiting {
    start: usize,
    end: usize,
    first_block: usize,
    labels: Vec<String>,
}

impl MarkdownStream {
    /// A whole, finished text.
    pub fn of(text: &str) -> Self {
        let mut stream = Self { source: text.to_owned(), ..Self::default() };
        stream.finish();
        stream
    }

    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// What is live: usually one block or none.
    pub fn tail(&self) -> &[Block] {
        &self.tail
    }

    pub fn source(&self) -> &str {
        &self.source
    }

    pub fn push(&mut self, delta: &str) -> Progress {
        let mut progress = self.progress();
        if delta.is_empty() {
            return progress;
        }
        let at_line_start = self.ended || self.line == self.source.len();
        if self.ended {
            self.reopen(self.source.len(), &mut progress);
        }
        self.source.push_str(delta);
        self.read_on(at_line_start || delta.contains('\n'), &mut progress);
        progress
    }

    /// Nothing more comes: what is left is taken literally.
    pub fn finish(&mut self) -> Progress {
        let mut progress = self.progress();
        if !self.ended {
            self.take_piece(self.source.len(), usize::MAX, &mut progress);
            self.ended = true;
            self.fence = None;
            self.line = self.source.len();
            progress.tail_changed = !self.tail.is_empty();
            self.tail.clear();
        }
        progress
    }

    /// Another text in place of this one, such as the agent's final word. Finished blocks stay as far as both agree.
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
        self.read_on(true, &mut progress);
        progress
    }

    /// Takes in what the source has more than before; `line_begun` if that begins a line or ends one.
    fn read_on(&mut self, line_begun: bool, progress: &mut Progress) {
        let fed = self.feed_fence(progress);
        if line_begun {
            let behind = self.source.get(self.line..).unwrap_or_default();
            let new_lines = behind.rfind('\n').map_or(0, |newline| newline + 1);
            self.line += new_lines;
            if self.fence.is_none() && (new_lines > 0 || ends_blank(self.lines())) {
                self.settle(progress);
            }
        }
        match fed {
            Some(changed) if self.fence.is_some() => progress.tail_changed |= changed,
            _ => self.show_tail(progress),
        }
    }

    /// Goes back to the last place of which all is known by the text before `common`, and forgets the rest.
    fn reopen(&mut self, common: usize, progress: &mut Progress) {
        let mut agreed = self.pieces.iter().take_while(|piece| piece.decided_by <= common).count();
        let end =
            |agreed: usize| self.pieces.get(..agreed).and_then(<[Piece]>::last).map_or(0, |piece| piece.end);
        // What a definition has done to earlier blocks is not remembered: without it, begin again.
        if self.references.reach_behind(end(agreed)) {
            agreed = 0;
            self.references = References::default();
        }
        self.open = end(agreed);
        self.line = self.open;
        progress.kept = self.pieces.get(agreed).map_or(self.blocks.len(), |piece| piece.first_block);
        self.pieces.truncate(agreed);
        self.blocks.truncate(progress.kept);
        self.waiting.retain(|waiting| waiting.end <= self.open);
        self.source.truncate(common);
        self.fence = None;
        self.ended = false;
    }

    fn progress(&self) -> Progress {
        Progress { kept: self.blocks.len(), ..Progress::default() }
    }

    fn lines(&self) -> &str {
        self.source.get(self.open..self.line).unwrap_or_default()
    }

    /// Finishes what the whole lines allow.
    fn settle(&mut self, progress: &mut Progress) {
        loop {
            self.skip_blank_lines();
            if self.lines().is_empty() {
                return;
            }
            if let Some((fence, language)) = Fence::open_at(&self.source, self.open) {
                self.tail = vec![Block::Code { language, text: String::new() }];
                self.fence = Some(fence);
                progress.tail_changed = true;
                let start = self.open;
                self.feed_fence(progress);
                if self.fence.is_some() {
                    return;
                }
                if self.open > start {
                    continue;
                }
            }
            let next_line = self.source.get(self.line..).unwrap_or_default();
            let length = finished(self.lines(), next_line);
            if length == 0 {
                return;
            }
            self.take_piece(self.open + length, self.source.len(), progress);
        }
    }

    fn skip_blank_lines(&mut self) {
        while let Some(end) = self.lines().find('\n') {
            if !self.lines().get(..=end).is_some_and(ends_blank) {
                break;
            }
            self.open += end + 1;
        }
    }

    /// Gives the open block of code what has come; says whether more is shown, if it still is open.
    fn feed_fence(&mut self, progress: &mut Progress) -> Option<bool> {
        let (Some(fence), Some(Block::Code { text, .. })) = (&mut self.fence, self.tail.first_mut()) else {
            return None;
        };
        match fence.feed(&self.source, text) {
            Fed::Open(changed) => return Some(changed),
            Fed::Closed(end) => {
                self.fence = None;
                self.take_piece(end, end, progress);
            }
            Fed::Unclear => self.fence = None,
        }
        None
    }

    /// The source up to `end` becomes finished blocks.
    fn take_piece(&mut self, end: usize, decided_by: usize, progress: &mut Progress) {
        let start = self.open;
        let first_block = self.blocks.len();
        let built = build(self.source.get(start..end).unwrap_or_default(), &self.references, None);
        progress.finished += built.blocks.len();
        self.blocks.extend(built.blocks);
        self.pieces.push(Piece { end, first_block, decided_by });
        self.open = end;
        if !built.missing.is_empty() {
            self.waiting.push(Waiting { start, end, first_block, labels: built.missing });
        }
        let definitions = built.definitions.into_iter().map(|(label, mut definition)| {
            definition.piece = start;
            (label, definition)
        });
        if self.references.learn(definitions.collect()) {
            self.resolve(progress);
        }
    }

    /// Builds again what has been waiting for a label that is defined by now.
    fn resolve(&mut self, progress: &mut Progress) {
        for waiting in &mut self.waiting {
            if !waiting.labels.iter().any(|label| self.references.get(label).is_some()) {
                continue;
            }
            let text = self.source.get(waiting.start..waiting.end).unwrap_or_default();
            let built = build(text, &self.references, None);
            waiting.labels = built.missing;
            for (position, block) in (waiting.first_block..).zip(built.blocks) {
                if let Some(old) = self.blocks.get_mut(position).filter(|old| **old != block) {
                    *old = block;
                    if position < progress.kept && !progress.resolved.contains(&position) {
                        progress.resolved.push(position);
                    }
                }
            }
        }
        self.waiting.retain(|waiting| !waiting.labels.is_empty());
    }

    fn show_tail(&mut self, progress: &mut Progress) {
        if self.fence.is_none() {
            let text = self.source.get(self.open..).unwrap_or_default();
            let tail = tail::blocks(text, &self.references);
            progress.tail_changed |= tail != self.tail;
            self.tail = tail;
        }
    }
}

#[cfg(test)]
#[path = "stream_tests.rs"]
mod tests;
