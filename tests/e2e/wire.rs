//! What the page sends over its socket, written down; and a wire that stutters or swallows, when it is told to. The
//! page and the server know nothing of it.

use serde_json::{Value, json};

use crate::page::Page;

const TAP: &str = "(() => {
    const wire = window.wire = { sent: [], repeat: null, swallow: 0, lose: null };
    window.WebSocket = class extends WebSocket {
        constructor(address) {
            super(address);
            this.addEventListener('message', (event) => {
                const frame = JSON.parse(event.data);
                if (!event.isTrusted) return;
                if (frame.type === 'response' && frame.command === wire.repeat) {
                    wire.repeat = null;
                    for (const _ of [1, 2]) this.dispatchEvent(new MessageEvent('message', { data: event.data }));
                }
                if (frame.type === 'response' && frame.command === wire.lose) {
                    wire.lose = null;
                    event.stopImmediatePropagation();
                    this.close();
                }
                if (frame.type === 'event' && wire.swallow > 0) {
                    wire.swallow -= 1;
                    event.stopImmediatePropagation();
                }
            });
        }
        send(text) {
            wire.sent.push(JSON.parse(text).type);
            super.send(text);
        }
    };
})()";

impl Page {
    /// From the next document of this tab on.
    pub async fn tap_the_wire(&self) {
        let source = json!({ "source": TAP });
        self.driver.cdp().send_raw("Page.addScriptToEvaluateOnNewDocument", source).await.unwrap();
    }

    /// The commands this document has sent, over all its sockets.
    pub async fn sent(&self) -> Vec<String> {
        let sent = self.script("return window.wire.sent", vec![]).await;
        serde_json::from_value(sent).unwrap()
    }

    /// The commands that ask for something or change the conversation. That a person has read it is said aside.
    pub async fn asked(&self) -> Vec<String> {
        self.sent().await.into_iter().filter(|sent| sent != "mark_read").collect()
    }

    pub async fn sent_times(&self, command: &str) -> usize {
        self.sent().await.iter().filter(|sent| *sent == command).count()
    }

    /// The next response to such a command arrives three times.
    pub async fn repeat_response(&self, command: &str) {
        self.script("window.wire.repeat = arguments[0]", vec![json!(command)]).await;
    }

    /// The next events never arrive.
    pub async fn swallow_events(&self, count: u64) {
        self.script("window.wire.swallow = arguments[0]", vec![json!(count)]).await;
    }

    /// The connection breaks where the next response to such a command would have arrived.
    pub async fn lose_response(&self, command: &str) {
        self.script("window.wire.lose = arguments[0]", vec![json!(command)]).await;
    }

    pub async fn until_swallowed(&self) {
        self.until("a lost event", "return window.wire.swallow === 0").await;
    }

    /// Presses a button twice, faster than any answer can come.
    pub async fn press_twice(&self, label: &str) {
        let press = "const button = [...document.querySelectorAll('button')]\
                     .find((button) => button.textContent.trim() === arguments[0]);\
                     button.click(); button.click(); return true";
        assert_eq!(self.script(press, vec![json!(label)]).await, Value::Bool(true));
    }
}
