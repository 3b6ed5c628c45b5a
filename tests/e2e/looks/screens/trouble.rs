//! Failures: each has a message and a next step.

use serde_json::json;

use pilothouse_test_support::browser::Size;
use pilothouse_test_support::process::signal;
use pilothouse_test_support::session_file::{SessionFile, append_exchange};

use super::{Screen, plain, tour};
use crate::fixture::Fixture;

async fn tell(fixture: &mut Fixture, screen: &mut Screen) {
    let mut file = SessionFile::numbered(1, &fixture.project.path().to_string_lossy());
    file.user("A session that takes its time");
    let slow = fixture.add_session(file);
    let page = screen.page.clone();
    page.enter(&fixture.proxy.address(&fixture.server.link)).await;
    page.new_session().await;
    screen.run("Is the harbour open?").await;
    screen.send("/error").await;
    page.until_state("error").await;
    screen.check("60-failed").await;
    screen.send("/wait-tool never").await;
    page.until_tool("running").await;
    signal(fixture.server.agent(), "KILL");
    page.until_state("error").await;
    screen.check("61-crashed").await;
    // Nothing arrives any more, and the page does not know it yet.
    fixture.proxy.go_silent();
    page.open_session(&slow).await;
    page.until_present(".session-wait").await;
    screen.check("62-loading").await;
    fixture.proxy.cut();
    page.until_lost().await;
    screen.check("63-lost").await;
    page.back().await;
    page.until_present("[role=log]").await;
    screen.send("Sent while the connection is lost").await;
    page.until_text("Sent while the connection is lost").await;
    screen.check("64-sent-while-lost").await;
}

#[tokio::test]
async fn failures_are_accessible() {
    tour("trouble-wide", Size::Wide, plain(), tell).await;
}

#[tokio::test]
async fn failures_are_accessible_on_a_phone() {
    tour("trouble-phone", Size::Phone, plain(), tell).await;
}

async fn tell_conflicts(fixture: &mut Fixture, screen: &mut Screen) {
    let page = screen.page.clone();
    let session = page.first_visit(&fixture.server.link).await;
    screen.run("Is the harbour open?").await;
    append_exchange(
        &fixture.server.session_file(&session),
        "And how high is the tide?",
        "It stands at 3.2 metres and rises.",
    );
    page.until_present(".elsewhere").await;
    page.until_text("It stands at 3.2 metres").await;
    screen.check("65-elsewhere").await;
    page.open_new_session_form().await;
    page.new_session().await;
    std::fs::remove_dir_all(fixture.project.path()).unwrap();
    screen.send("Is the harbour still there?").await;
    page.until_text_in("[data-kind=user] button", "Restore to editor").await;
    page.until_state("error").await;
    screen.check("66-refused").await;
    page.add_init_call(super::JS, "changeVersion", json!([])).await;
    page.driver.refresh().await.unwrap();
    // The page reloads itself once, which does not help.
    page.until_text_in(".banner", "has been updated").await;
    screen.check("67-outdated").await;
}

#[tokio::test]
async fn conflicts_with_other_programs_are_accessible() {
    tour("others-wide", Size::Wide, plain(), tell_conflicts).await;
}

#[tokio::test]
async fn conflicts_with_other_programs_are_accessible_on_a_phone() {
    tour("others-phone", Size::Phone, plain(), tell_conflicts).await;
}
