//! pi in a terminal and in the page: both have the same sessions.

use serde_json::json;

use pilothouse_test_support::browser::Page;

use crate::model::reply::{calls, says};
use crate::pi::fixture::{Pi, story};

/// Opens the session with this title from the sidebar.
pub async fn open_titled(page: &Page, title: &str) {
    page.click_with_text("nav [data-session-id]", title).await;
    page.until_text_of("main h1", title).await;
    page.until_present("[role=log] [data-message-id]").await;
}

pub fn make_a_session(pi: &Pi) {
    pi.model.will([calls("read", json!({"path": "README.md"})), says("It is small.")]);
    let output = pi.in_terminal(&["-p", "How large is it?"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("It is small."));
}

#[tokio::test]
async fn i_open_a_session_of_the_terminal_and_continue_it() {
    story("terminal", async |fixture, pi, page| {
        make_a_session(pi);
        page.reload().await;
        open_titled(page, "How large is it?").await;
        let rows = page.rows().await;
        let kinds: Vec<&str> = rows.iter().map(|row| row.kind.as_str()).collect();
        assert_eq!(kinds, ["user", "tool", "assistant"]);
        assert!(rows[1].text.contains("A small project."), "{rows:?}");
        pi.model.will([says("It is still small.")]);
        page.run("And now?").await;
        assert_eq!(pi.session_files().len(), 1, "another session was created");
        assert_eq!(page.rows().await[..3], rows[..]);
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn a_session_of_the_terminal_appears_in_the_open_page_and_grows() {
    story("terminal-live", async |fixture, pi, page| {
        make_a_session(pi);
        open_titled(page, "How large is it?").await;
        pi.model.will([says("It has grown.")]);
        pi.in_terminal(&["--continue", "-p", "And now?"]);
        page.until_text("It has grown.").await;
        assert_eq!(page.count("[role=log] [data-kind=user]").await, 2);
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}
