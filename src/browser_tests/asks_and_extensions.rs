//! Questions of agents, sessions that another program writes, extension widgets, and drafts of other devices.

use pilothouse_core::conversation::ask::{Ask, AskKind};
use pilothouse_core::protocol::SessionSummary;
use serde_json::Value;

use super::fake_socket::*;
use super::*;
use crate::features::notifications::page_title;

fn ask() -> Ask {
    Ask {
        id: "a1".into(),
        kind: AskKind::Confirm,
        approval: true,
        title: "Ring the bell?".into(),
        ..Ask::default()
    }
}

fn with_draft(mut view: SessionView, draft: &str) -> SessionView {
    view.meta.draft = draft.to_owned();
    view
}

#[wasm_bindgen_test]
async fn waiting_sessions_are_counted_and_answered_in_the_tray() {
    let asking = SessionSummary { asks: vec![ask()], ..summary("other", "Paint the pier") };
    let (state, reason) = (SessionState::Error, "429: slow down".to_owned());
    let failed = SessionSummary { state, reason, unread: true, ..summary("failed", "Repair the winch") };
    let page = Page::connected(Page::capable_view(), vec![asking, failed]).await;
    assert_eq!(page.text(".waiting-button .count"), "2");
    page.press("Waiting for you").await;
    wait_until("the card", || page.find(".waiting [data-ask-id=a1]").is_some()).await;
    assert!(page.text(".waiting").contains("429: slow down"));
    page.press("Approve").await;
    let frame = page.sent("answer").await;
    assert_eq!((&frame["session_id"], &frame["ask_id"]), (&json!("other"), &json!("a1")));
    assert_eq!(frame["answer"], json!({"confirm": true}));
    page.press("Retry").await;
    assert_eq!(page.sent("retry").await["session_id"], json!("failed"));
    let quiet = vec![summary("other", "Paint the pier"), summary("failed", "Repair the winch")];
    page.receive(ServerFrame::SessionsChanged { changed: quiet, removed: Vec::new() }).await;
    assert!(page.find(".waiting-button").is_none());
}

#[wasm_bindgen_test]
async fn a_session_of_another_program_is_taken_over_before_sending() {
    let mut page = Page::capable().await;
    page.event(Event::Elsewhere { active: true, program: None }).await;
    assert!(page.text(".elsewhere").contains("Its changes appear here"));
    type_prompt(&page, "Go on").await;
    press_enter(&page, false, false).await;
    assert!(page.text("dialog[open]").contains("Take over"));
    assert!(!page.has_sent("prompt") && !page.has_sent("take_over"));
    page.press("Take over").await;
    page.answer("take_over", Ok(Value::Null)).await;
    assert_eq!(page.sent("prompt").await["message"], json!("Go on"));
    page.event(Event::Elsewhere { active: false, program: None }).await;
    assert!(page.find(".elsewhere").is_none());
}

#[wasm_bindgen_test]
async fn a_refused_or_cancelled_takeover_keeps_the_draft() {
    let mut page = Page::capable().await;
    page.event(Event::Elsewhere { active: true, program: None }).await;
    type_prompt(&page, "Go on").await;
    press_enter(&page, false, false).await;
    page.press("Cancel").await;
    assert_eq!(field(&page).value(), "Go on");
    press_enter(&page, false, false).await;
    page.press("Take over").await;
    page.answer("take_over", Err("It is in the middle of a tool.")).await;
    page.wait_for_text(".notices", "in the middle of a tool").await;
    assert_eq!(field(&page).value(), "Go on");
    assert!(!page.has_sent("prompt"));
    type_prompt(&page, "").await;
}

#[wasm_bindgen_test]
async fn extension_widgets_are_shown_with_invisible_characters_marked() {
    let mut page = Page::capable().await;
    page.event(Event::StatusChanged { key: "git".into(), text: Some("\x1b[32mmain\x1b[0m\u{202e}".into()) })
        .await;
    page.event(Event::WidgetChanged { key: "plan".into(), lines: vec!["one".into(), "<b>two</b>".into()] })
        .await;
    let status = page.text("[data-status=git]");
    assert!(status.starts_with("main") && status.contains("202E"), "{status}");
    assert_eq!(page.text("[data-widget=plan]"), "one\n<b>two</b>");
    page.event(Event::WidgetChanged { key: "plan".into(), lines: vec!["three".into()] }).await;
    assert_eq!(page.text("[data-widget=plan]"), "three");
    page.event(Event::StatusChanged { key: "git".into(), text: None }).await;
    assert!(page.find("[data-status]").is_none());
    page.event(Event::WindowTitle { title: "pi - harbour".into() }).await;
    assert!(untrack(|| page_title(page.actions)).contains("pi - harbour"));
}

#[wasm_bindgen_test]
async fn an_agents_text_fills_an_empty_composer_and_is_offered_otherwise() {
    let mut page = Page::capable().await;
    page.event(Event::EditorText { text: "first".into() }).await;
    assert_eq!(field(&page).value(), "first");
    page.event(Event::EditorText { text: "second".into() }).await;
    assert_eq!(field(&page).value(), "first", "the draft is kept");
    assert!(page.text(".offer").contains("second"));
    page.press("Use").await;
    assert_eq!(field(&page).value(), "second");
    assert!(page.find(".offer").is_none());
    type_prompt(&page, "").await;
}

#[wasm_bindgen_test]
async fn a_draft_is_sent_after_a_typing_pause_and_restored_into_an_empty_composer() {
    let page = Page::connected(with_draft(Page::capable_view(), "from the phone"), Vec::new()).await;
    assert_eq!(field(&page).value(), "from the phone");
    type_prompt(&page, "from the desk").await;
    assert_eq!(page.sent("set_draft").await["text"], json!("from the desk"));
    let again = with_draft(page.server.clone(), "older");
    page.receive(ServerFrame::Snapshot(Box::new(again.snapshot()))).await;
    assert_eq!(field(&page).value(), "from the desk", "only the first snapshot's draft is used");
    type_prompt(&page, "").await;
}
