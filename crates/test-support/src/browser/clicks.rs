//! Clicks as a user makes them: on an element that is visible, enabled and not covered by another.

use serde_json::{Value, json};
use thirtyfour::error::WebDriverErrorInner;
use thirtyfour::prelude::*;

use super::Page;
use super::script::PAGE;
use crate::wait;

impl Page {
    /// Clicks the first element that matches a selector. Opens the drawer first if the element is in the sidebar of a
    /// phone.
    pub async fn click(&self, selector: &str) {
        if selector.starts_with("nav ") {
            self.open_drawer().await;
        }
        self.click_function("usable", json!([selector])).await;
    }

    /// Clicks the last element that matches a selector.
    pub async fn click_last(&self, selector: &str) {
        self.click_function("lastUsable", json!([selector])).await;
    }

    /// Clicks the first element that matches a selector and contains a text.
    pub async fn click_with_text(&self, selector: &str, text: &str) {
        if selector.starts_with("nav ") {
            self.open_drawer().await;
        }
        self.click_function("usableWithText", json!([selector, text])).await;
    }

    /// Presses a button by its accessible name.
    pub async fn press(&self, name: &str) {
        self.click_function("button", json!([name])).await;
    }

    /// Presses a button whose text starts with these words.
    pub async fn press_starting(&self, words: &str) {
        self.click_function("buttonStarting", json!([words])).await;
    }

    /// Presses a button twice, faster than any response can arrive.
    pub async fn press_twice(&self, name: &str) {
        let button = self.until_found("button", json!([name])).await;
        self.driver.action_chain().double_click_element(&button).perform().await.unwrap();
    }

    /// Chooses an item of the session menu.
    pub async fn choose_in_session_menu(&self, item: &str) {
        self.click(".title-bar [aria-label='Session menu']").await;
        self.press(item).await;
    }

    /// Chooses an agent in the form for a new session.
    pub async fn choose_agent(&self, name: &str) {
        self.click_function("radioLabel", json!([name])).await;
    }

    /// Chooses an option of a select field by its value. The list of options is the browser's own, so nothing of the
    /// page can cover it.
    pub async fn choose_option(&self, select: &str, value: &str) {
        self.click_function("first", json!([format!("{select} option[value='{value}']")])).await;
    }

    /// Moves the pointer over an element.
    pub async fn hover(&self, selector: &str) {
        let element = self.until_found("usable", json!([selector])).await;
        self.driver.action_chain().move_to_element_center(&element).perform().await.unwrap();
    }

    /// Opens the sidebar where it is a drawer, and waits until it no longer moves.
    pub async fn open_drawer(&self) {
        let open = async || {
            if self.call(PAGE, "isSidebarOpen", json!([])).await == true {
                return Some(());
            }
            // Fails while the drawer begins to cover the button.
            if let Some(button) = self.found("closedDrawerButton", &json!([])).await {
                let _ = button.click().await;
            }
            None
        };
        if wait::poll(open).await.is_none() {
            self.give_up("the open drawer").await;
        }
    }

    /// Closes the sidebar where it is a drawer.
    pub async fn close_drawer(&self) {
        if self.count(".sidebar-open").await > 0 {
            self.click(".sidebar-close").await;
            self.until_absent(".sidebar-open").await;
        }
    }

    /// Opens all closed rows that match a selector, from the first to the last, and returns to where the reader was.
    pub async fn open_rows(&self, selector: &str) {
        self.call(PAGE, "rowsSettle", json!([])).await;
        let position = self.call(PAGE, "scrollPosition", json!([])).await;
        let mut opened = 0;
        while let Some(line) = self.found("closedRow", &json!([selector])).await {
            self.click_element("a closed row", async || Some(line.clone())).await;
            self.until_function("an open row", "isOpened", json!([line.to_json().unwrap()])).await;
            opened += 1;
        }
        if opened > 0 {
            self.call(PAGE, "scrollTo", json!([position])).await;
        }
    }

    /// Waits until a function returns an element.
    async fn until_found(&self, function: &str, arguments: Value) -> WebElement {
        match wait::poll(async || self.found(function, &arguments).await).await {
            Some(element) => element,
            None => self.give_up(&format!("{function}{arguments}")).await,
        }
    }

    async fn click_function(&self, function: &str, arguments: Value) {
        let what = format!("{function}{arguments}");
        self.click_element(&what, async || self.found(function, &arguments).await).await;
    }

    /// Clicks an element as soon as it holds still. WebDriver scrolls it into view, and refuses a click that
    /// another element would receive. A user then scrolls it away from under the other one; a button for which that
    /// does not help stays covered and fails the story.
    async fn click_element(&self, what: &str, find: impl AsyncFn() -> Option<WebElement>) {
        let mut obstacle = "no such element".to_owned();
        let click = async || {
            let element = find().await?;
            let still = self.run_function(PAGE, "isStill", &json!([element.to_json().ok()?])).await.ok()?;
            if still.json() != &json!(true) {
                obstacle = "it moves".to_owned();
                return None;
            }
            match element.click().await {
                Ok(()) => Some(()),
                Err(error) if may_pass(&error) => {
                    // Without the stack trace of the driver.
                    obstacle = error.to_string().split("Stacktrace").next().unwrap_or_default().to_owned();
                    let _ =
                        self.run_function(PAGE, "scrollToCenter", &json!([element.to_json().ok()?])).await;
                    None
                }
                Err(error) => panic!("cannot click {what}: {error}"),
            }
        };
        if wait::poll(click).await.is_none() {
            self.give_up(&format!("a click on {what}: {obstacle}")).await;
        }
    }
}

/// Whether a click that failed may succeed later.
fn may_pass(error: &WebDriverError) -> bool {
    matches!(
        **error,
        WebDriverErrorInner::ElementClickIntercepted(_)
            | WebDriverErrorInner::ElementNotInteractable(_)
            | WebDriverErrorInner::MoveTargetOutOfBounds(_)
            | WebDriverErrorInner::StaleElementReference(_)
    )
}
