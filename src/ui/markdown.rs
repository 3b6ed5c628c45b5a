//! Markdown as real elements, while it streams. Blocks are built once when they are finished; only the live tail is
//! changed, node by node, so that nothing that stands there is built anew for what is added. No HTML is ever parsed.

pub(super) mod build;
mod code;
mod patch;

use pilothouse_core::markdown::{Block, MarkdownStream, Progress};
use web_sys::Element;

pub use code::text_of as code_of;

/// What stands in the page: the elements of the finished blocks, then those of the tail.
pub struct Markdown {
    container: Element,
    source: Source,
    tail: Tail,
}

/// Of a text that is complete the blocks are forgotten: few texts ever change again, and then it is parsed anew.
enum Source {
    Growing(MarkdownStream),
    Complete(String),
}

/// The live blocks as they stand in the page. An open block of code may be long, and only ever grows: of its text the
/// length is enough.
#[derive(Clone, Debug, Default)]
struct Tail {
    blocks: Vec<Block>,
    code: Option<usize>,
}

impl Tail {
    fn of(blocks: &[Block]) -> Self {
        match blocks {
            [Block::Code { language, text }] => {
                let block = Block::Code { language: language.clone(), text: String::new() };
                Self { blocks: vec![block], code: Some(text.len()) }
            }
            _ => Self { blocks: blocks.to_vec(), code: None },
        }
    }

    /// What has been added, if both are the same open block of code.
    fn added_code<'a>(&self, now: &'a [Block]) -> Option<&'a str> {
        match (self.blocks.as_slice(), now) {
            ([Block::Code { language: shown, .. }], [Block::Code { language, text }])
                if shown == language =>
            {
                text.get(self.code?..)
            }
            _ => None,
        }
    }
}

impl Markdown {
    pub fn in_place(parent: &Element) -> Self {
        let container = build::element("div");
        container.set_class_name("row-text markdown");
        build::add(parent, &container);
        Self { container, source: Source::Growing(MarkdownStream::default()), tail: Tail::default() }
    }

    pub fn show(&mut self, text: &str, live: bool) {
        let mut stream = match &mut self.source {
            Source::Complete(shown) if shown == text => return,
            Source::Complete(shown) => {
                let mut stream = MarkdownStream::default();
                stream.push(shown);
                stream.finish();
                stream
            }
            Source::Growing(stream) => std::mem::take(stream),
        };
        self.update(&mut stream, text, live);
        self.source = if live {
            Source::Growing(stream)
        } else {
            self.tail = Tail::default();
            Source::Complete(text.to_owned())
        };
    }

    fn update(&mut self, stream: &mut MarkdownStream, text: &str, live: bool) {
        let finished = stream.blocks().len();
        let mut progress = match text.strip_prefix(stream.source()) {
            Some(added) => stream.push(added),
            None => stream.replace(text),
        };
        if !live {
            progress = both(progress, stream.finish());
        }
        if progress.kept < finished {
            // The agent's final word differs from here on.
            patch::truncate(&self.container, progress.kept);
            self.tail = Tail::default();
        }
        self.draw(stream, &progress);
    }

    fn draw(&mut self, stream: &MarkdownStream, progress: &Progress) {
        let container = &self.container;
        let (blocks, tail) = (stream.blocks(), stream.tail());
        for position in &progress.resolved {
            if let Some(block) = blocks.get(*position) {
                patch::replace(container, *position, &build::block(block));
            }
        }
        if progress.finished == 0
            && let Some(added) = self.tail.added_code(tail)
        {
            patch::append_code(container, progress.kept, added);
            self.tail.code = self.tail.code.map(|length| length + added.len());
        } else if progress.finished > 0 || progress.tail_changed {
            let new: Vec<&Block> = blocks.iter().skip(progress.kept).chain(tail).collect();
            patch::blocks(container, progress.kept, &self.tail.blocks, &new);
            self.tail = Tail::of(tail);
        }
    }
}

/// Two steps as one.
fn both(first: Progress, second: Progress) -> Progress {
    let kept = first.kept.min(second.kept);
    let mut resolved = first.resolved;
    resolved.extend(second.resolved);
    resolved.retain(|position| *position < kept);
    Progress {
        kept,
        finished: (first.kept + first.finished).min(second.kept) - kept + second.finished,
        tail_changed: first.tail_changed || second.tail_changed,
        resolved,
    }
}

#[cfg(all(test, target_arch = "wasm32"))]
mod browser_tests;
