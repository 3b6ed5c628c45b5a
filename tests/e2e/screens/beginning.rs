//! Before there is a conversation.

use thirtyfour::By;

use pilothouse_test_support::browser::Size;
use pilothouse_test_support::server::ServerSetup;

use super::{Screen, plain, tour};
use crate::stage::Stage;

const FORM: &str = "return !!document.querySelector('main form button[type=submit]:enabled')";

async fn tell(stage: &mut Stage, screen: &mut Screen) {
    for folder in ["charts", "lights", "signals", "weather"] {
        std::fs::create_dir(stage.project.path().join(folder)).unwrap();
    }
    let page = screen.page.clone();
    page.visit(&stage.server.origin()).await;
    page.until("the way in", "return !!document.querySelector('[name=token]')").await;
    screen.shows("01-access").await;
    page.driver.find(By::Css("[name=token]")).await.unwrap().send_keys("wrong").await.unwrap();
    page.press("Enter").await;
    page.until("the refusal", "return !!document.querySelector('.problem')?.textContent").await;
    screen.shows("02-access-refused").await;
    page.visit("about:blank").await;
    page.enter(&stage.server.link).await;
    page.until("the form", FORM).await;
    page.until("the problems", "return document.querySelectorAll('.choice-problem').length === 2").await;
    screen.shows("03-first-run").await;
    page.script("document.querySelector('.folder-picker').scrollIntoView()", vec![]).await;
    screen.shows("04-folders").await;
    page.fill("[name=folder]", "/nowhere").await;
    page.press("Go").await;
    page.until(
        "the refusal",
        "return [...document.querySelectorAll('.problem')].some((line) => line.textContent)",
    )
    .await;
    screen.shows("05-no-such-folder").await;
    page.visit(&format!("{}/s/01a1e500-0000-7000-8000-000000000404", stage.server.origin())).await;
    page.until("the words", "return document.body.innerText.includes('This session is not here')").await;
    screen.shows("06-missing-session").await;
    screen.open_sidebar().await;
    screen.shows("07-no-session").await;
}

/// One is not installed, another does not start.
fn with_troubled_agents() -> ServerSetup {
    let complaint = "Error: Cannot find module /usr/lib/node_modules/pi-coding-agent/dist/cli.js";
    let broken = format!("nightly=pi:sh -c 'echo \"{complaint}\" >&2; exit 1'");
    plain().agent("pi=pi:/nowhere/pi").agent(&broken)
}

async fn tell_alone(stage: &mut Stage, screen: &mut Screen) {
    let page = screen.page.clone();
    page.enter(&stage.server.link).await;
    page.until("the form", FORM).await;
    page.until("what to install", "return !!document.querySelector('.choice-hint')").await;
    screen.shows("08-only-the-demo").await;
}

#[tokio::test]
async fn anybody_can_come_in_and_begin() {
    tour("beginning-wide", Size::Wide, with_troubled_agents(), tell).await;
}

#[tokio::test]
async fn anybody_can_come_in_and_begin_on_a_phone() {
    tour("beginning-phone", Size::Phone, with_troubled_agents(), tell).await;
}

#[tokio::test]
async fn anybody_can_begin_where_only_the_demo_is_installed() {
    tour("alone-wide", Size::Wide, plain(), tell_alone).await;
}

#[tokio::test]
async fn anybody_can_begin_where_only_the_demo_is_installed_on_a_phone() {
    tour("alone-phone", Size::Phone, plain(), tell_alone).await;
}
