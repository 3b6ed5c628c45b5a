//! When something is wrong: each is a state of its own, with a sentence and a next step.

use super::{Screen, plain, tour};
use crate::browser::Size;
use crate::running::{agent, signal};
use crate::session_file::SessionFile;
use crate::stage::Stage;

async fn tell(stage: &mut Stage, screen: &mut Screen) {
    let mut file = SessionFile::new(1, &stage.project.path().to_string_lossy());
    file.user("A session that takes its time");
    let slow = file.write(stage);
    let page = screen.page.clone();
    page.enter(&stage.line.through(&stage.server, &stage.server.link)).await;
    page.new_session().await;
    screen.run("Is the harbour open?").await;
    screen.send("/error").await;
    page.until_state("error").await;
    screen.shows("60-failed").await;
    screen.send("/wait-tool never").await;
    page.until_tool("running").await;
    signal(agent(&stage.server), "KILL");
    page.until_state("error").await;
    screen.shows("61-crashed").await;
    // Nothing comes any more, and nobody knows yet.
    stage.line.fall_silent();
    page.script(
        "document.querySelector(arguments[0]).click()",
        vec![format!("nav [data-session-id='{slow}']").into()],
    )
    .await;
    page.until("the wait", "return !!document.querySelector('.session-wait')").await;
    screen.shows("62-loading").await;
    stage.line.cut();
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
