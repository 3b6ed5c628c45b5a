//! Notifications: the title, the system notification and the sound of a hidden tab that needs the user.

use serde_json::{Value, json};

use pilothouse_test_support::browser::Size;

use crate::stage::story;

/// Records the notifications and sounds of the page, and lets them happen.
const RECORDER: &str = "(() => {
    window.recorded = { notifications: [], notes: 0 };
    window.Notification = class extends Notification {
        constructor(title, options) {
            super(title, options);
            window.recorded.notifications.push([title, options?.body, options?.tag]);
        }
    };
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...when) { window.recorded.notes += 1; return start.apply(this, when); };
})()";

#[tokio::test]
async fn the_title_of_a_hidden_tab_shows_that_a_run_ended() {
    story("badge", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.send("/wait go").await;
        page.until_text("The first half").await;
        page.set_visibility("hidden").await;
        stage.release("go");
        page.until("a count in the title", "return document.title.startsWith('(1) ')").await;
        page.set_visibility("visible").await;
        page.until("a title without a count", "return !document.title.startsWith('(')").await;
    })
    .await;
}

#[tokio::test]
async fn a_hidden_tab_notifies_me_with_a_sound_and_a_visible_one_does_not() {
    story("called", Size::Wide, async |stage| {
        let page = stage.page();
        page.grant(&stage.server.origin(), &["notifications"]).await;
        page.add_init_script(RECORDER).await;
        page.enter(&stage.server.link).await;
        let session = page.new_session().await;
        let recorded = async || {
            page.script("return [window.recorded.notifications, window.recorded.notes]", vec![]).await
        };
        // Both are off by default: only the title changes.
        page.send("/wait one").await;
        page.until_text("The first half").await;
        page.set_visibility("hidden").await;
        stage.release("one");
        page.until("a count in the title", "return document.title.startsWith('(1) ')").await;
        assert_eq!(recorded().await, json!([[], 0]));
        page.set_visibility("visible").await;
        page.press("Settings").await;
        page.press("Notify me when a hidden tab needs me").await;
        page.press("Play a sound as well").await;
        page.until(
            "both switches on",
            "return document.querySelectorAll('[role=switch][aria-checked=true]').length === 2",
        )
        .await;
        page.script("document.querySelector(':popover-open').hidePopover()", vec![]).await;
        // Switching notifications on shows one, to find out whether the browser can.
        assert_eq!(page.script("return window.recorded.notifications.splice(0).length", vec![]).await, 1);
        // A visible tab stays quiet.
        page.run("Hello").await;
        assert_eq!(recorded().await, json!([[], 0]));
        page.send("/approve").await;
        page.until_state("waiting_approval").await;
        page.press("Block").await;
        page.until_state("completed").await;
        page.send("/wait two").await;
        page.until(
            "the second answer",
            "return document.querySelectorAll('[data-kind=assistant].live').length === 1",
        )
        .await;
        page.set_visibility("hidden").await;
        stage.release("two");
        let notified = "return window.recorded.notifications.length === 1 && window.recorded.notes === 1";
        page.until("a notification and a sound", notified).await;
        let expected: Value = json!([[["Is done", "/wait one", session]], 1]);
        assert_eq!(recorded().await, expected);
    })
    .await;
}

#[tokio::test]
async fn a_browser_without_notifications_says_so_in_the_settings() {
    story("no-calls", Size::Wide, async |stage| {
        let page = stage.page();
        page.grant(&stage.server.origin(), &["notifications"]).await;
        // As on a phone, where only a service worker may show notifications.
        let source = "window.Notification = class { static permission = 'granted'; constructor() { throw new TypeError('Illegal constructor'); } }";
        page.add_init_script(source).await;
        page.enter(&stage.server.link).await;
        page.press("Settings").await;
        page.press("Notify me when a hidden tab needs me").await;
        let explained = "const words = [...document.querySelectorAll('.menu-words')].find((words) => words.textContent.includes('shows no notifications'));\
                    return !!words && !words.hidden && !document.querySelector('[role=switch][aria-checked=true]')";
        page.until("an explanation, and the switch off", explained).await;
    })
    .await;
}
