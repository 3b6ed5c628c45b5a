//! Words marked in the page without changing its elements: the browser paints ranges of text. One that cannot leaves
//! them unmarked.

use std::cell::Cell;

use js_sys::{Array, Function, Reflect};
use leptos::prelude::document;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Node, Range};

/// Says that something inside an element is marked.
const MARKED: &str = "data-marked";

/// So many places are marked at most.
const MOST: usize = 2_000;

thread_local! {
    /// Whether anything was marked since the last time that all was unmarked.
    static IS_PAINTED: Cell<bool> = const { Cell::new(false) };
}

/// Marks every place below an element that has these words, in any capitals, under a name that the style knows. Tells
/// the places, in their order.
pub fn mark(name: &str, place: &Element, words: &str) -> Vec<Range> {
    let ranges = Array::new();
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let words: Vec<char> = words.to_lowercase().chars().collect();
    if !words.is_empty() {
        let mut run = Run::default();
        collect(place, &words, &mut run, &ranges);
        run.end(&words, &ranges);
    }
    paint(name, &ranges);
    // The style of marks is worked out for every element in it: only while there are any.
    let _ = place.set_attribute(MARKED, "");
    IS_PAINTED.set(true);
    ranges.iter().map(JsCast::unchecked_into).collect()
}

/// Marks one of the places that were told, and no other, under another name.
pub fn mark_one(name: &str, place: &Range) {
    paint(name, &Array::of1(place));
}

pub fn unmark(names: &[&str]) {
    if IS_PAINTED.take() {
        for name in names {
            paint(name, &Array::new());
        }
        if let Ok(Some(place)) = document().query_selector(&format!("[{MARKED}]")) {
            let _ = place.remove_attribute(MARKED);
        }
    }
}

/// Text that reads on from node to node, as code does from colour to colour.
#[derive(Default)]
struct Run {
    text: String,
    /// Each node with the place where its text begins.
    nodes: Vec<(Node, u32)>,
    units: u32,
}

impl Run {
    fn add(&mut self, node: Node) {
        let text = node.node_value().unwrap_or_default();
        self.nodes.push((node, self.units));
        self.units += units(&text);
        self.text.push_str(&text);
    }

    /// Marks what is found in it, and begins anew.
    fn end(&mut self, words: &[char], ranges: &Array) {
        let run = std::mem::take(self);
        for (start, end) in found(&run.text, words) {
            if ranges.length() as usize >= MOST {
                return;
            }
            let place = |unit: u32| {
                let index = run.nodes.partition_point(|(_, first)| *first <= unit).saturating_sub(1);
                run.nodes.get(index).map(|(node, first)| (node, unit - first))
            };
            // The last letter's place, since the one behind it may be in a node that has nothing to do with it.
            if let (Some((from, start)), Some((to, last))) = (place(start), place(end - 1))
                && let Ok(range) = document().create_range()
                && range.set_start(from, start).and_then(|()| range.set_end(to, last + 1)).is_ok()
            {
                ranges.push(&range);
            }
        }
    }
}

fn collect(place: &Node, words: &[char], run: &mut Run, ranges: &Array) {
    let mut next = place.first_child();
    while let Some(child) = next {
        next = child.next_sibling();
        if child.node_type() == Node::TEXT_NODE {
            run.add(child);
        } else if reads_on(&child) {
            collect(&child, words, run, ranges);
        } else {
            run.end(words, ranges);
            collect(&child, words, run, ranges);
            run.end(words, ranges);
        }
    }
}

/// Whether an element is a part of the text around it.
fn reads_on(node: &Node) -> bool {
    node.dyn_ref::<Element>().is_some_and(|element| match element.local_name().as_str() {
        "a" | "code" | "del" | "em" | "mark" | "strong" => true,
        "span" => {
            let class = element.class_name();
            class.is_empty() || class.starts_with("code-") || class.starts_with("path-")
        }
        _ => false,
    })
}

fn units(text: &str) -> u32 {
    text.chars().map(|letter| letter.len_utf16() as u32).sum()
}

/// Where words stand in a text, counted as the browser counts.
fn found(text: &str, words: &[char]) -> Vec<(u32, u32)> {
    // Small letters may be more than the capital was: each keeps the place of its own.
    let mut letters = Vec::new();
    let mut units = 0;
    for letter in text.chars() {
        let end = units + letter.len_utf16() as u32;
        match letters.last_mut() {
            // All space between words is one.
            Some((' ', _, last)) if letter.is_whitespace() => *last = end,
            _ if letter.is_whitespace() => letters.push((' ', units, end)),
            _ => letters.extend(letter.to_lowercase().map(|small| (small, units, end))),
        }
        units = end;
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
        let two: Vec<char> = "the sea".chars().collect();
        assert_eq!(found("the\nsea", &two), [(0, 7)], "a break is a space");
        assert_eq!(found("of the \t sea", &two), [(3, 12)], "and so are several");
        assert_eq!(found("İsea", &words), [(1, 4)], "a capital that becomes two letters");
        assert!(found("se", &words).is_empty());
    }
}
