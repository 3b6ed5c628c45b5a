//! What I do with whole sessions: finding, naming, pinning, archiving, forking, deleting.

use serde_json::json;
use thirtyfour::By;
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{Browser, Page, Size};
use pilothouse_test_support::session_file::{self, SessionFile};

use crate::stage::{Stage, story};

async fn session_with(stage: &Stage, page: &Page, text: &str) -> String {
    page.enter(&stage.server.link).await;
    let session = page.new_session().await;
    page.run(text).await;
    session
}

#[tokio::test]
async fn i_find_a_session_by_its_title_and_go_there() {
    story("search-title", Size::Wide, async |stage| {
        let page = stage.page();
        let lights = session_with(stage, &page, "Mend the lights").await;
        page.open_new_session_form().await;
        page.new_session().await;
        page.run("Count the gulls").await;
        page.fill("[name=search]", "light").await;
        let found = "return [...document.querySelectorAll('nav [aria-label=Titles] [data-session-id]')]\
                     .map((row) => row.dataset.sessionId).join() === arguments[0]";
        page.until_script("just that one", found, vec![serde_json::json!(lights)]).await;
        page.click("nav [aria-label=Titles] [data-session-id]").await;
        page.until_text("Mend the lights").await;
        assert!(page.driver.current_url().await.unwrap().path().ends_with(&lights));
        page.driver.back().await.unwrap();
        page.until_text("Count the gulls").await;
    })
    .await;
}

#[tokio::test]
async fn i_find_what_was_said_and_am_brought_to_the_place() {
    story("search-text", Size::Wide, async |stage| {
        let page = stage.page();
        session_with(stage, &page, "Where is the barnacle?").await;
        page.run("/long 20").await;
        page.open_new_session_form().await;
        page.fill("[name=search]", "barnacle").await;
        page.until(
            "the hit",
            "return document.querySelector('nav .hit mark')?.textContent.toLowerCase() === 'barnacle'",
        )
        .await;
        page.click("nav .hit").await;
        page.until("the row", "return !!document.querySelector('[data-kind=user][data-found]')").await;
        let seen = "const box = document.querySelector('[data-kind=user]').getBoundingClientRect();\
                    return box.top >= 0 && box.bottom <= innerHeight";
        page.until("it in view", seen).await;
    })
    .await;
}

#[tokio::test]
async fn i_name_pin_archive_and_delete_a_session() {
    story("library", Size::Wide, async |stage| {
        let page = stage.page();
        let session = session_with(stage, &page, "Mend the lights").await;
        page.choose_in_session_menu("Rename").await;
        page.fill(".title-bar [name=title]", "Lights").await;
        page.driver.find(By::Css(".title-bar [name=title]")).await.unwrap().send_keys(Key::Enter + "").await.unwrap();
        page.until("its name", "return document.querySelector('h1.title')?.textContent === 'Lights'").await;
        page.choose_in_session_menu("Pin").await;
        page.until("the pin", "return document.querySelector('.folder-name')?.textContent === 'Pinned'").await;
        page.reload().await;
        page.until("both again", "return document.querySelector('.folder-name')?.textContent === 'Pinned' && document.querySelector('nav .sidebar-title').textContent === 'Lights'").await;
        page.choose_in_session_menu("Archive").await;
        page.until("it archived", "return !document.querySelector('nav [data-session-id]') && !!document.querySelector('.folder-toggle')").await;
        page.choose_in_session_menu("Delete…").await;
        page.press("Delete").await;
        page.until("the form", "return !!document.querySelector('main.new-session')").await;
        assert_eq!(page.count(&format!("nav [data-session-id='{session}']")).await, 0);
    })
    .await;
}

#[tokio::test]
async fn each_session_of_the_sidebar_has_its_menu_and_is_renamed_in_its_place() {
    story("sidebar-menu", Size::Wide, async |stage| {
        let page = stage.page();
        let first = session_with(stage, &page, "Mend the lights").await;
        page.open_new_session_form().await;
        page.new_session().await;
        page.run("Paint the buoys").await;
        let button = |id: &str| format!("nav [data-session-id='{id}'] + .row-menu");
        let open = "return !!document.querySelector(':popover-open [role=menuitem]')";
        let closed = "return !document.querySelector(':popover-open') && !document.querySelector('[aria-expanded].row-menu')";
        page.click(&button(&first)).await;
        page.until("the menu", open).await;
        page.until("the keyboard in it", "return document.activeElement?.role === 'menuitem'").await;
        // A second click on the same button closes it, one on another's opens that one's.
        page.click(&button(&first)).await;
        page.until("no menu", closed).await;
        page.click(&button(&first)).await;
        page.until("the menu again", open).await;
        let second = page.attribute("main", "data-session-id").await;
        page.click(&button(&second)).await;
        page.until(
            "the other's menu",
            &format!("return document.querySelector(\"{}\").ariaExpanded === 'true' && !!document.querySelector(':popover-open [role=menuitem]')", button(&second)),
        )
        .await;
        page.press_keys(Key::Escape + "").await;
        page.until("none", closed).await;

        // What happens in other sessions meanwhile does not disturb it.
        page.send("/wait go").await;
        page.until_state("streaming").await;
        page.click(&button(&first)).await;
        page.until("the menu of the first", open).await;
        page.press("Rename").await;
        page.until("the field alone", "const field = document.querySelector('nav [name=title]');\
            const row = field?.closest('.sidebar-item').querySelector('.sidebar-row');\
            return field?.value === 'Mend the lights' && getComputedStyle(row).display === 'none'").await;
        stage.release("go");
        page.until_state("completed").await;
        page.until("it told in the sidebar", &format!("return document.querySelector(\"nav [data-session-id='{second}']\").dataset.state === 'completed'")).await;
        page.fill("nav [name=title]", "Lamps").await;
        page.press_keys(Key::Enter + "").await;
        let named = format!("const row = document.querySelector(\"nav [data-session-id='{first}']\");\
            return row.querySelector('.sidebar-title').textContent === 'Lamps' && getComputedStyle(row).display !== 'none' &&\
              !document.querySelector('nav [name=title]')");
        page.until("its new name", &named).await;
        assert_eq!(page.attribute("main", "data-session-id").await, second, "nobody went anywhere");
    })
    .await;
}

#[tokio::test]
async fn of_many_sessions_the_newest_stand_there_and_the_others_when_i_ask_for_them() {
    story("many-sessions", Size::Wide, async |stage| {
        for number in 1..=30 {
            let mut file = SessionFile::numbered(number, &stage.project.path().to_string_lossy());
            file.user(&format!("Question {number}"));
            file.assistant(json!([{"type": "text", "text": "An answer."}]));
            stage.add_session(file);
        }
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let rows = "nav [data-session-id]";
        page.until("the newest", "return document.querySelectorAll('nav [data-session-id]').length === 12").await;
        // One that is open is always there.
        let hidden = page.script("const shown = [...document.querySelectorAll('nav [data-session-id]')].map((row) => row.dataset.sessionId);\
            return arguments[0].find((id) => !shown.includes(id))", vec![json!((1..=30).map(session_file::numbered_id).collect::<Vec<_>>())]).await;
        let hidden = hidden.as_str().unwrap();
        page.visit(&format!("{}/s/{hidden}", stage.server.origin())).await;
        page.until_connected().await;
        page.until("it in its place", &format!("return document.querySelector('nav [aria-current]')?.dataset.sessionId === '{hidden}'")).await;
        assert_eq!(page.count(rows).await, 13);
        page.press("17 more").await;
        page.until("all", "return document.querySelectorAll('nav [data-session-id]').length === 30").await;
        assert_eq!(page.count(".more-sessions").await, 0);
    })
    .await;
}

#[tokio::test]
async fn i_fork_from_a_message_and_say_it_differently() {
    story("fork", Size::Wide, async |stage| {
        let page = stage.page();
        let first = session_with(stage, &page, "First words").await;
        page.run("Second words").await;
        page.script(
            "[...document.querySelectorAll('[data-kind=user]')].at(-1).querySelector('[aria-label^=Fork]').click()",
            vec![],
        )
        .await;
        page.until("the text", "return document.querySelector('textarea[name=prompt]')?.value === 'Second words'").await;
        assert!(!page.driver.current_url().await.unwrap().path().ends_with(&first));
        assert_eq!(page.count("[role=log] [data-kind=user]").await, 1);
        page.run("").await;
    })
    .await;
}

#[tokio::test]
async fn what_i_was_writing_waits_for_me_on_another_device() {
    story("draft-elsewhere", Size::Wide, async |stage| {
        let page = stage.page();
        let session = session_with(stage, &page, "Hello").await;
        page.write("half a thought").await;
        let link = stage.server.link.clone();
        let other = Browser::start(Size::Wide).await;
        let there = other.page();
        there.enter(&link).await;
        let taken = "return document.querySelector('textarea[name=prompt]')?.value === 'half a thought'";
        // Told when the typing rests, which nobody sees: opened anew until it is there.
        for _ in 0..50 {
            there.visit(&format!("{}/s/{session}", stage.server.origin())).await;
            there.until("the composer", "return !!document.querySelector('textarea[name=prompt]')").await;
            if there.script(taken, vec![]).await == serde_json::json!(true) {
                break;
            }
        }
        assert_eq!(there.draft().await, "half a thought");
        other.quit().await;
    })
    .await;
}
