//! When something is wrong: each is a state of its own, with a sentence and a next step.

use pilothouse_test_support::browser::Size;
use pilothouse_test_support::process::signal;
use pilothouse_test_support::session_file::{SessionFile, append_exchange};

use super::{Screen, plain, tour};
use crate::stage::Stage;

async fn tell(stage: &mut Stage, screen: &mut Screen) {
    let mut file = SessionFile::numbered(1, &stage.project.path().to_string_lossy());
    file.user("A session that takes its time");
    let slow = stage.add_session(file);
    let page = screen.page.clone();
    page.enter(&stage.proxy.address(&stage.server.link)).await;
    page.new_session().await;
    screen.run("Is the harbour open?").await;
    screen.send("/error").await;
    page.until_state("error").await;
    screen.shows("60-failed").await;
    screen.send("/wait-tool never").await;
    page.until_tool("running").await;
    signal(stage.server.agent(), "KILL");
    page.until_state("error").await;
    screen.shows("61-crashed").await;
    // Nothing comes any more, and nobody knows yet.
    stage.proxy.go_silent();
    page.script(
        "document.querySelector(arguments[0]).click()",
        vec![format!("nav [data-session-id='{slow}']").into()],
    )
    .await;
    page.until("the wait", "return !!document.querySelector('.session-wait')").await;
    screen.shows("62-loading").await;
    stage.proxy.cut();
    page.until("the loss", "return document.body.dataset.connection === 'lost'").await;
    screen.shows("63-lost").await;
    page.driver.back().await.unwrap();
    page.until("the conversation", "return !!document.querySelector('[role=log]')").await;
    screen.send("Sent while nobody listens").await;
    page.until_text("Sent while nobody listens").await;
    screen.shows("64-sent-while-lost").await;
}

#[tokio::test]
async fn anybody_can_see_what_went_wrong() {
    tour("trouble-wide", Size::Wide, plain(), tell).await;
}

#[tokio::test]
async fn anybody_can_see_what_went_wrong_on_a_phone() {
    tour("trouble-phone", Size::Phone, plain(), tell).await;
}

/// From the next document on, the server seems to be of another version.
const OTHER_VERSION: &str = "window.WebSocket = class extends WebSocket {
    constructor(address) {
        super(address);
        this.addEventListener('message', (event) => {
            const frame = JSON.parse(event.data);
            if (!event.isTrusted || frame.type !== 'welcome') return;
            event.stopImmediatePropagation();
            frame.version += 1;
            this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(frame) }));
        });
    }
}";

async fn tell_of_others(stage: &mut Stage, screen: &mut Screen) {
    let page = screen.page.clone();
    page.enter(&stage.server.link).await;
    let session = page.new_session().await;
    screen.run("Is the harbour open?").await;
    append_exchange(
        &stage.server.session_file(&session),
        "And how high is the tide?",
        "It stands at 3.2 metres and rises.",
    );
    page.until("the banner", "return !!document.querySelector('.elsewhere')").await;
    page.until_text("It stands at 3.2 metres").await;
    screen.shows("65-elsewhere").await;
    page.open_new_session_form_without_drawer().await;
    page.new_session().await;
    std::fs::remove_dir_all(stage.project.path()).unwrap();
    screen.send("Is the harbour still there?").await;
    page.until(
        "the refusal",
        "return [...document.querySelectorAll('[data-kind=user] button')].some((button) => button.textContent.trim() === 'Take back')",
    )
    .await;
    page.until_state("error").await;
    screen.shows("66-refused").await;
    page.add_init_script(OTHER_VERSION).await;
    page.driver.refresh().await.unwrap();
    // It reloads by itself once; that does not help.
    page.until(
        "the words",
        "return !!document.querySelector('.banner')?.textContent.includes('another version')",
    )
    .await;
    screen.shows("67-outdated").await;
}

#[tokio::test]
async fn anybody_can_see_what_others_are_the_cause_of() {
    tour("others-wide", Size::Wide, plain(), tell_of_others).await;
}

#[tokio::test]
async fn anybody_can_see_what_others_are_the_cause_of_on_a_phone() {
    tour("others-phone", Size::Phone, plain(), tell_of_others).await;
}
