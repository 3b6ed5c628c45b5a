//! The first visit.

use serde_json::json;

use pilothouse_test_support::browser::Size;

use crate::fixture::story;

#[tokio::test]
async fn i_open_the_printed_address_and_the_demo_answers_me() {
    story("first-run", Size::Wide, async |fixture| {
        let page = fixture.page();
        let session = page.first_visit(&fixture.server.link).await;
        let address = page.address().await;
        assert!(!address.contains('#'), "the token is still in the address bar: {address}");
        assert!(address.ends_with(&format!("/s/{session}")), "{address}");
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
async fn the_page_requests_nothing_from_other_hosts_and_follows_its_policy() {
    story("own-host", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.send("/image").await;
        page.until_state("completed").await;
        page.until_image("[role=log] img", 1).await;
        let origins = page.call(js!("connection/first_visit"), "requestedOrigins", json!([])).await;
        assert_eq!(origins, json!([fixture.server.origin()]));
        // The document's own styles are in its head.
        assert_eq!(page.count("[style*='url'], body style").await, 0);
    })
    .await;
}

#[tokio::test]
async fn with_no_other_agent_installed_the_demo_says_how_to_get_one_and_opens_only_once() {
    story("met-by-demo", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        for words in ["built-in demo", "Claude Code", "More agents", "npm install"] {
            page.until_text_in("main[data-session-id] .empty-state", words).await;
        }
        page.screenshot("met-by-demo").await;
        page.run("Hello").await;
        // The next visit opens the form.
        page.enter(&fixture.server.origin()).await;
        page.until_form().await;
        assert_eq!(page.count("nav [data-session-id]").await, 1);
    })
    .await;
}
