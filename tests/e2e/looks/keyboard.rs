//! The keyboard alone: the focus is always visible and never lost.

use serde_json::json;
use thirtyfour::TypingData;
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{JavaScript, Page, Size};

use crate::fixture::story;

const JS: JavaScript = js!("looks/keyboard");

/// A user without a mouse.
struct Hands {
    page: Page,
}

impl Hands {
    /// Presses keys on the focused element. The focus must be visible afterwards.
    async fn press(&self, keys: impl Into<TypingData>) {
        self.page.press_keys(keys).await;
        self.until_focus_visible("a key").await;
    }

    async fn until_focus_visible(&self, after: &str) {
        let what = format!("a visible focus after {after}");
        self.page.until_call(&what, JS, "isFocusVisible", json!([])).await;
    }

    /// Presses keys until the focused element matches the selector and has the text, if one is given.
    async fn step_to(&self, selector: &str, text: Option<&str>, keys: &[Key]) {
        let mut passed = Vec::new();
        for _ in 0..80 {
            if self.page.call(JS, "isFocused", json!([selector, text])).await == true {
                return;
            }
            self.page.press_keys(keys.iter().map(Key::value).collect::<String>()).await;
            self.until_focus_visible(&format!("a step to {selector}, past {passed:?}")).await;
            passed.push(self.page.call(JS, "focusName", json!([])).await);
        }
        panic!("no way to {selector} {text:?}: {passed:?}");
    }

    async fn tab_to(&self, selector: &str) {
        self.step_to(selector, None, &[Key::Tab]).await;
    }

    async fn tab_to_text(&self, selector: &str, text: &str) {
        self.step_to(selector, Some(text), &[Key::Tab]).await;
    }

    async fn tab_back_to(&self, selector: &str, text: Option<&str>) {
        self.step_to(selector, text, &[Key::Shift, Key::Tab]).await;
    }
}

/// The button of the session menu.
const MENU: &str = ".title-bar [aria-label='Session menu']";

#[tokio::test]
async fn i_do_everything_with_the_keyboard_and_always_see_the_focus() {
    story("keyboard", Size::Wide, async |fixture| {
        std::fs::create_dir_all(fixture.project.path().join("charts/north")).unwrap();
        let page = fixture.page();
        let demo = page.first_visit(&fixture.server.link).await;
        let hands = Hands { page: page.clone() };
        hands.press(Key::Alt + "n").await;
        page.until_present(".folder-entry").await;

        // A folder, chosen in the list.
        hands.tab_to("[name=folder]").await;
        hands.tab_to(".folder-entry").await;
        hands.step_to(".folder-entry", Some("charts"), &[Key::Down]).await;
        hands.press(Key::Enter + "").await;
        page.until_text_in(".folder-list", "north").await;
        hands.until_focus_visible("opening a folder").await;
        hands.tab_to("[type=submit]").await;
        hands.press(Key::Enter + "").await;
        page.until_focus("[name=prompt]").await;

        // A run with an approval.
        page.press_keys("/approve").await;
        hands.press(Key::Enter + "").await;
        page.until_state("waiting_approval").await;
        hands.tab_back_to("button", Some("Allow")).await;
        hands.press(Key::Enter + "").await;
        page.until_state("completed").await;
        hands.until_focus_visible("an answer").await;

        // A row, opened and closed.
        hands.tab_back_to("[data-kind=tool] .row-line", None).await;
        hands.press(Key::Enter + "").await;
        page.until_present(".tool-details").await;
        hands.press(Key::Enter + "").await;
        page.until_absent(".tool-details").await;

        // A search in the conversation.
        hands.press(Key::Control + "f").await;
        page.until_focus("[name=find]").await;
        page.press_keys("allowed").await;
        page.until_text_in(".find-words", " of ").await;
        hands.press(Key::Enter + "").await;
        hands.press(Key::Escape + "").await;
        page.until_absent(".find-bar").await;
        hands.until_focus_visible("closing the search").await;

        // Another session, and back to this one.
        let first = page.session().await;
        hands.press(Key::Alt + "n").await;
        page.until_present("main.new-session").await;
        hands.until_focus_visible("opening the form").await;
        hands.tab_to("[type=submit]").await;
        hands.press(Key::Enter + "").await;
        page.until_focus("[name=prompt]").await;
        page.press_keys("Count the gulls").await;
        hands.press(Key::Enter + "").await;
        page.until_state("completed").await;
        for session in [demo, first] {
            hands.press(Key::Alt + Key::Down).await;
            page.until_present(&format!("main[data-session-id='{session}']")).await;
        }
        hands.until_focus_visible("switching sessions").await;

        // A search in all sessions.
        hands.press(Key::Control + "k").await;
        page.until_focus("[name=search]").await;
        page.press_keys("gulls").await;
        page.until_present("nav .hit").await;
        hands.tab_to(".hit").await;
        hands.press(Key::Enter + "").await;
        page.until_text("Count the gulls").await;
        page.until_focus("[name=prompt]").await;
        hands.until_focus_visible("opening a hit").await;
        hands.press(Key::Control + "k").await;
        page.until_focus("[name=search]").await;
        hands.press(Key::Escape + "").await;

        // Renaming and deleting.
        hands.tab_to(MENU).await;
        hands.press(Key::Enter + "").await;
        page.until_focus("[role=menuitem]").await;
        hands.step_to("[role=menuitem]", Some("Rename"), &[Key::Down]).await;
        hands.press(Key::Enter + "").await;
        page.until_focus("[name=title]").await;
        page.press_keys(Key::Control + "a").await;
        page.press_keys("Gulls").await;
        hands.press(Key::Enter + "").await;
        page.until_text_of("h1.title", "Gulls").await;
        hands.until_focus_visible("renaming").await;
        hands.tab_to(MENU).await;
        hands.press(Key::Enter + "").await;
        page.until_focus("[role=menuitem]").await;
        hands.step_to("[role=menuitem]", Some("Delete…"), &[Key::Down]).await;
        hands.press(Key::Enter + "").await;
        page.until_present("dialog.confirm[open]").await;
        hands.tab_to_text("button", "Delete").await;
        page.press_keys(Key::Enter + "").await;
        page.until_present("main.new-session").await;
        hands.until_focus_visible("deleting").await;

        // The list of shortcuts.
        hands.press("?").await;
        page.until_present("dialog.help[open]").await;
        hands.press(Key::Escape + "").await;
        page.until_absent("dialog.help[open]").await;
        hands.until_focus_visible("closing the list").await;
    })
    .await;
}
