//! Incremental Markdown rendering. Finished blocks are built once; the live tail is patched node by node. Of a long text,
//! only the sections near the view are built. HTML is never parsed.

pub mod blocks;
mod build;
mod code_block;
mod height_estimate;
mod patch;
mod sections;

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use leptos::prelude::{Set, use_context};
use pilothouse_core::render::markdown::{Block, MarkdownStream, Progress};
use web_sys::Element;

pub use self::code_block::code_element;
use self::sections::{BLOCKS, Content, Sections};
use crate::dom::element::{append, with_class};
use crate::dom::visibility::{Visibility, WatchGuard};

/// Shared with the visibility callbacks of its sections.
pub struct Markdown(Rc<RefCell<Rendered>>);

/// The rendered text: the elements of the finished blocks, then those of the tail.
struct Rendered {
    sections: Sections,
    source: Source,
    tail: Tail,
    /// `None` outside a timeline; then all sections are built.
    visibility: Option<Visibility>,
}

enum Source {
    Growing(MarkdownStream),
    /// A short, finished text. Its blocks are dropped, because it rarely changes again; if it does, it is parsed again.
    Complete(String),
    /// A finished text whose blocks are kept, because some of its sections may not be built.
    Long(MarkdownStream),
}

/// The rendered live blocks. Of an open code block only the length is stored, because it may be long and only grows.
#[derive(Clone, Debug, Default)]
struct Tail {
    blocks: Vec<Block>,
    code_length: Option<usize>,
}

impl Tail {
    fn of(blocks: &[Block]) -> Self {
        match blocks {
            [Block::Code { language, text }] => {
                let block = Block::Code { language: language.clone(), text: String::new() };
                Self { blocks: vec![block], code_length: Some(text.len()) }
            }
            _ => Self { blocks: blocks.to_vec(), code_length: None },
        }
    }

    /// The added text, if both tails are the same open code block.
    fn added_code<'a>(&self, tail: &'a [Block]) -> Option<&'a str> {
        match (self.blocks.as_slice(), tail) {
            ([Block::Code { language: shown, .. }], [Block::Code { language, text }])
                if shown == language =>
            {
                text.get(self.code_length?..)
            }
            _ => None,
        }
    }
}

impl Markdown {
    pub fn append_to(parent: &Element) -> Self {
        let text = with_class("div", "row-text markdown");
        append(parent, &text);
        Self(Rc::new(RefCell::new(Rendered {
            sections: Sections::of(text),
            source: Source::Growing(MarkdownStream::default()),
            tail: Tail::default(),
            visibility: use_context(),
        })))
    }

    /// Renders the text. `live` says whether more may be streamed.
    pub fn show(&mut self, text: &str, live: bool) {
        self.0.borrow_mut().show(text, live, &Rc::downgrade(&self.0));
    }
}

impl Rendered {
    fn show(&mut self, text: &str, live: bool, this: &Weak<RefCell<Self>>) {
        let mut stream = match &mut self.source {
            Source::Complete(shown) if shown == text => return,
            Source::Long(stream) if stream.source() == text => return,
            // Parses the old text first, so that the blocks before the change count as finished and are kept.
            Source::Complete(shown) => {
                let mut stream = MarkdownStream::default();
                stream.push(shown);
                stream.finish();
                stream
            }
            Source::Growing(stream) | Source::Long(stream) => std::mem::take(stream),
        };
        self.update(&mut stream, text, live, this);
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

    fn update(&mut self, stream: &mut MarkdownStream, text: &str, live: bool, this: &Weak<RefCell<Self>>) {
        let finished = stream.blocks().len();
        let mut progress = match text.strip_prefix(stream.source()) {
            Some(added) => stream.push(added),
            None => stream.replace(text),
        };
        if !live {
            progress = combined(progress, stream.finish());
        }
        if progress.kept < finished {
            // The final text differs from the streamed one from here on.
            self.sections.truncate(progress.kept);
            self.tail = Tail::default();
        }
        self.render(stream, &progress, this);
    }

    fn render(&mut self, stream: &MarkdownStream, progress: &Progress, this: &Weak<RefCell<Self>>) {
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
            self.tail.code_length = self.tail.code_length.map(|length| length + added.len());
        } else if progress.finished > 0 || progress.tail_changed {
            let visibility = self.visibility;
            let watch = |index, element: &Element| Some(watch(visibility?, index, element, this.clone()));
            sections.update(progress.kept, &self.tail.blocks, content, watch);
            if progress.finished > 0 {
                sections.empty_far(true);
            }
            self.tail = Tail::of(content.tail);
        }
    }

    /// Builds or empties sections after one came near or left. Returns whether something was built.
    fn visibility_changed(&mut self, index: usize, is_near: bool) -> bool {
        let (stream, grows) = match &self.source {
            Source::Growing(stream) => (stream, true),
            Source::Long(stream) => (stream, false),
            Source::Complete(_) => return false,
        };
        let built = self.sections.visibility_changed(index, is_near, content_of(stream));
        self.sections.empty_far(grows);
        built
    }
}

fn watch(
    visibility: Visibility,
    index: usize,
    element: &Element,
    rendered: Weak<RefCell<Rendered>>,
) -> WatchGuard {
    visibility.watch(element, move |is_near| {
        let Some(rendered) = rendered.upgrade() else { return };
        if rendered.try_borrow_mut().is_ok_and(|mut rendered| rendered.visibility_changed(index, is_near)) {
            visibility.built.set(true);
        }
    })
}

fn content_of(stream: &MarkdownStream) -> Content<'_> {
    Content { finished: stream.blocks(), tail: stream.tail() }
}

/// The progress of two consecutive steps.
fn combined(first: Progress, second: Progress) -> Progress {
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
