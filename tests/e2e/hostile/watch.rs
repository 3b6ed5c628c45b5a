//! Watches a page from before its first script, and reports everything that no text may cause.

use serde_json::{Value, json};

use pilothouse_test_support::browser::Page;

use super::trap::Trap;
use crate::stage::Stage;

/// The watching side of a page.
pub trait Watch {
    /// Starts to watch, from the next document of this tab on.
    async fn watch(&self);

    /// Makes the window so high that every row is near the view and therefore built.
    async fn be_endless(&self);

    /// Switches the content security policy off, so that the page alone has to keep scripts from running.
    async fn without_policy(&self);

    /// Asserts that nothing forbidden has happened so far.
    async fn nothing_has_happened(&self, stage: &Stage, trap: &Trap, when: &str);
}

impl Watch for Page {
    async fn watch(&self) {
        self.add_init_script(include_str!("../../hostile/watch.js")).await;
    }

    async fn be_endless(&self) {
        let metrics = json!({"width": 1280, "height": 30_000, "deviceScaleFactor": 1, "mobile": false});
        self.cdp("Emulation.setDeviceMetricsOverride", metrics).await;
    }

    async fn without_policy(&self) {
        self.cdp("Page.setBypassCSP", json!({"enabled": true})).await;
    }

    async fn nothing_has_happened(&self, stage: &Stage, trap: &Trap, when: &str) {
        let script = "window.lookAround();\
                      const others = performance.getEntriesByType('resource').map((entry) => entry.name)\
                        .filter((name) => new URL(name).origin !== arguments[0] && !name.startsWith('data:'));\
                      return [...window.seen, ...others]";
        let seen = self.script(script, vec![json!(stage.server.origin())]).await;
        assert_eq!(seen, Value::Array(vec![]), "{when}");
        assert_eq!(trap.caught(), Vec::<String>::new(), "{when}: the page sent a request to another server");
    }
}
