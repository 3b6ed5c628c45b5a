//! Converts between a block's element and its number in the text, to restore scroll positions.

use wasm_bindgen::JsCast;
use web_sys::Element;

use super::patch::child;
use super::sections::{BLOCKS, CLASS};

/// The first block whose bottom is below `edge`, found by binary search. If its section is not built, the section.
pub fn first_below(text: &Element, edge: f64) -> Option<Element> {
    let (mut low, mut high) = (0, text.child_element_count() as usize);
    while low < high {
        let middle = low + (high - low) / 2;
        if element_at(text, middle)?.get_bounding_client_rect().bottom() > edge {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    let found = element_at(text, low)?;
    let inner = Some(&found).filter(|found| is_section(found)).and_then(|section| first_below(section, edge));
    Some(inner.unwrap_or(found))
}

pub fn number_of(block: &Element) -> usize {
    let index = index_of(block);
    match block.parent_element().filter(is_section) {
        Some(section) => number_of(&section) + index,
        None if is_section(block) => BLOCKS + (index - BLOCKS) * BLOCKS,
        None => index,
    }
}

pub fn by_number(text: &Element, number: usize) -> Option<Element> {
    if number < BLOCKS {
        return element_at(text, number);
    }
    let section = element_at(text, BLOCKS + number / BLOCKS - 1)?;
    Some(element_at(&section, number % BLOCKS).unwrap_or(section))
}

fn is_section(element: &Element) -> bool {
    element.class_name() == CLASS
}

fn index_of(element: &Element) -> usize {
    std::iter::successors(element.previous_element_sibling(), Element::previous_element_sibling).count()
}

fn element_at(parent: &Element, index: usize) -> Option<Element> {
    child(parent, index)?.dyn_into().ok()
}
