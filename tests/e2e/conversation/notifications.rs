//! Notifications: the title, the system notification and the sound of a hidden tab that needs the user.

use serde_json::{Value, json};

use pilothouse_test_support::browser::{JavaScript, Size};

use crate::fixture::story;

const JS: JavaScript = js!("conversation/notifications");

#[tokio::test]
async fn the_title_of_a_hidden_tab_shows_that_a_run_ended() {
    story("badge", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.send("/wait go").await;
        page.until_text("The first half").await;
        page.set_visibility("hidden").await;
        fixture.release("go");
        page.until_title("a count in the title", |title| title.starts_with("(1) ")).await;
        page.set_visibility("visible").await;
        page.until_title("a title without a count", |title| !title.starts_with('(')).await;
    })
    .await;
}

#[tokio::test]
async fn a_hidden_tab_notifies_me_with_a_sound_and_a_visible_one_does_not() {
    story("called", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.grant(&fixture.server.origin(), &["notifications"]).await;
        page.add_init_call(JS, "record", json!([])).await;
        let session = page.first_visit(&fixture.server.link).await;
        let recorded = async || page.call(JS, "recorded", json!([])).await;
        // Both are off by default: only the title changes.
        page.send("/wait one").await;
        page.until_text("The first half").await;
        page.set_visibility("hidden").await;
        fixture.release("one");
        page.until_title("a count in the title", |title| title.starts_with("(1) ")).await;
        assert_eq!(recorded().await, json!([[], 0]));
        page.set_visibility("visible").await;
        page.press("Settings").await;
        page.press("Notifications while this tab is hidden").await;
        page.press("Notification sound").await;
        page.until_count("[role=switch][aria-checked=true]", 2).await;
        page.press_keys(thirtyfour::prelude::Key::Escape + "").await;
        // Switching notifications on shows one, to find out whether the browser can.
        assert_eq!(page.call(JS, "forgetNotifications", json!([])).await, 1);
        // A visible tab stays quiet.
        page.run("Hello").await;
        assert_eq!(recorded().await, json!([[], 0]));
        page.send("/approve").await;
        page.until_state("waiting_approval").await;
        page.press("Block").await;
        page.until_state("completed").await;
        page.send("/wait two").await;
        page.until_count("[data-kind=assistant].live", 1).await;
        page.set_visibility("hidden").await;
        fixture.release("two");
        page.until_call("a notification and a sound", JS, "isNotifiedOnce", json!([])).await;
        let expected: Value = json!([[["Done", "/wait one", session]], 1]);
        assert_eq!(recorded().await, expected);
    })
    .await;
}

#[tokio::test]
async fn a_browser_without_notifications_says_so_in_the_settings() {
    story("no-calls", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.grant(&fixture.server.origin(), &["notifications"]).await;
        // As on a phone, where only a service worker may show notifications.
        page.add_init_call(JS, "forbid", json!([])).await;
        page.first_visit(&fixture.server.link).await;
        page.press("Settings").await;
        page.press("Notifications while this tab is hidden").await;
        page.until_call("an explanation, and the switch off", JS, "isExplained", json!([])).await;
    })
    .await;
}
