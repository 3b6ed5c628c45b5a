//! Pictures of the main states, wide and phone-sized, light and dark, for people to look at. They fail only if the
//! page cannot be brought into the state.

use crate::browser::Size;
use crate::page::Page;
use crate::stage::story;

async fn in_both_themes(page: &Page, name: &str) {
    for theme in ["light", "dark"] {
        let feature = serde_json::json!({"features": [{"name": "prefers-color-scheme", "value": theme}]});
        page.driver.cdp().send_raw("Emulation.setEmulatedMedia", feature).await.unwrap();
        page.async_script(
            "await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));\
             const fading = document.getAnimations().filter((animation) => animation instanceof CSSTransition);\
             await Promise.all(fading.map((animation) => animation.finished));",
        )
        .await;
        page.screenshot(&format!("{name}-{theme}")).await;
    }
}

async fn tour(size: Size, name: &str) {
    story(&format!("shots-{name}"), size, async |stage| {
        let page = stage.page();
        if matches!(size, Size::Wide) {
            let metrics =
                serde_json::json!({"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": false});
            page.driver.cdp().send_raw("Emulation.setDeviceMetricsOverride", metrics).await.unwrap();
        }
        page.enter(&stage.server.link).await;
        page.until("the form", "return !!document.querySelector('main form button[type=submit]:enabled')")
            .await;
        in_both_themes(&page, &format!("{name}-1-new")).await;
        page.new_session().await;
        send(&page, "What can you show me in this harbour?").await;
        page.until_state("completed").await;
        send(&page, "/tools").await;
        page.until_text("The scratch file is removed").await;
        page.until_state("completed").await;
        in_both_themes(&page, &format!("{name}-2-tools")).await;
        page.click("[data-tool=edit] .row-line").await;
        page.until("a diff", "return !!document.querySelector('.diff mark')").await;
        in_both_themes(&page, &format!("{name}-7-diff")).await;
        page.click("[data-tool=edit] .row-line").await;
        send(&page, "/long 8").await;
        page.until_text("That is all").await;
        page.until_state("completed").await;
        page.script("document.querySelector('.table-frame').scrollIntoView({block: 'end'})", vec![]).await;
        in_both_themes(&page, &format!("{name}-8-markdown")).await;
        page.script("document.querySelector('[role=log]').scrollTo(0, 1e6)", vec![]).await;
        page.click(".title-bar [aria-label='Session menu']").await;
        page.until("the menu", "return !!document.querySelector('.title-bar [role=menuitem]')").await;
        in_both_themes(&page, &format!("{name}-9-menu")).await;
        page.script("document.querySelector(':popover-open').hidePopover()", vec![]).await;
        page.press("Model").await;
        page.until("the models", "return !!document.querySelector('#models [role=option]')").await;
        in_both_themes(&page, &format!("{name}-10-models")).await;
        page.script("document.querySelector(':popover-open').hidePopover()", vec![]).await;
        send(&page, "/wait-tool go").await;
        page.until_tool("running").await;
        send(&page, "Also look at the harbour lights").await;
        page.until("a scheduled message", "return !!document.querySelector('[data-scheduled]')").await;
        in_both_themes(&page, &format!("{name}-3-working")).await;
        stage.release("go");
        page.until("the queue", "return !document.querySelector('[data-scheduled]')").await;
        page.until_state("completed").await;
        send(&page, "/approve").await;
        page.until_state("waiting_approval").await;
        in_both_themes(&page, &format!("{name}-4-approval")).await;
        page.press("Block").await;
        page.until_state("completed").await;
        send(&page, "/error").await;
        page.until_state("error").await;
        in_both_themes(&page, &format!("{name}-5-error")).await;
        stage.server.kill();
        page.until("the loss", "return document.body.dataset.connection === 'lost'").await;
        in_both_themes(&page, &format!("{name}-6-lost")).await;
    })
    .await;
}

/// By the button, which works with touch and without.
async fn send(page: &Page, text: &str) {
    let composer = page.driver.find(thirtyfour::By::Css("textarea[name=prompt]")).await.unwrap();
    composer.send_keys(text).await.unwrap();
    page.click("form.composer button[type=submit]").await;
}

#[tokio::test]
async fn pictures_of_the_wide_page() {
    tour(Size::Wide, "wide").await;
}

#[tokio::test]
async fn pictures_of_the_phone() {
    tour(Size::Phone, "phone").await;
}
