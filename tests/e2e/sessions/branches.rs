//! Other branches of a long session: older rows, and a message found by the search.

use serde_json::json;

use pilothouse_test_support::browser::Size;
use pilothouse_test_support::session_file::{SessionFile, append_aside};

use crate::fixture::{Fixture, story};

/// A session that was continued from its first answer after many turns.
fn long_session_that_branched(fixture: &Fixture) -> String {
    let mut file = SessionFile::numbered(1, "/home/ada/lighthouse");
    for turn in 0..150 {
        let question =
            if turn == 3 { "Where is the barnacle?".to_owned() } else { format!("Question {turn}") };
        file.user(&question);
        file.assistant(json!([{"type": "text", "text": format!("Answer {turn}")}]));
    }
    let session = fixture.add_session(file);
    append_aside(&fixture.server.session_file(&session), &json!("e1"), "Something else");
    session
}

#[tokio::test]
async fn i_read_all_of_a_long_branch() {
    story("branch-long", Size::Wide, async |fixture| {
        let session = long_session_that_branched(fixture);
        let page = fixture.page();
        page.enter(&fixture.server.link).await;
        page.visit(&fixture.session_address(&session)).await;
        page.until_text("Something else").await;
        page.click(".branches .branch-link").await;
        page.until_text("Answer 149").await;
        page.until_text_in(".earlier", "(200)").await;
        // A link to the first message loads all rows before it.
        page.visit(&format!("{}#m1", page.address().await)).await;
        page.until_row_in_view("Question 0").await;
        page.until_absent(".earlier").await;
        assert_eq!(page.count(".branches").await, 1, "the way back is at the place where the branches part");
    })
    .await;
}

#[tokio::test]
async fn a_search_hit_on_another_branch_opens_that_branch() {
    story("branch-search", Size::Wide, async |fixture| {
        let session = long_session_that_branched(fixture);
        let page = fixture.page();
        page.enter(&fixture.server.link).await;
        page.visit(&fixture.session_address(&session)).await;
        page.until_text("Something else").await;
        page.fill("[name=search]", "barnacle").await;
        page.until_text_of("nav .hit mark", "barnacle").await;
        page.click("nav .hit").await;
        page.until_present("main.branch [data-kind=user][data-found]").await;
        page.until_row_in_view("Where is the barnacle?").await;
        page.back().await;
        page.until_text("Something else").await;
        // From another session, the address names the entry first, which is not a place to come back to.
        page.open_new_session_form().await;
        page.click("nav .hit").await;
        page.until_present("main.branch [data-kind=user][data-found]").await;
        page.back().await;
        page.until_present("main.new-session").await;
    })
    .await;
}
