//! What I do with single messages: link to them, say them differently, look into the tools between them.

use serde_json::json;

use pilothouse_test_support::browser::Size;

use crate::long::{open, stored_session};
use crate::stage::story;

/// What the page would put into the clipboard is kept for the story instead.
const KEEP_COPIES: &str =
    "navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }";

#[tokio::test]
async fn a_link_to_a_message_leads_there_in_another_tab() {
    story("message-link", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.run("The first thing I said").await;
        for _ in 0..3 {
            page.run("/long 6").await;
        }
        page.script(KEEP_COPIES, vec![]).await;
        page.script(
            "document.querySelector(`[data-kind=user] [aria-label='Copy a link to this message']`).click()",
            vec![],
        )
        .await;
        page.until("the address", "return !!window.copied").await;
        let link = page.script("return window.copied", vec![]).await;
        let link = link.as_str().unwrap().to_owned();
        assert!(link.ends_with("#m1"), "{link}");
        page.visit("about:blank").await;
        page.visit(&link).await;
        page.until_connected().await;
        page.until(
            "the message in view",
            "const row = document.querySelector('[role=log] [data-kind=user]');\
             const log = document.querySelector('[role=log]')?.getBoundingClientRect();\
             const box = row?.getBoundingClientRect();\
             return !!box && row.textContent.includes('The first thing') && box.top >= log.top && box.bottom <= log.bottom",
        )
        .await;
        let nowhere = link.replace("#m1", "#m4711");
        page.visit("about:blank").await;
        page.visit(&nowhere).await;
        let told = "return document.querySelector('.notices')?.textContent.includes('not part of the conversation')";
        page.until("that there is none", told).await;
    })
    .await;
}

#[tokio::test]
async fn i_say_a_message_differently_and_the_first_way_stays() {
    story("edit-and-resend", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let first = page.new_session().await;
        page.run("What is in the harbour?").await;
        page.run("And behind it?").await;
        page.script(
            "[...document.querySelectorAll(`[aria-label='Edit and resend']`)].at(-1).click()",
            vec![],
        )
        .await;
        page.until("the editor", "return !!document.querySelector('[role=log] textarea[name=message]')")
            .await;
        page.press_keys(" Behind the lighthouse?").await;
        // Pressed once more, it takes nothing of what was written.
        page.script(
            "[...document.querySelectorAll(`[aria-label='Edit and resend']`)].at(-1).click()",
            vec![],
        )
        .await;
        page.press("Resend").await;
        page.until_script(
            "the answer in another session",
            "const main = document.querySelector('main[data-session-id]');\
             const rows = [...main.querySelectorAll('[role=log] [data-message-id]')];\
             const asked = rows.findIndex((row) => row.textContent.includes('Behind the lighthouse?'));\
             return main.dataset.state === 'completed' && main.dataset.sessionId !== arguments[0] &&\
               asked >= 0 && asked < rows.length - 1",
            vec![json!(first)],
        )
        .await;
        let said: Vec<String> =
            page.rows().await.into_iter().filter(|row| row.kind == "user").map(|row| row.text).collect();
        assert_eq!(said, ["What is in the harbour?", "And behind it? Behind the lighthouse?"]);
        page.click(&format!("nav [data-session-id='{first}']")).await;
        page.until_text("And behind it?").await;
        let said = page.rows().await.into_iter().filter(|row| row.kind == "user").count();
        assert_eq!(said, 2, "what was said first stays");
    })
    .await;
}

#[tokio::test]
async fn each_kind_of_tool_opens_in_a_form_of_its_own() {
    story("tool-forms", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        std::fs::write(stage.project.path().join("notes.txt"), "one\nthe light\nthree\n").unwrap();
        page.run("/plan").await;
        page.run("/tools").await;
        let streamed = page.rows().await;
        page.until(
            "all of them",
            "const forms = new Set([...document.querySelectorAll('[data-tool-view]')].map((view) => view.dataset.toolView));\
             return ['plan', 'search', 'delegate', 'read', 'shell', 'changes', 'other'].every((form) => forms.has(form))",
        )
        .await;
        let text = async |selector: &str| {
            let text = page.script(
                "return document.querySelector(arguments[0])?.textContent ?? ''",
                vec![json!(selector)],
            );
            text.await.as_str().unwrap().to_owned()
        };
        assert_eq!(page.count("[data-tool-view=plan] [data-plan]").await, 9, "three plans of three steps");
        assert_eq!(text("[data-tool-view=plan] [data-plan=doing]").await, "◐Search the folder");
        assert_eq!(text(".found-path").await, "notes.txt");
        assert_eq!(text(".found-hit").await, "2the light");
        assert!(text("[data-tool-view=delegate] strong").await.contains("lines"));
        assert!(text(".line-numbers").await.starts_with("1\n2"));
        assert_eq!(text("[data-phase=error] .row-exit").await, "exit 3");
        assert_eq!(page.rows_after_reload().await, streamed);
    })
    .await;
}

#[tokio::test]
async fn words_deep_in_a_long_message_are_brought_into_view() {
    story("found-deep", Size::Wide, async |stage| {
        let page = stage.page();
        let long = |word: &str| (1..=60).map(|number| format!("Line {number} of the {word}.\n\n")).collect::<String>();
        let text = format!("{}A very particular lamp.\n\n{}", long("log"), long("end"));
        stored_session(stage, ["Read me the log".to_owned(), text]);
        open(stage, &page).await;
        page.until_text("Line 60 of the end").await;
        // Only what is near the view is built.
        let built = "return document.querySelector('[role=log]').textContent.includes('particular')";
        assert_eq!(page.script(built, vec![]).await, false);
        page.press_keys(thirtyfour::prelude::Key::Control + "f").await;
        page.until("the field", "return document.activeElement?.name === 'find'").await;
        page.press_keys("particular").await;
        let seen = "const [range] = CSS.highlights.get('found') ?? []; const box = range?.getBoundingClientRect();\
                    const view = document.querySelector('[role=log]').getBoundingClientRect();\
                    return !!box && box.top >= view.top && box.bottom <= view.bottom";
        page.until("the words in view", seen).await;
    })
    .await;
}

#[tokio::test]
async fn words_that_i_look_for_are_marked_where_they_stand() {
    told_found_words(Size::Wide).await;
}

#[tokio::test]
async fn on_my_phone_words_that_i_look_for_are_marked() {
    told_found_words(Size::Phone).await;
}

async fn told_found_words(size: Size) {
    story("found-words", size, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.run("/run echo 'a very Particular lamp'").await;
        match size {
            Size::Wide => page.press_keys(thirtyfour::prelude::Key::Control + "f").await,
            Size::Phone => page.choose_in_session_menu("Find in the conversation").await,
        }
        page.until("the field", "return document.activeElement?.name === 'find'").await;
        page.press_keys("particular").await;
        let marked = "const found = CSS.highlights.get('found');\
                      return !!found && [...found].some((range) => range.toString() === 'Particular' &&\
                        !!range.startContainer.parentElement.closest('.row-result'))";
        page.until("the words in the opened row", marked).await;
        page.press_keys(thirtyfour::prelude::Key::Escape + "").await;
        page.until("no mark", "return !CSS.highlights.get('found')").await;
    })
    .await;
}
