//! The page on a phone.

use serde_json::json;
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{COMPOSER, JavaScript, Page, Size, session_row};

use crate::fixture::story;

const JS: JavaScript = js!("looks/phone");

async fn until_drawer(page: &Page, is_open: bool) {
    page.until_call(&format!("the drawer to be open: {is_open}"), JS, "isDrawerOpen", json!([is_open])).await;
}

#[tokio::test]
async fn on_my_phone_i_open_the_drawer_pick_a_session_and_write() {
    story("phone", Size::Phone, async |fixture| {
        let page = fixture.page();
        let session = page.first_visit(&fixture.server.link).await;
        // Enter breaks the line on a touch screen; the button sends.
        page.write("First line").await;
        page.write(Key::Enter + "").await;
        assert_eq!(page.count("[role=log] [data-message-id]").await, 0);
        page.press("Send").await;
        page.until_state("completed").await;
        assert_eq!(page.call(JS, "overflow", json!([])).await, 0, "the page is wider than the window");
        page.press("Sessions").await;
        until_drawer(&page, true).await;
        page.click(&session_row(&session)).await;
        until_drawer(&page, false).await;
        page.until_in_window(COMPOSER).await;
    })
    .await;
}

#[tokio::test]
async fn on_my_phone_the_last_text_of_a_turn_has_its_buttons() {
    story("phone-copy", Size::Phone, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.write("/tour").await;
        page.press("Send").await;
        page.until_state("completed").await;
        page.write("! echo lantern").await;
        page.press("Run").await;
        page.until_present("[data-kind=bash]").await;
        // The buttons come after the last text of a turn, and not between tools.
        let answers: Vec<(String, bool)> = page.call_as(JS, "answersWithButtons", json!([])).await;
        assert!(answers.iter().all(|(next, has_buttons)| *has_buttons == (next == "bash")), "{answers:?}");
        assert!(answers.len() > 2 && answers.last().unwrap().0 == "bash", "{answers:?}");
    })
    .await;
}

#[tokio::test]
async fn on_my_phone_the_choices_in_the_title_bar_have_one_size() {
    story("phone-choices", Size::Phone, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.run("/help").await;
        let shown = ".title-model, .title-select > span:first-child";
        let sizes: Vec<f64> = page.call_as(JS, "fontSizes", json!([shown])).await;
        assert!(sizes.len() == 3 && sizes.iter().all(|size| *size == sizes[0]), "{sizes:?}");
        // A phone zooms in on fields with a smaller font.
        let fields: Vec<f64> = page.call_as(JS, "fontSizes", json!([".title-select select"])).await;
        assert!(fields.len() == 2 && fields.iter().all(|size| *size >= 16.0), "{fields:?}");
        let chosen = page.texts(".title-select select option:checked").await;
        assert_eq!(page.texts(".title-select > span:first-child").await, chosen);
        // The widest form: the usage of the context is unknown after a compaction.
        page.run("/compact").await;
        page.until_text_in(".title-choice.context", "unknown").await;
        assert_eq!(page.call(JS, "areInWindow", json!([".title-side > *, .title-model"])).await, true);
    })
    .await;
}

#[tokio::test]
async fn on_my_phone_i_see_everywhere_that_a_session_waits_for_me() {
    story("phone-waits", Size::Phone, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.run("/tour").await;
        page.send("/approve").await;
        page.until_state("waiting_approval").await;
        page.scroll_to(0.0).await;
        page.until_text_of(".jump", "Waiting for your answer").await;
        page.open_new_session_form().await;
        page.until_present(".sessions-button[data-waiting='1'][aria-label='Sessions, 1 waiting for you']")
            .await;
        assert_eq!(page.call(JS, "badge", json!([".sessions-button"])).await, "\"1\"");
        until_drawer(&page, false).await;
        page.screenshot("phone-waits").await;
        page.press("Sessions, 1 waiting for you").await;
        page.press("Waiting for you").await;
        page.press("Block").await;
        page.until_absent("[data-waiting]").await;
    })
    .await;
}

#[tokio::test]
async fn an_onscreen_keyboard_does_not_cover_the_composer() {
    story("phone-keyboard", Size::Phone, async |fixture| {
        let page = fixture.page();
        // As in a browser that lays the keyboard over the page.
        page.add_init_call(JS, "controlViewport", json!([])).await;
        page.first_visit(&fixture.server.link).await;
        let send = "form.composer button[type=submit]";
        let window = page.rect("html").await.height;
        let free = page.rect(send).await.bottom;
        let resize = async |height: f64, zoom: u32| {
            page.call(JS, "resizeViewport", json!([height, zoom])).await;
        };
        let half = window / 2.0;
        resize(half, 1).await;
        page.until_call("Send above the keyboard", JS, "isAbove", json!([send, half])).await;
        // Zooming in makes the viewport smaller, too, and moves nothing.
        resize(window / 3.0, 2).await;
        page.until_call("Send at its old place", JS, "endsAt", json!([send, free])).await;
        resize(half, 1).await;
        page.until_call("Send above the keyboard", JS, "isAbove", json!([send, half])).await;
        resize(window, 1).await;
        page.until_call("Send at its old place", JS, "endsAt", json!([send, free])).await;
    })
    .await;
}
