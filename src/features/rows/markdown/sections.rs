//! Where the blocks of a text stand. The first stand in the text itself, as all of most texts do; the others of a long
//! one in sections, of which only those near the view are built. The rest are empty boxes, as high as they were or are
//! guessed to be.

use pilothouse_core::render::markdown::Block;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::{build, height_estimate, patch};
use crate::browser::view_height;
use crate::dom::visibility::Watched;

/// So many blocks stand in the text itself, and in each section.
pub const BLOCKS: usize = 16;

/// So many of the last sections are built at the least: a reader is most often at the end, and there it grows.
const LAST: usize = 2;

pub const CLASS: &str = "section";

/// All blocks as they are to stand there: the finished ones, then those that may still change.
#[derive(Clone, Copy)]
pub struct Content<'a> {
    pub finished: &'a [Block],
    pub tail: &'a [Block],
}

impl<'a> Content<'a> {
    pub const fn len(&self) -> usize {
        self.finished.len() + self.tail.len()
    }

    fn get(&self, position: usize) -> Option<&'a Block> {
        self.finished.get(position).or_else(|| self.tail.get(position.checked_sub(self.finished.len())?))
    }

    fn of_section(&self, index: usize) -> impl Iterator<Item = &'a Block> {
        let content = *self;
        (first_of(index)..first_of(index + 1)).map_while(move |position| content.get(position))
    }
}

impl Content<'_> {
    /// The first section that a reader at the end sees something of.
    fn first_seen_from_end(&self, sections: usize) -> usize {
        let (view, mut height) = (view_height(), 0.0);
        let mut first = sections;
        while first > 0 && (height < view || first + LAST > sections) {
            first -= 1;
            height += self.of_section(first).map(height_estimate::height).sum::<f64>();
        }
        first
    }
}

pub struct Sections {
    pub text: Element,
    sections: Vec<Section>,
    /// Which sections were near when they were taken away: others are likely to take their place.
    were_near: Vec<Option<bool>>,
}

struct Section {
    element: Element,
    built: bool,
    /// Not known before the browser has told.
    near: Option<bool>,
    _watched: Option<Watched>,
}

impl Sections {
    pub const fn of(text: Element) -> Self {
        Self { text, sections: Vec::new(), were_near: Vec::new() }
    }

    /// The element of a block, if it is built.
    pub fn block(&self, position: usize) -> Option<Element> {
        let (parent, index) = match section_of(position) {
            None => (&self.text, position),
            Some(section) => (&self.sections.get(section)?.element, position - first_of(section)),
        };
        patch::child(parent, index).map(JsCast::unchecked_into)
    }

    /// Shows a block anew that was finished before.
    pub fn replace(&self, position: usize, block: &Block) {
        if let Some(element) = self.block(position) {
            let _ = element.replace_with_with_node_1(&build::block(block));
        }
    }

    /// Changes the blocks from a position on, where `shown` stands so far. Nodes that stay what they are are kept.
    pub fn change(
        &mut self,
        from: usize,
        shown: &[Block],
        content: Content,
        watch: impl Fn(usize, &Element) -> Option<Watched>,
    ) {
        for (position, old) in (from..).zip(shown) {
            if let (Some(element), Some(new)) = (self.block(position), content.get(position))
                && old != new
                && !patch::block(&element, old, new)
            {
                let _ = element.replace_with_with_node_1(&build::block(new));
            }
        }
        self.truncate(content.len());
        let from = (from + shown.len()).min(content.len());
        for block in (from..content.len().min(BLOCKS)).filter_map(|position| content.get(position)) {
            build::add(&self.text, &build::block(block));
        }
        let wanted = sections_for(content.len());
        let first_seen = content.first_seen_from_end(wanted);
        for index in section_of(from).unwrap_or_default()..wanted {
            if index == self.sections.len() {
                let element = build::with_class("div", CLASS);
                build::add(&self.text, &element);
                let watched = watch(index, &element);
                // Where nobody tells what is near, everything is.
                let known = self.were_near.get_mut(index).and_then(Option::take);
                let near = if watched.is_none() { Some(true) } else { known };
                self.sections.push(Section { element, built: false, near, _watched: watched });
            }
            let Some(section) = self.sections.get_mut(index) else { return };
            if section.built {
                let new = content.of_section(index).skip(from.saturating_sub(first_of(index)));
                new.for_each(|block| build::add(&section.element, &build::block(block)));
            } else if section.near == Some(true) || index >= first_seen {
                section.build(content.of_section(index));
            } else {
                section.keep_height(content.of_section(index).map(height_estimate::height).sum());
            }
        }
    }

    /// Takes away what stands from `length` on.
    pub fn truncate(&mut self, length: usize) {
        let kept = sections_for(length).min(self.sections.len());
        if kept < self.sections.len() {
            self.were_near = self.sections.iter().map(|section| section.near).collect();
        }
        self.sections.drain(kept..).for_each(|section| section.element.remove());
        match self.sections.last() {
            Some(section) => patch::truncate(&section.element, length - first_of(kept - 1)),
            None => patch::truncate(&self.text, length),
        }
    }

    /// A section has come near, or has gone. Tells whether it was built for that.
    pub fn moved(&mut self, index: usize, near: bool, content: Content) -> bool {
        let Some(section) = self.sections.get_mut(index) else { return false };
        section.near = Some(near);
        let is_new = near && !section.built;
        if is_new {
            section.build(content.of_section(index));
        }
        is_new
    }

    /// Empties what is far from the view; not the end of a text that still grows.
    pub fn tidy(&mut self, grows: bool) {
        let movable = self.sections.len().saturating_sub(if grows { LAST } else { 0 });
        for section in self.sections.iter_mut().take(movable) {
            if section.built && section.near == Some(false) {
                section.empty();
            }
        }
    }
}

impl Section {
    fn build<'a>(&mut self, blocks: impl Iterator<Item = &'a Block>) {
        let _ = self.element.remove_attribute("style");
        blocks.for_each(|block| build::add(&self.element, &build::block(block)));
        self.built = true;
    }

    fn empty(&mut self) {
        let height = self.element.get_bounding_client_rect().height();
        // One that is not laid out has no height that could be kept.
        if height > 0.0 {
            self.keep_height(height);
            patch::truncate(&self.element, 0);
            self.built = false;
        }
    }

    fn keep_height(&self, height: f64) {
        let style = self.element.unchecked_ref::<HtmlElement>().style();
        // Writing a number with a point in it by itself takes more code than all of this.
        let hundredths = (height * 100.0).round() as u32;
        let height = format!("{}.{:02}px", hundredths / 100, hundredths % 100);
        let _ = style.set_property("height", &height);
    }
}

const fn sections_for(length: usize) -> usize {
    length.saturating_sub(BLOCKS).div_ceil(BLOCKS)
}

/// None for a block that stands in the text itself.
const fn section_of(position: usize) -> Option<usize> {
    match position / BLOCKS {
        0 => None,
        number => Some(number - 1),
    }
}

const fn first_of(section: usize) -> usize {
    (section + 1) * BLOCKS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_has_its_place() {
        assert_eq!(section_of(0), None);
        assert_eq!(section_of(BLOCKS - 1), None);
        for position in BLOCKS..5 * BLOCKS {
            let section = section_of(position).unwrap();
            assert!((first_of(section)..first_of(section + 1)).contains(&position));
            assert_eq!(sections_for(position + 1), section + 1);
        }
        assert_eq!(sections_for(BLOCKS), 0);
    }
}
