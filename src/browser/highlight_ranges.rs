//! Highlights text with the CSS Custom Highlight API, which paints ranges without changing the DOM. Browsers without
//! it show no highlights.

use js_sys::{Array, Function, Reflect};
use leptos::prelude::document;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Node, Range};

/// Set on the root element while something in it is highlighted.
const HIGHLIGHTED: &str = "data-marked";

const MAX_RANGES: usize = 2_000;

/// Highlights every occurrence of `words` inside `root`, ignoring case and the amount of white space. `name` is the
/// highlight's name in the style sheet. Returns the ranges in document order.
pub fn highlight_all(name: &str, root: &Element, words: &str) -> Vec<Range> {
    let ranges = Array::new();
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let words: Vec<char> = words.to_lowercase().chars().collect();
    if !words.is_empty() {
        let mut run = TextRun::default();
        collect(root, &words, &mut run, &ranges);
        run.finish(&words, &ranges);
    }
    paint(name, &ranges);
    // The highlight rules cost a style calculation per element, so they apply only while this attribute is set.
    let _ = root.set_attribute(HIGHLIGHTED, "");
    ranges.iter().map(JsCast::unchecked_into).collect()
}

/// Makes `range` the only one with this highlight name.
pub fn highlight_one(name: &str, range: &Range) {
    paint(name, &Array::of1(range));
}

/// Removes the highlights with these names inside `root`.
pub fn clear(names: &[&str], root: &Element) {
    for name in names {
        paint(name, &Array::new());
    }
    let _ = root.remove_attribute(HIGHLIGHTED);
}

/// Consecutive text nodes that read as one text, such as the coloured parts of a line of code.
#[derive(Default)]
struct TextRun {
    text: String,
    /// Each node with the offset of its text in UTF-16 code units.
    nodes: Vec<(Node, u32)>,
    length: u32,
}

impl TextRun {
    fn add(&mut self, node: Node) {
        let text = node.node_value().unwrap_or_default();
        self.nodes.push((node, self.length));
        self.length += utf16_length(&text);
        self.text.push_str(&text);
    }

    /// Appends the ranges found in this run, and starts an empty one.
    fn finish(&mut self, words: &[char], ranges: &Array) {
        let run = std::mem::take(self);
        for (start, end) in find(&run.text, words) {
            if ranges.length() as usize >= MAX_RANGES {
                return;
            }
            let node_at = |offset: u32| {
                let index = run.nodes.partition_point(|(_, first)| *first <= offset).saturating_sub(1);
                run.nodes.get(index).map(|(node, first)| (node, offset - first))
            };
            // Looks up the last letter, because the offset after it may belong to the next node.
            if let (Some((from, start)), Some((to, last))) = (node_at(start), node_at(end - 1))
                && let Ok(range) = document().create_range()
                && range.set_start(from, start).and_then(|()| range.set_end(to, last + 1)).is_ok()
            {
                ranges.push(&range);
            }
        }
    }
}

fn collect(parent: &Node, words: &[char], run: &mut TextRun, ranges: &Array) {
    let mut next = parent.first_child();
    while let Some(child) = next {
        next = child.next_sibling();
        if child.node_type() == Node::TEXT_NODE {
            run.add(child);
        } else if is_inline(&child) {
            collect(&child, words, run, ranges);
        } else {
            run.finish(words, ranges);
            collect(&child, words, run, ranges);
            run.finish(words, ranges);
        }
    }
}

/// Whether an element belongs to the text around it.
fn is_inline(node: &Node) -> bool {
    node.dyn_ref::<Element>().is_some_and(|element| match element.local_name().as_str() {
        "a" | "code" | "del" | "em" | "mark" | "strong" => true,
        "span" => {
            let class = element.class_name();
            class.is_empty() || class.starts_with("code-") || class.starts_with("path-")
        }
        _ => false,
    })
}

fn utf16_length(text: &str) -> u32 {
    text.chars().map(|letter| letter.len_utf16() as u32).sum()
}

/// Returns the start and end of each occurrence in UTF-16 code units, the unit of DOM ranges.
fn find(text: &str, words: &[char]) -> Vec<(u32, u32)> {
    // Lowercase letters with the range of the original letter, which may become several letters in lower case.
    let mut letters = Vec::new();
    let mut offset = 0;
    for letter in text.chars() {
        let end = offset + letter.len_utf16() as u32;
        match letters.last_mut() {
            // White space is collapsed.
            Some((' ', _, last)) if letter.is_whitespace() => *last = end,
            _ if letter.is_whitespace() => letters.push((' ', offset, end)),
            _ => letters.extend(letter.to_lowercase().map(|lower| (lower, offset, end))),
        }
        offset = end;
    }
    let mut matches = Vec::new();
    let mut index = 0;
    while index + words.len() <= letters.len() {
        let here = &letters[index..index + words.len()];
        if here.iter().map(|(letter, ..)| letter).eq(words) {
            matches.push((here[0].1, here[here.len() - 1].2));
            index += words.len();
        } else {
            index += 1;
        }
    }
    matches
}

/// Calls `CSS.highlights.set(name, new Highlight(...ranges))`, or `delete(name)` without ranges.
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
    fn ranges_are_counted_in_utf16_code_units() {
        let words: Vec<char> = "sea".chars().collect();
        assert_eq!(find("The Sea, 🌊sea", &words), [(4, 7), (11, 14)]);
        assert_eq!(find("seasea", &words), [(0, 3), (3, 6)]);
        let two: Vec<char> = "the sea".chars().collect();
        assert_eq!(find("the\nsea", &two), [(0, 7)], "a line break matches a space");
        assert_eq!(find("of the \t sea", &two), [(3, 12)], "so does a run of white space");
        assert_eq!(find("İsea", &words), [(1, 4)], "a capital whose lowercase has two letters");
        assert!(find("se", &words).is_empty());
    }
}
