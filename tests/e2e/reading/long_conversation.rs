//! Long conversations: they open at once, only rows near the view are built, and the view holds still.

use serde_json::{Value, json};
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{JavaScript, Page, Size, session_row};
use pilothouse_test_support::session_file::{self, SessionFile};

use crate::fixture::{Fixture, story};

const JS: JavaScript = js!("reading/long_conversation");

const ROWS: &str = "[role=log] [data-message-id]";

/// Stores a session of the demo agent with so many messages.
fn long_session(fixture: &Fixture, messages: usize) {
    stored_session(fixture, (0..messages).map(numbered_message));
}

/// A message with its number, one to twenty-three sentences long.
fn numbered_message(number: usize) -> String {
    format!("Message {number}. {}", "It is said at some length. ".repeat(1 + number * 7 % 23))
}

/// Stores a session of the demo agent with these texts, alternately of the user and the agent.
pub fn stored_session(fixture: &Fixture, texts: impl IntoIterator<Item = String>) {
    let mut file = SessionFile::numbered(1, &fixture.project.path().to_string_lossy());
    for (number, words) in texts.into_iter().enumerate() {
        if number % 2 == 0 {
            file.user(&words);
        } else {
            file.assistant(json!([{"type": "text", "text": words}]));
        }
    }
    fixture.add_session(file);
}

/// The selector of that session's row in the sidebar.
pub fn row_of_session() -> String {
    session_row(&session_file::numbered_id(1))
}

/// Opens that session.
pub async fn open(fixture: &Fixture, page: &Page) {
    page.enter(&fixture.server.link).await;
    page.click(&row_of_session()).await;
}

/// Waits until a row is where it was, given by its id and position.
async fn until_row_at(page: &Page, place: &Value) {
    page.until_call(&format!("the row at {place}"), JS, "isRowAt", json!([place])).await;
}

#[tokio::test]
async fn i_open_ten_thousand_messages_at_once_and_find_one_of_the_first() {
    story("long", Size::Wide, async |fixture| {
        long_session(fixture, 10_000);
        let page = fixture.page();
        open(fixture, &page).await;
        page.until_row_in_view("Message 9999.").await;
        assert!(page.count(ROWS).await < 150, "{} rows are built", page.count(ROWS).await);
        page.write(Key::Control + "f").await;
        page.fill("[name=find]", "Message 17.").await;
        page.until_text_of(".find-words", "1 of 1").await;
        page.until_row_in_view("Message 17.").await;
        page.until_present("[data-found]").await;
        assert!(page.count(ROWS).await < 250, "{} rows are built", page.count(ROWS).await);
        page.press("Close").await;
        page.press_starting("Jump to latest").await;
        page.until_row_in_view("Message 9999.").await;
    })
    .await;
}

#[tokio::test]
async fn nothing_moves_when_older_messages_are_loaded_above() {
    story("long-up", Size::Wide, async |fixture| {
        long_session(fixture, 2_000);
        let page = fixture.page();
        open(fixture, &page).await;
        page.until_row_in_view("Message 1999.").await;
        let watched = page.call(JS, "watchOlderRowsLoad", json!([])).await;
        assert_eq!((&watched["loaded"], &watched["connected"]), (&json!(true), &json!(true)), "{watched}");
        assert!(watched["moved"].as_f64().unwrap() <= 1.0, "{watched}");
    })
    .await;
}

#[tokio::test]
async fn i_return_to_a_session_and_am_where_i_was_reading() {
    story("long-back", Size::Wide, async |fixture| {
        long_session(fixture, 600);
        let page = fixture.page();
        open(fixture, &page).await;
        page.until_row_in_view("Message 599.").await;
        let place = page.call(JS, "scrollUp", json!([8, 600])).await;
        page.open_new_session_form().await;
        page.click(&row_of_session()).await;
        until_row_at(&page, &place).await;
    })
    .await;
}

#[tokio::test]
async fn i_reload_and_am_where_i_was_reading() {
    reload_story(Size::Wide, 1).await;
}

#[tokio::test]
async fn on_my_phone_i_reload_and_am_where_i_was_reading() {
    reload_story(Size::Phone, 1).await;
}

#[tokio::test]
async fn among_many_tools_i_reload_and_am_where_i_was_reading() {
    reload_story(Size::Wide, 12).await;
}

/// Opens a session, scrolls above the rows that come with it, and opens a tool row there. Returns the row's id and
/// position.
async fn read_far_up(fixture: &Fixture, page: &Page, calls: usize) -> Value {
    let mut file = SessionFile::numbered(1, &fixture.project.path().to_string_lossy());
    for number in 0..300 {
        file.user(&numbered_message(number));
        let call = |call| {
            let id = format!("c{number}-{call}");
            json!({"type": "toolCall", "id": id, "name": "bash", "arguments": {"command": "ls"}})
        };
        file.assistant(json!([{"type": "thinking", "thinking": "Shall I?\n\nI shall."}]));
        file.assistant((0..calls).map(call).collect());
    }
    fixture.add_session(file);
    open(fixture, page).await;
    page.until_row_in_view("Message 299.").await;
    let message = if calls > 1 { 250 } else { 180 };
    let row: String = page.call_as(JS, "scrollUpToMessage", json!([message])).await;
    page.click(&format!("[data-message-id='{row}'] .row-line")).await;
    page.until_present(&format!("[data-message-id='{row}'] .tool-details")).await;
    page.call(JS, "placeOf", json!([row])).await
}

async fn reload_story(size: Size, calls: usize) {
    story("long-reloaded", size, async |fixture| {
        let page = fixture.page();
        let place = read_far_up(fixture, &page, calls).await;
        page.reload().await;
        until_row_at(&page, &place).await;
        let row = format!("[data-message-id='{}']", place["id"].as_str().unwrap());
        page.until_present(&format!("{row} .row-line[aria-expanded=true]")).await;
        page.until_present(&format!("{row} .tool-details")).await;
        // A reader at the end stays at the end.
        page.press_starting("Jump to latest").await;
        page.until_row_in_view("Message 299.").await;
        page.reload().await;
        page.until_row_in_view("Message 299.").await;
    })
    .await;
}

/// Acts while the rows of the old reading position are still being loaded. The view must stay where the action left
/// it.
async fn act_before_restoring(name: &str, act: impl AsyncFnOnce(&Page)) {
    story(name, Size::Wide, async |fixture| {
        let page = fixture.page();
        read_far_up(fixture, &page, 1).await;
        page.add_init_call(JS, "holdHistoryRequests", json!([])).await;
        page.reload().await;
        page.until_call("a request for older messages", JS, "hasHeldRequest", json!([])).await;
        page.until_row_in_view("Message 299.").await;
        act(&page).await;
        let before = page.call(JS, "lastRow", json!([10])).await;
        page.call(JS, "sendHeldRequests", json!([])).await;
        page.until_call("older messages", JS, "isTallerThan", json!([before["height"]])).await;
        let after = page.call(JS, "lastRow", json!([20])).await;
        let moved = after["top"].as_f64().unwrap() - before["top"].as_f64().unwrap();
        assert!(moved.abs() <= 2.0, "the last row moved by {moved}");
    })
    .await;
}

#[tokio::test]
async fn when_i_scroll_before_my_old_place_is_loaded_i_stay_where_i_am() {
    act_before_restoring("long-gone-on", async |page| {
        page.call(JS, "scrollUp", json!([1, 300])).await;
    })
    .await;
}

#[tokio::test]
async fn when_i_write_before_my_old_place_is_loaded_i_stay_where_i_am() {
    act_before_restoring("long-written-on", async |page| page.write("And now").await).await;
}

#[tokio::test]
async fn i_return_to_my_place_although_the_page_had_dropped_the_session() {
    story("long-evicted", Size::Wide, async |fixture| {
        long_session(fixture, 600);
        let cwd = fixture.project.path().to_string_lossy().into_owned();
        let others = (2..=10).map(|number| {
            let mut file = SessionFile::numbered(number, &cwd);
            file.user(&format!("Something else, {number}"));
            fixture.add_session(file)
        });
        let others: Vec<String> = others.collect();
        let page = fixture.page();
        open(fixture, &page).await;
        page.until_row_in_view("Message 599.").await;
        // Above the rows that come with a session.
        let place = page.call(JS, "readAbove", json!([470])).await;
        for id in others {
            page.open_session(&id).await;
            page.until_present(&format!("main[data-session-id='{id}'] [data-kind=user]")).await;
        }
        page.click(&row_of_session()).await;
        until_row_at(&page, &place).await;
    })
    .await;
}

#[tokio::test]
async fn a_row_that_grows_above_the_view_does_not_move_what_i_read() {
    story("long-grow", Size::Wide, async |fixture| {
        long_session(fixture, 300);
        let page = fixture.page();
        open(fixture, &page).await;
        page.until_row_in_view("Message 299.").await;
        page.call(JS, "scrollUp", json!([3, 500])).await;
        let moved: f64 = page.call_as(JS, "growRowAbove", json!([])).await;
        assert!(moved <= 1.0, "the first visible row moved by {moved}");
    })
    .await;
}

#[tokio::test]
async fn my_selection_stays_when_i_scroll_far_away() {
    story("long-selected", Size::Wide, async |fixture| {
        long_session(fixture, 600);
        let page = fixture.page();
        open(fixture, &page).await;
        page.until_row_in_view("Message 599.").await;
        let kept = page.call(JS, "selectAndScrollAway", json!([])).await;
        assert_eq!(kept, json!({"selected": true, "away": true}));
    })
    .await;
}
