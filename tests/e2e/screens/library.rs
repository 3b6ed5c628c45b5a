//! The sidebar and what opens from it.

use pilothouse_test_support::browser::Size;
use pilothouse_test_support::session_file::SessionFile;

use super::{Screen, plain, tour};
use crate::stage::Stage;

/// Sessions of before, in another folder.
fn write_sessions(stage: &Stage) {
    for (number, said) in
        ["Chart the approach from the north", "Why is the beacon dark at night?"].iter().enumerate()
    {
        let mut file = SessionFile::numbered(number, "/home/ada/lighthouse");
        file.user(said);
        file.assistant(
            serde_json::json!([{"type": "text", "text": "A barnacle sits on the lamp of the beacon."}]),
        );
        stage.add_session(file);
    }
}

async fn start(screen: &Screen, text: &str) {
    screen.page.open_new_session_form_without_drawer().await;
    screen.page.new_session().await;
    screen.send(text).await;
}

async fn tell(stage: &mut Stage, screen: &mut Screen) {
    write_sessions(stage);
    let page = screen.page.clone();
    page.enter(&stage.server.link).await;
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
    stage.release("go");
    page.until("an unread one", "return !!document.querySelector('nav [data-unread]')").await;
    start(screen, "Mend the lights of the northern pier before the winter").await;
    page.until_state("completed").await;
    page.choose_in_session_menu("Pin").await;
    page.until("the pin", "return document.querySelector('.folder-name')?.textContent === 'Pinned'").await;
    screen.open_sidebar().await;
    screen.shows("50-sidebar").await;
    page.script("document.querySelector('nav .sidebar-item .row-menu').click()", vec![]).await;
    page.until("the menu", "return !!document.querySelector(':popover-open [role=menuitem]')").await;
    screen.shows("51-session-menu").await;
    page.press("Rename").await;
    page.until("the field", "return !!document.querySelector('[name=title]')").await;
    screen.shows("52-rename").await;
    page.script("document.querySelector('[name=title]').dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))", vec![]).await;
    page.until("no field", "return !document.querySelector('[name=title]')").await;
    page.script("document.querySelector('nav .sidebar-item .row-menu').click()", vec![]).await;
    page.press("Delete…").await;
    page.until("the question", "return !!document.querySelector('dialog.confirm[open]')").await;
    screen.shows("53-delete").await;
    page.press("Cancel").await;
    page.fill("[name=search]", "beacon").await;
    page.until("the hits", "return !!document.querySelector('nav .hit mark')").await;
    screen.shows("54-search").await;
    page.fill("[name=search]", "no such words").await;
    page.until("nothing", "return document.querySelector('nav').innerText.includes('Nothing found')").await;
    screen.shows("55-search-empty").await;
    page.fill("[name=search]", " ").await;
    page.press("Settings").await;
    page.until("the settings", "return !!document.querySelector(':popover-open [role=switch]')").await;
    screen.shows("56-settings").await;
    page.press("Keyboard shortcuts").await;
    page.until("the list", "return !!document.querySelector('dialog.help[open]')").await;
    screen.shows("57-shortcuts").await;
}

#[tokio::test]
async fn anybody_can_find_and_keep_sessions() {
    tour("library-wide", Size::Wide, plain(), tell).await;
}

#[tokio::test]
async fn anybody_can_find_and_keep_sessions_on_a_phone() {
    tour("library-phone", Size::Phone, plain(), tell).await;
}
