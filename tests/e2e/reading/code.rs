//! Code in answers: highlighted by a part of the page that is loaded when code appears, and plain without it.

use serde_json::json;
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{JavaScript, Page, Size};

use crate::fixture::story;
use crate::reading::long_conversation::{open, stored_session};

const JS: JavaScript = js!("reading/code");

async fn is_highlighter_loaded(page: &Page) -> bool {
    page.call_as(JS, "isHighlighterLoaded", json!([])).await
}

/// Waits until the last block of code has a part with this class and text, in its own colour.
async fn until_coloured(page: &Page, class: &str, text: &str) {
    page.until_call(&format!("'{text}' as {class}"), JS, "isColoured", json!([class, text])).await;
}

#[tokio::test]
async fn code_is_highlighted_and_the_highlighter_is_loaded_only_for_code() {
    story("code", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.run("/image").await;
        assert!(!is_highlighter_loaded(&page).await, "the highlighter is loaded without code");
        page.run("/tour").await;
        page.until_text("What to try next").await;
        until_coloured(&page, "code-function", "npm").await;
        assert!(is_highlighter_loaded(&page).await);
        let rows = page.rows().await;
        assert_eq!(page.rows_after_reload().await, rows);
        until_coloured(&page, "code-function", "npm").await;
    })
    .await;
}

#[tokio::test]
async fn code_is_highlighted_while_it_streams_and_is_not_built_again() {
    story("code-streams", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.send("/wait-code go").await;
        until_coloured(&page, "code-keyword", "fn").await;
        until_coloured(&page, "code-comment", "/* until it is").await;
        assert_eq!(page.state().await, "streaming");
        page.call(JS, "rememberFirstKeyword", json!([])).await;
        fixture.release("go");
        page.until_state("completed").await;
        until_coloured(&page, "code-comment", "       light again */").await;
        until_coloured(&page, "code-string", "\"dark\"").await;
        assert_eq!(page.call(JS, "isFirstKeywordKept", json!([])).await, true, "the code was built again");
        let streamed = page.call(JS, "codeMarkup", json!([])).await;
        page.reload().await;
        until_coloured(&page, "code-string", "\"dark\"").await;
        assert_eq!(page.call(JS, "codeMarkup", json!([])).await, streamed);
    })
    .await;
}

#[tokio::test]
async fn found_text_is_highlighted_across_the_colours_of_code() {
    story("code-found", Size::Wide, async |fixture| {
        let page = fixture.page();
        stored_session(
            fixture,
            ["Show me code".to_owned(), "```rust\nlet lamp = light(\"on\");\n```\n".to_owned()],
        );
        open(fixture, &page).await;
        until_coloured(&page, "code-keyword", "let").await;
        page.press_keys(Key::Control + "f").await;
        page.until_focus("[name=find]").await;
        page.press_keys("let lamp = light(").await;
        let found = json!(["let lamp = light(", ".code-block"]);
        page.until_call("the found text", js!("reading/find"), "isFoundIn", found).await;
    })
    .await;
}

#[tokio::test]
async fn selected_code_keeps_its_line_breaks() {
    story("code-selected", Size::Wide, async |fixture| {
        let lines: Vec<String> = (1..=50).map(|line| format!("let line_{line} = {line};\n\n")).collect();
        let text = format!("Look:\n\n```rust\n{}```\n", lines.concat());
        let page = fixture.page();
        stored_session(fixture, ["Show me lines".to_owned(), text]);
        open(fixture, &page).await;
        until_coloured(&page, "code-keyword", "let").await;
        for text in page.call_as::<[String; 2]>(JS, "selectedCode", json!([])).await {
            assert_eq!(text.trim_end(), lines.concat().trim_end());
        }
    })
    .await;
}

#[tokio::test]
async fn without_the_highlighter_code_is_plain() {
    story("code-plain", Size::Wide, async |fixture| {
        let page = fixture.page();
        for (command, arguments) in
            [("Network.enable", json!({})), ("Network.setBlockedURLs", json!({"urls": ["*highlight-web*"]}))]
        {
            page.cdp(command, arguments).await;
        }
        page.first_visit(&fixture.server.link).await;
        page.run("/tour").await;
        page.until_text("What to try next").await;
        page.until_text("fn range(height_in_metres: f64").await;
        assert_eq!(page.count(".code-block [class^=code-keyword]").await, 0);
        page.run("/wait-code").await;
        page.until_text("Say which file to wait for").await;
    })
    .await;
}
