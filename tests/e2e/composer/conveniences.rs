//! Conveniences: prompt history, keyboard shortcuts, appearance, file mentions, the sidebar, drafts.

use serde_json::json;
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{COMPOSER, JavaScript, Size};

use crate::fixture::story;

const JS: JavaScript = js!("composer/conveniences");

#[tokio::test]
async fn the_arrow_keys_recall_my_earlier_prompts() {
    story("recall", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.run("First thought").await;
        page.run("Second thought").await;
        page.write(Key::Up + "").await;
        page.until_draft("Second thought").await;
        page.write(Key::Up + "").await;
        page.until_draft("First thought").await;
        page.write(Key::Down + "").await;
        page.write(Key::Down + "").await;
        page.until_draft("").await;
        page.write("My own").await;
        page.write(Key::Up + "").await;
        page.until_draft("My own").await;
    })
    .await;
}

#[tokio::test]
async fn a_question_mark_lists_the_keyboard_shortcuts_and_they_work() {
    story("keys", Size::Wide, async |fixture| {
        let page = fixture.page();
        let first = page.first_visit(&fixture.server.link).await;
        page.run("Hello").await;
        // The list opens when no text field has the focus.
        page.click("[role=log]").await;
        page.press_keys("?").await;
        page.until_present("dialog.help[open]").await;
        let listed = page.text_of("dialog.help").await;
        for words in ["Find in conversation", "New session", "Stop the agent", "New line"] {
            assert!(listed.contains(words), "the list lacks '{words}': {listed}");
        }
        page.screenshot("wide-shortcuts").await;
        page.press("Close").await;
        // An open dialog takes all keys.
        page.until_absent("dialog[open]").await;
        page.press_keys(Key::Alt + "n").await;
        page.until_present("main.new-session").await;
        page.press_keys(Key::Alt + Key::Down).await;
        page.until_present(&format!("main[data-session-id='{first}']")).await;
        page.press_keys(Key::Control + "k").await;
        page.until_focus("[name=search]").await;
        page.press_keys(Key::Alt + "m").await;
        page.until_focus("[name=prompt]").await;
        page.send("/wait never").await;
        page.until_text("The first half").await;
        page.press_keys(Key::Control + ".").await;
        page.until_state("stopped").await;
    })
    .await;
}

#[tokio::test]
async fn my_choice_of_theme_and_contrast_stays_after_a_reload() {
    story("settings", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.run("Hello").await;
        page.press("Settings").await;
        page.press("Dark").await;
        page.press("High contrast").await;
        let dark = "html[data-theme=dark][data-contrast=more]";
        page.until_present(dark).await;
        page.screenshot("wide-settings-contrast").await;
        // The theme applies before the scripts of the page run.
        page.add_init_call(JS, "recordThemes", json!([])).await;
        page.reload().await;
        assert_eq!(page.call(JS, "firstTheme", json!([])).await, "dark");
        page.until_present(dark).await;
        page.press("Settings").await;
        page.press("System").await;
        page.press("High contrast").await;
        page.until_present("html:not([data-theme])").await;
    })
    .await;
}

#[tokio::test]
async fn i_mention_a_file_by_a_few_letters_of_its_path() {
    story("mention", Size::Wide, async |fixture| {
        std::fs::create_dir_all(fixture.project.path().join("src/deck")).unwrap();
        std::fs::write(fixture.project.path().join("src/deck/compass.rs"), "").unwrap();
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.write("Look at @comp").await;
        page.until_text_in("#files [role=option]", "compass.rs").await;
        page.screenshot("wide-mention").await;
        page.write(Key::Enter + "").await;
        page.until_draft("Look at @src/deck/compass.rs ").await;
        page.write("please").await;
        page.until_draft("Look at @src/deck/compass.rs please").await;
        page.write(Key::Enter + "").await;
        page.until_text("Look at @src/deck/compass.rs please").await;
    })
    .await;
}

#[tokio::test]
async fn the_sidebar_that_i_hide_stays_hidden_until_i_open_it() {
    story("no-sidebar", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.run("Hello").await;
        page.press("Hide sidebar").await;
        page.until_hidden(".sidebar").await;
        page.screenshot("wide-no-sidebar").await;
        page.reload().await;
        page.until_hidden(".sidebar").await;
        page.press("Sessions").await;
        page.until_visible(".sidebar").await;
        page.press_keys(Key::Control + "b").await;
        page.until_hidden(".sidebar").await;
        page.until_focus(COMPOSER).await;
        page.press_keys(Key::Control + "k").await;
        page.until_focus("[name=search]").await;
        page.until_visible(".sidebar").await;
    })
    .await;
}

#[tokio::test]
async fn a_shortcut_opens_the_sessions_that_wait_for_me_in_turn() {
    story("to-waiting", Size::Wide, async |fixture| {
        let page = fixture.page();
        let mut waiting = vec![page.first_visit(&fixture.server.link).await];
        page.send("/approve").await;
        page.until_state("waiting_approval").await;
        page.open_new_session_form().await;
        waiting.push(page.new_session().await);
        page.send("/approve").await;
        page.until_state("waiting_approval").await;
        page.open_new_session_form().await;
        page.new_session().await;
        page.run("Hello").await;
        for id in waiting.iter().rev().chain(waiting.last()) {
            page.press_keys(Key::Alt + "w").await;
            page.until_present(&format!("main[data-session-id='{id}']")).await;
        }
    })
    .await;
}

#[tokio::test]
async fn my_draft_survives_a_reload_and_a_visit_to_another_session() {
    draft_story(Size::Wide).await;
}

#[tokio::test]
async fn on_my_phone_my_draft_survives_too() {
    draft_story(Size::Phone).await;
}

async fn draft_story(size: Size) {
    story("draft", size, async |fixture| {
        let page = fixture.page();
        let session = page.first_visit(&fixture.server.link).await;
        page.write("half a thought").await;
        page.reload().await;
        page.until_draft("half a thought").await;
        page.enter(&fixture.server.origin()).await;
        page.new_session().await;
        assert_eq!(page.draft().await, "");
        page.open_session(&session).await;
        page.until_draft("half a thought").await;
        page.back().await;
        page.until_draft("").await;
    })
    .await;
}
