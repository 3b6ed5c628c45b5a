//! A conversation: every kind of row, open and closed, and every state of the composer.

use serde_json::json;
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::Size;

use super::{Screen, plain, tour};
use crate::composer::pictures::drop_picture;
use crate::fixture::Fixture;

async fn tell(fixture: &mut Fixture, screen: &mut Screen) {
    let page = screen.page.clone();
    page.first_visit(&fixture.server.link).await;
    screen.check("10-empty").await;
    screen.send("/wait go").await;
    page.until_text("The first half").await;
    screen.check("11-streaming").await;
    fixture.release("go");
    page.until_state("completed").await;
    screen.run("What can you show me in this harbour?").await;
    screen.run("/think").await;
    page.click_last("[data-kind=thinking] .row-line").await;
    screen.check("12-thinking-open").await;
    screen.run("/tools").await;
    screen.check("13-tools").await;
    page.click("[data-tool=edit] .row-line").await;
    page.until_present(".diff mark").await;
    screen.check("14-diff").await;
    page.click("[data-tool=edit] .row-line").await;
    page.click("[data-tool=bash] .row-line").await;
    page.until_present("[data-tool=bash] .tool-details").await;
    screen.check("15-shell-open").await;
    screen.run("/long 8").await;
    page.call(super::JS, "show", json!([".table-frame", "end"])).await;
    screen.check("16-table").await;
    page.call(super::JS, "show", json!([".code-block", "center"])).await;
    page.until_present(".jump").await;
    screen.check("17-code").await;
    page.press_starting("Jump to latest").await;
    screen.run("/image").await;
    page.until_image("[role=log] img", 1).await;
    screen.check("18-picture").await;
    page.click(".row-image").await;
    page.until_present("dialog.viewer[open] img").await;
    screen.check("19-viewer").await;
    page.click("dialog.viewer button").await;
    screen.run("/compact").await;
    page.until_present(".row.summary").await;
    page.click(".row.summary .row-line").await;
    screen.check("20-compacted").await;
    composer(screen).await;
    work(screen).await;
}

async fn composer(screen: &mut Screen) {
    let page = screen.page.clone();
    screen.send("!ls; echo kept; exit 2").await;
    page.until_text("exit 2").await;
    page.fill_composer("!!git status").await;
    screen.check("21-shell-mode").await;
    page.fill_composer("/").await;
    page.until_present("#commands [role=option]").await;
    screen.check("22-commands").await;
    page.fill_composer("/no-such-command").await;
    page.until_absent("#commands [role=option]").await;
    screen.check("23-no-command").await;
    page.fill_composer("Look at @read").await;
    page.until_present("#files [role=option]").await;
    screen.check("24-files").await;
    page.fill_composer("A picture of it\nand a second line").await;
    drop_picture(&page).await;
    page.until_present("[data-pending-image] img").await;
    screen.check("25-pictures-to-send").await;
    page.press("Remove image").await;
    page.fill_composer("").await;
    page.press("Model").await;
    page.until_present("#models [role=option]").await;
    screen.check("26-models").await;
    page.press_keys(Key::Escape + "").await;
    page.press_keys(Key::Control + "f").await;
    page.until_present("[name=find]").await;
    page.fill("[name=find]", "harbour").await;
    page.until_text_in(".find-words", " of ").await;
    screen.check("27-found").await;
    page.fill("[name=find]", "no such words").await;
    page.until_text_of(".find-words", "No results").await;
    screen.check("28-not-found").await;
    page.press("Close").await;
}

async fn work(screen: &mut Screen) {
    let page = screen.page.clone();
    screen.send("/wait-tool on").await;
    page.until_tool("running").await;
    for text in ["Look to port as well", "And write down what you see there, in a few words"] {
        screen.send(text).await;
        page.until_text_in("[data-scheduled]", text).await;
    }
    page.fill_composer("A thought that is not sent yet").await;
    screen.check("29-working").await;
    page.press("Edit").await;
    page.until_present("textarea[name=scheduled]").await;
    screen.check("30-scheduled-edit").await;
    page.press("Cancel").await;
    page.press("Restore to editor").await;
    page.press("Stop").await;
    page.until_state("stopped").await;
    screen.check("31-stopped").await;
}

#[tokio::test]
async fn a_conversation_is_accessible() {
    tour("talking-wide", Size::Wide, plain(), tell).await;
}

#[tokio::test]
async fn a_conversation_is_accessible_on_a_phone() {
    tour("talking-phone", Size::Phone, plain(), tell).await;
}
