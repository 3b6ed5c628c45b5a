//! pi in the terminal and pi in the page, side by side: one set of sessions.

use serde_json::json;

use pilothouse_test_support::browser::Page;

use super::reply::{calls, says};
use super::stage::{Pi, story};

/// Opens the session with this title from the sidebar.
pub async fn open_titled(page: &Page, title: &str) {
    let script = "const row = [...document.querySelectorAll('nav [data-session-id]')].find((row) =>\
                  row.textContent.includes(arguments[0])); row?.click(); return !!row";
    page.until_script(&format!("'{title}' in the sidebar"), script, vec![json!(title)]).await;
    let shown = "return document.querySelector('main h1')?.textContent === arguments[0] &&\
                 !!document.querySelector('[role=log] [data-message-id]')";
    page.until_script(&format!("'{title}' open"), shown, vec![json!(title)]).await;
}

pub fn make_a_session(pi: &Pi) {
    pi.model.will([calls("read", json!({"path": "README.md"})), says("It is small.")]);
    let told = pi.in_terminal(&["-p", "How large is it?"]);
    assert!(String::from_utf8_lossy(&told.stdout).contains("It is small."));
}

#[tokio::test]
async fn i_find_what_i_did_in_the_terminal_and_go_on_with_it_here() {
    story("terminal", async |stage, pi, page| {
        make_a_session(pi);
        page.reload().await;
        open_titled(page, "How large is it?").await;
        let rows = page.rows().await;
        let kinds: Vec<&str> = rows.iter().map(|row| row.kind.as_str()).collect();
        assert_eq!(kinds, ["user", "tool", "assistant"]);
        assert!(rows[1].text.contains("A small project."), "{rows:?}");
        pi.model.will([says("It is still small.")]);
        page.run("And now?").await;
        assert_eq!(pi.session_files().len(), 1, "it is the same session");
        assert_eq!(page.rows().await[..3], rows[..]);
        pi.same_after_reload_and_restart(stage).await;
    })
    .await;
}

#[tokio::test]
async fn a_session_of_the_terminal_appears_while_the_page_is_open_and_goes_on_there() {
    story("terminal-live", async |stage, pi, page| {
        make_a_session(pi);
        open_titled(page, "How large is it?").await;
        pi.model.will([says("It has grown.")]);
        pi.in_terminal(&["--continue", "-p", "And now?"]);
        page.until_text("It has grown.").await;
        assert_eq!(page.count("[role=log] [data-kind=user]").await, 2);
        pi.same_after_reload_and_restart(stage).await;
    })
    .await;
}
