//! A page with a fake WebSocket, which records sent commands and lets the test respond. For the requests of single
//! components; tests with a real server are in `tests/e2e`.

use pilothouse_core::protocol::{Capabilities, SessionSummary, Welcome};
use serde_json::Value;

use super::*;
use crate::features::sidebar::Sidebar;
use crate::net::ConnectionState;
use crate::widgets::confirm_dialog::ConfirmDialog;

const WIRE: &str = "window.wire = { sent: [] }; window.WebSocket = class extends EventTarget {
    readyState = 0;
    constructor() { super(); window.wire.socket = this; }
    open() { this.readyState = 1; this.dispatchEvent(new Event('open')); }
    deliver(data) { this.dispatchEvent(new MessageEvent('message', { data })); }
    send(text) { window.wire.sent.push(text); }
    close() {}
};";

/// The capabilities of an agent that supports everything.
pub fn all_capabilities() -> Capabilities {
    Capabilities {
        images: true,
        bash: true,
        steering: true,
        agent_queue: true,
        models: true,
        thinking_levels: vec!["low".into(), "high".into()],
        modes: Vec::new(),
        edit_queue: true,
        compact: true,
        fork: true,
        rename: true,
        commands: true,
        ..Capabilities::default()
    }
}

pub fn summary(id: &str, title: &str) -> SessionSummary {
    SessionSummary { id: id.into(), title: title.into(), cwd: "/harbour".into(), ..SessionSummary::default() }
}

impl Page {
    /// A connected page with the sidebar, one open session and the confirmation dialog.
    pub async fn connected(server: SessionView, others: Vec<SessionSummary>) -> Self {
        js_sys::eval(WIRE).unwrap();
        // Removes the unanswered messages of earlier tests from the outbox.
        js(
            "Object.keys(localStorage).filter((key) => key.startsWith('sent:')).forEach((key) => localStorage.removeItem(key))",
        );
        let id = server.meta.session_id.clone();
        let own = SessionSummary { state: server.meta.state, ..summary(&id, &server.meta.title) };
        let page = Self::mount(server, |actions, id| {
            let session = actions.open(id);
            view! {
                <Sidebar />
                <SessionPage session />
                <ConfirmDialog />
            }
            .into_any()
        });
        page.actions.connect();
        js("wire.socket.open()");
        let sessions = others.into_iter().chain([own]).collect();
        let welcome = Welcome {
            version: pilothouse_core::limits::PROTOCOL_VERSION,
            server_version: String::new(),
            agents: Vec::new(),
            available: Vec::new(),
            default_cwd: String::new(),
            sessions,
            storage_problem: None,
            storage_notice: None,
        };
        page.deliver(&serde_json::to_value(ServerFrame::Welcome(welcome)).unwrap());
        let client = page.actions.client;
        wait_until("the connection", || client.connection.get_untracked() == ConnectionState::Open).await;
        page.receive(ServerFrame::Snapshot(Box::new(page.server.snapshot()))).await;
        page
    }

    /// A connected page whose agent supports everything.
    pub async fn capable() -> Self {
        Self::connected(Self::capable_view(), Vec::new()).await
    }

    pub fn capable_view() -> SessionView {
        let session_id = js_sys::Math::random().to_string();
        let title = "Mend the light".to_owned();
        let meta =
            SessionMeta { session_id, title, capabilities: all_capabilities(), ..SessionMeta::default() };
        SessionView { epoch: "e".into(), meta, ..SessionView::default() }
    }

    fn deliver(&self, frame: &Value) {
        js(&format!("wire.socket.deliver({})", serde_json::to_string(&frame.to_string()).unwrap()));
    }

    /// Waits for a command with this name and returns the newest one.
    pub async fn sent(&self, command: &str) -> Value {
        wait_until(command, || last_sent(command).is_some()).await;
        last_sent(command).unwrap()
    }

    pub fn has_sent(&self, command: &str) -> bool {
        last_sent(command).is_some()
    }

    /// Responds to the newest command with this name: with data, or with an error message.
    pub async fn answer(&self, command: &str, outcome: Result<Value, &str>) {
        let id = self.sent(command).await["id"].clone();
        let (data, error) = match outcome {
            Ok(data) => (data, Value::Null),
            Err(error) => (Value::Null, json!(error)),
        };
        let success = error.is_null();
        self.deliver(&json!({"type": "response", "id": id, "command": command, "success": success, "data": data, "error": error}));
        // The response is processed in the next animation frame; then effects run.
        let id = id.as_str().unwrap();
        wait_until("the answer to be read", || !self.actions.is_pending(id)).await;
        flush_effects().await;
    }

    /// Clicks the button with this label, text or title.
    pub async fn press(&self, label: &str) {
        let button = self.buttons().into_iter().find(|button| {
            let name = button.get_attribute("aria-label").or_else(|| button.text_content());
            // A button whose text varies is identified by its title.
            name.is_some_and(|name| name.trim() == label) || button.title() == label
        });
        button.unwrap_or_else(|| panic!("no button {label}")).click();
        flush_effects().await;
    }

    fn buttons(&self) -> Vec<HtmlElement> {
        let list = self.root.query_selector_all("button").unwrap();
        (0..list.length()).map(|index| list.item(index).unwrap().unchecked_into()).collect()
    }

    pub async fn wait_for_text(&self, selector: &str, text: &str) {
        wait_until(text, || {
            self.find(selector)
                .and_then(|found| found.text_content())
                .is_some_and(|found| found.contains(text))
        })
        .await;
    }

    pub async fn wait_until_gone(&self, selector: &str) {
        wait_until(&format!("{selector} to be gone"), || self.find(selector).is_none()).await;
    }
}

fn last_sent(command: &str) -> Option<Value> {
    let sent = js("return JSON.stringify(wire.sent)").as_string()?;
    let sent: Vec<String> = serde_json::from_str(&sent).ok()?;
    let frames = sent.iter().rev().filter_map(|text| serde_json::from_str::<Value>(text).ok());
    frames.into_iter().find(|frame| frame["type"] == command)
}

pub fn js(body: &str) -> wasm_bindgen::JsValue {
    js_sys::Function::new_no_args(body).call0(&wasm_bindgen::JsValue::NULL).unwrap()
}

/// Waits for a condition, for four seconds at most. `what` describes it in the panic message.
pub async fn wait_until(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..400 {
        if holds() {
            return;
        }
        let later = js_sys::Promise::new(&mut |resolve, _| {
            window().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, 10).unwrap();
        });
        wasm_bindgen_futures::JsFuture::from(later).await.unwrap();
    }
    panic!("timed out waiting for {what}: {}", document().body().unwrap().inner_text());
}

/// Sets the value of a field and dispatches `input`.
pub async fn type_into(page: &Page, selector: &str, text: &str) {
    let field = page.find(selector).unwrap_or_else(|| panic!("no {selector}"));
    js_sys::Reflect::set(&field, &"value".into(), &text.into()).unwrap();
    field.dispatch_event(&web_sys::Event::new("input").unwrap()).unwrap();
    flush_effects().await;
}

pub async fn press_key(page: &Page, selector: &str, name: &str) {
    let options = KeyboardEventInit::new();
    options.set_key(name);
    options.set_cancelable(true);
    options.set_bubbles(true);
    let event = KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &options).unwrap();
    page.find(selector).unwrap_or_else(|| panic!("no {selector}")).dispatch_event(&event).unwrap();
    flush_effects().await;
}
