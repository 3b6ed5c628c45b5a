//! Images in prompts.

use serde_json::json;
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{JavaScript, Page, Size};

use crate::fixture::{Fixture, story};

const JS: JavaScript = js!("composer/pictures");

/// The images that wait in the composer.
const PENDING: &str = "[data-pending-image] img";

/// The image in the user's message.
const SENT: &str = "[data-kind=user] img";

/// Drops an image of 8 × 8 pixels on the composer.
pub async fn drop_picture(page: &Page) {
    page.call(JS, "dropImages", json!(["form.composer", 1])).await;
}

/// Waits until the browser stores images of so many sessions. It writes them in the background.
pub async fn until_stored(page: &Page, sessions: usize) {
    until_stored_as(page, "", sessions).await;
}

/// Waits until the browser stores so many entries with keys that have this prefix.
pub async fn until_stored_as(page: &Page, prefix: &str, sessions: usize) {
    let what = format!("images of {sessions} sessions in the storage");
    page.until_call(&what, JS, "isStored", json!([prefix, sessions])).await;
}

#[tokio::test]
async fn i_send_an_image_and_my_message_shows_it_also_after_a_reload() {
    story("picture", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        drop_picture(&page).await;
        page.until_count(PENDING, 1).await;
        page.run("What is this?").await;
        assert_eq!(page.count("[data-pending-image]").await, 0);
        page.until_image(SENT, 8).await;
        page.rows_after_reload().await;
        page.until_image(SENT, 8).await;
    })
    .await;
}

#[tokio::test]
async fn a_pending_image_survives_a_reload_until_i_send_it() {
    story("picture-kept", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.call(JS, "pasteImage", json!([null])).await;
        page.until_count(PENDING, 1).await;
        until_stored(&page, 1).await;
        page.reload().await;
        page.until_count(PENDING, 1).await;
        // A new image comes after the restored one.
        drop_picture(&page).await;
        page.until_count(PENDING, 2).await;
        page.press("Remove image").await;
        page.until_count(PENDING, 1).await;
        page.run("What is this?").await;
        page.until_image(SENT, 8).await;
        assert_eq!(page.count("[data-pending-image]").await, 0);
        until_stored(&page, 0).await;
        page.reload().await;
        page.until_image(SENT, 8).await;
        assert_eq!(page.count("[data-pending-image]").await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_pending_image_is_deleted_with_its_session() {
    story("picture-forgotten", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.run("Hello").await;
        drop_picture(&page).await;
        page.until_present(PENDING).await;
        until_stored(&page, 1).await;
        page.choose_in_session_menu("Delete…").await;
        page.press("Delete").await;
        page.until_present("main.new-session").await;
        until_stored(&page, 0).await;
    })
    .await;
}

#[tokio::test]
async fn a_large_image_is_scaled_down_before_it_is_sent() {
    story("picture-scaled", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.call(JS, "dropLargeImage", json!(["form.composer", 3000, 1500])).await;
        page.until_call("the smaller image", JS, "isPendingSize", json!([2000, 1000])).await;
    })
    .await;
}

#[tokio::test]
async fn promise_26_a_file_that_is_no_image_is_refused_before_it_is_sent() {
    story("no-picture", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.call(JS, "dropBytes", json!(["form.composer", "x.png", [60, 115, 118, 103], 0])).await;
        page.until_text_in(".picture-problem", "Only PNG").await;
        assert_eq!(page.count("[data-pending-image]").await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_scheduled_image_returns_to_the_composer_and_can_be_sent_again() {
    story("picture-restored", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.send("/wait-tool go").await;
        page.until_tool("running").await;
        drop_picture(&page).await;
        page.until_present("[data-pending-image]").await;
        page.send("And this one").await;
        page.until_present("[data-scheduled] img").await;
        page.press("Restore to editor").await;
        page.until_present(PENDING).await;
        assert_eq!(page.draft().await, "And this one");
        fixture.release("go");
        page.until_state("completed").await;
        page.run("").await;
        page.until_image(SENT, 8).await;
    })
    .await;
}

#[tokio::test]
async fn i_paste_an_image_and_pasted_text_stays_text() {
    story("picture-pasted", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.call(JS, "pasteImage", json!([null])).await;
        page.until_present(PENDING).await;
        // Some programs put an image of the text into the clipboard as well.
        page.call(JS, "pasteImage", json!(["words"])).await;
        page.run("What is this?").await;
        page.until_image(SENT, 8).await;
        assert_eq!(page.count("[data-kind=user] img").await, 1);
    })
    .await;
}

#[tokio::test]
async fn i_pick_an_image_remove_it_and_pick_it_again() {
    picker_story(Size::Wide).await;
}

#[tokio::test]
async fn on_my_phone_i_pick_an_image() {
    picker_story(Size::Phone).await;
}

async fn picker_story(size: Size) {
    story("picture-picked", size, async |fixture| {
        let picture = fixture.project.path().join("lighthouse.png");
        let bytes = include_bytes!("../../../crates/demo-agent/src/scenes/lighthouse.png");
        std::fs::write(&picture, bytes).unwrap();
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        for _ in 0..2 {
            page.type_into("input[name=images]", picture.to_str().unwrap()).await;
            page.until_count(PENDING, 1).await;
            page.press("Remove image").await;
            page.until_absent("[data-pending-image]").await;
        }
    })
    .await;
}

#[tokio::test]
async fn promise_25_and_26_too_many_or_too_large_images_are_refused_before_they_are_sent() {
    story("picture-limits", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.call(JS, "dropImages", json!(["form.composer", 9])).await;
        page.until_text_in(".picture-problem", "up to 8").await;
        assert_eq!(page.count("[data-pending-image]").await, 8);
        for _ in 0..8 {
            page.press("Remove image").await;
        }
        page.until_absent("[data-pending-image]").await;
        let png = |side: u32| {
            let start = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
            [start, side.to_be_bytes().repeat(2)].concat()
        };
        page.call(JS, "dropBytes", json!(["form.composer", "large.png", png(100), 6 * 1024 * 1024])).await;
        page.until_text_in(".picture-problem", "5.2 MB per image").await;
        // A small file that would take 3.6 GB of memory.
        page.call(JS, "dropBytes", json!(["form.composer", "bomb.png", png(30_000), 64 * 1024])).await;
        page.until_text_in(".picture-problem", "30000 × 30000 pixels").await;
        page.screenshot("picture-bomb").await;
        assert_eq!(page.count("[data-pending-image]").await, 0);
        assert_eq!(page.count("[role=log] [data-kind=user]").await, 0, "a message was sent");
    })
    .await;
}

async fn open_viewer(fixture: &Fixture, page: &Page) {
    page.first_visit(&fixture.server.link).await;
    page.fill_composer("/image").await;
    page.click("form.composer button[type=submit]").await;
    page.until_state("completed").await;
    page.until_image(".row-image img", 1).await;
    page.click(".row-image").await;
    page.until_image("dialog.viewer[open] img", 1).await;
    page.until_animations_end().await;
    let image = page.rect("dialog.viewer img").await;
    let window = page.rect("html").await;
    assert!(image.left >= 0.0 && image.right <= window.right, "{image:?} is wider than {window:?}");
    page.until_in_window("dialog.viewer img").await;
}

/// The open viewer.
const VIEWER: &str = "dialog.viewer[open]";

#[tokio::test]
async fn i_view_an_image_in_full_and_close_it_by_key_and_by_button() {
    story("viewer", Size::Wide, async |fixture| {
        let page = fixture.page();
        open_viewer(fixture, &page).await;
        page.press_keys(Key::Escape + "").await;
        page.until_absent(VIEWER).await;
        page.until_focus(".row-image").await;
        page.press_keys(Key::Enter + "").await;
        page.until_present("dialog.viewer[open] img").await;
        page.click(".viewer-close").await;
        page.until_absent(VIEWER).await;
    })
    .await;
}

#[tokio::test]
async fn on_my_phone_i_view_an_image_and_a_touch_closes_it() {
    story("viewer-phone", Size::Phone, async |fixture| {
        let page = fixture.page();
        open_viewer(fixture, &page).await;
        page.click("dialog.viewer img").await;
        page.until_absent(VIEWER).await;
    })
    .await;
}

#[tokio::test]
async fn i_drop_images_anywhere_and_a_text_file_leaves_the_others() {
    story("picture-anywhere", Size::Wide, async |fixture| {
        let page = fixture.page();
        let first = page.first_visit(&fixture.server.link).await;
        page.call(JS, "dropImagesAndText", json!(["[role=log]", 2])).await;
        page.until_count(PENDING, 2).await;
        page.until_text_in(".picture-problem", "Only PNG").await;
        page.open_new_session_form().await;
        page.new_session().await;
        assert_eq!(page.text_of(".picture-problem").await, "", "the problem of another session is shown");
        page.open_session(&first).await;
        page.until_count(PENDING, 2).await;
    })
    .await;
}

#[tokio::test]
async fn i_fork_from_a_message_and_get_its_image_too() {
    story("picture-fork", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.run("Hello").await;
        drop_picture(&page).await;
        page.until_present(PENDING).await;
        page.run("What is this?").await;
        page.until_image(SENT, 8).await;
        page.click_last("[data-kind=user] [aria-label^=Fork]").await;
        page.until_draft("What is this?").await;
        page.until_count(PENDING, 1).await;
        page.run("").await;
        page.until_image(SENT, 8).await;
    })
    .await;
}
