//! What leaves the page: copies of what was said, files, and calls to somebody who looks elsewhere.

use std::path::Path;

use serde_json::{Value, json};
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{Page, Size};

use crate::stage::{Stage, story};

/// The person lets the page do what it asks for.
async fn grant(stage: &Stage, page: &Page, permissions: &[&str]) {
    let granted = json!({"origin": stage.server.origin(), "permissions": permissions});
    page.cdp("Browser.grantPermissions", granted).await;
}

/// What is in the clipboard, by its type; it must be a text and nothing else.
async fn copied(page: &Page) -> String {
    let read = "const [item] = await navigator.clipboard.read();\
                if (item.types.join() !== 'text/plain') return { types: item.types };\
                return (await item.getType('text/plain')).text();";
    let text = page.async_script(read).await;
    text.as_str().unwrap_or_else(|| panic!("not a text: {text}")).to_owned()
}

async fn until_copied(page: &Page, text: &str) {
    for _ in 0..200 {
        if copied(page).await == text {
            return;
        }
    }
    assert_eq!(copied(page).await, text);
}

async fn conversation(stage: &Stage, page: &Page) {
    page.enter(&stage.server.link).await;
    page.new_session().await;
    page.run("Hello <b>there</b>").await;
    page.run("/long 5").await;
    page.run("/tools").await;
}

#[tokio::test]
async fn i_copy_a_message_a_block_of_code_and_the_whole_conversation() {
    story("copy", Size::Wide, async |stage| {
        let page = stage.page();
        grant(stage, &page, &["clipboardReadWrite", "clipboardSanitizedWrite"]).await;
        conversation(stage, &page).await;
        page.cdp("Page.bringToFront", json!({})).await;
        let press = |row: &str| {
            format!("document.querySelector('[data-kind={row}]').querySelector('[aria-label=\"Copy this message\"]').click()")
        };
        page.script(&press("user"), vec![]).await;
        until_copied(&page, "Hello <b>there</b>").await;
        page.until("a word of it", "return !!document.querySelector('[data-kind=user] [aria-label=Copied]')").await;
        page.script("document.querySelector('.code-block [data-act=copy-code]').click()", vec![]).await;
        let code = page.script("return document.querySelector('.code-block code').textContent", vec![]).await;
        until_copied(&page, code.as_str().unwrap()).await;
        page.choose_in_session_menu("Copy as Markdown").await;
        page.until("a word of it", "return document.querySelector('.notices').textContent.includes('in the clipboard')").await;
        let text = copied(&page).await;
        for part in ["# Hello <b>there</b>", "## You", "## Agent", "```rust", "| hour | wind | sea |", "**Read**", "/tools"] {
            assert!(text.contains(part), "no {part} in {text}");
        }
    })
    .await;
}

/// Waits until a file is there, whole, and tells its name and what is in it.
async fn saved(folder: &Path) -> (String, String) {
    for _ in 0..2_000 {
        let files = std::fs::read_dir(folder).unwrap().flatten();
        let mut done =
            files.filter(|file| file.path().extension().is_some_and(|extension| extension == "md"));
        if let Some(file) = done.next() {
            let text = std::fs::read_to_string(file.path()).unwrap();
            if !text.is_empty() {
                return (file.file_name().to_string_lossy().into_owned(), text);
            }
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("nothing was saved");
}

#[tokio::test]
async fn i_save_the_conversation_as_a_file_whatever_it_is_called() {
    story("save", Size::Wide, async |stage| {
        let folder = tempfile::tempdir().unwrap();
        let page = stage.page();
        let to = json!({"behavior": "allow", "downloadPath": folder.path()});
        page.cdp("Browser.setDownloadBehavior", to).await;
        conversation(stage, &page).await;
        page.choose_in_session_menu("Rename").await;
        page.fill(".title-bar [name=title]", "../../etc/<b>Lights</b>: \"on\"\u{202e}").await;
        page.press_keys(Key::Enter + "").await;
        page.until(
            "its name",
            "return document.querySelector('h1.title')?.textContent.startsWith('../../etc')",
        )
        .await;
        page.choose_in_session_menu("Save as Markdown").await;
        let (name, text) = saved(folder.path()).await;
        assert_eq!(name, "etc-b-Lights-b-on.md");
        assert!(text.contains("Hello <b>there</b>") && text.contains("```rust"), "{text}");
    })
    .await;
}

/// Writes down what the page does with the real thing.
const OVERHEARD: &str = "(() => {
    window.heard = { notifications: [], notes: 0 };
    window.Notification = class extends Notification {
        constructor(title, options) {
            super(title, options);
            window.heard.notifications.push([title, options?.body, options?.tag]);
        }
    };
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...when) { window.heard.notes += 1; return start.apply(this, when); };
})()";

#[tokio::test]
async fn when_i_look_elsewhere_i_am_called_by_a_notification_and_a_sound_and_else_not() {
    story("called", Size::Wide, async |stage| {
        let page = stage.page();
        grant(stage, &page, &["notifications"]).await;
        page.add_init_script(OVERHEARD).await;
        page.enter(&stage.server.link).await;
        let session = page.new_session().await;
        let heard =
            async || page.script("return [window.heard.notifications, window.heard.notes]", vec![]).await;
        // Not asked for: nothing but the title.
        page.send("/wait one").await;
        page.until_text("The first half").await;
        page.set_visibility("hidden").await;
        stage.release("one");
        page.until("the title", "return document.title.startsWith('(1) ')").await;
        assert_eq!(heard().await, json!([[], 0]));
        page.set_visibility("visible").await;
        page.press("Settings").await;
        page.press("Notify me when a hidden tab needs me").await;
        page.press("Play a sound as well").await;
        page.until(
            "both",
            "return document.querySelectorAll('[role=switch][aria-checked=true]').length === 2",
        )
        .await;
        page.script("document.querySelector(':popover-open').hidePopover()", vec![]).await;
        // It was tried once whether the browser shows any.
        assert_eq!(page.script("return window.heard.notifications.splice(0).length", vec![]).await, 1);
        // While somebody looks, nothing is said.
        page.run("Hello").await;
        assert_eq!(heard().await, json!([[], 0]));
        page.send("/approve").await;
        page.until_state("waiting_approval").await;
        page.press("Block").await;
        page.until_state("completed").await;
        page.send("/wait two").await;
        page.until(
            "the second",
            "return document.querySelectorAll('[data-kind=assistant].live').length === 1",
        )
        .await;
        page.set_visibility("hidden").await;
        stage.release("two");
        let called = "return window.heard.notifications.length === 1 && window.heard.notes === 1";
        page.until("the call", called).await;
        let expected: Value = json!([[["Is done", "/wait one", session]], 1]);
        assert_eq!(heard().await, expected);
    })
    .await;
}

#[tokio::test]
async fn a_browser_that_shows_no_notifications_is_not_promised_to_call() {
    story("no-calls", Size::Wide, async |stage| {
        let page = stage.page();
        grant(stage, &page, &["notifications"]).await;
        // As on a phone, where only a worker may.
        let source = "window.Notification = class { static permission = 'granted'; constructor() { throw new TypeError('Illegal constructor'); } }";
        page.add_init_script(source).await;
        page.enter(&stage.server.link).await;
        page.press("Settings").await;
        page.press("Notify me when a hidden tab needs me").await;
        let told = "const words = [...document.querySelectorAll('.menu-words')].find((words) => words.textContent.includes('shows no notifications'));\
                    return !!words && !words.hidden && !document.querySelector('[role=switch][aria-checked=true]')";
        page.until("that it will not", told).await;
    })
    .await;
}

#[tokio::test]
async fn i_copy_the_output_of_a_tool_also_where_the_page_was_not_opened_in_a_safe_way() {
    story("copy-output", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.run("/run printf 'from\\nthe tool'").await;
        page.send("!printf 'by\\nhand'").await;
        page.until("its end", "return !!document.querySelector('[data-kind=bash] .row-duration')").await;
        page.click("[role=log] [data-kind=tool] [aria-expanded=false]").await;
        // As in a phone's browser that knows the server by its name in the house.
        let unsafe_page = "Object.defineProperty(window, 'isSecureContext', { value: false })";
        page.script(unsafe_page, vec![]).await;
        for (kind, words) in [("tool", "from\nthe tool"), ("bash", "by\nhand")] {
            page.click(&format!("[data-kind={kind}] [aria-label='Copy the output']")).await;
            page.click("textarea[name=prompt]").await;
            page.press_keys(Key::Control + "v").await;
            let pasted =
                "return document.querySelector('textarea[name=prompt]').value.trim() === arguments[0]";
            page.until_script(words, pasted, vec![json!(words)]).await;
            page.fill_composer("").await;
        }
        page.screenshot("copy-output").await;
    })
    .await;
}
