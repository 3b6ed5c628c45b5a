//! Export: copying messages, code, tool output and whole conversations, and saving them as files.

use std::path::Path;

use serde_json::json;
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{JavaScript, Page, Size};
use pilothouse_test_support::wait;

use crate::fixture::{Fixture, story};

const JS: JavaScript = js!("conversation/export");

/// Returns the text in the clipboard. Fails if the clipboard holds any other type.
async fn clipboard_text(page: &Page) -> String {
    page.call_as(JS, "clipboardText", json!([])).await
}

/// Waits until the clipboard holds this text.
async fn until_copied(page: &Page, text: &str) {
    let look = async || (clipboard_text(page).await == text).then_some(());
    wait::until_some(&format!("'{text}' in the clipboard"), look).await;
}

/// Creates a session with text, code, a table and tool calls.
async fn conversation(fixture: &Fixture, page: &Page) {
    page.first_visit(&fixture.server.link).await;
    page.run("Hello <b>there</b>").await;
    page.run("/long 5").await;
    page.run("/tools").await;
}

#[tokio::test]
async fn i_copy_a_message_a_block_of_code_and_the_whole_conversation() {
    story("copy", Size::Wide, async |fixture| {
        let page = fixture.page();
        let permissions = ["clipboardReadWrite", "clipboardSanitizedWrite"];
        page.grant(&fixture.server.origin(), &permissions).await;
        conversation(fixture, &page).await;
        page.cdp("Page.bringToFront", json!({})).await;
        page.click("[data-kind=user] [aria-label='Copy message']").await;
        until_copied(&page, "Hello <b>there</b>").await;
        page.until_present("[data-kind=user] [aria-label=Copied]").await;
        page.click(".code-block [data-act=copy-code]").await;
        until_copied(&page, &page.text_of(".code-block code").await).await;
        page.choose_in_session_menu("Copy as Markdown").await;
        page.until_text_in(".notices", "to the clipboard").await;
        let text = clipboard_text(&page).await;
        for part in [
            "# Hello <b>there</b>",
            "## You",
            "## Agent",
            "```rust",
            "| hour | wind | sea |",
            "**Read**",
            "/tools",
        ] {
            assert!(text.contains(part), "the copy lacks {part}: {text}");
        }
    })
    .await;
}

/// Waits for the downloaded file and returns its name and content.
async fn downloaded(folder: &Path) -> (String, String) {
    let look = async || {
        let mut files = std::fs::read_dir(folder).unwrap().flatten();
        let file = files.find(|file| file.path().extension().is_some_and(|extension| extension == "md"))?;
        let text = std::fs::read_to_string(file.path()).unwrap();
        (!text.is_empty()).then(|| (file.file_name().to_string_lossy().into_owned(), text))
    };
    wait::until_some("the downloaded file", look).await
}

#[tokio::test]
async fn i_save_the_conversation_as_a_file_whatever_its_title() {
    story("save", Size::Wide, async |fixture| {
        let folder = tempfile::tempdir().unwrap();
        let page = fixture.page();
        let downloads = json!({"behavior": "allow", "downloadPath": folder.path()});
        page.cdp("Browser.setDownloadBehavior", downloads).await;
        conversation(fixture, &page).await;
        page.choose_in_session_menu("Rename").await;
        page.fill(".title-bar [name=title]", "../../etc/<b>Lights</b>: \"on\"\u{202e}").await;
        page.press_keys(Key::Enter + "").await;
        page.until_text_in("h1.title", "../../etc").await;
        page.choose_in_session_menu("Save as Markdown").await;
        let (name, text) = downloaded(folder.path()).await;
        assert_eq!(name, "etc-b-Lights-b-on.md");
        assert!(text.contains("Hello <b>there</b>") && text.contains("```rust"), "{text}");
    })
    .await;
}

#[tokio::test]
async fn i_copy_the_output_of_a_tool_even_on_an_insecure_origin() {
    story("copy-output", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.run("/run printf 'from\\nthe tool'").await;
        page.send("!printf 'by\\nhand'").await;
        page.until_present("[data-kind=bash] .row-duration").await;
        page.click("[role=log] [data-kind=tool] [aria-expanded=false]").await;
        // As on a phone that reaches the server over plain HTTP by its name in the local network.
        page.call(JS, "becomeInsecure", json!([])).await;
        for (kind, output) in [("tool", "from\nthe tool"), ("bash", "by\nhand")] {
            page.click(&format!("[data-kind={kind}] [aria-label='Copy output']")).await;
            page.click("textarea[name=prompt]").await;
            page.press_keys(Key::Control + "v").await;
            let pasted = async || (page.draft().await.trim() == output).then_some(());
            wait::until_some(&format!("'{output}' in the composer"), pasted).await;
            page.fill_composer("").await;
        }
        page.screenshot("copy-output").await;
    })
    .await;
}
