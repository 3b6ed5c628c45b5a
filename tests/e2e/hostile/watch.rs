//! Watches a page from before its first script, and reports everything that no text may cause.

use serde_json::{Value, json};

use pilothouse_test_support::browser::Page;

use super::trap::Trap;
use crate::fixture::Fixture;

/// A page that is watched.
pub trait Watch {
    /// Starts to watch, from the next document of this tab on.
    async fn watch(&self);

    /// Makes the window so tall that every row is near the view and therefore built.
    async fn be_endless(&self);

    /// Switches the content security policy off, so that the page alone has to keep scripts from running.
    async fn without_policy(&self);

    /// Asserts that nothing forbidden has happened so far.
    async fn nothing_has_happened(&self, fixture: &Fixture, trap: &Trap, when: &str);
}

impl Watch for Page {
    async fn watch(&self) {
        self.add_init_script(include_str!("../js/hostile/watch.js")).await;
    }

    async fn be_endless(&self) {
        self.emulate_window(1280, 30_000, 1).await;
    }

    async fn without_policy(&self) {
        self.cdp("Page.setBypassCSP", json!({"enabled": true})).await;
    }

    async fn nothing_has_happened(&self, fixture: &Fixture, trap: &Trap, when: &str) {
        let seen = self.call(js!("hostile/report"), "report", json!([fixture.server.origin()])).await;
        assert_eq!(seen, Value::Array(vec![]), "{when}");
        assert_eq!(trap.caught(), Vec::<String>::new(), "{when}: the page sent a request to another server");
    }
}
