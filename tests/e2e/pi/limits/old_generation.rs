//! pi before 1.0, which is still in use.

use serde_json::json;

use crate::model::reply::{calls, says};
use crate::pi::fixture::{Generation, story_of};

#[tokio::test]
async fn i_work_with_an_older_pi() {
    story_of(Generation::Old, "old", async |fixture, pi, page| {
        pi.model.will([calls("bash", json!({"command": "cat README.md"})), says("It is **small**.")]);
        page.run("How large is it?").await;
        let rows = page.rows().await;
        let kinds: Vec<&str> = rows.iter().map(|row| row.kind.as_str()).collect();
        assert_eq!(kinds, ["user", "tool", "assistant"]);
        assert!(rows[1].text.contains("A small project."), "{rows:?}");
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}
