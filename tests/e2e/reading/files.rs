//! Files that the agent read and changed: their names, and their code with highlighting.

use serde_json::{Value, json};
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{JavaScript, Page, Size};
use pilothouse_test_support::session_file::SessionFile;

use crate::fixture::{Fixture, story};
use crate::reading::long_conversation::open;

const JS: JavaScript = js!("reading/files");

const FOLDERS: &str = "crates/hull/src/below/the/waterline/where/nobody/looks";
const LONG: &str = "a_file_with_a_name_that_is_longer_than_a_phone_is_wide.rs";
const CODE: &str = "/* The keel\n   is laid. */\nfn keel() -> u32 { 12 }\n";

/// Stores a session in which a file was read, one was changed, and an unknown tool was used.
fn session(fixture: &Fixture) {
    let cwd = fixture.project.path().to_string_lossy().into_owned();
    let path = format!("{cwd}/{FOLDERS}/keel.rs");
    let mut file = SessionFile::numbered(1, &cwd);
    file.user("Look after the keel");
    let mut call = |name: &str, arguments: Value, result: &str| {
        let id = format!("call-{name}");
        file.assistant(json!([{"type": "toolCall", "id": id, "name": name, "arguments": arguments}]));
        file.message(json!({"role": "toolResult", "toolCallId": id, "toolName": name, "isError": false,
            "content": [{"type": "text", "text": result}]}));
    };
    call("read", json!({ "path": path }), CODE);
    let (old, new) =
        ("/* The keel\n   is laid. */\nlet depth = 12;", "/* The keel\n   is laid. */\nlet depth = 13;");
    call("edit", json!({"path": path, "oldText": old, "newText": new}), "Edited it");
    call("sounding", json!({"depth": 12, "ground": "sand"}), "{\"rocks\": false}");
    call("look", json!({"path": format!("{cwd}/README.md")}), "A ship");
    call("see", json!({"path": format!("src/{LONG}")}), "Nothing");
    file.assistant(json!([{"type": "text", "text": "The keel is looked after."}]));
    fixture.add_session(file);
}

/// Waits until the details of a tool have a part with this class and text, in its own colour.
async fn until_coloured(page: &Page, tool: &str, class: &str, text: &str) {
    page.until_call(&format!("'{text}' of {tool}"), JS, "isColoured", json!([tool, class, text])).await;
}

#[tokio::test]
async fn read_and_changed_files_are_highlighted() {
    story("files-coloured", Size::Wide, async |fixture| {
        session(fixture);
        let page = fixture.page();
        open(fixture, &page).await;
        page.until_text("The keel is looked after.").await;
        for tool in ["read", "edit", "sounding"] {
            page.click(&format!("[data-tool={tool}] .row-line")).await;
        }
        until_coloured(&page, "read", "code-keyword", "fn").await;
        // A comment of several lines is recognized in each of its lines.
        until_coloured(&page, "edit", "code-comment", "   is laid. */").await;
        until_coloured(&page, "edit", "code-keyword", "let").await;
        until_coloured(&page, "sounding", "code-number", "12").await;
        assert_eq!(page.text_of("[data-tool=read] .row-result").await, CODE);
        let lines = ["  /* The keel", "     is laid. */", "− let depth = 12;", "+ let depth = 13;"];
        assert_eq!(page.texts("[data-tool=edit] .diff-text").await, lines);
        assert_eq!(page.texts("[data-tool=edit] mark").await, ["12", "13"]);
        page.screenshot("files-coloured").await;
    })
    .await;
}

#[tokio::test]
async fn i_find_a_file_by_a_part_of_its_path() {
    story("files-found", Size::Wide, async |fixture| {
        session(fixture);
        let page = fixture.page();
        open(fixture, &page).await;
        page.until_text("The keel is looked after.").await;
        page.press_keys(Key::Control + "f").await;
        page.until_focus("[name=find]").await;
        page.press_keys("looks/keel").await;
        for tool in ["read", "edit"] {
            let found = json!(["looks/keel", format!("[data-tool={tool}]")]);
            page.until_call("the path across both its parts", js!("reading/find"), "isFoundIn", found).await;
        }
    })
    .await;
}

#[tokio::test]
async fn i_see_the_name_of_a_deeply_nested_file() {
    file_names_story(Size::Wide).await;
}

#[tokio::test]
async fn on_my_phone_i_see_the_name_of_a_file_and_nothing_overflows() {
    file_names_story(Size::Phone).await;
}

async fn file_names_story(size: Size) {
    story("files-named", size, async |fixture| {
        session(fixture);
        let page = fixture.page();
        open(fixture, &page).await;
        page.until_text("The keel is looked after.").await;
        page.click("[data-tool=edit] .row-line").await;
        page.until_present(".diff-path").await;
        let is_wide = size == Size::Wide;
        // Each path with whether its name and its folders are shown completely. Paths in the project are relative, and a
        // name that has room is not cut.
        let deep = json!([format!("{FOLDERS}/keel.rs"), true, is_wide]);
        let long = json!([format!("src/{LONG}"), is_wide, is_wide]);
        let expected = json!([deep, deep, deep, ["README.md", true, null], long]);
        assert_eq!(page.call(JS, "shownPaths", json!([])).await, expected);
        assert_eq!(page.call(JS, "overflow", json!([])).await, 0);
        assert_eq!(page.call(JS, "rightEdges", json!([])).await, 1, "the rows end at different edges");
        page.screenshot(if is_wide { "files-named-wide" } else { "files-named" }).await;
    })
    .await;
}
