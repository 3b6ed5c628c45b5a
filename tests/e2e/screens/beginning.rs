//! Before there is a conversation.

use thirtyfour::By;

use super::{Screen, plain, tour};
use crate::browser::Size;
use crate::library::fill;
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
    page.until("the problem", "return !!document.querySelector('.choice-problem')").await;
    screen.shows("03-first-run").await;
    page.script("document.querySelector('.folder-picker').scrollIntoView()", vec![]).await;
    screen.shows("04-folders").await;
    fill(&page, "[name=folder]", "/nowhere").await;
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

fn with_a_missing_agent() -> crate::running::Setup {
    let mut setup = plain();
    setup.arguments.extend(["--agent".to_owned(), "pi=pi:/nowhere/pi".to_owned()]);
    setup
}

#[tokio::test]
async fn anybody_can_come_in_and_begin() {
    tour("beginning-wide", Size::Wide, with_a_missing_agent(), tell).await;
}

#[tokio::test]
async fn anybody_can_come_in_and_begin_on_a_phone() {
    tour("beginning-phone", Size::Phone, with_a_missing_agent(), tell).await;
}
