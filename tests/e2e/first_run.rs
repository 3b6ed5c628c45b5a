//! The very first minutes.

use pilothouse_test_support::browser::{Browser, Size};

use crate::stage::story;

#[tokio::test]
async fn i_open_the_printed_address_start_the_demo_and_get_an_answer() {
    story("first-run", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        let address = page.driver.current_url().await.unwrap();
        assert_eq!(address.fragment(), None, "the token has left the address bar");
        let session = page.new_session().await;
        assert!(page.driver.current_url().await.unwrap().path().ends_with(&format!("/s/{session}")));
        page.send("Hello there").await;
        page.until_text("built-in demo").await;
        page.until_state("completed").await;
        assert_eq!(page.count("nav [data-session-id][data-state=completed][aria-current]").await, 1);
        let rows = page.rows().await;
        assert_eq!((rows[0].kind.as_str(), rows[0].text.as_str()), ("user", "Hello there"));
        assert_eq!(page.rows_after_reload().await, rows);
    })
    .await;
}

#[tokio::test]
async fn the_page_asks_no_other_host_for_anything_and_breaks_no_rule_of_its_policy() {
    story("own-host", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.send("/image").await;
        page.until_state("completed").await;
        page.until("the image", "const image = document.querySelector('[role=log] img'); return !!image?.complete && image.naturalWidth > 0").await;
        let hosts = page.script(
            "return [...new Set(performance.getEntriesByType('resource').map((entry) => new URL(entry.name).origin))]",
            vec![],
        );
        assert_eq!(hosts.await, serde_json::json!([stage.server.origin()]));
        let styles = page.script("return document.querySelectorAll('[style*=\"url\"], style').length", vec![]).await;
        assert_eq!(styles, serde_json::json!(0));
    })
    .await;
}

#[tokio::test]
async fn where_nothing_is_installed_the_demo_meets_me_and_says_how_to_go_on() {
    story("met-by-demo", Size::Wide, async |stage| {
        let browser = Browser::start_first_visit(Size::Wide).await;
        let page = browser.page();
        page.enter(&stage.server.link).await;
        let met = "const words = document.querySelector('main[data-session-id] .empty-state')?.textContent ?? '';\
                   return words.includes('built-in demo') && words.includes('install pi') && words.includes('--agent')";
        page.until("the demo's welcome", met).await;
        page.screenshot("met-by-demo").await;
        page.run("Hello").await;
        // Only once: after that it is my choice.
        page.visit(&stage.server.origin()).await;
        page.until_connected().await;
        page.until("the form", "return !!document.querySelector('main.new-session form')").await;
        assert_eq!(page.count("nav [data-session-id]").await, 1);
        browser.quit().await;
    })
    .await;
}
