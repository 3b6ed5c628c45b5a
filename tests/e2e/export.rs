//! Export: copying messages, code, tool output and whole conversations, and saving them as files.

use std::path::Path;

use serde_json::json;
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{Page, Size};

use crate::stage::{Stage, story};

/// Returns the text in the clipboard. Fails if the clipboard holds any other type.
async fn clipboard_text(page: &Page) -> String {
    let read = "const [item] = await navigator.clipboard.read();\
                if (item.types.join() !== 'text/plain') return { types: item.types };\
                return (await item.getType('text/plain')).text();";
    let text = page.async_script(read).await;
    text.as_str().unwrap_or_else(|| panic!("the clipboard holds no plain text: {text}")).to_owned()
}

/// Waits until the clipboard holds this text.
async fn until_copied(page: &Page, text: &str) {
    for _ in 0..200 {
        if clipboard_text(page).await == text {
            return;
        }
    }
    assert_eq!(clipboard_text(page).await, text);
}

/// Creates a session with text, code, a table and tool calls.
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
        let permissions = ["clipboardReadWrite", "clipboardSanitizedWrite"];
        page.grant(&stage.server.origin(), &permissions).await;
        conversation(stage, &page).await;
        page.cdp("Page.bringToFront", json!({})).await;
        let press = |row: &str| {
            format!("document.querySelector('[data-kind={row}]').querySelector('[aria-label=\"Copy this message\"]').click()")
        };
        page.script(&press("user"), vec![]).await;
        until_copied(&page, "Hello <b>there</b>").await;
        page.until("the button to confirm the copy", "return !!document.querySelector('[data-kind=user] [aria-label=Copied]')").await;
        page.script("document.querySelector('.code-block [data-act=copy-code]').click()", vec![]).await;
        let code = page.script("return document.querySelector('.code-block code').textContent", vec![]).await;
        until_copied(&page, code.as_str().unwrap()).await;
        page.choose_in_session_menu("Copy as Markdown").await;
        page.until("a notice of the copy", "return document.querySelector('.notices').textContent.includes('in the clipboard')").await;
        let text = clipboard_text(&page).await;
        for part in ["# Hello <b>there</b>", "## You", "## Agent", "```rust", "| hour | wind | sea |", "**Read**", "/tools"] {
            assert!(text.contains(part), "the copy lacks {part}: {text}");
        }
    })
    .await;
}

/// Waits for the downloaded file and returns its name and content.
async fn downloaded(folder: &Path) -> (String, String) {
    for _ in 0..2_000 {
        let files = std::fs::read_dir(folder).unwrap().flatten();
        let mut markdown =
            files.filter(|file| file.path().extension().is_some_and(|extension| extension == "md"));
        if let Some(file) = markdown.next() {
            let text = std::fs::read_to_string(file.path()).unwrap();
            if !text.is_empty() {
                return (file.file_name().to_string_lossy().into_owned(), text);
            }
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("timed out waiting for the downloaded file");
}

#[tokio::test]
async fn i_save_the_conversation_as_a_file_whatever_its_title() {
    story("save", Size::Wide, async |stage| {
        let folder = tempfile::tempdir().unwrap();
        let page = stage.page();
        let downloads = json!({"behavior": "allow", "downloadPath": folder.path()});
        page.cdp("Browser.setDownloadBehavior", downloads).await;
        conversation(stage, &page).await;
        page.choose_in_session_menu("Rename").await;
        page.fill(".title-bar [name=title]", "../../etc/<b>Lights</b>: \"on\"\u{202e}").await;
        page.press_keys(Key::Enter + "").await;
        page.until(
            "the new title",
            "return document.querySelector('h1.title')?.textContent.startsWith('../../etc')",
        )
        .await;
        page.choose_in_session_menu("Save as Markdown").await;
        let (name, text) = downloaded(folder.path()).await;
        assert_eq!(name, "etc-b-Lights-b-on.md");
        assert!(text.contains("Hello <b>there</b>") && text.contains("```rust"), "{text}");
    })
    .await;
}

#[tokio::test]
async fn i_copy_the_output_of_a_tool_even_on_an_insecure_origin() {
    story("copy-output", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.run("/run printf 'from\\nthe tool'").await;
        page.send("!printf 'by\\nhand'").await;
        page.until(
            "the end of the shell command",
            "return !!document.querySelector('[data-kind=bash] .row-duration')",
        )
        .await;
        page.click("[role=log] [data-kind=tool] [aria-expanded=false]").await;
        // As on a phone that reaches the server over plain HTTP by its name in the local network.
        let insecure = "Object.defineProperty(window, 'isSecureContext', { value: false })";
        page.script(insecure, vec![]).await;
        for (kind, output) in [("tool", "from\nthe tool"), ("bash", "by\nhand")] {
            page.click(&format!("[data-kind={kind}] [aria-label='Copy the output']")).await;
            page.click("textarea[name=prompt]").await;
            page.press_keys(Key::Control + "v").await;
            let pasted =
                "return document.querySelector('textarea[name=prompt]').value.trim() === arguments[0]";
            page.until_script(&format!("'{output}' in the composer"), pasted, vec![json!(output)]).await;
            page.fill_composer("").await;
        }
        page.screenshot("copy-output").await;
    })
    .await;
}
