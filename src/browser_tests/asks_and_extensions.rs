//! Questions of agents, sessions that another program writes, extension widgets, and drafts of other devices.

use pilothouse_core::conversation::ask::{Ask, AskKind};
use pilothouse_core::protocol::{ExternalProgram, SessionSummary};
use serde_json::Value;

use super::fake_socket::*;
use super::*;
use crate::features::notifications::page_title;
use crate::store::server::Setting;

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
    wait_until("the end to be seen", || page.find(".waiting [data-answer=yes]:enabled").is_some()).await;
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

/// Another program, at work or not.
async fn run_elsewhere(page: &mut Page, state: SessionState) {
    let program = ExternalProgram {
        program: "pi in a terminal".into(),
        process_id: Some(7),
        activity: "running bash: cargo test".into(),
        since: 0,
    };
    page.event(Event::Elsewhere { active: true, program: Some(program) }).await;
    page.event(Event::SessionState { state, reason: String::new() }).await;
}

/// Presses a button of the question.
async fn choose(page: &Page, label: &str) {
    let buttons = page.find("dialog[open] .ask-answers").unwrap().children();
    let labels = (0..buttons.length()).map(|index| buttons.item(index).unwrap());
    let button = labels.filter(|button| button.text_content().as_deref() == Some(label)).last();
    button.unwrap_or_else(|| panic!("no {label}")).unchecked_into::<HtmlElement>().click();
    flush_effects().await;
}

#[wasm_bindgen_test]
async fn a_session_that_runs_elsewhere_is_taken_over_before_sending() {
    let mut page = Page::capable().await;
    run_elsewhere(&mut page, SessionState::Completed).await;
    let banner = page.text(".elsewhere");
    assert!(
        banner.starts_with("Running elsewhere · pi in a terminal (process 7) · running bash"),
        "{banner}"
    );
    type_prompt(&page, "Go on").await;
    press_enter(&page, false, false).await;
    assert!(page.text("dialog[open]").contains("has this session open"));
    assert!(!page.has_sent("prompt") && !page.has_sent("take_over"));
    choose(&page, "Take over").await;
    page.answer("take_over", Ok(Value::Null)).await;
    assert_eq!(page.sent("prompt").await["message"], json!("Go on"));
    page.event(Event::Elsewhere { active: false, program: None }).await;
    assert!(page.find(".elsewhere").is_none());
}

#[wasm_bindgen_test]
async fn a_refused_takeover_keeps_the_draft() {
    let mut page = Page::capable().await;
    run_elsewhere(&mut page, SessionState::Completed).await;
    type_prompt(&page, "Go on").await;
    press_enter(&page, false, false).await;
    choose(&page, "Take over").await;
    page.answer("take_over", Err("It is in the middle of a tool.")).await;
    page.wait_for_text(".notices", "in the middle of a tool").await;
    assert_eq!(field(&page).value(), "Go on");
    assert!(!page.has_sent("prompt"));
    type_prompt(&page, "").await;
}

#[wasm_bindgen_test]
async fn a_message_waits_until_the_other_program_has_finished() {
    let mut page = Page::capable().await;
    run_elsewhere(&mut page, SessionState::Paused).await;
    assert!(page.find(".run-status button").is_none(), "Resume is offered");
    type_prompt(&page, "Go on").await;
    press_enter(&page, false, false).await;
    choose(&page, "Wait").await;
    assert_eq!(field(&page).value(), "Go on");
    assert!(page.text(".elsewhere").contains("is sent when it has finished"));
    type_prompt(&page, "Go on quickly").await;
    assert!(!page.text(".elsewhere").contains("is sent when it has finished"), "it is another text");
    type_prompt(&page, "Go on").await;
    assert!(!page.has_sent("take_over") && !page.has_sent("prompt"));
    page.event(Event::SessionState { state: SessionState::Completed, reason: String::new() }).await;
    page.answer("take_over", Ok(Value::Null)).await;
    assert_eq!(page.sent("prompt").await["message"], json!("Go on"));
    assert_eq!(field(&page).value(), "");
}

#[wasm_bindgen_test]
async fn a_waiting_message_is_not_sent_after_a_change_or_an_unfinished_turn() {
    let mut page = Page::capable().await;
    run_elsewhere(&mut page, SessionState::Paused).await;
    type_prompt(&page, "Go on").await;
    page.press("Wait").await;
    type_prompt(&page, "Go on, but").await;
    page.event(Event::SessionState { state: SessionState::Completed, reason: String::new() }).await;
    page.wait_for_text(".notices", "because you changed it").await;
    run_elsewhere(&mut page, SessionState::Paused).await;
    page.press("Wait").await;
    page.event(Event::Elsewhere { active: false, program: None }).await;
    page.wait_for_text(".notices", "in the middle of its turn").await;
    assert_eq!(field(&page).value(), "Go on, but");
    assert!(!page.has_sent("take_over") && !page.has_sent("prompt"));
    type_prompt(&page, "").await;
}

#[wasm_bindgen_test]
async fn whatever_starts_something_asks_first() {
    let mut page = Page::capable().await;
    run_elsewhere(&mut page, SessionState::Error).await;
    let (actions, session) = (page.actions, page.actions.current_session().unwrap());
    let id = session.id();
    let starts: [&dyn Fn(); 6] = [
        &|| actions.resume(session),
        &|| actions.retry(session),
        &|| actions.compact(&id),
        &|| actions.rename(&id, "Mine"),
        &|| actions.set_model(session, "a".into(), "b".into()),
        &|| actions.set_setting(session, Setting::ThinkingLevel, "high".into()),
    ];
    for (number, start) in starts.into_iter().enumerate() {
        start();
        flush_effects().await;
        assert!(page.text("dialog[open]").contains("Running elsewhere"), "{number}");
        choose(&page, "Wait").await;
    }
    for command in ["resume_session", "retry", "compact", "rename_session", "set_model", "set_thinking_level"]
    {
        assert!(!page.has_sent(command), "{command}");
    }
    actions.resume(session);
    flush_effects().await;
    choose(&page, "Take over").await;
    page.answer("take_over", Ok(Value::Null)).await;
    page.sent("resume_session").await;
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
