//! While an answer streams, the page holds still: frame by frame, rows above stay where they are, no block is taken away
//! and built again, and a reader who is not at the end is left alone.

use serde_json::{Value, json};

use pilothouse_test_support::browser::{Page, Size};
use pilothouse_test_support::scripted_agent::Script;
use pilothouse_test_support::server::{ServerSetup, built_binary};
use pilothouse_test_support::session_file::SessionFile;

use crate::stage::{project, story_at_pace, story_with};

/// Samples every frame until the run is over. Places are told from the top of the conversation, so that scrolling does
/// not count; of the blocks of the row that grows the last two may still become something else. A reader scrolls between
/// two frames, not in the middle of one.
const WATCH: &str = "\
    const log = document.querySelector('[role=log]'), main = document.querySelector('main');\
    const content = log.firstElementChild;\
    const place = (element) => element.getBoundingClientRect().top - content.getBoundingClientRect().top;\
    const frame = () => new Promise((done) => requestAnimationFrame(done));\
    const live = () => [...log.querySelectorAll('[data-kind=assistant]')].at(-1)?.querySelector('.markdown');\
    const told = { frames: 0, grown: 0, faults: [], tags: [] };\
    const fault = (words) => told.faults.length < 20 && told.faults.push(words);\
    const away = arguments[0];\
    const places = new Map(); let blocks = [], held = null, height = 0;\
    while (main.dataset.state !== 'completed' && told.frames < 6000) {\
      await frame(); told.frames += 1;\
      const rows = [...log.querySelectorAll('[data-message-id]')];\
      for (const row of rows.slice(0, -1)) {\
        const now = place(row), before = places.get(row);\
        if (before !== undefined && Math.abs(now - before) > 1) fault(`a row moved by ${now - before}`);\
        places.set(row, now);\
      }\
      const now = [...(live()?.children ?? [])];\
      blocks.slice(0, -2).forEach((block, index) => {\
        if (now[index] !== block.element) fault(`${block.element.localName} ${index} was built again`);\
        else if (Math.abs(place(block.element) - block.place) > 1) fault(`${block.element.localName} ${index} moved`);\
      });\
      if (now.length < blocks.length - 1) fault(`${blocks.length} blocks became ${now.length}`);\
      blocks = now.map((element) => ({ element, place: place(element) }));\
      if (content.scrollHeight > height) { told.grown += 1; height = content.scrollHeight; }\
      if (document.documentElement.scrollWidth > innerWidth) fault('the page became wider than the window');\
      if (away && told.frames > 30 && !held) {\
        await new Promise((done) => setTimeout(done));\
        log.scrollTop = Math.max(0, log.scrollTop - 400); await frame(); await frame();\
        const edge = log.getBoundingClientRect().top;\
        const row = rows.find((row) => row.getBoundingClientRect().bottom > edge);\
        held = { row, top: row.getBoundingClientRect().top, scrolled: log.scrollTop };\
      } else if (held) {\
        if (log.scrollTop !== held.scrolled) fault(`scrolled by ${log.scrollTop - held.scrolled}`);\
        if (Math.abs(held.row.getBoundingClientRect().top - held.top) > 1) fault('what is read moved');\
      }\
    }\
    told.tags = [...new Set([...(live()?.querySelectorAll('*') ?? [])].map((element) => element.localName))];\
    told.held = !!held;\
    return told;";

async fn watched(page: &Page, away: bool) -> Value {
    page.driver.set_script_timeout(std::time::Duration::from_secs(120)).await.unwrap();
    let told = page.async_script(&WATCH.replace("arguments[0]", if away { "true" } else { "false" })).await;
    assert_eq!(told["faults"], json!([]), "{told}");
    assert!(told["frames"].as_u64().unwrap() > 30 && told["grown"].as_u64().unwrap() > 20, "{told}");
    assert_eq!(told["held"], json!(away), "{told}");
    told
}

/// A conversation with something above, and an answer under way.
async fn begin(page: &Page, link: &str) {
    page.enter(link).await;
    page.new_session().await;
    page.run("/tools").await;
    page.send("/long 40").await;
    page.until_text("The lighthouse keeper").await;
}

#[tokio::test]
async fn while_a_long_answer_streams_nothing_that_stands_there_moves_or_is_built_again() {
    story_at_pace("continuity", Size::Wide, "4", async |stage| {
        let page = stage.page();
        begin(&page, &stage.server.link).await;
        watched(&page, false).await;
    })
    .await;
}

#[tokio::test]
async fn while_a_long_answer_streams_a_reader_who_scrolled_up_is_left_alone() {
    story_at_pace("continuity-away", Size::Wide, "4", async |stage| {
        let page = stage.page();
        begin(&page, &stage.server.link).await;
        watched(&page, true).await;
    })
    .await;
}

#[tokio::test]
async fn on_a_phone_too_nothing_moves_while_an_answer_streams() {
    story_at_pace("continuity-phone", Size::Phone, "4", async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.fill_composer("/long 30").await;
        page.press("Send").await;
        page.until_text("The lighthouse keeper").await;
        watched(&page, true).await;
    })
    .await;
}

/// Everything that changes its form while it is written, and everything wider than the page.
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
    story_with("continuity-forms", Size::Wide, project(), setup, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.new_session_of("scripted").await;
        page.send("Show me everything").await;
        page.until_text("A heading").await;
        let told = watched(&page, false).await;
        for tag in ["h3", "ul", "ol", "li", "blockquote", "table", "pre", "hr", "a", "em", "strong"] {
            assert!(told["tags"].as_array().unwrap().contains(&json!(tag)), "no {tag} in {told}");
        }
    })
    .await;
}

#[tokio::test]
async fn in_a_long_conversation_the_place_i_read_stays_while_an_answer_streams_below() {
    story_at_pace("continuity-long", Size::Wide, "4", async |stage| {
        let mut file = SessionFile::numbered(1, &stage.project.path().to_string_lossy());
        for number in 0..400 {
            file.user(&format!("Question {number}"));
            file.assistant(
                json!([{"type": "text", "text": "An answer of some length. ".repeat(1 + number % 9)}]),
            );
        }
        let session = stage.add_session(file);
        let page = stage.page();
        page.enter(&stage.server.link).await;
        page.visit(&format!("{}/s/{session}", stage.server.origin())).await;
        page.until_connected().await;
        page.until_text("Question 399").await;
        page.send("/long 30").await;
        page.until_text("The lighthouse keeper").await;
        watched(&page, true).await;
    })
    .await;
}
