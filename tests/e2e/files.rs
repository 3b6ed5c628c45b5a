//! What the agent read and changed: told by the name of the file, and in the colours of its code.

use serde_json::{Value, json};
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{Page, Size};
use pilothouse_test_support::session_file::SessionFile;

use crate::long::open;
use crate::stage::{Stage, story};

const FOLDERS: &str = "crates/hull/src/below/the/waterline/where/nobody/looks";
const LONG: &str = "a_file_with_a_name_that_is_longer_than_a_phone_is_wide.rs";
const CODE: &str = "/* The keel\n   is laid. */\nfn keel() -> u32 { 12 }\n";

/// A session in which a file was read, one changed, and a tool of its own kind used.
fn session(stage: &Stage) {
    let cwd = stage.project.path().to_string_lossy().into_owned();
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
    stage.add_session(file);
}

/// Waits until a part of what a tool shows has this class and text, in a colour of its own.
async fn until_coloured(page: &Page, tool: &str, class: &str, text: &str) {
    let script = "const row = document.querySelector(`[data-tool=${arguments[0]}]`);\
        const part = [...row.querySelectorAll('.tool-details .' + arguments[1])]\
          .find((part) => part.textContent === arguments[2]);\
        return !!part && getComputedStyle(part).color !== getComputedStyle(part.closest('pre, .diff-text')).color";
    page.until_script(&format!("'{text}' of {tool}"), script, vec![json!(tool), json!(class), json!(text)])
        .await;
}

#[tokio::test]
async fn what_was_read_and_what_was_changed_have_the_colours_of_their_code() {
    story("files-coloured", Size::Wide, async |stage| {
        session(stage);
        let page = stage.page();
        open(stage, &page).await;
        page.until_text("The keel is looked after.").await;
        for tool in ["read", "edit", "sounding"] {
            page.click(&format!("[data-tool={tool}] .row-line")).await;
        }
        until_coloured(&page, "read", "code-keyword", "fn").await;
        // A comment of several lines is known by where it began.
        until_coloured(&page, "edit", "code-comment", "   is laid. */").await;
        until_coloured(&page, "edit", "code-keyword", "let").await;
        until_coloured(&page, "sounding", "code-number", "12").await;
        let shown = "return [document.querySelector('[data-tool=read] .row-result').textContent,\
                       [...document.querySelectorAll('[data-tool=edit] .diff-text')].map((line) => line.textContent).join('\\n'),\
                       [...document.querySelectorAll('[data-tool=edit] mark')].map((mark) => mark.innerHTML).join(' ')]";
        let lines = "  /* The keel\n     is laid. */\n− let depth = 12;\n+ let depth = 13;";
        assert_eq!(page.script(shown, vec![]).await, json!([CODE, lines, "12 13"]), "only colours are new");
        page.screenshot("files-coloured").await;
    })
    .await;
}

#[tokio::test]
async fn i_find_a_file_by_a_part_of_its_path() {
    story("files-found", Size::Wide, async |stage| {
        session(stage);
        let page = stage.page();
        open(stage, &page).await;
        page.until_text("The keel is looked after.").await;
        page.press_keys(Key::Control + "f").await;
        page.until("the field", "return document.activeElement?.name === 'find'").await;
        page.press_keys("looks/keel").await;
        let marked = "const found = [...(CSS.highlights.get('found') ?? [])];\
                      return ['[data-tool=read]', '[data-tool=edit]'].every((row) => found.some((range) =>\
                        range.toString() === 'looks/keel' && !!range.startContainer.parentElement.closest(row)))";
        page.until("the path to be marked over both its parts", marked).await;
    })
    .await;
}

#[tokio::test]
async fn however_deep_a_file_lies_i_see_its_name() {
    told_names(Size::Wide).await;
}

#[tokio::test]
async fn on_my_phone_i_see_which_file_it_is_and_nothing_sticks_out() {
    told_names(Size::Phone).await;
}

async fn told_names(size: Size) {
    story("files-named", size, async |stage| {
        session(stage);
        let page = stage.page();
        open(stage, &page).await;
        page.until_text("The keel is looked after.").await;
        page.click("[data-tool=edit] .row-line").await;
        page.until("the change", "return !!document.querySelector('.diff-path')").await;
        // Each path, and whether its name and its folders are there as a whole.
        let named = "return [...document.querySelectorAll('[role=log] .row-target, .diff-path')].map((place) => {\
                       const box = place.getBoundingClientRect();\
                       const is_whole = (node) => {\
                         if (!node) return null;\
                         const range = new Range();\
                         range.selectNodeContents(node);\
                         const part = range.getBoundingClientRect();\
                         return part.left >= box.left - 1 && part.right <= box.right + 1;\
                       };\
                       const names = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);\
                       let name = null;\
                       while (names.nextNode()) name = names.currentNode;\
                       return [place.textContent, is_whole(name), is_whole(place.querySelector('.path-folders'))];\
                     })";
        let is_wide = size == Size::Wide;
        let deep = json!([format!("{FOLDERS}/keel.rs"), true, is_wide]);
        // Told from where the agent works; in a row all by itself nothing of a name is cut that has room.
        let expected = json!([deep, deep, deep, ["README.md", true, null], [format!("src/{LONG}"), is_wide, is_wide]]);
        assert_eq!(page.script(named, vec![]).await, expected);
        let edges = "const log = document.querySelector('[role=log]');\
                     const ends = [...log.querySelectorAll('.row-state')].map((mark) => Math.round(mark.getBoundingClientRect().right));\
                     return [log.scrollWidth - log.clientWidth, new Set(ends).size]";
        assert_eq!(page.script(edges, vec![]).await, json!([0, 1]), "all rows end at the same edge");
        page.screenshot(if is_wide { "files-named-wide" } else { "files-named" }).await;
    })
    .await;
}
