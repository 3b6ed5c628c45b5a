//! Tests of the page in a real browser, without a server: frames are passed to the `FrameHandler`, and assertions read the
//! document.

mod asks_and_extensions;
mod attachments;
mod branches;
mod cases;
mod fake_socket;
mod large_frames;
mod pickers;
mod protocol_agents;
mod queue;
mod sessions;

use std::sync::{Arc, OnceLock};

use leptos::mount::{UnmountHandle, mount_to};
use leptos::prelude::*;
use leptos::task::tick;
use leptos_router::components::Router;
use pilothouse_core::conversation::message::{Content, Message, Part};
use pilothouse_core::protocol::event::{Event, ToolOutput, Update};
use pilothouse_core::protocol::{ServerFrame, SessionMeta};
use pilothouse_core::{SessionState, SessionView};
use serde_json::json;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{Element, HtmlElement, HtmlTextAreaElement, KeyboardEvent, KeyboardEventInit};

use crate::actions::Actions;
use crate::features::session::SessionPage;
use crate::net::FrameHandler;
use crate::routes::Route;
use crate::{browser, routes};

wasm_bindgen_test_configure!(run_in_browser);

/// A mounted page with one session, and the server's view of that session.
struct Page {
    actions: Actions,
    root: HtmlElement,
    server: SessionView,
    _mounted: Box<dyn std::any::Any>,
}

impl Page {
    async fn open(server: SessionView) -> Self {
        let page =
            Self::mount(server, |actions, id| view! { <SessionPage session=actions.open(id) /> }.into_any());
        page.receive(ServerFrame::Snapshot(Box::new(page.server.snapshot()))).await;
        page
    }

    fn mount(server: SessionView, show: fn(Actions, &str) -> AnyView) -> Self {
        let root = document().create_element("div").unwrap().unchecked_into::<HtmlElement>();
        document().body().unwrap().append_child(&root).unwrap();
        let slot = Arc::new(OnceLock::new());
        let made = slot.clone();
        let id = server.meta.session_id.clone();
        browser::replace_path(&routes::path_of(&Route::Session(id.clone())));
        let content = move || {
            let actions = Actions::new();
            provide_context(actions);
            let _ = made.set(actions);
            show(actions, &id)
        };
        let mounted: UnmountHandle<_> = mount_to(root.clone(), move || {
            view! { <Router>{content()}</Router> }
        });
        Self { actions: *slot.get().unwrap(), root, server, _mounted: Box::new(mounted) }
    }

    async fn new() -> Self {
        let session_id = js_sys::Math::random().to_string();
        Self::open(SessionView {
            epoch: "e".into(),
            meta: SessionMeta { session_id, ..SessionMeta::default() },
            ..SessionView::default()
        })
        .await
    }

    async fn receive(&self, frame: ServerFrame) {
        self.actions.frame(frame);
        self.actions.batch_applied();
        flush_effects().await;
    }

    async fn event(&mut self, event: Event) {
        self.server.apply(event.clone());
        let (session_id, seq) = (self.server.meta.session_id.clone(), self.server.seq);
        self.receive(ServerFrame::Event { session_id, seq, event }).await;
    }

    async fn delta(&mut self, index: usize, text: &str) {
        let update = Update::TextDelta { content_index: index, delta: text.into() };
        self.event(Event::MessageUpdate { update }).await;
    }

    fn find(&self, selector: &str) -> Option<Element> {
        self.root.query_selector(selector).unwrap()
    }

    fn text(&self, selector: &str) -> String {
        self.find(selector).unwrap_or_else(|| panic!("no {selector}")).text_content().unwrap_or_default()
    }

    fn attribute(&self, selector: &str, name: &str) -> Option<String> {
        self.find(selector).unwrap_or_else(|| panic!("no {selector}")).get_attribute(name)
    }

    /// The timeline's markup, which is equal for equal conversations.
    fn timeline(&self) -> String {
        self.find("[role=log]").unwrap().outer_html()
    }
}

/// Waits until all effects have run, including those that other effects trigger.
async fn flush_effects() {
    for _ in 0..3 {
        tick().await;
        let later = js_sys::Promise::new(&mut |resolve, _| {
            window().set_timeout_with_callback(&resolve).unwrap();
        });
        wasm_bindgen_futures::JsFuture::from(later).await.unwrap();
    }
}

fn user(text: &str, client_id: &str) -> Event {
    let content = Content(vec![Part::Text { text: text.into() }]);
    Event::MessageStart {
        message: Message::User { content, client_id: Some(client_id.into()), timestamp: None },
    }
}

async fn conversation(page: &mut Page) {
    page.event(Event::SessionState { state: SessionState::Streaming, reason: String::new() }).await;
    page.event(Event::AgentStart).await;
    page.event(user("Look into it", "1")).await;
    let update = Update::ThinkingDelta { content_index: 0, delta: "First I look".into() };
    page.event(Event::MessageUpdate { update }).await;
    page.delta(1, "I will ").await;
    page.delta(1, "read <b>it</b>.").await;
    let (tool_call_id, tool_name) = ("call-1".to_owned(), "bash".to_owned());
    let args = json!({"command": "cat it"});
    page.event(Event::ToolExecutionStart {
        tool_call_id: tool_call_id.clone(),
        tool_name: tool_name.clone(),
        args,
    })
    .await;
    let result = ToolOutput { text: "contents".into(), ..ToolOutput::default() };
    page.event(Event::ToolExecutionEnd {
        tool_call_id,
        tool_name,
        result,
        is_error: false,
        duration_ms: Some(1500),
    })
    .await;
    page.event(Event::BashStart { id: "s".into(), command: "ls".into(), exclude_from_context: true }).await;
}

#[wasm_bindgen_test]
async fn rows_have_the_attributes_that_tests_and_tools_use() {
    let mut page = Page::new().await;
    conversation(&mut page).await;
    assert_eq!(page.attribute("main", "data-state").as_deref(), Some("streaming"));
    assert_eq!(page.attribute("main", "data-seq"), Some(page.server.seq.to_string()));
    assert_eq!(page.text("[data-kind=user] .row-text"), "Look into it");
    assert_eq!(page.attribute("[data-kind=user]", "data-message-id").as_deref(), Some("u-1"));
    assert_eq!(page.text("[data-kind=thinking] .row-text"), "First I look");
    assert_eq!(page.text("[data-kind=assistant] .row-text"), "I will read <b>it</b>.");
    assert!(page.find("b").is_none(), "text never becomes markup");
    assert_eq!(page.attribute("[data-kind=tool]", "data-call-id").as_deref(), Some("call-1"));
    assert_eq!(page.attribute("[data-kind=tool]", "data-phase").as_deref(), Some("done"));
    assert_eq!(page.attribute("[data-kind=tool]", "data-tool").as_deref(), Some("bash"));
    assert_eq!(page.text("[data-kind=bash] code"), "ls");
}

#[wasm_bindgen_test]
async fn a_tool_row_opens_to_its_command_and_result() {
    let mut page = Page::new().await;
    conversation(&mut page).await;
    assert!(page.find(".row-result").is_none());
    page.find("[data-kind=tool] button").unwrap().unchecked_into::<HtmlElement>().click();
    flush_effects().await;
    assert_eq!(page.text("[data-kind=tool] .row-arguments"), "$ cat it");
    assert_eq!(page.text("[data-kind=tool] .row-result"), "contents");
}

#[wasm_bindgen_test]
async fn a_delta_changes_only_its_row() {
    let mut page = Page::new().await;
    conversation(&mut page).await;
    page.delta(2, "More").await;
    let rows = |page: &Page| -> Vec<Element> {
        let list = page.root.query_selector_all("[data-message-id]").unwrap();
        (0..list.length()).map(|index| list.item(index).unwrap().unchecked_into()).collect()
    };
    let before = rows(&page);
    let markup: Vec<String> = before.iter().map(Element::outer_html).collect();
    let grown = before.iter().position(|row| row.text_content().unwrap() == "More").unwrap();
    let text_node = before[grown].query_selector(".markdown p").unwrap().unwrap().first_child().unwrap();
    page.delta(2, " and more").await;
    let after = rows(&page);
    assert_eq!(before, after, "the same elements");
    for (index, row) in after.iter().enumerate() {
        if index == grown {
            assert_eq!(row.text_content().unwrap(), "More and more");
            let now = row.query_selector(".markdown p").unwrap().unwrap().first_child().unwrap();
            assert!(now.is_same_node(Some(&text_node)), "the text was appended, not replaced");
        } else {
            assert_eq!(row.outer_html(), markup[index]);
        }
    }
}

#[wasm_bindgen_test]
async fn a_reload_shows_what_streaming_showed() {
    let mut live = Page::new().await;
    conversation(&mut live).await;
    let reloaded = Page::open(live.server.clone()).await;
    assert_eq!(reloaded.timeline(), live.timeline());
    live.event(Event::AgentSettled { aborted: false }).await;
    live.event(Event::SessionState { state: SessionState::Completed, reason: String::new() }).await;
    let reloaded = Page::open(live.server.clone()).await;
    assert_eq!(reloaded.timeline(), live.timeline());
}

#[wasm_bindgen_test]
async fn a_different_final_text_replaces_the_streamed_one() {
    let mut page = Page::new().await;
    page.delta(0, "Helo").await;
    let update = Update::TextEnd { content_index: 0, content: "Hello".into() };
    page.event(Event::MessageUpdate { update }).await;
    assert_eq!(page.text("[data-kind=assistant] .row-text"), "Hello");
}

fn field(page: &Page) -> HtmlTextAreaElement {
    page.find("textarea[name=prompt]").unwrap().unchecked_into()
}

async fn type_prompt(page: &Page, text: &str) {
    field(page).set_value(text);
    field(page).dispatch_event(&web_sys::Event::new("input").unwrap()).unwrap();
    flush_effects().await;
}

async fn press_enter(page: &Page, shift: bool, composing: bool) {
    let options = KeyboardEventInit::new();
    options.set_key("Enter");
    options.set_shift_key(shift);
    options.set_is_composing(composing);
    options.set_cancelable(true);
    let event = KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &options).unwrap();
    field(page).dispatch_event(&event).unwrap();
    flush_effects().await;
}

#[wasm_bindgen_test]
async fn enter_sends_but_not_while_composing_and_not_with_shift() {
    let page = Page::new().await;
    type_prompt(&page, "Hello").await;
    press_enter(&page, false, true).await;
    press_enter(&page, true, false).await;
    assert!(page.find("[data-kind=user]").is_none());
    assert_eq!(field(&page).value(), "Hello");
    press_enter(&page, false, false).await;
    assert_eq!(page.text("[data-kind=user] .row-text"), "Hello");
    assert_eq!(field(&page).value(), "");
}

#[wasm_bindgen_test]
async fn the_servers_echo_adds_no_second_row() {
    let mut page = Page::new().await;
    type_prompt(&page, "Hello").await;
    press_enter(&page, false, false).await;
    let row = page.find("[data-kind=user]").unwrap();
    let client_id = row.get_attribute("data-message-id").unwrap().trim_start_matches("u-").to_owned();
    page.event(user("Hello", &client_id)).await;
    let rows = page.root.query_selector_all("[data-kind=user]").unwrap();
    assert_eq!(rows.length(), 1);
    assert!(rows.item(0).unwrap().is_same_node(Some(&row)));
}
