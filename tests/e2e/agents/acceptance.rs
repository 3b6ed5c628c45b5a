//! The acceptance story: what a day of work needs, told in the same words with pi, Claude and opencode.

use std::path::Path;

use serde_json::json;

use pilothouse_test_support::browser::Page;
use pilothouse_test_support::browser::Size;
use pilothouse_test_support::server::{ServerSetup, built_binary};

use super::fixture::{Agent, RealAgent, heard, story};
use crate::fixture::{Fixture, project, story_with};
use crate::model::Model;
use crate::model::reply::{Reply, calls, says};
use crate::pi::fixture::{Pi, story as pi_story};

/// How an agent's tools are called, and what its approvals say.
struct Tools {
    runs: fn(&str) -> Reply,
    reads: fn(&Path) -> Reply,
    edits: fn(&Path, &str, &str) -> Reply,
    /// The button that approves once.
    allow: &'static str,
    /// Whether an edit needs an approval.
    asks_for_edits: bool,
}

const PI: Tools = Tools {
    runs: |command| calls("bash", json!({ "command": command })),
    reads: |file| calls("read", json!({ "path": file })),
    edits: |file, old, new| calls("edit", json!({"path": file, "edits": [{"oldText": old, "newText": new}]})),
    allow: "Approve",
    asks_for_edits: false,
};

const CLAUDE: Tools = Tools {
    runs: |command| Agent::Claude.runs(command),
    reads: |file| Agent::Claude.reads(file),
    edits: |file, old, new| Agent::Claude.edits(file, old, new),
    allow: "Allow",
    asks_for_edits: true,
};

const OPENCODE: Tools = Tools {
    runs: |command| Agent::Opencode.runs(command),
    reads: |file| Agent::Opencode.reads(file),
    edits: |file, old, new| Agent::Opencode.edits(file, old, new),
    allow: "Allow once",
    asks_for_edits: true,
};

#[tokio::test]
async fn a_day_of_work_with_pi() {
    pi_story("acceptance", async |fixture, pi, page| {
        work(fixture, &pi.model, page, &PI).await;
    })
    .await;
}

#[tokio::test]
async fn a_day_of_work_with_claude() {
    story(Agent::Claude, "acceptance", async |fixture, claude, page| {
        work(fixture, &claude.model, page, &CLAUDE).await;
    })
    .await;
}

#[tokio::test]
async fn a_day_of_work_with_opencode() {
    story(Agent::Opencode, "acceptance", async |fixture, opencode, page| {
        work(fixture, &opencode.model, page, &OPENCODE).await;
    })
    .await;
}

async fn work(fixture: &mut Fixture, model: &Model, page: &Page, tools: &Tools) {
    let folder = fixture.project.path().to_owned();
    let readme = folder.join("README.md");
    // A prompt, thinking and an answer.
    model.will([Reply::default().thinking("A greeting.").text("Ready for work.")]);
    page.run("Good morning").await;
    page.until_text("Ready for work.").await;

    // A tool that needs an approval: this one removes a file, which every agent asks for.
    std::fs::write(folder.join("old.txt"), "").unwrap();
    model.will([(tools.runs)("rm old.txt && echo removed"), says("The old file is gone.")]);
    page.send("Remove the old file").await;
    page.until_state("waiting_approval").await;
    page.until_text_in("[data-ask-id]", "rm old.txt").await;
    assert!(folder.join("old.txt").exists(), "it ran without an approval");
    page.press(tools.allow).await;
    page.until_text("The old file is gone.").await;
    page.until_state("completed").await;
    assert!(!folder.join("old.txt").exists());

    // An edit with its diff.
    model.will([
        (tools.reads)(&readme),
        (tools.edits)(&readme, "A small project.", "A large project."),
        says("The readme is changed."),
    ]);
    page.send("Change the readme").await;
    if tools.asks_for_edits {
        page.until_text_in("[data-ask-id]", "A large project.").await;
        page.press(tools.allow).await;
    }
    page.until_text("The readme is changed.").await;
    page.until_state("completed").await;
    assert!(std::fs::read_to_string(&readme).unwrap().contains("A large project."));
    page.click_last("[data-kind=tool] button").await;
    page.until_text_in("[role=log] .diff", "large").await;

    // Steering while the agent works.
    model.will([says("I sail on").gate("sail").text(" to the buoy."), says("To port it is.")]);
    page.send("Sail on").await;
    page.until_text("I sail on").await;
    page.send("Look to port").await;
    page.until_present("[data-scheduled]").await;
    model.open("sail");
    page.until_text("To port it is.").await;
    page.until_state("completed").await;
    page.until_count("[data-scheduled]", 0).await;

    // A reload in the middle of an answer.
    model.will([says("The first half").gate("half").text(" and the second half.")]);
    page.send("Tell me a long story").await;
    page.until_text("The first half").await;
    page.reload().await;
    page.until_text("The first half").await;
    model.open("half");
    page.until_text("The first half and the second half.").await;
    page.until_state("completed").await;

    // Stop keeps what was said.
    model.will([says("This never").gate("never").text(" ends.")]);
    page.send("Never stop").await;
    page.until_text("This never").await;
    page.press("Stop").await;
    page.until_state("stopped").await;
    page.until_text("This never").await;

    // An image.
    let picture = folder.join("lighthouse.png");
    std::fs::write(&picture, include_bytes!("../../../crates/demo-agent/src/scenes/lighthouse.png")).unwrap();
    page.type_into("input[name=images]", picture.to_str().unwrap()).await;
    page.until_present("[data-pending-image] img").await;
    model.will([says("A lighthouse.")]);
    page.run("What is on it?").await;
    page.until_text("A lighthouse.").await;
    page.until_image("[role=log] [data-kind=user] img", 9).await;

    // The same after a reload and after a kill of the server.
    fixture.same_after_reload_and_restart().await;

    // The agent still knows the conversation.
    model.will([says("You greeted me first.")]);
    page.run("What did I say first?").await;
    page.until_text("You greeted me first.").await;
    let requests = model.requests();
    assert!(
        requests.last().unwrap().to_string().contains("Good morning"),
        "the agent forgot the conversation"
    );

    // Search and export.
    page.fill("[name=search]", "second half").await;
    page.until_text_in("nav .hit", "second half").await;
    page.fill("[name=search]", "").await;
    let permissions = ["clipboardReadWrite", "clipboardSanitizedWrite"];
    page.grant(&fixture.server.origin(), &permissions).await;
    page.cdp("Page.bringToFront", json!({})).await;
    page.choose_in_session_menu("Copy as Markdown").await;
    page.until_text_in(".notices", "to the clipboard").await;
}

#[tokio::test]
async fn pi_and_claude_work_side_by_side_in_one_sidebar() {
    let project = project();
    let claude = RealAgent::new(Agent::Claude);
    let pi = Pi::for_project(project.path());
    let setup = claude.configure(pi.configure(ServerSetup::new(&built_binary())));
    story_with("side-by-side", Size::Wide, project, setup, async |fixture| {
        let page = fixture.page();
        page.enter(&fixture.server.link).await;
        let first = page.new_session_of("pi").await;
        pi.model.will([says("pi begins").gate("pi").text(" and ends.")]);
        page.send("Work, pi").await;
        page.until_text("pi begins").await;
        page.open_new_session_form().await;
        let second = page.new_session_of("claude").await;
        claude.model.will([Agent::Claude.runs("touch made.txt"), says("Claude is done.")]);
        page.send("Work, Claude").await;
        page.until_state("waiting_approval").await;
        page.until_present(&format!("[data-session-id='{first}'][data-state=streaming]")).await;
        page.until_present(&format!("[data-session-id='{second}'][data-state=waiting_approval]")).await;
        page.screenshot("side-by-side").await;
        page.press("Allow").await;
        page.until_text("Claude is done.").await;
        pi.model.open("pi");
        page.open_session(&first).await;
        page.until_text("pi begins and ends.").await;
        assert!(!heard(&pi.model).contains("Work, Claude"), "each agent hears only its own session");
    })
    .await;
}

#[tokio::test]
async fn auto_approve_answers_for_me_until_i_turn_it_off() {
    story(Agent::Claude, "auto-approve", async |fixture, claude, page| {
        let session = page.session().await;
        page.press("Auto-approve").await;
        page.click_with_text(".level", "Everything").await;
        page.until_present(&format!("[data-session-id='{session}'][data-auto-approve=everything]")).await;
        claude.model.will([Agent::Claude.runs("touch made.txt"), says("Made it.")]);
        page.run("Make a file").await;
        page.until_text("Made it.").await;
        assert!(fixture.project.path().join("made.txt").exists());
        assert_eq!(page.count("[data-ask-id]").await, 0, "no card stays behind");
        page.until_text_in("[data-kind=system]", "Approved automatically").await;
        page.screenshot("auto-approve").await;
        // One key turns it off.
        page.press_keys(thirtyfour::prelude::Key::Alt + thirtyfour::prelude::Key::Shift + "a").await;
        page.until_absent("[data-auto-approve=everything]").await;
        claude.model.will([Agent::Claude.runs("touch other.txt"), says("Not made.")]);
        page.send("Make another").await;
        page.until_state("waiting_approval").await;
        page.press("Reject").await;
        page.until_text("Not made.").await;
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}
