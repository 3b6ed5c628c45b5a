//! Whole sessions: finding, renaming, pinning, archiving, forking, deleting.

use serde_json::json;
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{Browser, COMPOSER, Page, Size, session_row};
use pilothouse_test_support::session_file::{self, SessionFile};
use pilothouse_test_support::wait;

use crate::fixture::{Fixture, story};

async fn session_with(fixture: &Fixture, page: &Page, text: &str) -> String {
    let session = page.first_visit(&fixture.server.link).await;
    page.run(text).await;
    session
}

#[tokio::test]
async fn i_find_a_session_by_its_title_and_open_it() {
    story("search-title", Size::Wide, async |fixture| {
        let page = fixture.page();
        let lights = session_with(fixture, &page, "Mend the lights").await;
        page.open_new_session_form().await;
        page.new_session().await;
        page.run("Count the gulls").await;
        page.fill("[name=search]", "light").await;
        page.until_count("nav [aria-label=Titles] [data-session-id]", 1).await;
        page.until_present(&format!("nav [aria-label=Titles] [data-session-id='{lights}']")).await;
        page.click("nav [aria-label=Titles] [data-session-id]").await;
        page.until_text("Mend the lights").await;
        assert!(page.address().await.ends_with(&lights));
        page.back().await;
        page.until_text("Count the gulls").await;
    })
    .await;
}

#[tokio::test]
async fn i_find_a_message_and_the_page_scrolls_to_it() {
    story("search-text", Size::Wide, async |fixture| {
        let page = fixture.page();
        session_with(fixture, &page, "Where is the barnacle?").await;
        page.run("/long 20").await;
        page.open_new_session_form().await;
        page.fill("[name=search]", "barnacle").await;
        page.until_text_of("nav .hit mark", "barnacle").await;
        page.click("nav .hit").await;
        page.until_present("[data-kind=user][data-found]").await;
        page.until_in_window("[data-kind=user]").await;
    })
    .await;
}

#[tokio::test]
async fn i_rename_pin_archive_and_delete_a_session() {
    story("library", Size::Wide, async |fixture| {
        let page = fixture.page();
        let session = session_with(fixture, &page, "Mend the lights").await;
        page.choose_in_session_menu("Rename").await;
        page.fill(".title-bar [name=title]", "Lights").await;
        page.press_keys(Key::Enter + "").await;
        page.until_text_of("h1.title", "Lights").await;
        page.choose_in_session_menu("Pin").await;
        page.until_text_of(".folder-name", "Pinned").await;
        page.reload().await;
        page.until_text_of(".folder-name", "Pinned").await;
        page.until_text_of("nav .sidebar-title", "Lights").await;
        page.choose_in_session_menu("Archive").await;
        page.until_absent("nav [data-session-id]").await;
        page.until_present(".folder-toggle").await;
        page.choose_in_session_menu("Delete…").await;
        page.press("Delete").await;
        page.until_present("main.new-session").await;
        assert_eq!(page.count(&format!("nav [data-session-id='{session}']")).await, 0);
    })
    .await;
}

#[tokio::test]
async fn each_session_in_the_sidebar_has_a_menu_and_is_renamed_in_its_row() {
    story("sidebar-menu", Size::Wide, async |fixture| {
        let page = fixture.page();
        let first = session_with(fixture, &page, "Mend the lights").await;
        page.open_new_session_form().await;
        page.new_session().await;
        page.run("Paint the buoys").await;
        let second = page.session().await;
        let button = |id: &str| format!("{} + .row-menu", session_row(id));
        let item = ":popover-open [role=menuitem]";
        let until_closed = async || {
            page.until_absent(":popover-open").await;
            page.until_absent("[aria-expanded].row-menu").await;
        };
        page.click(&button(&first)).await;
        page.until_focus(item).await;
        // A second click on the same button closes the menu, a click on another button opens the other menu.
        page.click(&button(&first)).await;
        until_closed().await;
        page.click(&button(&first)).await;
        page.until_present(item).await;
        page.click(&button(&second)).await;
        page.until_present(&format!("{}[aria-expanded=true]", button(&second))).await;
        page.until_present(item).await;
        page.press_keys(Key::Escape + "").await;
        until_closed().await;

        // Events in other sessions do not disturb a rename.
        page.send("/wait go").await;
        page.until_state("streaming").await;
        page.click(&button(&first)).await;
        page.until_present(item).await;
        page.press("Rename").await;
        page.until_value("nav [name=title]", "Mend the lights").await;
        page.until_hidden(&session_row(&first)).await;
        fixture.release("go");
        page.until_state("completed").await;
        page.until_present(&format!("{}[data-state=completed]", session_row(&second))).await;
        page.fill("nav [name=title]", "Lamps").await;
        page.press_keys(Key::Enter + "").await;
        page.until_absent("nav [name=title]").await;
        page.until_text_of(&format!("{} .sidebar-title", session_row(&first)), "Lamps").await;
        page.until_visible(&session_row(&first)).await;
        assert_eq!(page.session().await, second, "renaming opened another session");
    })
    .await;
}

#[tokio::test]
async fn the_sidebar_lists_the_newest_sessions_and_the_others_on_request() {
    story("many-sessions", Size::Wide, async |fixture| {
        for number in 1..=30 {
            let mut file = SessionFile::numbered(number, &fixture.project.path().to_string_lossy());
            file.user(&format!("Question {number}"));
            file.assistant(json!([{"type": "text", "text": "An answer."}]));
            fixture.add_session(file);
        }
        let page = fixture.page();
        page.enter(&fixture.server.link).await;
        let rows = "nav [data-session-id]";
        page.until_count(rows, 12).await;
        let mut hidden = None;
        for id in (1..=30).map(session_file::numbered_id) {
            if page.count(&session_row(&id)).await == 0 {
                hidden = Some(id);
            }
        }
        // The open session is always listed.
        let hidden = hidden.unwrap();
        page.enter(&fixture.session_address(&hidden)).await;
        page.until_present(&format!("{}[aria-current]", session_row(&hidden))).await;
        assert_eq!(page.count(rows).await, 13);
        page.press("Show 17 more").await;
        page.until_count(rows, 30).await;
        assert_eq!(page.count(".more-sessions").await, 0);
    })
    .await;
}

#[tokio::test]
async fn i_fork_from_a_message_and_edit_it() {
    story("fork", Size::Wide, async |fixture| {
        let page = fixture.page();
        let first = session_with(fixture, &page, "First words").await;
        page.run("Second words").await;
        page.click_last("[data-kind=user] [aria-label^=Fork]").await;
        page.until_draft("Second words").await;
        assert!(!page.address().await.ends_with(&first));
        assert_eq!(page.count("[role=log] [data-kind=user]").await, 1);
        page.run("").await;
    })
    .await;
}

#[tokio::test]
async fn my_draft_is_available_on_another_device() {
    story("draft-elsewhere", Size::Wide, async |fixture| {
        let page = fixture.page();
        let session = session_with(fixture, &page, "Hello").await;
        page.write("half a thought").await;
        let other = Browser::start(Size::Wide).await;
        let there = other.page();
        there.enter(&fixture.server.new_link()).await;
        // The draft is sent when typing pauses, which the page does not show: open the session until it is there.
        let look = async || {
            there.visit(&fixture.session_address(&session)).await;
            there.until_present(COMPOSER).await;
            (there.draft().await == "half a thought").then_some(())
        };
        wait::until_some("the draft on the other device", look).await;
        other.quit().await;
    })
    .await;
}
