//! A whole day's work with the keyboard alone: it is always seen where the keyboard is, and it is never lost.

use serde_json::json;
use thirtyfour::TypingData;
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{Page, Size};

use crate::stage::story;

/// Where the keyboard is; none if it is lost or cannot be seen.
const HERE: &str = "const here = document.activeElement;\
    if (!here || here === document.body) return null;\
    const box = here.getBoundingClientRect();\
    const marked = (element) => { const style = getComputedStyle(element);\
      return (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none'; };\
    const around = [here, here.closest('label, .composer-box')];\
    if (box.width === 0 || !around.some((element) => element && marked(element))) return null;\
    return here.getAttribute('aria-label') ?? (here.textContent.trim() || here.name || here.localName)";

struct Hands {
    page: Page,
}

impl Hands {
    /// Presses keys where the keyboard is, and looks where it is then.
    async fn press(&self, keys: impl Into<TypingData>) {
        self.page.press_keys(keys).await;
        self.see("a key").await;
    }

    async fn see(&self, after: &str) {
        self.page
            .until(
                &format!("the keyboard to be seen after {after}"),
                &format!("return (() => {{ {HERE} }})() !== null"),
            )
            .await;
    }

    /// Steps until the keyboard is at what a script tells.
    async fn step_to(&self, what: &str, found: &str, keys: &[Key]) {
        let mut passed = Vec::new();
        for _ in 0..80 {
            let there = format!("const here = document.activeElement; return {found}");
            if self.page.script(&there, vec![]).await == json!(true) {
                return;
            }
            self.page.press_keys(keys.iter().map(Key::value).collect::<String>()).await;
            self.see(&format!("a step on the way to {what}, past {passed:?}")).await;
            passed.push(self.page.script(HERE, vec![]).await);
        }
        panic!("no way to {what}: {passed:?}");
    }

    async fn forwards_to(&self, what: &str, found: &str) {
        self.step_to(what, found, &[Key::Tab]).await;
    }

    async fn backwards_to(&self, what: &str, found: &str) {
        self.step_to(what, found, &[Key::Shift, Key::Tab]).await;
    }
}

#[tokio::test]
async fn i_do_everything_with_the_keyboard_and_always_see_where_it_is() {
    story("keyboard", Size::Wide, async |stage| {
        std::fs::create_dir_all(stage.project.path().join("charts/north")).unwrap();
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.until("the folders", "return !!document.querySelector('.folder-entry')").await;
        let hands = Hands { page: page.clone() };

        // A folder, by walking and by its path.
        page.press_keys(Key::Tab + "").await;
        hands.forwards_to("the folder's field", "here.name === 'folder'").await;
        hands.forwards_to("the list", "here.matches('.folder-entry')").await;
        hands.step_to("a folder", "here.textContent.trim() === 'charts'", &[Key::Down]).await;
        hands.press(Key::Enter + "").await;
        page.until(
            "what is in it",
            "return document.querySelector('.folder-list').textContent.includes('north')",
        )
        .await;
        hands.see("walking into a folder").await;
        hands.forwards_to("the button that creates", "here.type === 'submit'").await;
        hands.press(Key::Enter + "").await;
        page.until("the composer", "return document.activeElement?.name === 'prompt'").await;

        // A run with an approval.
        page.press_keys("/approve").await;
        hands.press(Key::Enter + "").await;
        page.until_state("waiting_approval").await;
        hands.backwards_to("the answer", "here.textContent.trim() === 'Allow'").await;
        hands.press(Key::Enter + "").await;
        page.until_state("completed").await;
        hands.see("an answer").await;

        // A row, opened and closed.
        hands
            .backwards_to("the tool's row", "here.closest('[data-kind=tool]') && here.matches('.row-line')")
            .await;
        hands.press(Key::Enter + "").await;
        page.until("its details", "return !!document.querySelector('.tool-details')").await;
        hands.press(Key::Enter + "").await;
        page.until("them gone", "return !document.querySelector('.tool-details')").await;

        // Finding, and back to writing.
        hands.press(Key::Control + "f").await;
        page.until("the bar", "return document.activeElement?.name === 'find'").await;
        page.press_keys("allowed").await;
        page.until(
            "what was found",
            "return document.querySelector('.find-words')?.textContent.includes(' of ')",
        )
        .await;
        hands.press(Key::Enter + "").await;
        hands.press(Key::Escape + "").await;
        page.until("no bar", "return !document.querySelector('.find-bar')").await;
        hands.see("closing the bar").await;

        // Another session, and back to the first.
        let first = page.attribute("main", "data-session-id").await;
        hands.press(Key::Alt + "n").await;
        page.until("the form", "return !!document.querySelector('main.new-session')").await;
        hands.see("the form").await;
        hands.forwards_to("the button that creates", "here.type === 'submit'").await;
        hands.press(Key::Enter + "").await;
        page.until("the composer", "return document.activeElement?.name === 'prompt'").await;
        page.press_keys("Count the gulls").await;
        hands.press(Key::Enter + "").await;
        page.until_state("completed").await;
        hands.press(Key::Alt + Key::Down).await;
        let there = "return document.querySelector('main')?.dataset.sessionId === arguments[0]";
        page.until_script("the first session", there, vec![json!(first)]).await;
        hands.see("switching").await;

        // A search, and its hit.
        hands.press(Key::Control + "k").await;
        page.until("the search", "return document.activeElement?.name === 'search'").await;
        page.press_keys("gulls").await;
        page.until("the hit", "return !!document.querySelector('nav .hit')").await;
        hands.forwards_to("the hit", "here.matches('.hit')").await;
        hands.press(Key::Enter + "").await;
        page.until_text("Count the gulls").await;
        page.until("the composer", "return document.activeElement?.name === 'prompt'").await;
        hands.see("going to a hit").await;
        hands.press(Key::Control + "k").await;
        page.until("the search", "return document.activeElement?.name === 'search'").await;
        hands.press(Key::Escape + "").await;

        // Naming and deleting.
        hands
            .forwards_to("the menu", "here.closest('.title-bar') && here.ariaLabel === 'Session menu'")
            .await;
        hands.press(Key::Enter + "").await;
        page.until("the menu", "return document.activeElement?.role === 'menuitem'").await;
        hands.step_to("naming", "here.textContent.trim() === 'Rename'", &[Key::Down]).await;
        hands.press(Key::Enter + "").await;
        page.until("the field", "return document.activeElement?.name === 'title'").await;
        page.press_keys(Key::Control + "a").await;
        page.press_keys("Gulls").await;
        hands.press(Key::Enter + "").await;
        page.until("its name", "return document.querySelector('h1.title')?.textContent === 'Gulls'").await;
        hands.see("naming it").await;
        hands
            .step_to(
                "the menu",
                "here.closest('.title-bar') && here.ariaLabel === 'Session menu'",
                &[Key::Tab],
            )
            .await;
        hands.press(Key::Enter + "").await;
        page.until("the menu", "return document.activeElement?.role === 'menuitem'").await;
        hands.step_to("deleting", "here.textContent.trim() === 'Delete…'", &[Key::Down]).await;
        hands.press(Key::Enter + "").await;
        page.until("the question", "return !!document.querySelector('dialog.confirm[open]')").await;
        hands.forwards_to("yes", "here.textContent.trim() === 'Delete'").await;
        page.press_keys(Key::Enter + "").await;
        page.until("the form", "return !!document.querySelector('main.new-session')").await;
        hands.see("deleting").await;

        // Help, and out of it.
        hands.press("?").await;
        page.until("the list", "return !!document.querySelector('dialog.help[open]')").await;
        hands.press(Key::Escape + "").await;
        page.until("no list", "return !document.querySelector('dialog.help[open]')").await;
        hands.see("the list").await;
    })
    .await;
}
