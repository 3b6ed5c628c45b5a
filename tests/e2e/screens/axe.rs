//! axe-core in the page: what it calls a violation, as a line of text each.

use serde_json::json;

use pilothouse_test_support::browser::Page;

/// Of all that is on the page; only of its colours if asked so.
pub async fn run(page: &Page, only_colours: bool) -> Vec<String> {
    if page.script("return !window.axe", vec![]).await == json!(true) {
        let path = std::env::var("PILOTHOUSE_AXE")
            .expect("PILOTHOUSE_AXE; run the tests with `cargo xtask test e2e`");
        let source = std::fs::read_to_string(path).unwrap();
        page.driver.execute(source, vec![]).await.unwrap();
    }
    // The order of headings in a row is the model's, and a list that a field moves through needs no stop of its own.
    let excused = "const excused = { 'heading-order': '[data-message-id]', 'scrollable-region-focusable': '[role=listbox]' };\
                   const isExcused = (id, { target }) => id in excused && !!document.querySelector(target)?.closest(excused[id]);";
    let only = if only_colours { "{ runOnly: ['color-contrast'] }" } else { "{}" };
    let script = format!(
        "{excused} const {{ violations }} = await window.axe.run(document, {{ resultTypes: ['violations'], ...{only} }});\
         return violations.flatMap(({{ id, help, nodes }}) => nodes.filter((node) => !isExcused(id, node)).map((node) =>\
           `${{id}}: ${{help}} — ${{node.target}} ${{node.html.slice(0, 160)}} ${{node.any[0]?.message ?? ''}}`))"
    );
    serde_json::from_value(page.async_script(&script).await).unwrap()
}
