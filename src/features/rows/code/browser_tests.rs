//! Code in a real browser: the lines and colours do not depend on how the text was streamed.

use leptos::prelude::{document, request_animation_frame};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::Element;

use super::{append, element, set, text};

const SOURCE: &str =
    "/* a comment\n   of two lines */\nfn main() {\n    let words = \"höl🦀le\"; // why\n}\n";

/// Starts the highlighter as its loader script would.
fn load() {
    // Registers the callback that the highlighter calls.
    element("rust", "");
    pilothouse_highlight_web::start();
}

async fn frame() {
    let next = js_sys::Promise::new(&mut |done, _| {
        request_animation_frame(move || drop(done.call0(&JsValue::UNDEFINED)));
    });
    JsFuture::from(next).await.unwrap();
}

fn shown(code: &Element) -> String {
    code.normalize();
    code.outer_html()
}

fn in_page(code: &Element) {
    document().body().unwrap().append_child(code).unwrap();
}

async fn coloured(language: &str, source: &str) -> Element {
    let code = element(language, source);
    in_page(&code);
    while code.query_selector(".code-lines:not(:has(span))").unwrap().is_some() {
        frame().await;
    }
    code.remove();
    code
}

#[wasm_bindgen_test]
async fn colouring_does_not_change_the_text() {
    load();
    let code = coloured("rust", SOURCE).await;
    assert_eq!(text(&code), SOURCE);
    let found = |class: &str| code.query_selector(class).unwrap().and_then(|part| part.text_content());
    assert_eq!(found(".code-keyword").as_deref(), Some("fn"));
    assert_eq!(found(".code-string").as_deref(), Some("\"höl🦀le\""));
    assert_eq!(found(".code-function").as_deref(), Some("main"));
}

#[wasm_bindgen_test]
async fn lines_and_colours_do_not_depend_on_the_chunk_size() {
    load();
    let source = SOURCE.repeat(9) + "let open = \"";
    let whole = shown(&coloured("rust", &source).await);
    let characters: Vec<char> = source.chars().collect();
    for size in [1, 7, 50, 400] {
        let code = element("rust", "");
        for piece in characters.chunks(size) {
            append(&code, &String::from_iter(piece));
        }
        assert_eq!(shown(&code), whole, "in pieces of {size}");
    }
}

#[wasm_bindgen_test]
async fn a_growing_line_does_not_rebuild_earlier_lines() {
    load();
    let code = element("rust", &SOURCE.repeat(9));
    append(&code, "let a");
    let group = code.last_element_child().unwrap();
    let (first, kept) = (code.first_element_child().unwrap(), group.first_child().unwrap());
    append(&code, " = 1;\nlet b");
    assert!(code.first_element_child().unwrap().is_same_node(Some(&first)));
    assert!(group.first_child().unwrap().is_same_node(Some(&kept)));
    assert_eq!(text(&code), SOURCE.repeat(9) + "let a = 1;\nlet b");
}

#[wasm_bindgen_test]
async fn text_without_colours_is_continued_in_colour() {
    load();
    for before in ["x", "x\n", "x\ny", "x\n\n"] {
        let code = element("rust", before);
        append(&code, " = \"one\";\nlet ");
        append(&code, "two;\n");
        let whole = format!("{before} = \"one\";\nlet two;\n");
        assert_eq!(shown(&code), shown(&coloured("rust", &whole).await));
    }
}

#[wasm_bindgen_test]
async fn a_different_text_replaces_the_code() {
    load();
    let code = element("rust", "let a = 1;");
    append(&code, "\nlet b");
    let place = document().create_element("pre").unwrap();
    place.append_child(&code).unwrap();
    set(&code, "struct Other;\n");
    let code = place.first_element_child().unwrap();
    append(&code, "fn more() {}\n");
    assert_eq!(shown(&code), shown(&coloured("rust", "struct Other;\nfn more() {}\n").await));
}

#[wasm_bindgen_test]
async fn only_code_near_the_view_is_coloured() {
    load();
    let code = element("rust", &SOURCE.repeat(400));
    code.set_attribute("style", "display: block; height: 300px; overflow: auto").unwrap();
    let groups = code.query_selector_all(".code-lines").unwrap();
    for index in 0..groups.length() {
        let group: Element = groups.item(index).unwrap().unchecked_into();
        group.set_attribute("style", "display: block; white-space: pre").unwrap();
    }
    in_page(&code);
    let (first, last) = (code.first_element_child().unwrap(), code.last_element_child().unwrap());
    let is_coloured = |group: &Element| group.first_element_child().is_some();
    while !is_coloured(&first) {
        frame().await;
    }
    assert!(!is_coloured(&last), "it is far from the view");
    let colours = first.outer_html();
    code.set_scroll_top(code.scroll_height());
    while !is_coloured(&last) || is_coloured(&first) {
        frame().await;
    }
    code.set_scroll_top(0);
    while !is_coloured(&first) || is_coloured(&last) {
        frame().await;
    }
    assert_eq!(first.outer_html(), colours, "the same as before");
    assert_eq!(text(&code), SOURCE.repeat(400));
    code.remove();
}

/// A diff hunk as `diff` renders it: per line a sign and parts, some of them marked.
fn change(lines: &[(&str, &[(&str, &str)])]) -> Element {
    let with_text = |tag: &str, class: &str, text: &str| {
        let element = document().create_element(tag).unwrap();
        element.set_class_name(class);
        element.set_text_content(Some(text));
        element
    };
    let hunk = with_text("div", "", "");
    for (class, parts) in lines {
        hunk.append_child(&with_text("span", "diff-number", "7")).unwrap();
        let line = with_text("span", class, "+ ");
        for (tag, text) in *parts {
            line.append_child(&with_text(tag, "", text)).unwrap();
        }
        hunk.append_child(&line).unwrap();
    }
    in_page(&hunk);
    hunk
}

#[wasm_bindgen_test]
async fn a_diff_is_coloured_in_its_old_and_its_new_version() {
    load();
    let hunk = change(&[
        ("diff-text removed", &[("span", "/* "), ("mark", "open")]),
        ("diff-text removed", &[("span", "let old */")]),
        ("diff-text added", &[("span", "let "), ("mark", "new"), ("span", " = \"a\"")]),
        ("diff-text", &[("span", "let both")]),
    ]);
    let before = hunk.text_content();
    super::colour(&hunk, "rust");
    let found = |place: &str| {
        let found = hunk.query_selector_all(place).unwrap();
        (0..found.length()).filter_map(|index| found.item(index)?.text_content()).collect::<Vec<_>>()
    };
    while found(".code-keyword").len() < 2 || found(".code-comment").len() < 2 {
        frame().await;
    }
    assert_eq!(found(".removed .code-comment"), ["/* ", "let old */"], "a comment in the old version");
    assert_eq!(found(".code-keyword"), ["let", "let"], "not a comment in the new version");
    assert_eq!(found(".added .code-string"), ["\"a\""]);
    assert!(found("mark *").is_empty(), "marked parts keep the text colour");
    assert_eq!(hunk.text_content(), before);
    hunk.remove();
}

#[wasm_bindgen_test]
fn unknown_languages_are_grouped_into_lines_without_colours() {
    let source = "one\n".repeat(40) + "open";
    for language in ["", "nothing-we-know"] {
        let code = element(language, &source);
        append(&code, " end");
        assert_eq!(text(&code), source.clone() + " end");
        assert_eq!(code.child_element_count(), 3);
        assert!(code.query_selector(".code-lines *").unwrap().is_none());
    }
}
