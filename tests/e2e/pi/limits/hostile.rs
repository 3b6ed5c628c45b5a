//! Hostile text through the real pi: in the model's replies, in tool output, and in an approval.

use serde_json::json;

use crate::hostile::payloads::{bundles, texts, words};
use crate::hostile::trap::Trap;
use crate::hostile::watch::Watch;
use crate::model::reply::{calls, says};
use crate::pi::fixture::story;

#[tokio::test]
async fn replies_of_the_model_and_output_of_tools_are_only_text() {
    story("hostile", async |fixture, pi, page| {
        let trap = Trap::set();
        page.watch().await;
        page.without_policy().await;
        page.reload().await;
        let all = bundles(&texts(&trap), 60);
        for text in &all {
            std::fs::write(fixture.project.path().join("found.txt"), text).unwrap();
            pi.model.will([
                says(text).thinking(text).call("read", json!({"path": "found.txt"})),
                calls("read", json!({"path": text})),
                says(text),
            ]);
            page.run("Look at what was found").await;
            let rows = page.rows().await;
            let tools: String =
                rows.iter().filter(|row| row.kind == "tool").map(|row| row.text.as_str()).collect();
            for word in words(text) {
                assert!(tools.contains(word), "'{word}' is not in {tools}");
            }
            page.nothing_has_happened(fixture, &trap, "said").await;
        }
        let command = "rm '<img src=x onerror=pwned()>' \u{202e}# <script>pwned()</script>";
        pi.model.will([calls("bash", json!({"command": command})), says("I leave it.")]);
        page.send("Remove it").await;
        page.until_text_in("[data-ask-id]", "<img src=x onerror=pwned()>").await;
        page.nothing_has_happened(fixture, &trap, "asked").await;
        page.press("Reject").await;
        page.until_text("I leave it.").await;
        let rows = page.rows().await;
        assert_eq!(page.rows_after_reload().await, rows);
        page.nothing_has_happened(fixture, &trap, "reloaded").await;
    })
    .await;
}
