//! Conversations that become too long.

use pilothouse_test_support::browser::Page;

use super::model::text_of;
use super::reply::{Reply, says};
use super::stage::{in_both_sizes, story};

/// More than what pi keeps word for word.
fn at_length(words: &str) -> Reply {
    says(&format!("{words} {}", "The harbour has berths on both sides. ".repeat(160)))
}

async fn until_status(page: &Page, words: &str) {
    let script = "return (document.querySelector('.run-words')?.textContent ?? '').includes(arguments[0])";
    page.until_script(words, script, vec![words.into()]).await;
}

const UNKNOWN: &str = "return document.querySelector('.context')?.textContent.includes('unknown')";

/// The summary stands behind one line, which opens it.
async fn read_summary(page: &Page) {
    let open = "const line = [...document.querySelectorAll('.row.summary:not(.open) .row-line')].at(-1);\
                line?.click(); return !!line";
    page.until("the line of the summary", open).await;
    page.until_text("A summary of the conversation so far.").await;
    assert!(page.count("[data-kind=system] strong").await > 0, "pi writes its summaries in Markdown");
    // Closed again, as it is after a reload.
    page.until(
        "it closed",
        "const line = document.querySelector('.row.summary.open .row-line'); line?.click(); return !line",
    )
    .await;
}

#[tokio::test]
async fn i_compact_a_session_and_what_i_send_meanwhile_is_sent_afterwards() {
    story("compact", async |stage, pi, page| {
        pi.model.will([at_length("North."), at_length("South.")]);
        page.run("Describe the north").await;
        page.run("Describe the south").await;
        pi.model.summaries_wait_at("summary");
        page.choose_in_session_menu("Compact now").await;
        until_status(page, "Compacting").await;
        pi.model.will([says("East it is.").gate("east")]);
        page.send("And the east").await;
        page.until("it scheduled", "return !!document.querySelector('[data-scheduled]')").await;
        assert_eq!(pi.model.requests().len(), 2, "it waits");
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
        pi.same_after_reload_and_restart(stage).await;
    })
    .await;
}

#[tokio::test]
async fn how_full_its_memory_is_is_unknown_right_after_a_compaction() {
    story("compact-unknown", async |stage, pi, page| {
        pi.model.will([at_length("North.").using(64_000), at_length("South.").using(64_000)]);
        page.run("Describe the north").await;
        page.run("Describe the south").await;
        page.until("a half", "return document.querySelector('.context')?.textContent.includes('50%')").await;
        page.choose_in_session_menu("Compact now").await;
        read_summary(page).await;
        page.until("an unknown rest", UNKNOWN).await;
        in_both_sizes(page, "pi-compacted").await;
        pi.same_after_reload_and_restart(stage).await;
    })
    .await;
}

#[tokio::test]
async fn it_compacts_by_itself_when_its_memory_is_nearly_full_and_i_see_that() {
    story("compact-auto", async |stage, pi, page| {
        pi.model.will([at_length("North."), at_length("South.").using(118_000)]);
        page.run("Describe the north").await;
        pi.model.summaries_wait_at("summary");
        page.send("Describe the south").await;
        until_status(page, "Compacting").await;
        pi.model.open("summary");
        read_summary(page).await;
        page.until_state("completed").await;
        page.until("an unknown rest", UNKNOWN).await;
        let rows = page.rows().await;
        assert_eq!(rows.last().unwrap().kind, "system", "{rows:?}");
        pi.same_after_reload_and_restart(stage).await;
        pi.model.will([says("East it is.")]);
        page.run("And the east").await;
        assert!(pi.model.requests()[2].to_string().contains("A summary of the conversation"));
    })
    .await;
}

#[tokio::test]
async fn a_tiny_session_says_that_there_is_nothing_to_compact() {
    story("compact-tiny", async |stage, pi, page| {
        pi.model.will([says("Here.")]);
        page.run("Are you there?").await;
        let rows = page.rows().await;
        page.choose_in_session_menu("Compact now").await;
        page.until(
            "why not",
            "return /nothing to compact/i.test(document.querySelector('main').textContent)",
        )
        .await;
        page.until("rest", "return !document.querySelector('.run-words')").await;
        assert_eq!(page.state().await, "completed");
        assert_eq!(page.rows_after_reload().await, rows);
        pi.same_after_reload_and_restart(stage).await;
    })
    .await;
}
