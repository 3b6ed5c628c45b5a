//! Long texts in a real browser: only the sections near the view are built, without a visible difference.

use leptos::html;
use leptos::mount::mount_to;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{Element, HtmlElement};

use super::{Markdown, blocks};
use crate::dom::element::with_text;
use crate::dom::visibility::Visibility;

/// A text in a scroll container, 300 pixels high.
struct Page {
    scroller: HtmlElement,
    markdown: Markdown,
    visibility: Visibility,
    _mounted: Box<dyn std::any::Any>,
}

/// The page's style sheets, which determine the layout of sections.
const STYLE: &str =
    concat!(include_str!("../../../../style/base.css"), include_str!("../../../../style/markdown.css"));

fn page() -> Page {
    let body = document().body().unwrap();
    body.append_child(&with_text("style", "", STYLE)).unwrap();
    let slot = std::rc::Rc::new(std::cell::Cell::new(None));
    let made = slot.clone();
    let mounted = mount_to(body, move || {
        let scroller = NodeRef::<html::Div>::new();
        let visibility = Visibility::new(scroller, true);
        provide_context(visibility);
        let begin = move |scroller: Element| {
            made.set(Some((Markdown::append_to(&scroller), scroller, visibility)));
        };
        view! { <div node_ref=scroller use:begin style="height: 300px; overflow-y: auto"></div> }
    });
    let (markdown, scroller, visibility) = slot.take().unwrap();
    Page { scroller: scroller.unchecked_into(), markdown, visibility, _mounted: Box::new(mounted) }
}

fn paragraphs(count: usize) -> String {
    (0..count).map(|number| format!("Paragraph {number} of them.\n\n")).collect()
}

impl Page {
    fn text(&self) -> String {
        self.scroller.text_content().unwrap()
    }

    fn has(&self, number: usize) -> bool {
        self.text().contains(&format!("Paragraph {number} of"))
    }

    async fn until(&self, holds: impl Fn(&Self) -> bool) {
        while !holds(self) {
            frame().await;
        }
    }
}

async fn frame() {
    let next = js_sys::Promise::new(&mut |done, _| {
        request_animation_frame(move || drop(done.call0(&JsValue::UNDEFINED)));
    });
    JsFuture::from(next).await.unwrap();
}

#[wasm_bindgen_test]
async fn only_sections_near_the_view_are_built() {
    let mut page = page();
    page.markdown.show(&paragraphs(400), false);
    assert!(page.has(0) && page.has(399) && !page.has(200));
    let scroller = page.scroller.clone();
    scroller.set_scroll_top(scroller.scroll_height() / 2);
    page.until(|page| (150..250).any(|number| page.has(number))).await;
    // The end, which was built first, is far from the view now.
    page.until(|page| !page.has(399)).await;
    scroller.set_scroll_top(scroller.scroll_height());
    page.until(|page| page.has(399)).await;
}

#[wasm_bindgen_test]
async fn emptied_sections_keep_their_height_and_are_rebuilt_unchanged() {
    let mut page = page();
    page.markdown.show(&paragraphs(400), false);
    page.visibility.force_near(&page.scroller);
    let (whole, height) = (page.text(), page.scroller.scroll_height());
    assert!((0..400).all(|number| page.has(number)));
    let scroller = page.scroller.clone();
    scroller.set_scroll_top(height / 2);
    page.until(|page| (150..250).any(|number| page.has(number))).await;
    scroller.set_scroll_top(0);
    page.until(|page| !(150..250).any(|number| page.has(number))).await;
    assert!((scroller.scroll_height() - height).abs() <= 1, "{} {height}", scroller.scroll_height());
    page.visibility.force_near(&page.scroller);
    assert_eq!(page.text(), whole);
}

#[wasm_bindgen_test]
async fn a_growing_text_empties_sections_above_the_view() {
    let mut page = page();
    let text = paragraphs(300);
    let mut shown = 0;
    while shown < text.len() {
        shown = (shown + 600).min(text.len());
        page.markdown.show(&text[..shown], true);
        page.scroller.set_scroll_top(page.scroller.scroll_height());
        frame().await;
    }
    page.until(|page| page.has(299) && !page.has(100)).await;
    page.markdown.show(&text, false);
    page.visibility.force_near(&page.scroller);
    assert!((0..300).all(|number| page.has(number)));
}

#[wasm_bindgen_test]
async fn a_different_final_text_updates_sections_that_are_not_built() {
    let mut page = page();
    page.markdown.show(&paragraphs(400), true);
    assert!(!page.has(200));
    let other = paragraphs(400).replace("Paragraph 200 of", "Another 200 of");
    page.markdown.show(&other, false);
    page.visibility.force_near(&page.scroller);
    assert_eq!(page.text().matches("Another 200 of").count(), 1);
    assert!((0..400).all(|number| page.has(number) != (number == 200)));
    page.markdown.show(&paragraphs(20), false);
    assert!(page.has(19) && !page.has(20));
}

#[wasm_bindgen_test]
async fn a_different_final_text_keeps_visible_sections_built() {
    let mut page = page();
    page.markdown.show(&paragraphs(400), true);
    let scroller = page.scroller.clone();
    scroller.set_scroll_top(scroller.scroll_height() / 2);
    page.until(|page| (150..250).any(|number| page.has(number))).await;
    frame().await;
    let near: Vec<usize> = (100..300).filter(|number| page.has(*number)).collect();
    let other = paragraphs(400).replace("Paragraph 3 of", "Another 3 of");
    page.markdown.show(&other, false);
    let gone: Vec<&usize> = near.iter().filter(|number| !page.has(**number)).collect();
    assert!(gone.is_empty() && !near.is_empty(), "{gone:?} of {near:?} are gone");
    assert!(!page.has(3) && page.text().contains("Another 3 of"));
}

#[wasm_bindgen_test]
async fn a_block_is_found_by_its_number() {
    let mut page = page();
    page.markdown.show(&paragraphs(100), false);
    page.visibility.force_near(&page.scroller);
    let text = page.scroller.query_selector(".markdown").unwrap().unwrap();
    for number in [0, 15, 16, 31, 32, 99] {
        let block = blocks::by_number(&text, number).unwrap();
        assert_eq!(block.text_content().unwrap(), format!("Paragraph {number} of them."));
        assert_eq!(blocks::number_of(&block), number);
    }
    let scroller = page.scroller.clone();
    scroller.set_scroll_top(scroller.scroll_height() / 2);
    let edge = scroller.get_bounding_client_rect().top();
    let first = blocks::first_below(&text, edge).unwrap().get_bounding_client_rect();
    assert!(first.bottom() > edge && first.top() <= edge + 20.0);
}

#[wasm_bindgen_test]
async fn selected_sections_stay_built_far_from_the_view() {
    let mut page = page();
    page.markdown.show(&paragraphs(400), false);
    let scroller = page.scroller.clone();
    scroller.set_scroll_top(scroller.scroll_height() / 2);
    page.until(|page| (150..250).any(|number| page.has(number))).await;
    let number = (150..250).find(|number| page.has(*number)).unwrap();
    let text = page.scroller.query_selector(".markdown").unwrap().unwrap();
    let block = blocks::by_number(&text, number).unwrap();
    let selection = window().get_selection().unwrap().unwrap();
    selection.select_all_children(&block).unwrap();
    scroller.set_scroll_top(scroller.scroll_height());
    page.until(|page| page.has(399)).await;
    frame().await;
    frame().await;
    assert!(page.has(number) && block.is_connected());
    selection.remove_all_ranges().unwrap();
}
