//! The lines that name other branches, the notice about a left branch, and messages on another branch.

use std::cell::RefCell;
use std::rc::Rc;

use pilothouse_core::protocol::{Branch, BranchPoint, Branches};

use super::*;

fn branch(leaf: &str, preview: &str) -> Branch {
    Branch { leaf: leaf.into(), time: 1, messages: 2, preview: preview.into(), current: false }
}

fn branches(points: Vec<BranchPoint>) -> Event {
    Event::BranchesChanged { branches: Branches { points, earlier: 0 } }
}

/// The rows and the lines between them, by id and text.
fn sequence(page: &Page) -> Vec<String> {
    let elements = page.root.query_selector_all(".chunk > *").unwrap();
    let elements =
        (0..elements.length()).map(|index| elements.item(index).unwrap().unchecked_into::<Element>());
    let name = |element: Element| {
        element.get_attribute("data-message-id").unwrap_or_else(|| element.text_content().unwrap_or_default())
    };
    elements.map(name).collect()
}

#[wasm_bindgen_test]
async fn a_line_names_the_other_branches_where_they_leave() {
    let mut page = Page::new().await;
    page.event(user("First", "1")).await;
    page.event(user("Second", "2")).await;
    assert_eq!(sequence(&page), ["u-1", "u-2"]);
    let one = BranchPoint { row: 1, branches: vec![branch("a/b", "<b>Said</b>")], more: 0 };
    let many = BranchPoint { row: 0, branches: vec![branch("c", "Two"), branch("d", "")], more: 5 };
    page.event(branches(vec![many, one])).await;
    assert_eq!(
        sequence(&page),
        [
            "7 other branches from hereTwoUntitledand 5 more",
            "u-1",
            "1 other branch from here<b>Said</b>",
            "u-2"
        ]
    );
    let href = page.attribute("[data-message-id] + .branches a", "href").unwrap();
    assert!(href.ends_with(&format!("/s/{}?branch=a%2Fb", page.server.meta.session_id)), "{href}");
    let reloaded = Page::open(page.server.clone()).await;
    assert_eq!(reloaded.timeline(), page.timeline());
    page.event(user("Third", "3")).await;
    page.event(branches(vec![BranchPoint { row: 3, branches: vec![branch("e", "After")], more: 0 }])).await;
    assert_eq!(sequence(&page), ["u-1", "u-2", "u-3", "1 other branch from hereAfter"]);
}

#[wasm_bindgen_test]
async fn a_notice_leads_to_the_branch_that_was_left() {
    let mut page = Page::new().await;
    page.event(Event::BranchLeft { leaf: "x".into() }).await;
    assert!(page.text(".notices").contains("continued on another branch"));
    assert!(page.attribute(".notice a", "href").unwrap().ends_with("?branch=x"));
}

#[wasm_bindgen_test]
async fn a_message_on_another_branch_is_shown_there() {
    let page = Page::capable().await;
    let log = Rc::new(RefCell::new(Vec::new()));
    let own = log.clone();
    page.actions.set_navigate(move |to| own.borrow_mut().push(to.to_owned()));
    let id = page.server.meta.session_id.clone();
    page.actions.navigate_to_entry(id.clone(), Some("e1".to_owned()));
    page.answer("find_row", Ok(json!({"row": 4, "branch": "leaf"}))).await;
    assert_eq!(*log.borrow(), [format!("/s/{id}?branch=leaf#m5")]);
}
