//! Streamed Markdown in a real browser: the elements do not depend on how the text was streamed, and unchanged elements
//! are never rebuilt.

use leptos::prelude::document;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::Element;

use super::Markdown;

const DOCUMENT: &str = "# Title *and* more\n\nA paragraph with `code`, **strong and *both***, ~~gone~~ and \
    [a link](https://example.org/x \"t\").\nNext line  \nbroken. See https://example.org/y.\n\n\
    - one\n- two\n  1. inner\n  2. **inner** too\n- [x] done\n- [ ] open\n\n\
    > a quote\n> - with a list\n\n```rust\nfn main() {\n    println!(\"<b>\");\n}\n```\n\n\
    | a | b |\n|:-:|--:|\n| 1 | **2** |\n| 3 | 4 |\n\n---\n\n![pic](https://example.org/p.png)\n\n\
    <script>alert(1)</script>\n\nSee [late] too.\n\n[late]: https://example.org/late\n\nThe end.";

fn page() -> Markdown {
    Markdown::append_to(&document().create_element("div").unwrap())
}

fn page_of(text: &str) -> Markdown {
    let mut page = page();
    page.show(text, false);
    page
}

/// The markup, with adjacent text nodes joined.
fn html(page: &Markdown) -> String {
    let text = shown(page);
    text.normalize();
    text.outer_html()
}

fn shown(page: &Markdown) -> Element {
    page.0.borrow().sections.text.clone()
}

#[wasm_bindgen_test]
fn the_final_elements_do_not_depend_on_the_chunk_size() {
    // Repeated, so that some texts are long enough for sections.
    for (count, size) in
        [(1, 1), (1, 2), (1, 3), (1, 7), (1, 40), (1, 1_000), (6, 13), (6, 300), (6, 100_000)]
    {
        let document = [DOCUMENT].repeat(count).join("\n\n");
        let whole = html(&page_of(&document));
        let mut page = page();
        let mut text = String::new();
        let characters: Vec<char> = document.chars().collect();
        for piece in characters.chunks(size) {
            text.extend(piece);
            page.show(&text, true);
        }
        page.show(&text, false);
        assert_eq!(html(&page), whole, "in pieces of {size}");
    }
}

#[wasm_bindgen_test]
fn existing_nodes_are_kept_while_streaming() {
    let mut page = page();
    page.show("First paragraph.\n\nSecond **bo", true);
    let first = shown(&page).first_child().unwrap();
    let second = shown(&page).last_child().unwrap();
    page.show("First paragraph.\n\nSecond **bold** and\n\n```\ncode\nmo", true);
    assert!(shown(&page).first_child().unwrap().is_same_node(Some(&first)));
    assert!(shown(&page).child_nodes().item(1).unwrap().is_same_node(Some(&second)));
    let code = shown(&page).last_element_child().unwrap().query_selector("code").unwrap().unwrap();
    let text = code.first_child().unwrap();
    page.show("First paragraph.\n\nSecond **bold** and\n\n```\ncode\nmore\nand more\n", true);
    assert!(code.first_child().unwrap().is_same_node(Some(&text)), "code grows in its existing node");
    assert_eq!(code.text_content().unwrap().trim_end(), "code\nmore\nand more");
}

#[wasm_bindgen_test]
fn a_different_final_text_replaces_the_streamed_one() {
    let mut page = page();
    page.show("One.\n\nTwo.\n\nThree", true);
    page.show("One.\n\nTwo, *really*.", false);
    assert_eq!(html(&page), html(&page_of("One.\n\nTwo, *really*.")));
    page.show("One.\n\nTwo, *really*. And more", true);
    page.show("One.\n\nTwo, *really*. And more.", false);
    assert_eq!(html(&page), html(&page_of("One.\n\nTwo, *really*. And more.")));
}

#[wasm_bindgen_test]
fn a_finished_text_that_grows_keeps_its_first_blocks() {
    let mut page = page_of("One.\n\nTwo.\n\nThree.");
    let first = shown(&page).first_child().unwrap();
    page.show("One.\n\nTwo.\n\nThree. And four.", false);
    assert!(shown(&page).first_child().unwrap().is_same_node(Some(&first)));
    assert_eq!(html(&page), html(&page_of("One.\n\nTwo.\n\nThree. And four.")));
}

#[wasm_bindgen_test]
fn no_text_produces_elements_outside_the_allowed_list() {
    let allowed = "h3 h4 h5 h6 p a em strong del code pre ul ol li blockquote table thead tbody tr th td hr br div \
        span button";
    let hostile = [
        "<script>window.broken = 1</script>",
        "<img src=x onerror=\"window.broken = 1\">",
        "a <svg onload=alert(1)> b <iframe src=//evil></iframe>",
        "[x](javascript:alert(1)) [y](data:text/html,x) [z](  JaVaScript:alert(1))",
        "![x](javascript:alert(1)) ![y](http://127.0.0.1/track.png)",
        "<a href=\"javascript:alert(1)\">x</a>\n\n<style>*{display:none}</style>",
        "```<script>\nx\n```\n\n| <b> |\n|---|\n| <i onclick=x> |",
        "[a]: javascript:alert(1)\n\n[a] <javascript:alert(1)> \u{202e}evil",
    ];
    for text in hostile {
        for live in [true, false] {
            let page = {
                let mut page = page();
                page.show(text, live);
                page
            };
            let all = shown(&page).query_selector_all("*").unwrap();
            for index in 0..all.length() {
                let element: Element = all.item(index).unwrap().unchecked_into();
                let tag = element.tag_name().to_lowercase();
                assert!(allowed.split_whitespace().any(|name| name == tag), "{tag} from {text:?}");
                let href = element.get_attribute("href").unwrap_or_default();
                assert!(href.is_empty() || href.starts_with("http"), "{href} from {text:?}");
                assert!(!element.has_attribute("src") && !element.has_attribute("style"), "{text:?}");
            }
            document().body().unwrap().append_child(&shown(&page)).unwrap();
            shown(&page).remove();
        }
    }
}
