//! Watching a page from before its first script: what no text may cause is written down and told.

use serde_json::{Value, json};

use super::trap::Trap;
use crate::page::Page;
use crate::stage::Stage;

impl Page {
    /// From the next document of this tab on.
    pub async fn watch(&self) {
        let source = json!({ "source": include_str!("../../hostile/watch.js") });
        self.driver.cdp().send_raw("Page.addScriptToEvaluateOnNewDocument", source).await.unwrap();
    }

    /// A window so high that every row is near the view, and therefore built.
    pub async fn be_endless(&self) {
        let metrics = json!({"width": 1280, "height": 30_000, "deviceScaleFactor": 1, "mobile": false});
        self.driver.cdp().send_raw("Emulation.setDeviceMetricsOverride", metrics).await.unwrap();
    }

    /// Without the content policy nothing would keep a script from running: the page alone has to.
    pub async fn without_policy(&self) {
        self.driver.cdp().send_raw("Page.setBypassCSP", json!({"enabled": true})).await.unwrap();
    }

    pub async fn nothing_has_happened(&self, stage: &Stage, trap: &Trap, when: &str) {
        let script = "window.lookAround();\
                      const others = performance.getEntriesByType('resource').map((entry) => entry.name)\
                        .filter((name) => new URL(name).origin !== arguments[0] && !name.startsWith('data:'));\
                      return [...window.seen, ...others]";
        let seen = self.script(script, vec![json!(stage.server.origin())]).await;
        assert_eq!(seen, Value::Array(vec![]), "{when}");
        assert_eq!(trap.caught(), Vec::<String>::new(), "{when}: somebody was asked for something");
    }
}
