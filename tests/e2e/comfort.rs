//! What makes it pleasant to stay: keys, what was sent before, how it looks, being called back.

use serde_json::json;
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::Size;

use crate::stage::story;

#[tokio::test]
async fn the_arrow_keys_bring_back_what_i_sent_before() {
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
async fn a_question_mark_shows_the_keys_and_they_do_what_it_says() {
    story("keys", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let first = page.new_session().await;
        page.run("Hello").await;
        page.script("document.activeElement.blur()", vec![]).await;
        page.press_keys("?").await;
        page.until("the list", "return !!document.querySelector('dialog.help[open]')").await;
        let said = page.script("return document.querySelector('dialog.help').innerText", vec![]).await;
        for words in ["Find in the conversation", "New session", "Stop the agent", "New line"] {
            assert!(said.as_str().unwrap().contains(words), "{said}");
        }
        page.screenshot("wide-shortcuts").await;
        page.press("Close").await;
        // Keys belong to a dialog as long as it is open.
        page.until("it closed", "return !document.querySelector('dialog[open]')").await;
        page.press_keys(Key::Alt + "n").await;
        page.until("the form", "return !!document.querySelector('main.new-session')").await;
        page.press_keys(Key::Alt + Key::Down).await;
        let there = "return document.querySelector('main')?.dataset.sessionId === arguments[0]";
        page.until_script("the session", there, vec![json!(first)]).await;
        page.press_keys(Key::Control + "k").await;
        page.until("the search", "return document.activeElement?.name === 'search'").await;
        page.press_keys(Key::Alt + "m").await;
        page.until("the composer", "return document.activeElement?.name === 'prompt'").await;
        page.send("/wait never").await;
        page.until_text("The first half").await;
        page.press_keys(Key::Control + ".").await;
        page.until_state("stopped").await;
    })
    .await;
}

#[tokio::test]
async fn i_choose_how_it_looks_and_it_stays_so() {
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
        page.until("the dark", dark).await;
        page.screenshot("wide-settings-contrast").await;
        // Before anything of the page has run.
        let early = "document.addEventListener('readystatechange', () => {\
                       window.early ??= document.documentElement.dataset.theme ?? 'none' });";
        page.add_init_script(early).await;
        page.reload().await;
        assert_eq!(page.script("return window.early", vec![]).await, "dark");
        page.until("the dark again", dark).await;
        page.press("Settings").await;
        page.press("As the system").await;
        page.press("High contrast").await;
        page.until("the system's", "return !document.documentElement.dataset.theme").await;
    })
    .await;
}

#[tokio::test]
async fn a_hidden_tab_tells_in_its_title_that_something_ended() {
    story("badge", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.send("/wait go").await;
        page.until_text("The first half").await;
        page.set_visibility("hidden").await;
        stage.release("go");
        page.until("a title that says so", "return document.title.startsWith('(1) ')").await;
        page.set_visibility("visible").await;
        page.until("nothing to tell any more", "return !document.title.startsWith('(')").await;
    })
    .await;
}

#[tokio::test]
async fn i_name_a_file_by_a_few_letters_of_its_path() {
    story("mention", Size::Wide, async |stage| {
        std::fs::create_dir_all(stage.project.path().join("src/deck")).unwrap();
        std::fs::write(stage.project.path().join("src/deck/compass.rs"), "").unwrap();
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.write("Look at @comp").await;
        let offered =
            "return document.querySelector('#files [role=option]')?.textContent.includes('compass.rs')";
        page.until("the file", offered).await;
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
async fn i_put_the_sidebar_away_and_it_stays_away_until_i_want_it() {
    story("no-sidebar", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.run("Hello").await;
        let shown = "return !!document.querySelector('.sidebar').offsetParent";
        let away = "return !document.querySelector('.sidebar').offsetParent";
        page.press("Hide the sidebar").await;
        page.until("no sidebar", away).await;
        page.screenshot("wide-no-sidebar").await;
        page.reload().await;
        page.until("still none", away).await;
        page.press("Sessions").await;
        page.until("the sidebar", shown).await;
        page.press_keys(Key::Control + "b").await;
        page.until("none by key", away).await;
        page.press_keys(Key::Control + "k").await;
        page.until("the search", "return document.activeElement?.name === 'search'").await;
        page.until("the sidebar with it", shown).await;
    })
    .await;
}

#[tokio::test]
async fn a_key_leads_me_to_what_waits_on_me() {
    story("to-waiting", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let mut asking = Vec::new();
        for _ in 0..2 {
            asking.push(page.new_session().await);
            page.send("/approve").await;
            page.until_state("waiting_approval").await;
            page.open_new_session_form().await;
        }
        page.new_session().await;
        page.run("Hello").await;
        let at = "return document.querySelector('main[data-session-id]')?.dataset.sessionId === arguments[0]";
        for id in asking.iter().rev().chain(asking.last()) {
            page.press_keys(Key::Alt + "w").await;
            page.until_script("the session that waits", at, vec![serde_json::json!(id)]).await;
        }
    })
    .await;
}

#[tokio::test]
async fn twice_as_large_everything_is_still_there_and_nothing_sticks_out() {
    story("zoomed", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.run("/tour").await;
        // What a window of 1280 pixels has at 200 %, with a mouse.
        let half = serde_json::json!({"width": 640, "height": 400, "deviceScaleFactor": 2, "mobile": false});
        page.cdp("Emulation.setDeviceMetricsOverride", half).await;
        let fits = "const out = [...document.querySelectorAll('main *')].filter((one) => one.offsetParent && !one.closest('pre, .table-frame, .visually-hidden')\
                      && one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.className);\
                    return innerWidth === 640 && document.documentElement.scrollWidth <= innerWidth && !out.length";
        page.until("all of it in view", fits).await;
        let write = "const box = document.querySelector('textarea[name=prompt]').getBoundingClientRect();\
                     return box.top >= 0 && box.bottom <= innerHeight";
        page.until("the composer", write).await;
        page.until("no drawer", "return document.querySelector('.sidebar').getBoundingClientRect().right <= 0").await;
        page.screenshot("zoomed").await;
    })
    .await;
}
