//! Continuity: while an answer streams, rows above hold still in every frame, no block is built twice, and a reader who
//! is not at the end is not scrolled.

use serde_json::{Value, json};

use pilothouse_test_support::browser::{Page, Size};
use pilothouse_test_support::scripted_agent::Script;
use pilothouse_test_support::server::{ServerSetup, built_binary};
use pilothouse_test_support::session_file::SessionFile;

use crate::fixture::{project, story_at_pace, story_with};

/// Watches every frame until the run is over. With `away`, the reader scrolls up after some frames.
async fn watched(page: &Page, away: bool) -> Value {
    page.driver.set_script_timeout(std::time::Duration::from_secs(120)).await.unwrap();
    let seen = page.call(js!("reading/continuity"), "watchRun", json!([away])).await;
    assert_eq!(seen["faults"], json!([]), "{seen}");
    assert!(seen["frames"].as_u64().unwrap() > 30 && seen["grown"].as_u64().unwrap() > 20, "{seen}");
    assert_eq!(seen["scrolledUp"], json!(away), "{seen}");
    seen
}

/// Starts a conversation with rows above, and an answer that streams.
async fn begin(page: &Page, link: &str) {
    page.first_visit(link).await;
    page.run("/tools").await;
    page.send("/long 40").await;
    page.until_text("The lighthouse keeper").await;
}

#[tokio::test]
async fn while_a_long_answer_streams_nothing_moves_or_is_built_again() {
    story_at_pace("continuity", Size::Wide, "4", async |fixture| {
        let page = fixture.page();
        begin(&page, &fixture.server.link).await;
        watched(&page, false).await;
    })
    .await;
}

#[tokio::test]
async fn while_a_long_answer_streams_a_reader_who_scrolled_up_stays_there() {
    story_at_pace("continuity-away", Size::Wide, "4", async |fixture| {
        let page = fixture.page();
        begin(&page, &fixture.server.link).await;
        watched(&page, true).await;
    })
    .await;
}

#[tokio::test]
async fn on_my_phone_nothing_moves_while_an_answer_streams() {
    story_at_pace("continuity-phone", Size::Phone, "4", async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.fill_composer("/long 30").await;
        page.press("Send").await;
        page.until_text("The lighthouse keeper").await;
        watched(&page, true).await;
    })
    .await;
}

/// Markdown that changes its form while it streams, and blocks that are wider than the page.
fn everything() -> String {
    let wide_row = |text: &str| format!("| {} |\n", vec![text; 24].join(" | "));
    let table =
        format!("{}{}{}", wide_row("a heading"), wide_row("---"), wide_row("a cell of some words").repeat(6));
    let code = format!("```rust\n{}\n```\n", "let a_long_line = \"and on and on\"; ".repeat(12));
    let list = "- one **strong** word\n- two `code`\n  1. nested\n  2. again\n- [ ] to do\n- [x] done\n\n";
    let part = format!(
        "# A heading\n\nSome words with *emphasis*, a [link](https://example.org/a) and a [reference][early].\n\n{list}\
         > A quotation\n> of two lines\n\n{table}\n{code}\nA heading of two lines\n===\n\n***\n\n1. first\n2. second\n\n"
    );
    format!("[early]: https://example.org/early\n\n{}", part.repeat(4))
}

#[tokio::test]
async fn wide_tables_code_headings_and_lists_stream_in_without_a_jump() {
    let mut script = Script::at_pace(6);
    let text = everything();
    script.run(|script| {
        script.message(json!({"role": "user", "content": "Show me everything"}), |_| {});
        let answer =
            json!({"role": "assistant", "stopReason": "stop", "content": [{"type": "text", "text": text}]});
        script.message(answer, |script| script.stream("text", 0, &text));
    });
    let folder = tempfile::tempdir().unwrap();
    let setup = script.offer(ServerSetup::new(&built_binary()).pace("realistic"), folder.path());
    story_with("continuity-forms", Size::Wide, project(), setup, async |fixture| {
        let page = fixture.page();
        page.enter(&fixture.server.link).await;
        page.new_session_of("scripted").await;
        page.send("Show me everything").await;
        page.until_text("A heading").await;
        let seen = watched(&page, false).await;
        for tag in ["h3", "ul", "ol", "li", "blockquote", "table", "pre", "hr", "a", "em", "strong"] {
            assert!(seen["tags"].as_array().unwrap().contains(&json!(tag)), "no {tag} in {seen}");
        }
    })
    .await;
}

#[tokio::test]
async fn in_a_long_conversation_the_row_i_read_holds_still_while_an_answer_streams() {
    story_at_pace("continuity-long", Size::Wide, "4", async |fixture| {
        let mut file = SessionFile::numbered(1, &fixture.project.path().to_string_lossy());
        for number in 0..400 {
            file.user(&format!("Question {number}"));
            file.assistant(
                json!([{"type": "text", "text": "An answer of some length. ".repeat(1 + number % 9)}]),
            );
        }
        let session = fixture.add_session(file);
        let page = fixture.page();
        page.enter(&fixture.server.link).await;
        page.enter(&fixture.session_address(&session)).await;
        page.until_text("Question 399").await;
        page.send("/long 30").await;
        page.until_text("The lighthouse keeper").await;
        watched(&page, true).await;
    })
    .await;
}
