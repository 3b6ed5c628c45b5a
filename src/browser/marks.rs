//! Words marked in the page without changing its elements: the browser paints ranges of text. One that cannot leaves
//! them unmarked.

use js_sys::{Array, Function, Reflect};
use leptos::prelude::document;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Node};

/// So many places are marked at most.
const MOST: usize = 2_000;

/// Marks every place below an element that has these words, in any capitals, under a name that the style knows.
pub fn mark(name: &str, place: &Element, words: &str) {
    let ranges = Array::new();
    let words: Vec<char> = words.trim().to_lowercase().chars().collect();
    if !words.is_empty() {
        collect(place, &words, &ranges);
    }
    paint(name, &ranges);
}

pub fn unmark(name: &str) {
    paint(name, &Array::new());
}

fn collect(place: &Node, words: &[char], ranges: &Array) {
    let children = place.child_nodes();
    for child in (0..children.length()).filter_map(|index| children.item(index)) {
        if child.node_type() != Node::TEXT_NODE {
            collect(&child, words, ranges);
            continue;
        }
        for (start, end) in found(&child.node_value().unwrap_or_default(), words) {
            if ranges.length() as usize >= MOST {
                return;
            }
            if let Ok(range) = document().create_range()
                && range.set_start(&child, start).and_then(|()| range.set_end(&child, end)).is_ok()
            {
                ranges.push(&range);
            }
        }
    }
}

/// Where words stand in a text, counted as the browser counts.
fn found(text: &str, words: &[char]) -> Vec<(u32, u32)> {
    // Small letters may be more than the capital was: each keeps the place of its own.
    let mut letters = Vec::new();
    let mut units = 0;
    for letter in text.chars() {
        letters.extend(letter.to_lowercase().map(|small| (small, units, units + letter.len_utf16() as u32)));
        units += letter.len_utf16() as u32;
    }
    let mut places = Vec::new();
    let mut index = 0;
    while index + words.len() <= letters.len() {
        let here = &letters[index..index + words.len()];
        if here.iter().map(|(letter, ..)| letter).eq(words) {
            places.push((here[0].1, here[here.len() - 1].2));
            index += words.len();
        } else {
            index += 1;
        }
    }
    places
}

/// `CSS.highlights.set(name, new Highlight(...ranges))`
fn paint(name: &str, ranges: &Array) -> Option<()> {
    let global = js_sys::global();
    let registry = Reflect::get(&Reflect::get(&global, &"CSS".into()).ok()?, &"highlights".into()).ok()?;
    let highlight: Function = Reflect::get(&global, &"Highlight".into()).ok()?.dyn_into().ok()?;
    let call = |method: &str, arguments: &Array| -> Result<JsValue, JsValue> {
        Reflect::get(&registry, &method.into())?.dyn_into::<Function>()?.apply(&registry, arguments)
    };
    if ranges.length() == 0 {
        call("delete", &Array::of1(&name.into())).ok()?;
    } else {
        call("set", &Array::of2(&name.into(), &Reflect::construct(&highlight, ranges).ok()?)).ok()?;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_units_of_the_browser() {
        let words: Vec<char> = "sea".chars().collect();
        assert_eq!(found("The Sea, 🌊sea", &words), [(4, 7), (11, 14)]);
        assert_eq!(found("seasea", &words), [(0, 3), (3, 6)]);
        assert_eq!(found("İsea", &words), [(1, 4)], "a capital that becomes two letters");
        assert!(found("se", &words).is_empty());
    }
}
