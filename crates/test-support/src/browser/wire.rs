//! A tap on the page's socket: records the commands that the page sends, and repeats, drops or loses frames on
//! demand. Page and server do not notice it.

use serde_json::{Value, json};

use super::Page;
use super::script::PAGE;

impl Page {
    /// Installs the tap, from the next document of this tab on.
    pub async fn tap_wire(&self) {
        self.add_init_script(include_str!("../../js/wire.js")).await;
    }

    /// The commands that this document has sent, over all its sockets.
    pub async fn sent(&self) -> Vec<String> {
        self.call_as(PAGE, "sentCommands", json!([])).await
    }

    /// The sent commands without the read marks, which the page sends at any time.
    pub async fn sent_except_read_marks(&self) -> Vec<String> {
        self.sent().await.into_iter().filter(|sent| sent != "mark_read").collect()
    }

    pub async fn sent_times(&self, command: &str) -> usize {
        self.sent().await.iter().filter(|sent| *sent == command).count()
    }

    /// Waits until the page has sent such a command.
    pub async fn until_sent(&self, command: &str) {
        let look = async || self.sent().await.iter().any(|sent| sent == command).then_some(());
        crate::wait::until_some(&format!("the command {command}"), look).await;
    }

    /// Makes the next response to such a command arrive three times.
    pub async fn repeat_response(&self, command: &str) {
        self.set_wire("repeat", json!(command)).await;
    }

    /// Drops the next events.
    pub async fn drop_events(&self, count: u64) {
        self.set_wire("drop", json!(count)).await;
    }

    /// Closes the connection in place of the next response to such a command.
    pub async fn lose_response(&self, command: &str) {
        self.set_wire("lose", json!(command)).await;
    }

    /// Waits until the events are dropped.
    pub async fn until_events_dropped(&self) {
        self.until_function("dropped events", "isWireDone", json!(["drop"])).await;
    }

    /// Waits until the response is lost.
    pub async fn until_response_lost(&self) {
        self.until_function("a lost response", "isWireDone", json!(["lose"])).await;
    }

    async fn set_wire(&self, property: &str, value: Value) {
        self.call(PAGE, "setWire", json!([property, value])).await;
    }
}
