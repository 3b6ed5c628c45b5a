//! Conveniences: prompt history, keyboard shortcuts, appearance, file mentions, the sidebar, drafts.

use serde_json::json;
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::Size;

use crate::stage::story;

#[tokio::test]
async fn the_arrow_keys_recall_my_earlier_prompts() {
    story("recall", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
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
    story("keys", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let first = page.new_session().await;
        page.run("Hello").await;
        page.script("document.activeElement.blur()", vec![]).await;
        page.press_keys("?").await;
        page.until("the list of shortcuts", "return !!document.querySelector('dialog.help[open]')").await;
        let listed = page.script("return document.querySelector('dialog.help').innerText", vec![]).await;
        for words in ["Find in the conversation", "New session", "Stop the agent", "New line"] {
            assert!(listed.as_str().unwrap().contains(words), "the list lacks '{words}': {listed}");
        }
        page.screenshot("wide-shortcuts").await;
        page.press("Close").await;
        // An open dialog takes all keys.
        page.until("a closed dialog", "return !document.querySelector('dialog[open]')").await;
        page.press_keys(Key::Alt + "n").await;
        page.until("the form", "return !!document.querySelector('main.new-session')").await;
        page.press_keys(Key::Alt + Key::Down).await;
        let shown = "return document.querySelector('main')?.dataset.sessionId === arguments[0]";
        page.until_script("the session", shown, vec![json!(first)]).await;
        page.press_keys(Key::Control + "k").await;
        page.until("the focus in the search field", "return document.activeElement?.name === 'search'").await;
        page.press_keys(Key::Alt + "m").await;
        page.until("the focus in the composer", "return document.activeElement?.name === 'prompt'").await;
        page.send("/wait never").await;
        page.until_text("The first half").await;
        page.press_keys(Key::Control + ".").await;
        page.until_state("stopped").await;
    })
    .await;
}

#[tokio::test]
async fn my_choice_of_theme_and_contrast_stays_after_a_reload() {
    story("settings", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.run("Hello").await;
        page.press("Settings").await;
        page.press("Dark").await;
        page.press("High contrast").await;
        let dark = "const root = document.documentElement;\
                    return root.dataset.theme === 'dark' && root.dataset.contrast === 'more'";
        page.until("the dark theme with high contrast", dark).await;
        page.screenshot("wide-settings-contrast").await;
        // The theme applies before the scripts of the page run.
        let early = "document.addEventListener('readystatechange', () => {\
                       window.early ??= document.documentElement.dataset.theme ?? 'none' });";
        page.add_init_script(early).await;
        page.reload().await;
        assert_eq!(page.script("return window.early", vec![]).await, "dark");
        page.until("the same theme after a reload", dark).await;
        page.press("Settings").await;
        page.press("As the system").await;
        page.press("High contrast").await;
        page.until("the theme of the system", "return !document.documentElement.dataset.theme").await;
    })
    .await;
}

#[tokio::test]
async fn i_mention_a_file_by_a_few_letters_of_its_path() {
    story("mention", Size::Wide, async |stage| {
        std::fs::create_dir_all(stage.project.path().join("src/deck")).unwrap();
        std::fs::write(stage.project.path().join("src/deck/compass.rs"), "").unwrap();
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.write("Look at @comp").await;
        let offered =
            "return document.querySelector('#files [role=option]')?.textContent.includes('compass.rs')";
        page.until("the file among the suggestions", offered).await;
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
    story("no-sidebar", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.run("Hello").await;
        let shown = "return !!document.querySelector('.sidebar').offsetParent";
        let hidden = "return !document.querySelector('.sidebar').offsetParent";
        page.press("Hide the sidebar").await;
        page.until("a hidden sidebar", hidden).await;
        page.screenshot("wide-no-sidebar").await;
        page.reload().await;
        page.until("a hidden sidebar after a reload", hidden).await;
        page.press("Sessions").await;
        page.until("the sidebar", shown).await;
        page.press_keys(Key::Control + "b").await;
        page.until("a sidebar hidden by its shortcut", hidden).await;
        page.press_keys(Key::Control + "k").await;
        page.until("the focus in the search field", "return document.activeElement?.name === 'search'").await;
        page.until("the sidebar with the search field", shown).await;
    })
    .await;
}

#[tokio::test]
async fn a_shortcut_opens_the_sessions_that_wait_for_me_in_turn() {
    story("to-waiting", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let mut waiting = Vec::new();
        for _ in 0..2 {
            waiting.push(page.new_session().await);
            page.send("/approve").await;
            page.until_state("waiting_approval").await;
            page.open_new_session_form().await;
        }
        page.new_session().await;
        page.run("Hello").await;
        let shown =
            "return document.querySelector('main[data-session-id]')?.dataset.sessionId === arguments[0]";
        for id in waiting.iter().rev().chain(waiting.last()) {
            page.press_keys(Key::Alt + "w").await;
            page.until_script("the session that waits", shown, vec![json!(id)]).await;
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
    story("draft", size, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let session = page.new_session().await;
        let composer = page.driver.find(thirtyfour::By::Css("textarea[name=prompt]")).await.unwrap();
        composer.send_keys("half a thought").await.unwrap();
        page.reload().await;
        page.until(
            "the composer",
            "return document.querySelector('textarea[name=prompt]')?.value === 'half a thought'",
        )
        .await;
        page.visit(&format!("{}/", stage.server.origin())).await;
        page.until_connected().await;
        page.new_session().await;
        assert_eq!(page.draft().await, "");
        page.click(&format!("nav [data-session-id='{session}']")).await;
        page.until(
            "the draft",
            "return document.querySelector('textarea[name=prompt]')?.value === 'half a thought'",
        )
        .await;
        page.driver.back().await.unwrap();
        page.until(
            "the other session",
            "return document.querySelector('textarea[name=prompt]')?.value === ''",
        )
        .await;
    })
    .await;
}
