//! One session in two programs: pi works in a terminal in the session that the page shows.

use std::cell::RefCell;

use serde_json::json;
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::Page;
use pilothouse_test_support::wait::until;

use crate::fixture::Fixture;
use crate::model::reply::{Reply, calls, says};
use crate::pi::fixture::{Generation, Pi, in_both_sizes, story, story_prepared};
use crate::pi::sessions::terminal::open_titled;
use crate::pi::terminal::Terminal;

/// A call of a command that runs until the story lets it end.
fn runs_tests() -> Reply {
    calls("bash", json!({"command": "until [ -e go ]; do sleep 0.02; done; echo all passed"}))
}

fn let_tests_end(fixture: &Fixture) {
    std::fs::write(fixture.project.path().join("go"), "").unwrap();
}

/// Asserts that every entry continues the previous one, so that nothing has branched.
fn assert_one_line(entries: &[serde_json::Value]) {
    let linked: Vec<_> = entries.iter().filter(|entry| entry["type"] != "session").collect();
    for pair in linked.windows(2) {
        assert_eq!(pair[1]["parentId"], pair[0]["id"], "{} after {}", pair[1], pair[0]);
    }
}

/// Saves screenshots in light and dark, wide and as on a phone.
async fn in_all_looks(page: &Page, name: &str) {
    for scheme in ["light", "dark"] {
        page.emulate_media(&[("prefers-color-scheme", scheme)]).await;
        in_both_sizes(page, &format!("{name}-{scheme}")).await;
    }
    page.emulate_media(&[]).await;
}

/// Presses a button of the question.
async fn answer(page: &Page, label: &str) {
    page.click_with_text("dialog[open] button", label).await;
}

/// Waits until the banner names the terminal and says what it does.
async fn until_running_elsewhere(page: &Page, activity: &str) {
    page.until_text_in(".elsewhere", "Running elsewhere · pi in a terminal (process ").await;
    page.until_text_in(".elsewhere", activity).await;
}

#[tokio::test]
async fn a_terminal_works_in_my_session_and_i_wait_or_fork() {
    story("elsewhere", async |fixture, pi, page| {
        pi.model.will([says("First reply."), runs_tests()]);
        page.run("First words").await;
        let session = page.session().await;
        let terminal = pi.terminal(&["--continue"]);
        terminal.enter("Run the tests");
        until_running_elsewhere(page, "running bash: until [ -e go ]").await;
        page.until_text("Run the tests").await;
        page.until_text_in(".elsewhere", " s ago").await;
        assert_eq!(page.count(".run-status button").await, 0, "Resume or Retry is offered");
        page.until_present("nav [aria-current] [aria-label='Running elsewhere']").await;
        in_all_looks(page, "elsewhere").await;

        page.send("Words in the page").await;
        page.until_present("dialog[open]").await;
        in_all_looks(page, "elsewhere-question").await;
        answer(page, "Wait").await;
        page.until_absent("dialog[open]").await;
        assert_eq!(page.draft().await, "Words in the page");
        page.until_text_in(".elsewhere", "Your message is sent when it has finished.").await;
        in_all_looks(page, "elsewhere-waiting").await;
        page.reload().await;
        page.until_text_in(".elsewhere", "Your message is sent when it has finished.").await;
        until_running_elsewhere(page, "running bash").await;
        page.press("Don't send").await;
        page.until_present(".elsewhere [title^='Send the message when']").await;
        assert_eq!(page.draft().await, "Words in the page");

        page.press("Fork here").await;
        page.until_address("the fork", |address| !address.contains(&session)).await;
        page.until_draft("Words in the page").await;
        page.until_text("Run the tests").await;
        page.until_absent(".elsewhere").await;
        assert_eq!(pi.session_files().len(), 2);
        assert_eq!(pi.model.requests().len(), 2, "something was sent");

        page.open_session(&session).await;
        page.until_present(".elsewhere").await;
        assert_eq!(page.draft().await, "", "the text is in both sessions");
        page.fill_composer("Words after the tests").await;
        page.press("Wait").await;
        page.until_text_in(".elsewhere", "Your message is sent").await;
        pi.model.will([says("The tests pass."), says("Reply in the page.")]);
        let_tests_end(fixture);
        page.until_text("The tests pass.").await;
        page.until_text("Reply in the page.").await;
        page.until_state("completed").await;
        page.until_absent(".elsewhere").await;
        assert_eq!(page.draft().await, "");
        let asked = pi.model.requests()[3].to_string();
        assert!(asked.contains("The tests pass.") && asked.contains("Words after the tests"), "{asked}");
        let file = pi.session_files().into_iter().find(|file| file.to_string_lossy().contains(&session));
        assert_one_line(&pilothouse_test_support::session_file::lines(&file.unwrap()));
    })
    .await;
}

#[tokio::test]
async fn i_take_over_once_while_the_terminal_stays_open() {
    story("takeover", async |fixture, pi, page| {
        pi.model.will([says("First reply."), says("Reply in the terminal.")]);
        page.run("First words").await;
        let own = page.rows().await;
        let terminal = pi.terminal(&["--continue"]);
        terminal.enter("Words in the terminal");
        page.until_text("Reply in the terminal.").await;
        until_running_elsewhere(page, "idle").await;
        let rows = page.rows().await;
        assert_eq!((&rows[..2], rows.len()), (&own[..], 4));
        assert_eq!(page.rows_after_reload().await, rows);

        page.send("First of mine").await;
        page.until_present("dialog[open]").await;
        in_all_looks(page, "elsewhere-open").await;
        assert_eq!(pi.model.requests().len(), 2, "the message was sent before I took over");
        pi.model.will([says("One."), says("Two."), says("Three.")]);
        answer(page, "Take over").await;
        page.until_text("One.").await;
        page.until_state("completed").await;
        page.until_absent(".elsewhere").await;
        for (text, reply) in [("Second of mine", "Two."), ("Third of mine", "Three.")] {
            page.run(text).await;
            page.until_text(reply).await;
            assert_eq!(page.count("dialog[open]").await, 0, "asked again");
        }
        assert_one_line(&pi.entries());

        pi.model.will([says("Another reply in the terminal.")]);
        terminal.enter("More words in the terminal");
        page.until_text("Another reply in the terminal.").await;
        until_running_elsewhere(page, "idle").await;
        page.until_text_in(".notices", "on another branch").await;
        in_all_looks(page, "elsewhere-again").await;
        let kept = serde_json::Value::from(pi.entries()).to_string();
        for text in ["First of mine", "Two.", "Third of mine", "Three.", "More words in the terminal"] {
            assert!(kept.contains(text), "{text} is lost");
        }
        page.send("Once more").await;
        page.until_present("dialog[open]").await;
        page.press_keys(Key::Escape + "").await;
        page.until_absent("dialog[open]").await;
        assert_eq!(page.draft().await, "Once more");
        drop(terminal);
        page.until_absent(".elsewhere").await;
        assert!(fixture.server.log().len() < 1_000_000);
    })
    .await;
}

#[tokio::test]
async fn the_first_look_shows_what_the_terminal_does() {
    let terminal = RefCell::new(None::<Terminal>);
    let prepare = |pi: &Pi| {
        pi.model.will([runs_tests()]);
        let started = pi.terminal(&[]);
        started.enter("Run the tests");
        until("the call in the session file", || {
            let file = pi.session_files().pop()?;
            std::fs::read_to_string(file).ok()?.contains("toolCall").then_some(())
        });
        terminal.replace(Some(started));
    };
    story_prepared(Generation::Current, "first-look", prepare, async |fixture, pi, page| {
        page.until_present("nav [aria-label='Running elsewhere']").await;
        open_titled(page, "Run the tests").await;
        until_running_elsewhere(page, "running bash: until [ -e go ]").await;
        assert_eq!(page.count(".run-status button").await, 0, "Resume or Retry is offered");
        in_all_looks(page, "elsewhere-first-look").await;
        pi.model.will([says("The tests pass.")]);
        let_tests_end(fixture);
        page.until_text("The tests pass.").await;
        until_running_elsewhere(page, "idle").await;
        terminal.take();
        page.until_absent(".elsewhere").await;
        pi.model.will([says("Reply in the page.")]);
        page.run("Words in the page").await;
        page.until_text("Reply in the page.").await;
        assert_one_line(&pi.entries());
    })
    .await;
}
