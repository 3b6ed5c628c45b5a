//! Code in answers: in colours, by a highlighter that is loaded when code appears, and just code where it cannot be.

use serde_json::json;

use pilothouse_test_support::browser::{Page, Size};

use crate::long::{open, stored_session};
use crate::stage::story;

/// The text of the last block of code, as somebody copies it who selects it.
const SELECTED: &str = "const code = [...document.querySelectorAll('.code-block code')].at(-1);\
    getSelection().selectAllChildren(code); return [getSelection().toString(), code.textContent]";

async fn highlighter_is_loaded(page: &Page) -> bool {
    let script = "return performance.getEntriesByType('resource').some((entry) => entry.name.includes('highlight-web'))";
    page.script(script, vec![]).await == json!(true)
}

/// Waits until the last block of code has a part of this class and text, in a colour of its own.
async fn until_coloured(page: &Page, class: &str, text: &str) {
    let script = "const code = [...document.querySelectorAll('.code-block code')].at(-1);\
        const part = [...(code?.querySelectorAll('.' + arguments[0]) ?? [])]\
          .find((part) => part.textContent === arguments[1]);\
        return !!part && getComputedStyle(part).color !== getComputedStyle(code).color";
    page.until_script(&format!("'{text}' as {class}"), script, vec![json!(class), json!(text)]).await;
}

#[tokio::test]
async fn code_has_colours_and_their_highlighter_comes_only_when_code_does() {
    story("code", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.run("/image").await;
        assert!(!highlighter_is_loaded(&page).await, "there is no code yet");
        page.run("/tour").await;
        page.until_text("Where to go from here").await;
        until_coloured(&page, "code-function", "npm").await;
        assert!(highlighter_is_loaded(&page).await);
        let rows = page.rows().await;
        assert_eq!(page.rows_after_reload().await, rows);
        until_coloured(&page, "code-function", "npm").await;
    })
    .await;
}

#[tokio::test]
async fn code_has_its_colours_while_it_comes_and_what_stands_there_stays() {
    story("code-streams", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.send("/wait-code go").await;
        until_coloured(&page, "code-keyword", "fn").await;
        until_coloured(&page, "code-comment", "/* until it is").await;
        assert_eq!(page.state().await, "streaming");
        page.script("window.first = document.querySelector('.code-block .code-keyword')", vec![]).await;
        stage.release("go");
        page.until_state("completed").await;
        until_coloured(&page, "code-comment", "       light again */").await;
        until_coloured(&page, "code-string", "\"dark\"").await;
        let stays = "return window.first.isConnected && window.first === document.querySelector('.code-block .code-keyword')";
        assert_eq!(page.script(stays, vec![]).await, json!(true));
        let streamed = page.script("return document.querySelector('.code-block').outerHTML", vec![]).await;
        page.reload().await;
        until_coloured(&page, "code-string", "\"dark\"").await;
        assert_eq!(page.script("return document.querySelector('.code-block').outerHTML", vec![]).await, streamed);
    })
    .await;
}

#[tokio::test]
async fn words_that_i_look_for_are_marked_across_the_colours_of_code() {
    story("code-found", Size::Wide, async |stage| {
        let page = stage.page();
        stored_session(stage, ["Show me code".to_owned(), "```rust\nlet lamp = light(\"on\");\n```\n".to_owned()]);
        open(stage, &page).await;
        until_coloured(&page, "code-keyword", "let").await;
        page.press_keys(thirtyfour::prelude::Key::Control + "f").await;
        page.until("the field", "return document.activeElement?.name === 'find'").await;
        page.press_keys("let lamp = light(").await;
        let marked = "return [...(CSS.highlights.get('found') ?? [])].some((range) => range.toString() === 'let lamp = light(')";
        page.until("the words", marked).await;
    })
    .await;
}

#[tokio::test]
async fn i_select_code_of_many_lines_and_get_it_line_by_line() {
    story("code-selected", Size::Wide, async |stage| {
        let lines: Vec<String> = (1..=50).map(|line| format!("let line_{line} = {line};\n\n")).collect();
        let text = format!("Look:\n\n```rust\n{}```\n", lines.concat());
        let page = stage.page();
        stored_session(stage, ["Show me lines".to_owned(), text]);
        open(stage, &page).await;
        until_coloured(&page, "code-keyword", "let").await;
        let selected = page.script(SELECTED, vec![]).await;
        assert_eq!(selected[0].as_str().unwrap().trim_end(), lines.concat().trim_end());
        assert_eq!(selected[1].as_str().unwrap().trim_end(), lines.concat().trim_end());
    })
    .await;
}

#[tokio::test]
async fn without_its_highlighter_code_is_still_code() {
    story("code-plain", Size::Wide, async |stage| {
        let page = stage.page();
        for (command, arguments) in
            [("Network.enable", json!({})), ("Network.setBlockedURLs", json!({"urls": ["*highlight-web*"]}))]
        {
            page.cdp(command, arguments).await;
        }
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.run("/tour").await;
        page.until_text("Where to go from here").await;
        page.until_text("fn range(height_in_metres: f64").await;
        assert_eq!(page.count(".code-block [class^=code-keyword]").await, 0);
        page.run("/wait-code").await;
        page.until_text("Say which file to wait for").await;
    })
    .await;
}
