//! Several tabs of one browser.

use serde_json::json;
use thirtyfour::WindowHandle;

use super::Page;
use super::script::PAGE;

/// The handles of two tabs.
pub struct Tabs {
    pub first: WindowHandle,
    pub second: WindowHandle,
}

impl Page {
    /// Opens another tab and switches to it. The new tab has the access of the browser.
    pub async fn open_tab(&self) -> Tabs {
        let first = self.driver.window().await.unwrap();
        let second = self.driver.new_tab().await.unwrap();
        self.switch_to_tab(&second).await;
        Tabs { first, second }
    }

    pub async fn switch_to_tab(&self, tab: &WindowHandle) {
        self.driver.switch_to_window(tab.clone()).await.unwrap();
    }

    /// Brings the tab to the front. Fires the event as well: a browser without a window may never have hidden the tab.
    pub async fn bring_to_front(&self) {
        self.cdp("Page.bringToFront", json!({})).await;
        self.until_function("a visible tab", "isDocumentVisible", json!([])).await;
        self.call(PAGE, "announceVisibility", json!([])).await;
    }
}
