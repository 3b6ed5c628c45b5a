//! Markdown as real elements, while it streams. Blocks are built once when they are finished; only the live tail is
//! changed, node by node, so that nothing that stands there is built anew for what is added. No HTML is ever parsed.

pub(super) mod build;
mod code;
mod patch;

use leptos::prelude::*;
use pilothouse_core::UiMessage;
use pilothouse_core::markdown::{Block, MarkdownStream, Progress};
use web_sys::Element;

use super::dynamic::{clicked, effect};
use super::rows::entry::Entry;

#[component]
pub fn StreamedMarkdown(
    entry: Entry,
    /// Which text of the row.
    text: fn(&UiMessage) -> &str,
) -> impl IntoView {
    let shown = StoredValue::new_local(None::<Shown>);
    let update = move |message: &UiMessage, live: bool| {
        shown.update_value(|shown| {
            shown.iter_mut().for_each(|shown| shown.show(text(message), live));
        });
    };
    // What is there already stands there at once; only what comes later is told.
    let begin = move |place: Element| {
        let page = Shown::new();
        build::add(&place, &page.container);
        shown.set_value(Some(page));
        let live = untrack(|| entry.is_live());
        entry.peek(|message| update(message, live));
    };
    effect(move || {
        let live = entry.is_live();
        entry.read(|message| update(message, live));
    });
    view! { <div class="row-text" use:begin on:click=clicked(code::copy_on_click)></div> }
}

/// What stands in the page: the elements of the finished blocks, then those of the tail. The framework keeps markers
/// among its own nodes, so these have a container to themselves.
#[derive(Clone, Debug)]
struct Shown {
    container: Element,
    stream: MarkdownStream,
    tail: Tail,
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

impl Shown {
    fn new() -> Self {
        let container = build::element("div");
        container.set_class_name("markdown");
        Self { container, stream: MarkdownStream::default(), tail: Tail::default() }
    }

    fn show(&mut self, text: &str, live: bool) {
        let finished = self.stream.blocks().len();
        let mut progress = match text.strip_prefix(self.stream.source()) {
            Some(added) => self.stream.push(added),
            None => self.stream.replace(text),
        };
        if !live {
            progress = both(progress, self.stream.finish());
        }
        if progress.kept < finished {
            // The agent's final word differs from here on.
            patch::truncate(&self.container, progress.kept);
            self.tail = Tail::default();
        }
        self.draw(&progress);
    }

    fn draw(&mut self, progress: &Progress) {
        let container = &self.container;
        let (blocks, tail) = (self.stream.blocks(), self.stream.tail());
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
