//! The row a reader looks at: it stays where it is when something above it comes, goes or grows.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, NodeList};

#[derive(Clone, Debug)]
pub struct Anchor {
    row: Element,
    top: f64,
    /// How far the view was scrolled then.
    scrolled: i32,
}

impl Anchor {
    /// The first row that can be seen.
    pub fn of_view(scroller: &HtmlElement) -> Option<Self> {
        let rows = scroller.query_selector_all("[data-message-id]").ok()?;
        let edge = scroller.get_bounding_client_rect().top();
        let (mut low, mut high) = (0, rows.length());
        while low < high {
            let middle = low + (high - low) / 2;
            if row_at(&rows, middle)?.get_bounding_client_rect().bottom() > edge {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        row_at(&rows, low).map(|row| Self::of(row, scroller))
    }

    pub fn of(row: Element, scroller: &HtmlElement) -> Self {
        let top = row.get_bounding_client_rect().top();
        Self { row, top, scrolled: scroller.scroll_top() }
    }

    /// The same row, where it is now.
    pub fn again(self, scroller: &HtmlElement) -> Self {
        Self::of(self.row, scroller)
    }

    /// How far something above it has moved it since, apart from the reader's scrolling; none if it is not there any
    /// more.
    pub fn moved(&self, scroller: &HtmlElement) -> Option<i32> {
        let by_reader = f64::from(scroller.scroll_top() - self.scrolled);
        let top = self.row.is_connected().then(|| self.row.get_bounding_client_rect().top());
        top.map(|top| (top - self.top + by_reader).round() as i32)
    }

    pub fn row_id(&self) -> String {
        self.row.get_attribute("data-message-id").unwrap_or_default()
    }

    /// Below the upper edge of the view.
    pub fn offset(&self, scroller: &HtmlElement) -> f64 {
        self.top - scroller.get_bounding_client_rect().top()
    }
}

fn row_at(rows: &NodeList, index: u32) -> Option<Element> {
    rows.item(index)?.dyn_into().ok()
}

/// Compared, not put into a selector: ids are the server's.
pub fn find_row(scroller: &HtmlElement, row_id: &str) -> Option<Element> {
    let rows = scroller.query_selector_all("[data-message-id]").ok()?;
    let mut rows = (0..rows.length()).filter_map(|index| row_at(&rows, index));
    rows.find(|row| row.get_attribute("data-message-id").as_deref() == Some(row_id))
}
