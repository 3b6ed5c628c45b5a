//! Appearance: sizes, themes, contrast, reduced motion, zoom, and the page as an installed app.

use serde_json::json;
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{Page, Size};

use crate::stage::story;

async fn emulate(page: &Page, feature: &str, value: &str) {
    let media = json!({"features": [{"name": feature, "value": value}]});
    page.cdp("Emulation.setEmulatedMedia", media).await;
}

#[tokio::test]
async fn everything_has_the_size_that_lets_me_read_all_day() {
    story("look-sizes", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.run("/tour").await;
        let sizes = "const height = (selector) => Math.round(document.querySelector(selector).getBoundingClientRect().height);\
            const width = (selector) => Math.round(document.querySelector(selector).getBoundingClientRect().width);\
            const type = getComputedStyle([...document.querySelectorAll('[data-kind=assistant] p')].at(-1));\
            return { bar: height('.title-bar'), sidebar: width('.sidebar'),\
              tools: [...new Set([...document.querySelectorAll('[data-kind=tool] .row-line')]\
                .map((line) => Math.round(line.getBoundingClientRect().height)))],\
              column: width('[data-kind=assistant] .markdown'), size: type.fontSize,\
              line: parseFloat(type.lineHeight) / parseFloat(type.fontSize) };";
        let sizes = page.script(sizes, vec![]).await;
        let wanted = json!({
            "bar": 48, "sidebar": 288, "tools": [32], "column": 736, "size": "15px", "line": 1.6
        });
        assert_eq!(sizes, wanted);
    })
    .await;
}

#[tokio::test]
async fn i_see_which_option_enter_takes_also_in_high_contrast() {
    story("look-option", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.press("Settings").await;
        page.press("High contrast").await;
        page.press_keys(Key::Escape + "").await;
        page.write("/").await;
        // Not by a shade of its ground alone, which may be no other.
        let marked = "const options = [...document.querySelectorAll('[role=option]')];\
            const rings = options.map((option) => getComputedStyle(option).outlineStyle === 'solid');\
            return options.length > 1 && options.every((option, index) => (option.ariaSelected === 'true') === rings[index])\
              && rings.filter(Boolean).length === 1";
        page.until("a mark on one option", marked).await;
        page.press_keys(Key::Down + "").await;
        page.until("a mark on the next", &format!("{marked} && options[1].ariaSelected === 'true'")).await;
        page.screenshot("option-contrast").await;
    })
    .await;
}

#[tokio::test]
async fn what_is_around_the_page_has_the_colour_i_chose() {
    story("look-around", Size::Phone, async |stage| {
        let page = stage.page();
        emulate(&page, "prefers-color-scheme", "light").await;
        page.enter(&stage.server.link).await;
        page.new_session().await;
        let colour = "return [...document.querySelectorAll('meta[name=theme-color]')]\
            .find((meta) => matchMedia(meta.media).matches).content === arguments[0]";
        page.until_script("the system's light", colour, vec![json!("#fcfbf9")]).await;
        page.press("Sessions").await;
        page.press("Settings").await;
        page.press("Dark").await;
        page.until_script("the chosen dark", colour, vec![json!("#1b1a18")]).await;
        page.reload().await;
        page.until_script("the dark, from the beginning", colour, vec![json!("#1b1a18")]).await;
        page.press("Sessions").await;
        page.press("Settings").await;
        page.press("As the system").await;
        page.until_script("the system's light again", colour, vec![json!("#fcfbf9")]).await;
    })
    .await;
}

#[tokio::test]
async fn nothing_moves_where_i_asked_for_less_motion() {
    story("look-motion", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.send("/wait never").await;
        page.until_text("The first half").await;
        let moving = "return document.getAnimations().length";
        page.until("something that turns", &format!("{moving} > 0")).await;
        emulate(&page, "prefers-reduced-motion", "reduce").await;
        page.until("rest", &format!("{moving} === 0")).await;
        let eased = "return [...document.querySelectorAll('*')].some((element) =>\
            getComputedStyle(element).transitionDuration.split(', ').some((time) => parseFloat(time) > 0))";
        assert_eq!(page.script(eased, vec![]).await, json!(false));
    })
    .await;
}

#[tokio::test]
async fn the_page_can_be_installed() {
    story("look-installed", Size::Phone, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let problems = page.cdp("Page.getInstallabilityErrors", json!({})).await;
        assert_eq!(problems["installabilityErrors"], json!([]));
        let icons = "const manifest = await (await fetch(document.querySelector('link[rel=manifest]').href)).json();\
            return await Promise.all(manifest.icons.map(async (icon) => {\
              const image = new Image(); image.src = icon.src; await image.decode();\
              return `${image.naturalWidth}x${image.naturalHeight}` === icon.sizes;\
            }));";
        assert_eq!(page.async_script(icons).await, json!([true, true]));
    })
    .await;
}

async fn lost_on_the_form(name: &str, size: Size) {
    story(name, size, async |stage| {
        let page = stage.page();
        page.enter(&stage.proxy.address(&stage.server.link)).await;
        page.until("the form", "return !!document.querySelector('.new-session h1')").await;
        stage.proxy.cut();
        page.until("the banner", "return !!document.querySelector('.banner')").await;
        let clear = "const box = (selector) => document.querySelector(selector).getBoundingClientRect();\
            const banner = box('.banner'); const button = box('.drawer-bar button');\
            return [box('.new-session h1').top - banner.bottom, button.width === 0 ? 0 : banner.left - button.right]";
        let clear = page.script(clear, vec![]).await;
        assert!(clear.as_array().unwrap().iter().all(|space| space.as_f64() >= Some(0.0)), "it covers nothing: {clear}");
        page.until("it can be read", "return getComputedStyle(document.querySelector('.banner')).opacity === '1'").await;
        page.screenshot(name).await;
    })
    .await;
}

#[tokio::test]
async fn a_lost_connection_covers_nothing_of_the_form_for_a_new_session() {
    lost_on_the_form("look-form-lost", Size::Wide).await;
    lost_on_the_form("look-form-lost-phone", Size::Phone).await;
}

#[tokio::test]
async fn at_200_percent_everything_is_reachable_and_nothing_overflows() {
    story("zoomed", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.run("/tour").await;
        // A window of 1280 pixels at 200 %, with a mouse.
        let half = json!({"width": 640, "height": 400, "deviceScaleFactor": 2, "mobile": false});
        page.cdp("Emulation.setDeviceMetricsOverride", half).await;
        let fits = "const out = [...document.querySelectorAll('main *')].filter((one) => one.offsetParent && !one.closest('pre, .table-frame, .visually-hidden')\
                      && one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.className);\
                    return innerWidth === 640 && document.documentElement.scrollWidth <= innerWidth && !out.length";
        page.until("a page without overflow", fits).await;
        let visible = "const box = document.querySelector('textarea[name=prompt]').getBoundingClientRect();\
                     return box.top >= 0 && box.bottom <= innerHeight";
        page.until("the composer in view", visible).await;
        page.until("a closed drawer", "return document.querySelector('.sidebar').getBoundingClientRect().right <= 0").await;
        page.screenshot("zoomed").await;
    })
    .await;
}
