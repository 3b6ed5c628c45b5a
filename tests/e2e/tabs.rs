//! Several tabs of one browser.

use thirtyfour::WindowHandle;

use crate::page::Page;

pub struct Tabs {
    pub first: WindowHandle,
    pub second: WindowHandle,
}

impl Page {
    /// Opens another tab and goes there. It needs no token: the cookie is enough.
    pub async fn second_tab(&self) -> Tabs {
        let first = self.driver.window().await.unwrap();
        let second = self.driver.new_tab().await.unwrap();
        self.to_tab(&second).await;
        Tabs { first, second }
    }

    pub async fn to_tab(&self, tab: &WindowHandle) {
        self.driver.switch_to_window(tab.clone()).await.unwrap();
    }

    /// The person looks at this tab again.
    pub async fn come_back(&self) {
        self.driver.cdp().send_raw("Page.bringToFront", serde_json::json!({})).await.unwrap();
        self.until("to be seen", "return document.visibilityState === 'visible'").await;
        // A browser without a window may never have hidden the tab: then it does not tell by itself.
        self.script("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))", vec![]).await;
    }
}
