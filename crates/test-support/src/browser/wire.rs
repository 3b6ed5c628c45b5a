//! A tap on the page's socket: records the commands that the page sends, and repeats, drops or loses frames on
//! demand. Page and server do not notice it.

use serde_json::json;

use super::Page;

impl Page {
    /// Installs the tap, from the next document of this tab on.
    pub async fn tap_wire(&self) {
        self.add_init_script(include_str!("wire.js")).await;
    }

    /// The commands that this document has sent, over all its sockets.
    pub async fn sent(&self) -> Vec<String> {
        let sent = self.script("return window.wire.sent", vec![]).await;
        serde_json::from_value(sent).unwrap()
    }

    /// The sent commands without the read marks, which the page sends at any time.
    pub async fn sent_except_read_marks(&self) -> Vec<String> {
        self.sent().await.into_iter().filter(|sent| sent != "mark_read").collect()
    }

    pub async fn sent_times(&self, command: &str) -> usize {
        self.sent().await.iter().filter(|sent| *sent == command).count()
    }

    /// Makes the next response to such a command arrive three times.
    pub async fn repeat_response(&self, command: &str) {
        self.script("window.wire.repeat = arguments[0]", vec![json!(command)]).await;
    }

    /// Drops the next events.
    pub async fn drop_events(&self, count: u64) {
        self.script("window.wire.drop = arguments[0]", vec![json!(count)]).await;
    }

    /// Closes the connection in place of the next response to such a command.
    pub async fn lose_response(&self, command: &str) {
        self.script("window.wire.lose = arguments[0]", vec![json!(command)]).await;
    }

    /// Waits until the events are dropped.
    pub async fn until_events_dropped(&self) {
        self.until("dropped events", "return window.wire.drop === 0").await;
    }
}
