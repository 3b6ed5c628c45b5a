//! The sidebar and the actions on sessions: renaming, pinning, archiving, deleting, forking, marking as read, searching.

use std::cell::RefCell;
use std::rc::Rc;

use pilothouse_core::protocol::SessionSummary;
use serde_json::Value;

use super::fake_socket::*;
use super::*;

/// Records the paths that the page navigates to.
fn record_navigation(page: &Page) -> Rc<RefCell<Vec<String>>> {
    let log = Rc::new(RefCell::new(Vec::new()));
    let own = log.clone();
    page.actions.set_navigate(move |to| own.borrow_mut().push(to.to_owned()));
    log
}

async fn open_menu(page: &Page) {
    page.find(".title-bar [aria-label='Session menu']").unwrap().unchecked_into::<HtmlElement>().click();
    wait_until("the menu", || page.find(".title-bar [role=menuitem]").is_some()).await;
}

#[wasm_bindgen_test]
async fn a_title_is_edited_in_place() {
    let page = Page::capable().await;
    open_menu(&page).await;
    page.press("Rename").await;
    type_into(&page, ".title-bar [name=title]", "  Mend the horn ").await;
    press_key(&page, ".title-bar [name=title]", "Enter").await;
    assert_eq!(page.sent("rename_session").await["title"], json!("Mend the horn"));
    assert!(page.find("[name=title]").is_none());
    assert_eq!(page.text("h1.title"), "Mend the light", "unchanged until the server confirms");
    page.answer("rename_session", Err("The agent would not have it.")).await;
    page.wait_for_text(".notices", "would not have it").await;
    open_menu(&page).await;
    page.press("Rename").await;
    press_key(&page, ".title-bar [name=title]", "Escape").await;
    assert!(page.find("[name=title]").is_none());
}

#[wasm_bindgen_test]
async fn deleting_asks_for_confirmation_and_mentions_the_trash() {
    let page = Page::capable().await;
    open_menu(&page).await;
    page.press("Delete…").await;
    assert!(page.text("dialog[open]").contains("trash"));
    page.press("Cancel").await;
    assert!(!page.has_sent("delete_session"));
    open_menu(&page).await;
    page.press("Delete…").await;
    page.press("Delete").await;
    assert_eq!(page.sent("delete_session").await["session_id"], json!(page.server.meta.session_id));
    page.wait_until_gone("dialog[open]").await;
}

#[wasm_bindgen_test]
async fn pinned_sessions_come_first_the_archive_is_collapsed_and_marks_are_shown() {
    let pinned = SessionSummary { pinned: true, unread: true, ..summary("p", "Pinned one") };
    let archived = SessionSummary { archived: true, ..summary("a", "Old one") };
    let followed = SessionSummary { external_writer: true, ..summary("e", "Followed") };
    let page = Page::connected(Page::capable_view(), vec![archived, pinned, followed]).await;
    assert_eq!(page.text(".folder-name"), "Pinned");
    assert!(page.find("[data-session-id=p][data-unread] .unread-dot").is_some());
    assert!(page.find("[data-session-id=e] .sidebar-mark").is_some());
    assert!(page.find("[data-session-id=a]").is_none());
    page.find(".folder-toggle").unwrap().unchecked_into::<HtmlElement>().click();
    flush_effects().await;
    assert!(page.find("[data-session-id=a]").is_some());
    open_menu(&page).await;
    page.press("Pin").await;
    assert_eq!(page.sent("pin").await["pinned"], json!(true));
    open_menu(&page).await;
    page.press("Archive").await;
    assert_eq!(page.sent("archive").await["archived"], json!(true));
}

#[wasm_bindgen_test]
async fn compacting_is_offered_while_idle_and_shown_while_running() {
    let mut page = Page::capable().await;
    open_menu(&page).await;
    page.press("Compact now").await;
    page.sent("compact").await;
    page.event(Event::CompactionStart { reason: "manual".into() }).await;
    assert!(page.text(".run-status").contains("Compacting"));
    let busy =
        SessionSummary { state: SessionState::Streaming, ..summary(&page.server.meta.session_id, "x") };
    page.receive(ServerFrame::SessionsChanged { changed: vec![busy], removed: Vec::new() }).await;
    open_menu(&page).await;
    assert!(page.find(".title-bar [role=menuitem]:disabled").is_some());
    assert!(page.text(".title-bar .menu-words").contains("when the agent is idle"));
}

#[wasm_bindgen_test]
async fn a_fork_opens_the_new_session_with_the_text_as_draft() {
    let mut page = Page::capable().await;
    let log = record_navigation(&page);
    page.event(user("First", "1")).await;
    page.event(user("Second", "2")).await;
    page.find("[data-message-id=u-2] [aria-label='Fork from here']")
        .unwrap()
        .unchecked_into::<HtmlElement>()
        .click();
    assert_eq!(page.sent("fork").await["row"], json!(1));
    page.answer("fork", Ok(json!({"session_id": "new", "text": "Second"}))).await;
    wait_until("the new session", || *log.borrow() == ["/s/new"]).await;
    assert_eq!(page.actions.client.drafts.of("new").get_untracked(), "Second");
    page.actions.client.drafts.set("new", String::new());
}

#[wasm_bindgen_test]
async fn a_visible_idle_session_is_marked_as_read() {
    let mut page = Page::capable().await;
    let own = |state| SessionSummary { unread: true, state, ..summary(&page.server.meta.session_id, "x") };
    let changed = |state| ServerFrame::SessionsChanged { changed: vec![own(state)], removed: Vec::new() };
    let (busy, done) = (changed(SessionState::Streaming), changed(SessionState::Completed));
    page.event(Event::SessionState { state: SessionState::Streaming, reason: String::new() }).await;
    page.receive(busy).await;
    assert!(!page.has_sent("mark_read"), "not while the agent works");
    page.actions.client.hidden.set(true);
    page.event(Event::SessionState { state: SessionState::Completed, reason: String::new() }).await;
    page.receive(done).await;
    assert!(!page.has_sent("mark_read"), "nor while the tab is hidden");
    page.actions.client.hidden.set(false);
    page.sent("mark_read").await;
}

#[wasm_bindgen_test]
async fn a_search_finds_titles_at_once_and_text_after_a_pause_and_opens_a_hit() {
    let mut page = Page::connected(Page::capable_view(), vec![summary("g", "Count the gulls")]).await;
    page.event(user("Where is the relay?", "1")).await;
    let log = record_navigation(&page);
    type_into(&page, "[name=search]", "gulls").await;
    assert!(page.find("[aria-label=Titles] [data-session-id=g]").is_some());
    assert_eq!(page.sent("search").await["query"], json!("gulls"));
    let id = page.server.meta.session_id.clone();
    let snippet = json!([{"text": "the "}, {"text": "relay", "found": true}]);
    let hit = json!({"session_id": id, "entry": "e1", "kind": "user", "snippet": snippet});
    page.answer("search", Ok(json!({"hits": [hit], "more": true}))).await;
    wait_until("the hit", || page.find(".hit mark").is_some()).await;
    assert_eq!(page.text(".hit mark"), "relay");
    assert!(page.text(".sidebar-list").contains("More results not shown"));
    page.find(".hit").unwrap().unchecked_into::<HtmlElement>().click();
    assert!(log.borrow().is_empty(), "the session is open already");
    assert_eq!(page.sent("find_row").await["entry"], json!("e1"));
    page.answer("find_row", Ok(json!({"row": 0}))).await;
    wait_until("the mark", || page.find("[data-message-id=u-1][data-found]").is_some()).await;
}

#[wasm_bindgen_test]
async fn a_search_reports_no_results_and_errors() {
    let page = Page::capable().await;
    type_into(&page, "[name=search]", "nowhere").await;
    page.answer("search", Ok(json!({"hits": []}))).await;
    page.wait_for_text(".sidebar-list", "No results").await;
    type_into(&page, "[name=search]", "nowhere at all").await;
    js("wire.sent = []");
    page.answer("search", Err("The index is being built.")).await;
    page.wait_for_text(".sidebar-list", "Search failed: The index is being built.").await;
    press_key(&page, "[name=search]", "Escape").await;
    assert!(page.find(".sidebar-list [data-session-id]").is_some());
    let _: Value = page.sent("search").await;
}
