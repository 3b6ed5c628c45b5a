//! Messages scheduled while pi works: editing, removing and restoring them.

use serde_json::json;

use pilothouse_test_support::browser::Page;

use crate::model::reply::{calls, says};
use crate::pi::fixture::{Pi, story};

const SCHEDULED: &str = "[data-scheduled] .queue-text";

/// Makes pi wait in a tool, and schedules these messages in this order.
async fn schedule(pi: &Pi, page: &Page, texts: &[&str]) {
    pi.model.will([calls("bash", json!({"command": "until [ -e go ]; do sleep 0.02; done; echo waited"}))]);
    page.send("Sail on").await;
    page.until_tool("running").await;
    for text in texts {
        page.send(text).await;
        page.until_text_in(SCHEDULED, text).await;
    }
}

/// Presses a button in the row of a scheduled message, counted from 1.
async fn press_in_row(page: &Page, row: usize, label: &str) {
    page.click(&format!("[data-scheduled]:nth-child({row} of [data-scheduled]) [aria-label='{label}']"))
        .await;
}

fn heard(pi: &Pi) -> String {
    serde_json::to_string(&pi.model.requests()).unwrap()
}

#[tokio::test]
async fn i_edit_one_and_remove_one_and_pi_gets_only_the_rest() {
    story("scheduled", async |fixture, pi, page| {
        schedule(pi, page, &["Look to port", "Drop the anchor"]).await;
        press_in_row(page, 1, "Edit").await;
        page.until_present("textarea[name=scheduled]").await;
        page.fill("textarea[name=scheduled]", "Look to starboard").await;
        page.press("Save").await;
        page.until_absent("textarea[name=scheduled], [data-under-edit]").await;
        press_in_row(page, 2, "Remove").await;
        page.until_count(SCHEDULED, 1).await;
        page.until_text_of(SCHEDULED, "Look to starboard").await;
        page.reload().await;
        page.until_count("[data-scheduled]", 1).await;
        pi.model.will([says("To starboard.")]);
        fixture.release("go");
        page.until_text("To starboard.").await;
        page.until_state("completed").await;
        assert_eq!(pi.model.last_heard(), "Look to starboard");
        assert!(!heard(pi).contains("Look to port") && !heard(pi).contains("Drop the anchor"));
        let rows = page.rows().await;
        let kinds: Vec<&str> = rows.iter().map(|row| row.kind.as_str()).collect();
        assert_eq!(kinds, ["user", "tool", "user", "assistant"]);
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn a_message_under_edit_waits_although_the_run_is_over() {
    story("scheduled-held", async |fixture, pi, page| {
        schedule(pi, page, &["Look to port"]).await;
        press_in_row(page, 1, "Edit").await;
        page.until_present("[data-under-edit]").await;
        pi.model.will([says("Waited."), says("To port.")]);
        fixture.release("go");
        page.until_text("Waited.").await;
        page.until_state("completed").await;
        assert!(!heard(pi).contains("Look to port"));
        page.press("Save").await;
        page.until_text("To port.").await;
        page.until_state("completed").await;
        assert_eq!(pi.model.last_heard(), "Look to port");
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn i_restore_all_to_the_composer_and_the_run_continues_without_them() {
    story("scheduled-restored", async |fixture, pi, page| {
        schedule(pi, page, &["Look to port", "Drop the anchor"]).await;
        page.press("Restore to editor").await;
        page.until_absent("[data-scheduled]").await;
        page.until_draft("Look to port\n\nDrop the anchor").await;
        let draft = page.draft().await;
        pi.model.will([says("Nothing was said.")]);
        fixture.release("go");
        page.until_text("Nothing was said.").await;
        page.until_state("completed").await;
        assert!(!heard(pi).contains("Look to port"));
        fixture.same_after_reload_and_restart().await;
        assert_eq!(page.draft().await, draft);
    })
    .await;
}
