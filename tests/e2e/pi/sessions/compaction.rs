//! Compaction of long conversations.

use pilothouse_test_support::browser::Page;

use crate::model::reply::{Reply, says};
use crate::model::text_of;
use crate::pi::fixture::{in_both_sizes, story};

/// A reply that is longer than the part that pi keeps uncompacted.
fn at_length(words: &str) -> Reply {
    says(&format!("{words} {}", "The harbour has berths on both sides. ".repeat(160)))
}

/// The status of the run.
const STATUS: &str = ".run-words";

/// How full the context window is.
const CONTEXT: &str = ".context";

/// Opens the last summary, reads it, and closes it again, as it is after a reload.
async fn read_summary(page: &Page) {
    page.click_last(".row.summary:not(.open) .row-line").await;
    page.until_text("A summary of the conversation so far.").await;
    assert!(page.count("[data-kind=system] strong").await > 0, "the summary is not shown as Markdown");
    page.click(".row.summary.open .row-line").await;
    page.until_absent(".row.summary.open").await;
}

#[tokio::test]
async fn i_compact_a_session_and_my_message_is_sent_afterwards() {
    story("compact", async |fixture, pi, page| {
        pi.model.will([at_length("North."), at_length("South.")]);
        page.run("Describe the north").await;
        page.run("Describe the south").await;
        pi.model.summaries_wait_at("summary");
        page.choose_in_session_menu("Compact now").await;
        page.until_text_in(STATUS, "Compacting").await;
        pi.model.will([says("East it is.").gate("east")]);
        page.send("And the east").await;
        page.until_present("[data-scheduled]").await;
        assert_eq!(pi.model.requests().len(), 2, "the message was sent during the compaction");
        in_both_sizes(page, "pi-compacting").await;
        pi.model.open("summary");
        read_summary(page).await;
        page.until_text("East it is.").await;
        pi.model.open("east");
        page.until_state("completed").await;
        let heard: Vec<String> =
            pi.model.requests()[2]["messages"].as_array().unwrap().iter().map(text_of).collect();
        assert!(heard.iter().any(|text| text.contains("A summary of the conversation")), "{heard:?}");
        assert!(!heard.iter().any(|text| text.contains("Describe the north")), "{heard:?}");
        assert_eq!(heard.last().unwrap(), "And the east");
        let kinds: Vec<String> = page.rows().await.into_iter().map(|row| row.kind).collect();
        assert_eq!(kinds, ["user", "assistant", "user", "assistant", "system", "user", "assistant"]);
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn the_context_window_is_unknown_right_after_a_compaction() {
    story("compact-unknown", async |fixture, pi, page| {
        pi.model.will([at_length("North.").using(64_000), at_length("South.").using(64_000)]);
        page.run("Describe the north").await;
        page.run("Describe the south").await;
        page.until_text_in(CONTEXT, "50%").await;
        page.choose_in_session_menu("Compact now").await;
        read_summary(page).await;
        page.until_text_in(CONTEXT, "unknown").await;
        in_both_sizes(page, "pi-compacted").await;
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn i_see_that_pi_compacts_when_its_context_window_is_nearly_full() {
    story("compact-auto", async |fixture, pi, page| {
        pi.model.will([at_length("North."), at_length("South.").using(118_000)]);
        page.run("Describe the north").await;
        pi.model.summaries_wait_at("summary");
        page.send("Describe the south").await;
        page.until_text_in(STATUS, "Compacting").await;
        pi.model.open("summary");
        read_summary(page).await;
        page.until_state("completed").await;
        page.until_text_in(CONTEXT, "unknown").await;
        let rows = page.rows().await;
        assert_eq!(rows.last().unwrap().kind, "system", "{rows:?}");
        fixture.same_after_reload_and_restart().await;
        pi.model.will([says("East it is.")]);
        page.run("And the east").await;
        assert!(pi.model.requests()[2].to_string().contains("A summary of the conversation"));
    })
    .await;
}

#[tokio::test]
async fn a_tiny_session_says_that_there_is_nothing_to_compact() {
    story("compact-tiny", async |fixture, pi, page| {
        pi.model.will([says("Here.")]);
        page.run("Are you there?").await;
        let rows = page.rows().await;
        page.choose_in_session_menu("Compact now").await;
        page.until_text_in("main", "othing to compact").await;
        page.until_absent(".run-words").await;
        assert_eq!(page.state().await, "completed");
        assert_eq!(page.rows_after_reload().await, rows);
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}
