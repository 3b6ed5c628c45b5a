//! The sidebar, its menus and dialogs.

use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::Size;
use pilothouse_test_support::session_file::SessionFile;

use super::{Screen, plain, tour};
use crate::fixture::Fixture;

/// Stores sessions of another folder.
fn write_sessions(fixture: &Fixture) {
    for (number, said) in
        ["Chart the approach from the north", "Why is the beacon dark at night?"].iter().enumerate()
    {
        let mut file = SessionFile::numbered(number, "/home/ada/lighthouse");
        file.user(said);
        file.assistant(
            serde_json::json!([{"type": "text", "text": "A barnacle sits on the lamp of the beacon."}]),
        );
        fixture.add_session(file);
    }
}

async fn start(screen: &Screen, text: &str) {
    screen.page.open_new_session_form().await;
    screen.page.new_session().await;
    screen.send(text).await;
}

async fn tell(fixture: &mut Fixture, screen: &mut Screen) {
    write_sessions(fixture);
    let page = screen.page.clone();
    page.enter(&fixture.server.link).await;
    start(screen, "/error").await;
    page.until_state("error").await;
    start(screen, "/approve").await;
    page.until_state("waiting_approval").await;
    start(screen, "/wait never").await;
    page.until_text("The first half").await;
    page.press("Stop").await;
    page.until_state("stopped").await;
    start(screen, "/wait go").await;
    page.until_text("The first half").await;
    start(screen, "/wait-tool never").await;
    page.until_tool("running").await;
    fixture.release("go");
    page.until_present("nav [data-unread]").await;
    start(screen, "Mend the lights of the northern pier before the winter").await;
    page.until_state("completed").await;
    page.choose_in_session_menu("Pin").await;
    page.until_text_of(".folder-name", "Pinned").await;
    page.open_drawer().await;
    screen.check("50-sidebar").await;
    page.click("nav .sidebar-item .row-menu").await;
    page.until_present(":popover-open [role=menuitem]").await;
    screen.check("51-session-menu").await;
    page.press("Rename").await;
    page.until_present("[name=title]").await;
    screen.check("52-rename").await;
    page.press_keys(Key::Escape + "").await;
    page.until_absent("[name=title]").await;
    page.click("nav .sidebar-item .row-menu").await;
    page.press("Delete…").await;
    page.until_present("dialog.confirm[open]").await;
    screen.check("53-delete").await;
    page.press("Cancel").await;
    page.fill("[name=search]", "beacon").await;
    page.until_present("nav .hit mark").await;
    screen.check("54-search").await;
    page.fill("[name=search]", "no such words").await;
    page.until_text_in("nav", "No results").await;
    screen.check("55-search-empty").await;
    page.fill("[name=search]", " ").await;
    page.press("Settings").await;
    page.until_present(":popover-open [role=switch]").await;
    screen.check("56-settings").await;
    page.press("Keyboard shortcuts").await;
    page.until_present("dialog.help[open]").await;
    screen.check("57-shortcuts").await;
}

#[tokio::test]
async fn the_library_is_accessible() {
    tour("library-wide", Size::Wide, plain(), tell).await;
}

#[tokio::test]
async fn the_library_is_accessible_on_a_phone() {
    tour("library-phone", Size::Phone, plain(), tell).await;
}
