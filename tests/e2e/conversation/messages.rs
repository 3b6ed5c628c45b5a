//! Single messages: linking to them, editing and resending them, the views of their tools, and finding text in them.

use serde_json::json;
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{JavaScript, Size};

use crate::fixture::story;
use crate::reading::long_conversation::{open, stored_session};

const JS: JavaScript = js!("conversation/messages");

#[tokio::test]
async fn a_link_to_a_message_leads_there_in_another_tab() {
    story("message-link", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.run("The first thing I said").await;
        for _ in 0..3 {
            page.run("/long 6").await;
        }
        page.call(JS, "catchCopies", json!([])).await;
        page.click("[data-kind=user] [aria-label='Copy link to message']").await;
        page.until_call("the copied address", JS, "isCopied", json!([])).await;
        let link: String = page.call_as(JS, "copied", json!([])).await;
        assert!(link.ends_with("#m1"), "{link}");
        page.visit("about:blank").await;
        page.enter(&link).await;
        page.until_call("the message in view", JS, "isFirstMessageInView", json!(["The first thing"])).await;
        page.visit("about:blank").await;
        page.visit(&link.replace("#m1", "#m4711")).await;
        page.until_text_in(".notices", "Message not found").await;
    })
    .await;
}

#[tokio::test]
async fn i_edit_and_resend_a_message_and_the_first_session_stays_as_it_was() {
    story("edit-and-resend", Size::Wide, async |fixture| {
        let page = fixture.page();
        let first = page.first_visit(&fixture.server.link).await;
        page.run("What is in the harbour?").await;
        page.run("And behind it?").await;
        page.click_last("[aria-label='Edit and resend']").await;
        page.until_focus("[role=log] textarea[name=message]").await;
        page.press_keys(" Behind the lighthouse?").await;
        // A second press keeps the edited text.
        page.click_last("[aria-label='Edit and resend']").await;
        page.press("Resend").await;
        page.until_present(&format!("main[data-session-id]:not([data-session-id='{first}'])")).await;
        page.until_end_of("Behind the lighthouse?", 0).await;
        // Rows above the view are built a moment later.
        page.until_count("[data-kind=user]", 2).await;
        let prompts = page.texts("[data-kind=user] .row-text").await;
        assert_eq!(prompts, ["What is in the harbour?", "And behind it? Behind the lighthouse?"]);
        page.open_session(&first).await;
        page.until_present(&format!("main[data-session-id='{first}']")).await;
        page.until_text("And behind it?").await;
        let prompts = page.texts("[data-kind=user] .row-text").await;
        assert_eq!(prompts, ["What is in the harbour?", "And behind it?"], "the first session has changed");
    })
    .await;
}

#[tokio::test]
async fn each_kind_of_tool_has_its_own_view() {
    story("tool-forms", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        std::fs::write(fixture.project.path().join("notes.txt"), "one\nthe light\nthree\n").unwrap();
        page.run("/plan").await;
        page.run("/tools").await;
        let streamed = page.rows().await;
        for view in ["plan", "search", "delegate", "read", "shell", "changes", "other"] {
            page.until_present(&format!("[data-tool-view={view}]")).await;
        }
        assert_eq!(page.count("[data-tool-view=plan] [data-plan]").await, 9, "three plans of three steps");
        assert_eq!(page.text_of("[data-tool-view=plan] [data-plan=doing]").await, "◐Search the folder");
        assert_eq!(page.text_of(".found-path").await, "notes.txt");
        assert_eq!(page.text_of(".found-hit").await, "2the light");
        assert!(page.text_of("[data-tool-view=delegate] strong").await.contains("lines"));
        assert!(page.text_of(".line-numbers").await.starts_with("1\n2"));
        assert_eq!(page.text_of("[data-phase=error] .row-exit").await, "exit 3");
        assert_eq!(page.rows_after_reload().await, streamed);
    })
    .await;
}

#[tokio::test]
async fn text_found_deep_in_a_long_message_is_scrolled_into_view() {
    story("found-deep", Size::Wide, async |fixture| {
        let page = fixture.page();
        let long = |word: &str| {
            (1..=60).map(|number| format!("Line {number} of the {word}.\n\n")).collect::<String>()
        };
        let text = format!("{}A very particular lamp.\n\n{}", long("log"), long("end"));
        stored_session(fixture, ["Read me the log".to_owned(), text]);
        open(fixture, &page).await;
        page.until_text("Line 60 of the end").await;
        // Only blocks near the view are built.
        assert!(!page.text_of("[role=log]").await.contains("particular"));
        page.press_keys(Key::Control + "f").await;
        page.until_focus("[name=find]").await;
        page.press_keys("particular").await;
        page.until_call("the found text in view", js!("reading/find"), "isFoundInView", json!([])).await;
    })
    .await;
}

#[tokio::test]
async fn found_text_is_highlighted_in_a_tool_that_opens_for_it() {
    found_text_story(Size::Wide).await;
}

#[tokio::test]
async fn on_my_phone_found_text_is_highlighted() {
    found_text_story(Size::Phone).await;
}

async fn found_text_story(size: Size) {
    story("found-words", size, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.run("/run echo 'a very Particular lamp'").await;
        match size {
            Size::Wide => page.press_keys(Key::Control + "f").await,
            Size::Phone => page.choose_in_session_menu("Find in conversation").await,
        }
        page.until_focus("[name=find]").await;
        page.press_keys("particular").await;
        let found = json!(["Particular", ".row-result"]);
        page.until_call("the found text in the opened row", js!("reading/find"), "isFoundIn", found).await;
        page.press_keys(Key::Escape + "").await;
        page.until_call("no highlight", js!("reading/find"), "nothingFound", json!([])).await;
    })
    .await;
}
