//! Appearance: sizes, themes, contrast, reduced motion, zoom, and the page as an installed app.

use serde_json::json;
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{COMPOSER, JavaScript, Page, Size};

use crate::fixture::story;

const JS: JavaScript = js!("looks/appearance");

#[tokio::test]
async fn sizes_follow_the_tokens_of_the_style() {
    story("look-sizes", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.run("/tour").await;
        let token = async |name: &str| page.call_as::<f64>(JS, "tokenSize", json!([name])).await;
        assert_eq!(page.rect(".title-bar").await.height, token("--bar").await);
        assert_eq!(page.rect(".sidebar").await.width, token("--sidebar").await);
        assert_eq!(page.rect("[data-kind=assistant] .markdown").await.width, token("--column").await);
        let heights: Vec<f64> = page.call_as(JS, "heights", json!(["[data-kind=tool] .row-line"])).await;
        let line = token("--line-row").await;
        assert!(!heights.is_empty() && heights.iter().all(|height| *height == line), "{heights:?}");
        let text: [f64; 2] = page.call_as(JS, "textSizes", json!(["[data-kind=assistant] p"])).await;
        assert_eq!(
            text,
            [token("--reading").await, token("calc(var(--reading) * var(--reading-line))").await]
        );
    })
    .await;
}

#[tokio::test]
async fn in_high_contrast_i_see_which_option_enter_chooses() {
    story("look-option", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.press("Settings").await;
        page.press("High contrast").await;
        page.press_keys(Key::Escape + "").await;
        page.write("/").await;
        // The background alone does not distinguish the option: two shades may be equal.
        page.until_call("an outline on the first option", JS, "isOnlyOutlined", json!([0])).await;
        page.press_keys(Key::Down + "").await;
        page.until_call("an outline on the second option", JS, "isOnlyOutlined", json!([1])).await;
        page.screenshot("option-contrast").await;
    })
    .await;
}

/// Waits until the colour for the browser's own bars is the background of the page, and returns it.
async fn until_bar_colour(page: &Page) -> String {
    page.until_call("bars in the colour of the page", JS, "isThemeColourPaper", json!([])).await;
    page.call_as(JS, "themeColour", json!([])).await
}

#[tokio::test]
async fn the_bars_of_the_browser_have_the_colour_of_my_theme() {
    story("look-around", Size::Phone, async |fixture| {
        let page = fixture.page();
        page.emulate_media(&[("prefers-color-scheme", "light")]).await;
        page.first_visit(&fixture.server.link).await;
        let light = until_bar_colour(&page).await;
        let choose = async |theme: &str| {
            page.press("Sessions").await;
            page.press("Settings").await;
            page.press(theme).await;
        };
        choose("Dark").await;
        page.until_present("html[data-theme=dark]").await;
        let dark = until_bar_colour(&page).await;
        assert_ne!(dark, light);
        page.reload().await;
        assert_eq!(until_bar_colour(&page).await, dark, "after a reload");
        choose("System").await;
        page.until_present("html:not([data-theme])").await;
        assert_eq!(until_bar_colour(&page).await, light);
    })
    .await;
}

#[tokio::test]
async fn with_reduced_motion_nothing_moves() {
    story("look-motion", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.send("/wait never").await;
        page.until_text("The first half").await;
        page.until_call("an animation", JS, "isMoving", json!([true])).await;
        page.emulate_media(&[("prefers-reduced-motion", "reduce")]).await;
        page.until_call("no animation", JS, "isMoving", json!([false])).await;
        assert_eq!(page.call(JS, "hasTransitions", json!([])).await, false);
    })
    .await;
}

#[tokio::test]
async fn the_page_can_be_installed() {
    story("look-installed", Size::Phone, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        let problems = page.cdp("Page.getInstallabilityErrors", json!({})).await;
        assert_eq!(problems["installabilityErrors"], json!([]));
        assert_eq!(page.call(JS, "iconsHaveTheirSize", json!([])).await, json!([true, true]));
    })
    .await;
}

async fn lost_form_story(name: &str, size: Size) {
    story(name, size, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.proxy.address(&fixture.server.link)).await;
        page.open_new_session_form().await;
        page.until_form().await;
        page.until_animations_end().await;
        fixture.proxy.cut();
        page.until_present(".banner").await;
        page.until_animations_end().await;
        let banner = page.rect(".banner").await;
        let heading = page.rect(".new-session h1").await;
        assert!(heading.top >= banner.bottom, "{banner:?} covers the heading {heading:?}");
        if page.is_visible(".drawer-bar button").await {
            let button = page.rect(".drawer-bar button").await;
            assert!(banner.left >= button.right, "{banner:?} covers the button {button:?}");
        }
        page.screenshot(name).await;
    })
    .await;
}

#[tokio::test]
async fn the_banner_of_a_lost_connection_covers_nothing_of_the_form() {
    lost_form_story("look-form-lost", Size::Wide).await;
    lost_form_story("look-form-lost-phone", Size::Phone).await;
}

#[tokio::test]
async fn at_200_percent_everything_is_reachable_and_nothing_overflows() {
    story("zoomed", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.run("/tour").await;
        // A window of 1280 × 800 pixels at 200 %, with a mouse.
        page.emulate_window(640, 400, 2).await;
        page.until_call("a page without overflow", JS, "fitsWidth", json!([640])).await;
        page.until_in_window(COMPOSER).await;
        page.until_animations_end().await;
        assert!(page.rect(".sidebar").await.right <= 0.0, "the drawer is open");
        page.screenshot("zoomed").await;
    })
    .await;
}
