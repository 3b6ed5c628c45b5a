//! A conversation from its first word on: every kind of row, open and closed, and all of the composer.

use serde_json::json;

use pilothouse_test_support::browser::Size;

use super::{Screen, plain, tour};
use crate::pictures::drop_picture;
use crate::stage::Stage;

async fn tell(stage: &mut Stage, screen: &mut Screen) {
    let page = screen.page.clone();
    page.enter(&stage.server.link).await;
    page.new_session().await;
    screen.shows("10-empty").await;
    screen.send("/wait go").await;
    page.until_text("The first half").await;
    screen.shows("11-streaming").await;
    stage.release("go");
    page.until_state("completed").await;
    screen.run("What can you show me in this harbour?").await;
    screen.run("/think").await;
    page.script("[...document.querySelectorAll('[data-kind=thinking] .row-line')].at(-1).click()", vec![])
        .await;
    screen.shows("12-thinking-open").await;
    screen.run("/tools").await;
    screen.shows("13-tools").await;
    page.click("[data-tool=edit] .row-line").await;
    page.until("a diff", "return !!document.querySelector('.diff mark')").await;
    screen.shows("14-diff").await;
    page.click("[data-tool=edit] .row-line").await;
    page.click("[data-tool=bash] .row-line").await;
    page.until("its output", "return !!document.querySelector('[data-tool=bash] .tool-details')").await;
    screen.shows("15-shell-open").await;
    screen.run("/long 8").await;
    page.script("document.querySelector('.table-frame').scrollIntoView({block: 'end'})", vec![]).await;
    screen.shows("16-table").await;
    page.script("document.querySelector('.code-block').scrollIntoView({block: 'center'})", vec![]).await;
    page.until("the way back", "return !!document.querySelector('.jump')").await;
    screen.shows("17-code").await;
    page.press_starting("Jump to latest").await;
    screen.run("/image").await;
    let loaded = "const image = [...document.querySelectorAll('[role=log] img')].at(-1); return !!image?.complete && image.naturalWidth > 0";
    page.until("the picture", loaded).await;
    screen.shows("18-picture").await;
    page.click(".row-image").await;
    page.until("it in full", "return !!document.querySelector('dialog.viewer[open] img')").await;
    screen.shows("19-viewer").await;
    page.script("document.querySelector('dialog.viewer button').click()", vec![]).await;
    screen.run("/compact").await;
    page.until("the summary", "return !!document.querySelector('.row.summary')").await;
    page.click(".row.summary .row-line").await;
    screen.shows("20-compacted").await;
    composer(screen).await;
    work(screen).await;
}

async fn composer(screen: &mut Screen) {
    let page = screen.page.clone();
    screen.send("!ls; echo kept; exit 2").await;
    page.until_text("exit 2").await;
    page.fill_composer("!!git status").await;
    screen.shows("21-shell-mode").await;
    page.fill_composer("/").await;
    page.until("the commands", "return !!document.querySelector('#commands [role=option]')").await;
    screen.shows("22-commands").await;
    page.fill_composer("/no-such-command").await;
    page.until("none", "return !document.querySelector('#commands [role=option]')").await;
    screen.shows("23-no-command").await;
    page.fill_composer("Look at @read").await;
    page.until("the files", "return !!document.querySelector('#files [role=option]')").await;
    screen.shows("24-files").await;
    page.fill_composer("A picture of it\nand a second line").await;
    drop_picture(&page).await;
    page.until("its preview", "return !!document.querySelector('[data-pending-image] img')").await;
    screen.shows("25-pictures-to-send").await;
    page.press("Remove image").await;
    page.fill_composer("").await;
    page.press("Model").await;
    page.until("the models", "return !!document.querySelector('#models [role=option]')").await;
    screen.shows("26-models").await;
    screen.close_popover().await;
    page.script(
        "window.dispatchEvent(new KeyboardEvent('keydown', { key: 'f', ctrlKey: true, cancelable: true }))",
        vec![],
    )
    .await;
    page.until("the bar", "return !!document.querySelector('[name=find]')").await;
    page.fill("[name=find]", "harbour").await;
    page.until(
        "what was found",
        "return document.querySelector('.find-words')?.textContent.includes(' of ')",
    )
    .await;
    screen.shows("27-found").await;
    page.fill("[name=find]", "no such words").await;
    page.until("nothing", "return document.querySelector('.find-words')?.textContent === 'Nothing found'")
        .await;
    screen.shows("28-not-found").await;
    page.press("Close").await;
}

async fn work(screen: &mut Screen) {
    let page = screen.page.clone();
    screen.send("/wait-tool on").await;
    page.until_tool("running").await;
    for text in ["Look to port as well", "And write down what you see there, in a few words"] {
        screen.send(text).await;
        let there = "return [...document.querySelectorAll('[data-scheduled]')].some((row) => row.textContent.includes(arguments[0]))";
        page.until_script("it scheduled", there, vec![json!(text)]).await;
    }
    page.fill_composer("A thought that is not sent yet").await;
    screen.shows("29-working").await;
    page.press("Edit").await;
    page.until("the editor", "return !!document.querySelector('textarea[name=scheduled]')").await;
    screen.shows("30-scheduled-edit").await;
    page.press("Cancel").await;
    page.press("Restore to editor").await;
    page.press("Stop").await;
    page.until_state("stopped").await;
    screen.shows("31-stopped").await;
}

#[tokio::test]
async fn anybody_can_follow_a_conversation_and_write() {
    tour("talking-wide", Size::Wide, plain(), tell).await;
}

#[tokio::test]
async fn anybody_can_follow_a_conversation_and_write_on_a_phone() {
    tour("talking-phone", Size::Phone, plain(), tell).await;
}
