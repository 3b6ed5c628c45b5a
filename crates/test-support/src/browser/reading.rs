//! Reads the page by CSS selectors (texts, counts, positions), and waits for them.

use serde::Deserialize;
use serde_json::json;
use thirtyfour::prelude::*;

use super::Page;
use super::script::PAGE;

/// The parts of a timeline row that a reload must not change.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Row {
    pub kind: String,
    pub text: String,
    pub phase: Option<String>,
}

/// The position and size of an element, in CSS pixels of the viewport.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
pub struct Rect {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
    pub width: f64,
    pub height: f64,
}

impl Page {
    pub async fn count(&self, selector: &str) -> usize {
        self.call_as(PAGE, "count", json!([selector])).await
    }

    pub async fn until_count(&self, selector: &str, count: usize) {
        let look = async || (self.count(selector).await == count).then_some(());
        if crate::wait::poll(look).await.is_none() {
            let found = self.count(selector).await;
            self.give_up(&format!("{count} of '{selector}', there are {found}")).await;
        }
    }

    /// Waits until at least so many elements match the selector.
    pub async fn until_at_least(&self, selector: &str, count: usize) {
        let look = async || (self.count(selector).await >= count).then_some(());
        if crate::wait::poll(look).await.is_none() {
            self.give_up(&format!("at least {count} of '{selector}'")).await;
        }
    }

    /// Waits until an element matches the selector.
    pub async fn until_present(&self, selector: &str) {
        self.until_function(&format!("'{selector}'"), "containsText", json!([selector, ""])).await;
    }

    /// Waits until no element matches the selector.
    pub async fn until_absent(&self, selector: &str) {
        self.until_count(selector, 0).await;
    }

    /// The texts of all elements that match.
    pub async fn texts(&self, selector: &str) -> Vec<String> {
        self.call_as(PAGE, "texts", json!([selector])).await
    }

    /// The text of the first element that matches, empty if there is none.
    pub async fn text_of(&self, selector: &str) -> String {
        self.texts(selector).await.into_iter().next().unwrap_or_default()
    }

    /// Waits until the first element that matches has exactly this text, without white space around it.
    pub async fn until_text_of(&self, selector: &str, text: &str) {
        self.until_function(&format!("'{text}' in '{selector}'"), "hasText", json!([selector, text])).await;
    }

    /// Waits until an element that matches contains this text.
    pub async fn until_text_in(&self, selector: &str, part: &str) {
        let what = format!("'{part}' in '{selector}'");
        self.until_function(&what, "containsText", json!([selector, part])).await;
    }

    /// Waits until a row of the conversation contains this text.
    pub async fn until_text(&self, text: &str) {
        self.until_text_in("[role=log] [data-message-id]", text).await;
    }

    /// Waits until the row with this text is visible.
    pub async fn until_row_in_view(&self, text: &str) {
        self.until_function(&format!("'{text}' in view"), "isRowInView", json!([text])).await;
    }

    pub async fn attribute(&self, selector: &str, name: &str) -> String {
        let element = self.driver.find(By::Css(selector)).await.unwrap();
        element.attr(name).await.unwrap().unwrap_or_default()
    }

    /// The value of a field.
    pub async fn value_of(&self, selector: &str) -> String {
        let element = self.driver.find(By::Css(selector)).await.unwrap();
        element.prop("value").await.unwrap().unwrap_or_default()
    }

    /// Waits until the first field that matches has this value.
    pub async fn until_value(&self, selector: &str, value: &str) {
        let look = async || {
            let field = self.driver.find(By::Css(selector)).await.ok()?;
            let found = field.prop("value").await.ok()?.unwrap_or_default();
            (found == value).then_some(())
        };
        if crate::wait::poll(look).await.is_none() {
            self.give_up(&format!("'{value}' in the field '{selector}'")).await;
        }
    }

    /// Waits until the element that has the focus matches the selector.
    pub async fn until_focus(&self, selector: &str) {
        self.until_present(&format!("{selector}:focus")).await;
    }

    /// Whether the first element that matches is rendered.
    pub async fn is_visible(&self, selector: &str) -> bool {
        self.call(PAGE, "isVisible", json!([selector])).await == true
    }

    pub async fn until_visible(&self, selector: &str) {
        self.until_function(&format!("a visible '{selector}'"), "isVisible", json!([selector])).await;
    }

    pub async fn until_hidden(&self, selector: &str) {
        let look = async || (!self.is_visible(selector).await).then_some(());
        if crate::wait::poll(look).await.is_none() {
            self.give_up(&format!("a hidden '{selector}'")).await;
        }
    }

    /// Waits until an element is inside the window, seen from top and bottom.
    pub async fn until_in_window(&self, selector: &str) {
        self.until_function(&format!("'{selector}' in view"), "isInWindow", json!([selector])).await;
    }

    /// Waits until an image is loaded and at least so many pixels wide.
    pub async fn until_image(&self, selector: &str, width: u32) {
        let what = format!("the loaded image '{selector}'");
        self.until_function(&what, "isLoadedImage", json!([selector, width])).await;
    }

    pub async fn rect(&self, selector: &str) -> Rect {
        self.call_as(PAGE, "rect", json!([selector])).await
    }

    /// Waits until no transition runs.
    pub async fn until_animations_end(&self) {
        self.call(PAGE, "animationsEnd", json!([])).await;
    }

    pub async fn title(&self) -> String {
        self.driver.title().await.unwrap()
    }

    /// Waits until the title of the tab satisfies a condition.
    pub async fn until_title(&self, what: &str, holds: impl Fn(&str) -> bool) {
        crate::wait::until_some(what, async || holds(&self.title().await).then_some(())).await;
    }

    /// Waits until the address of the tab satisfies a condition.
    pub async fn until_address(&self, what: &str, holds: impl Fn(&str) -> bool) {
        crate::wait::until_some(what, async || holds(&self.address().await).then_some(())).await;
    }

    pub async fn state(&self) -> String {
        self.attribute("main[data-session-id]", "data-state").await
    }

    pub async fn until_state(&self, state: &str) {
        self.until_present(&format!("main[data-session-id][data-state={state}]")).await;
    }

    pub async fn until_tool(&self, phase: &str) {
        self.until_present(&format!("[data-kind=tool][data-phase={phase}]")).await;
    }

    /// The id of the session that is shown.
    pub async fn session(&self) -> String {
        self.attribute("main[data-session-id]", "data-session-id").await
    }

    /// Returns the rows once the page has stopped building them. Opens closed tool rows, so that their output counts
    /// too.
    pub async fn rows(&self) -> Vec<Row> {
        self.open_rows("[data-kind=tool]").await;
        self.call_as(PAGE, "readRows", json!([])).await
    }

    /// Reloads and returns the rows.
    pub async fn rows_after_reload(&self) -> Vec<Row> {
        self.reload().await;
        self.until_present("[role=log] [data-message-id]").await;
        self.rows().await
    }
}
