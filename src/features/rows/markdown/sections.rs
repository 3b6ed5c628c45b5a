//! The layout of a text's blocks. The first blocks are children of the text element; all others are in sections, of which
//! only those near the view are built. The rest are empty boxes with their last or estimated height.

use pilothouse_core::render::markdown::Block;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::{build, height_estimate, patch};
use crate::browser::view_height;
use crate::dom::element::{append, with_class};
use crate::dom::visibility::WatchGuard;

/// The number of blocks directly in the text element, and in each section.
pub const BLOCKS: usize = 16;

/// The number of sections at the end that are always built: the text grows there, and most readers are there.
const LAST_SECTIONS: usize = 2;

pub const CLASS: &str = "section";

/// All blocks of a text: the finished ones, then those that may still change.
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
    /// The first section that is visible when the view is at the end of the text.
    fn first_visible_from_end(&self, sections: usize) -> usize {
        let (view, mut height) = (view_height(), 0.0);
        let mut first = sections;
        while first > 0 && (height < view || first + LAST_SECTIONS > sections) {
            first -= 1;
            height += self.of_section(first).map(height_estimate::height).sum::<f64>();
        }
        first
    }
}

pub struct Sections {
    pub text: Element,
    sections: Vec<Section>,
    /// Whether each section was near before sections were removed: new ones are likely to take their place.
    were_near: Vec<Option<bool>>,
}

struct Section {
    element: Element,
    built: bool,
    /// `None` until the observer has reported the section.
    near: Option<bool>,
    _guard: Option<WatchGuard>,
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

    /// Rebuilds a finished block.
    pub fn replace(&self, position: usize, block: &Block) {
        if let Some(element) = self.block(position) {
            let _ = element.replace_with_with_node_1(&build::block(block));
        }
    }

    /// Updates the blocks from a position on, where `shown` is rendered so far. Unchanged nodes are kept.
    pub fn update(
        &mut self,
        from: usize,
        shown: &[Block],
        content: Content,
        watch: impl Fn(usize, &Element) -> Option<WatchGuard>,
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
            append(&self.text, &build::block(block));
        }
        let section_count = sections_for(content.len());
        let first_visible = content.first_visible_from_end(section_count);
        for index in section_of(from).unwrap_or_default()..section_count {
            if index == self.sections.len() {
                let element = with_class("div", CLASS);
                append(&self.text, &element);
                let guard = watch(index, &element);
                let was_near = self.were_near.get_mut(index).and_then(Option::take);
                // Without an observer, every section counts as near.
                let near = if guard.is_none() { Some(true) } else { was_near };
                self.sections.push(Section { element, built: false, near, _guard: guard });
            }
            let Some(section) = self.sections.get_mut(index) else { return };
            if section.built {
                let new = content.of_section(index).skip(from.saturating_sub(first_of(index)));
                new.for_each(|block| append(&section.element, &build::block(block)));
            } else if section.near == Some(true) || index >= first_visible {
                section.build(content.of_section(index));
            } else {
                section.set_height(content.of_section(index).map(height_estimate::height).sum());
            }
        }
    }

    /// Removes the blocks from index `length` on.
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

    /// Records whether a section is near. Returns true if it was built because of that.
    pub fn visibility_changed(&mut self, index: usize, near: bool, content: Content) -> bool {
        let Some(section) = self.sections.get_mut(index) else { return false };
        section.near = Some(near);
        let must_build = near && !section.built;
        if must_build {
            section.build(content.of_section(index));
        }
        must_build
    }

    /// Empties the sections far from the view, except the end of a growing text.
    pub fn empty_far(&mut self, grows: bool) {
        let count = self.sections.len().saturating_sub(if grows { LAST_SECTIONS } else { 0 });
        for section in self.sections.iter_mut().take(count) {
            if section.built && section.near == Some(false) {
                section.empty();
            }
        }
    }
}

impl Section {
    fn build<'a>(&mut self, blocks: impl Iterator<Item = &'a Block>) {
        let _ = self.element.remove_attribute("style");
        blocks.for_each(|block| append(&self.element, &build::block(block)));
        self.built = true;
    }

    fn empty(&mut self) {
        let height = self.element.get_bounding_client_rect().height();
        // A section that is not laid out has no height to preserve.
        if height > 0.0 {
            self.set_height(height);
            patch::truncate(&self.element, 0);
            self.built = false;
        }
    }

    fn set_height(&self, height: f64) {
        let style = self.element.unchecked_ref::<HtmlElement>().style();
        // Formats with integers: float formatting would add more code than this whole module.
        let hundredths = (height * 100.0).round() as u32;
        let height = format!("{}.{:02}px", hundredths / 100, hundredths % 100);
        let _ = style.set_property("height", &height);
    }
}

const fn sections_for(length: usize) -> usize {
    length.saturating_sub(BLOCKS).div_ceil(BLOCKS)
}

/// The section of a block; `None` if it is directly in the text element.
const fn section_of(position: usize) -> Option<usize> {
    match position / BLOCKS {
        0 => None,
        number => Some(number - 1),
    }
}

/// The position of a section's first block.
const fn first_of(section: usize) -> usize {
    (section + 1) * BLOCKS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_belongs_to_one_section() {
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
