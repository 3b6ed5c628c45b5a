//! The start: access, the form for a new session, folders, missing sessions.

use serde_json::json;

use pilothouse_test_support::browser::Size;
use pilothouse_test_support::server::ServerSetup;

use super::{Screen, plain, tour};
use crate::fixture::Fixture;

async fn tell(fixture: &mut Fixture, screen: &mut Screen) {
    for folder in ["charts", "lights", "signals", "weather"] {
        std::fs::create_dir(fixture.project.path().join(folder)).unwrap();
    }
    let page = screen.page.clone();
    page.visit(&fixture.server.origin()).await;
    page.until_present("[name=link]").await;
    screen.check("01-access").await;
    page.type_into("[name=link]", "wrong").await;
    page.press("Continue").await;
    page.until_present(".problem:not(:empty)").await;
    screen.check("02-access-refused").await;
    page.visit("about:blank").await;
    page.enter(&fixture.server.link).await;
    page.until_form().await;
    page.until_count(".choice-problem", 2).await;
    screen.check("03-first-run").await;
    page.call(super::JS, "show", json!([".folder-picker", "start"])).await;
    screen.check("04-folders").await;
    page.fill("[name=folder]", "/nowhere").await;
    page.press("Go").await;
    page.until_present(".problem:not(:empty)").await;
    screen.check("05-no-such-folder").await;
    page.visit(&format!("{}/s/01a1e500-0000-7000-8000-000000000404", fixture.server.origin())).await;
    page.until_text_in("main", "Session not found").await;
    screen.check("06-missing-session").await;
    page.open_drawer().await;
    screen.check("07-no-session").await;
}

/// A setup with an agent that is not installed and one that does not start.
fn with_troubled_agents() -> ServerSetup {
    let complaint = "Error: Cannot find module /usr/lib/node_modules/pi-coding-agent/dist/cli.js";
    let broken = format!("nightly=pi:sh -c 'echo \"{complaint}\" >&2; exit 1'");
    plain().agent("pi=pi:/nowhere/pi").agent(&broken)
}

async fn tell_alone(fixture: &mut Fixture, screen: &mut Screen) {
    let page = screen.page.clone();
    page.first_visit(&fixture.server.link).await;
    page.open_new_session_form().await;
    page.until_form().await;
    page.until_present(".choice-hint").await;
    screen.check("08-only-the-demo").await;
}

#[tokio::test]
async fn the_start_is_accessible() {
    tour("beginning-wide", Size::Wide, with_troubled_agents(), tell).await;
}

#[tokio::test]
async fn the_start_is_accessible_on_a_phone() {
    tour("beginning-phone", Size::Phone, with_troubled_agents(), tell).await;
}

#[tokio::test]
async fn the_start_with_the_demo_alone_is_accessible() {
    tour("alone-wide", Size::Wide, plain(), tell_alone).await;
}

#[tokio::test]
async fn the_start_with_the_demo_alone_is_accessible_on_a_phone() {
    tour("alone-phone", Size::Phone, plain(), tell_alone).await;
}
