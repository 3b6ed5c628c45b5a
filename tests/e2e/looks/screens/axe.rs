//! axe-core, which finds elements that not everybody can use.

use serde_json::json;

use pilothouse_test_support::browser::{JavaScript, Page};

const JS: JavaScript = js!("looks/axe");

/// Returns the violations as lines of text, of everything or only of colours.
pub async fn run(page: &Page, only_colours: bool) -> Vec<String> {
    if page.call(JS, "isLoaded", json!([])).await == false {
        let path = std::env::var("PILOTHOUSE_AXE")
            .expect("PILOTHOUSE_AXE; run the tests with `cargo xtask test e2e`");
        let source = std::fs::read_to_string(path).unwrap();
        page.driver.execute(source, vec![]).await.unwrap();
    }
    page.call_as(JS, "violations", json!([only_colours])).await
}
