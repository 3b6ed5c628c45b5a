//! Numbered test cases that need a page but no server.

use pilothouse_core::conversation::message::StopReason;
use pilothouse_core::protocol::{Capabilities, SessionSummary};

use super::*;

fn mode(page: &Page) -> Option<String> {
    page.attribute("textarea[name=prompt]", "data-input-mode")
}

async fn click(page: &Page, selector: &str) {
    page.find(selector).unwrap().unchecked_into::<HtmlElement>().click();
    flush_effects().await;
}

/// A page whose agent supports shell commands.
async fn page_with_shell() -> Page {
    let capabilities = Capabilities { bash: true, ..Capabilities::default() };
    let session_id = js_sys::Math::random().to_string();
    Page::open(SessionView {
        meta: SessionMeta { session_id, capabilities, ..SessionMeta::default() },
        ..SessionView::default()
    })
    .await
}

#[wasm_bindgen_test]
async fn case_39_a_typed_mark_makes_a_shell_as_long_as_it_stands_there() {
    let page = page_with_shell().await;
    assert_eq!(mode(&page).as_deref(), Some("prompt"));
    for (text, expected) in
        [("!", "shell"), ("!ls", "shell"), ("", "prompt"), ("!!", "shell"), ("ls", "prompt")]
    {
        type_prompt(&page, text).await;
        assert_eq!(mode(&page).as_deref(), Some(expected), "{text:?}");
    }
    type_prompt(&page, "").await;
}

#[wasm_bindgen_test]
async fn case_39_a_shell_chosen_by_its_button_stays_one_whatever_is_typed() {
    let page = page_with_shell().await;
    let pressed = |page: &Page| page.attribute("[aria-label=Shell]", "aria-pressed");
    click(&page, "[aria-label=Shell]").await;
    assert_eq!((mode(&page).as_deref(), pressed(&page).as_deref()), (Some("shell"), Some("true")));
    for text in ["l", "ls", "", "ls"] {
        type_prompt(&page, text).await;
        assert_eq!(mode(&page).as_deref(), Some("shell"), "{text:?}");
    }
    // The command is run, not sent to the agent, and the composer is back in prompt mode.
    press_enter(&page, false, false).await;
    assert!(page.find("[data-kind=user]").is_none());
    assert_eq!((field(&page).value().as_str(), mode(&page).as_deref()), ("", Some("prompt")));

    click(&page, "[aria-label=Shell]").await;
    click(&page, "[aria-label=Shell]").await;
    assert_eq!((mode(&page).as_deref(), pressed(&page).as_deref()), (Some("prompt"), Some("false")));
    type_prompt(&page, "!ls").await;
    click(&page, "[aria-label=Shell]").await;
    assert_eq!((field(&page).value().as_str(), mode(&page).as_deref()), ("ls", Some("prompt")));
    type_prompt(&page, "").await;
}

#[wasm_bindgen_test]
async fn case_49_events_of_another_session_change_nothing_here() {
    let mut page = Page::new().await;
    conversation(&mut page).await;
    let before = (page.timeline(), page.attribute("main", "data-state"), page.attribute("main", "data-seq"));
    // One session that is open in the same page, and one that is not. Their sequence numbers would fit.
    let other = Page::new().await.server.meta.session_id;
    page.actions.open(&other);
    let view = SessionView {
        meta: SessionMeta { session_id: other.clone(), ..SessionMeta::default() },
        ..SessionView::default()
    };
    page.receive(ServerFrame::Snapshot(Box::new(view.snapshot()))).await;
    for session_id in [other.clone(), "never opened".to_owned()] {
        for (number, seq) in [(1, 1), (2, page.server.seq + 1)] {
            let event = user("Not for you", &number.to_string());
            page.receive(ServerFrame::Event { session_id: session_id.clone(), seq, event }).await;
        }
    }
    let after = (page.timeline(), page.attribute("main", "data-state"), page.attribute("main", "data-seq"));
    assert_eq!(after, before);
    let opened = page.actions.server.opened(&other).unwrap();
    assert_eq!(opened.rows.get_untracked().len(), 1, "the event is in its own session");
}

#[wasm_bindgen_test]
async fn case_50_an_error_is_one_row_ends_the_run_and_keeps_the_draft() {
    let mut page = Page::new().await;
    conversation(&mut page).await;
    type_prompt(&page, "half a thought").await;
    let message = Message::Assistant {
        content: Content::default(),
        stop_reason: StopReason::Error,
        error_message: Some("429: slow down".into()),
        timestamp: None,
    };
    page.event(Event::MessageEnd { message }).await;
    page.event(Event::AgentSettled { aborted: false }).await;
    let reason = "429: slow down".to_owned();
    page.event(Event::SessionState { state: SessionState::Error, reason }).await;
    let errors = page.root.query_selector_all("[data-kind=error]").unwrap();
    assert_eq!(errors.length(), 1);
    assert!(page.text("[data-kind=error]").contains("429: slow down"));
    assert_eq!(page.attribute("main", "data-state").as_deref(), Some("error"));
    assert!(page.find("[data-phase=running], [data-phase=calling]").is_none());
    assert_eq!(field(&page).value(), "half a thought");
    type_prompt(&page, "").await;
}

#[wasm_bindgen_test]
async fn case_71_the_view_of_a_removed_session_is_left() {
    let mut page = Page::new().await;
    conversation(&mut page).await;
    let went = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
    let log = went.clone();
    page.actions.set_navigate(move |to| log.borrow_mut().push(to.to_owned()));
    let summary = |id: &str| SessionSummary {
        id: id.to_owned(),
        agent: String::new(),
        cwd: String::new(),
        title: String::new(),
        state: SessionState::Idle,
        modified: 0,
        ..SessionSummary::default()
    };
    let own = page.server.meta.session_id.clone();
    let changed = vec![summary(&own), summary("other")];
    page.receive(ServerFrame::SessionsChanged { changed, removed: Vec::new() }).await;
    let removed =
        |id: &str| ServerFrame::SessionsChanged { changed: Vec::new(), removed: vec![id.to_owned()] };
    page.receive(removed("other")).await;
    assert!(went.borrow().is_empty(), "removing another session does not navigate");
    page.receive(removed(&own)).await;
    assert_eq!(*went.borrow(), ["/"]);
    assert!(page.actions.server.sessions().with_untracked(Vec::is_empty), "it is no longer in the list");
    assert!(page.find("[data-message-id]").is_none(), "nor in the timeline");
    assert!(page.actions.server.cursors().is_empty(), "and it is not requested again");
}
