//! Markdown as real elements, while it streams. Blocks are built once when they are finished; only the live tail is
//! changed, node by node, so that nothing that stands there is built anew for what is added. Of a long text only what
//! is near the view is built. No HTML is ever parsed.

pub mod blocks;
pub mod build;
mod code_block;
mod height_estimate;
mod patch;
mod sections;

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use leptos::prelude::{Set, use_context};
use pilothouse_core::render::markdown::{Block, MarkdownStream, Progress};
use web_sys::Element;

pub use self::code_block::text_of as code_of;
use self::sections::{BLOCKS, Content, Sections};
use crate::dom::visibility::{Visibility, Watched};

/// Shared with those who tell what is near.
pub struct Markdown(Rc<RefCell<Shown>>);

/// What stands in the page: the elements of the finished blocks, then those of the tail.
struct Shown {
    sections: Sections,
    source: Source,
    tail: Tail,
    near: Option<Visibility>,
}

enum Source {
    Growing(MarkdownStream),
    /// The blocks are forgotten: few texts ever change again, and then it is parsed anew.
    Complete(String),
    /// Some of its blocks are yet to be built.
    Long(MarkdownStream),
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
        let text = build::with_class("div", "row-text markdown");
        build::add(parent, &text);
        Self(Rc::new(RefCell::new(Shown {
            sections: Sections::of(text),
            source: Source::Growing(MarkdownStream::default()),
            tail: Tail::default(),
            near: use_context(),
        })))
    }

    pub fn show(&mut self, text: &str, live: bool) {
        self.0.borrow_mut().show(text, live, &Rc::downgrade(&self.0));
    }
}

impl Shown {
    fn show(&mut self, text: &str, live: bool, own: &Weak<RefCell<Self>>) {
        let mut stream = match &mut self.source {
            Source::Complete(shown) if shown == text => return,
            Source::Long(stream) if stream.source() == text => return,
            // As it came, so that what stands before a change is known to be finished.
            Source::Complete(shown) => {
                let mut stream = MarkdownStream::default();
                stream.push(shown);
                stream.finish();
                stream
            }
            Source::Growing(stream) | Source::Long(stream) => std::mem::take(stream),
        };
        self.update(&mut stream, text, live, own);
        self.source = if live {
            Source::Growing(stream)
        } else {
            self.tail = Tail::default();
            if stream.blocks().len() > BLOCKS {
                Source::Long(stream)
            } else {
                Source::Complete(text.to_owned())
            }
        };
    }

    fn update(&mut self, stream: &mut MarkdownStream, text: &str, live: bool, own: &Weak<RefCell<Self>>) {
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
            self.sections.truncate(progress.kept);
            self.tail = Tail::default();
        }
        self.draw(stream, &progress, own);
    }

    fn draw(&mut self, stream: &MarkdownStream, progress: &Progress, own: &Weak<RefCell<Self>>) {
        let (sections, content) = (&mut self.sections, content_of(stream));
        for position in &progress.resolved {
            if let Some(block) = content.finished.get(*position) {
                sections.replace(*position, block);
            }
        }
        if progress.finished == 0
            && let Some(added) = self.tail.added_code(content.tail)
        {
            if let Some(block) = sections.block(progress.kept) {
                patch::append_code(&block, added);
            }
            self.tail.code = self.tail.code.map(|length| length + added.len());
        } else if progress.finished > 0 || progress.tail_changed {
            let near = self.near;
            let watch = |index, element: &Element| Some(watch(near?, index, element, own.clone()));
            sections.change(progress.kept, &self.tail.blocks, content, watch);
            if progress.finished > 0 {
                sections.tidy(true);
            }
            self.tail = Tail::of(content.tail);
        }
    }

    /// Tells whether something was built.
    fn moved(&mut self, index: usize, is_near: bool) -> bool {
        let (stream, grows) = match &self.source {
            Source::Growing(stream) => (stream, true),
            Source::Long(stream) => (stream, false),
            Source::Complete(_) => return false,
        };
        let built = self.sections.moved(index, is_near, content_of(stream));
        self.sections.tidy(grows);
        built
    }
}

fn watch(near: Visibility, index: usize, element: &Element, shown: Weak<RefCell<Shown>>) -> Watched {
    near.watch(element, move |is_near| {
        let Some(shown) = shown.upgrade() else { return };
        if shown.try_borrow_mut().is_ok_and(|mut shown| shown.moved(index, is_near)) {
            near.built.set(true);
        }
    })
}

fn content_of(stream: &MarkdownStream) -> Content<'_> {
    Content { finished: stream.blocks(), tail: stream.tail() }
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
#[cfg(all(test, target_arch = "wasm32"))]
mod long_tests;
