//! The scroll anchor: the row, or the block of its text, at the upper edge of the view. It stays in place on
//! the screen when content above it changes.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, NodeList};

use crate::features::rows::markdown::blocks;
use crate::store::client::ReadingPosition;

#[derive(Clone, Debug)]
pub struct Anchor {
    row: Element,
    /// The visible block and its number, if the row begins above the view.
    block: Option<(Element, usize)>,
    /// The position of the block or row in the window when the anchor was set.
    top: f64,
    /// The scroll position at that time.
    scrolled: i32,
}

impl Anchor {
    /// The first visible row or block.
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
        let row = row_at(&rows, low)?;
        let begins_above = row.get_bounding_client_rect().top() < edge;
        let text = Some(&row).filter(|_| begins_above).and_then(text_of);
        let block = text.and_then(|text| blocks::first_below(&text, edge));
        let block = block.map(|block| (block.clone(), blocks::number_of(&block)));
        Some(Self::at(row, block, scroller))
    }

    pub fn of(row: Element, scroller: &HtmlElement) -> Self {
        Self::at(row, None, scroller)
    }

    fn at(row: Element, block: Option<(Element, usize)>, scroller: &HtmlElement) -> Self {
        let mut anchor = Self { row, block, top: 0.0, scrolled: scroller.scroll_top() };
        anchor.top = anchor.place().get_bounding_client_rect().top();
        anchor
    }

    /// The element of the block, or the one that has replaced it, or the row.
    fn place(&self) -> Element {
        let again = |number: usize| blocks::by_number(&text_of(&self.row)?, number);
        match &self.block {
            Some((block, _)) if block.is_connected() => block.clone(),
            Some((_, number)) => again(*number).unwrap_or_else(|| self.row.clone()),
            None => self.row.clone(),
        }
    }

    /// Sets the same anchor again at its current position.
    pub fn again(self, scroller: &HtmlElement) -> Self {
        Self::at(self.row, self.block, scroller)
    }

    /// The distance in pixels by which changes above have moved the anchor since, without the reader's
    /// scrolling. `None` if the anchor is no longer in the document.
    pub fn moved(&self, scroller: &HtmlElement) -> Option<i32> {
        let (now, last) = (scroller.scroll_top(), scroller.scroll_height() - scroller.client_height());
        // If the content became shorter than the scroll position, the browser moved the view, not the reader.
        let is_pushed = self.scrolled > last && now >= last;
        let by_reader = if is_pushed { 0.0 } else { f64::from(now - self.scrolled) };
        let place = self.place();
        let top = place.is_connected().then(|| place.get_bounding_client_rect().top());
        top.map(|top| (top - self.top + by_reader).round() as i32)
    }

    /// The reading position to restore this anchor later.
    pub fn reading(&self, scroller: &HtmlElement) -> ReadingPosition {
        ReadingPosition::At {
            row: self.row.get_attribute("data-message-id").unwrap_or_default(),
            position: None,
            block: self.block.as_ref().map(|(_, number)| *number),
            offset: self.top - scroller.get_bounding_client_rect().top(),
        }
    }
}

/// Scrolls a row, or a block of it, to `offset` pixels below the upper edge.
pub fn show_at(scroller: &HtmlElement, row: &Element, block: Option<usize>, offset: f64) {
    let block = block.and_then(|number| blocks::by_number(&text_of(row)?, number));
    let place = block.as_ref().unwrap_or(row);
    let from_top = place.get_bounding_client_rect().top() - scroller.get_bounding_client_rect().top();
    scroller.set_scroll_top(scroller.scroll_top() + (from_top - offset).round() as i32);
}

fn text_of(row: &Element) -> Option<Element> {
    row.query_selector(".markdown").ok()?
}

fn row_at(rows: &NodeList, index: u32) -> Option<Element> {
    rows.item(index)?.dyn_into().ok()
}

/// Finds the element of a row. Compares the ids instead of using a selector, which an id could break.
pub fn find_row(scroller: &HtmlElement, row_id: &str) -> Option<Element> {
    let rows = scroller.query_selector_all("[data-message-id]").ok()?;
    let mut rows = (0..rows.length()).filter_map(|index| row_at(&rows, index));
    rows.find(|row| row.get_attribute("data-message-id").as_deref() == Some(row_id))
}
