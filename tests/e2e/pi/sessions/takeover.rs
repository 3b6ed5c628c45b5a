//! One session in two programs: pi in a terminal continues the session that the page shows.

use crate::model::reply::says;
use crate::pi::fixture::{Pi, in_both_sizes, story};

/// Asserts that every entry continues the previous one, so that nothing has branched.
fn assert_one_line(pi: &Pi) {
    let entries = pi.entries();
    let linked: Vec<_> = entries.iter().filter(|entry| entry["type"] != "session").collect();
    for pair in linked.windows(2) {
        assert_eq!(pair[1]["parentId"], pair[0]["id"], "{} after {}", pair[1], pair[0]);
    }
}

#[tokio::test]
async fn the_terminal_continues_my_session_and_i_take_it_over_again() {
    story("takeover", async |fixture, pi, page| {
        pi.model.will([says("First reply."), says("Reply in the terminal."), says("Reply in the page.")]);
        page.run("First words").await;
        let own = page.rows().await;
        pi.in_terminal(&["--continue", "-p", "Words in the terminal"]);
        page.until_text("Reply in the terminal.").await;
        page.until_present(".elsewhere").await;
        in_both_sizes(page, "pi-elsewhere").await;
        let rows = page.rows().await;
        assert_eq!(rows[..2], own[..]);
        assert_eq!(rows.len(), 4);
        assert_eq!(page.rows_after_reload().await, rows);

        page.send("Words in the page").await;
        page.until_present("dialog[open]").await;
        in_both_sizes(page, "pi-elsewhere-question").await;
        page.press("Cancel").await;
        page.until_absent("dialog[open]").await;
        assert_eq!(page.draft().await, "Words in the page");
        assert_eq!(pi.model.requests().len(), 2, "the message was sent before I took over");
        page.press("Send").await;
        page.press("Take over").await;
        page.until_text("Reply in the page.").await;
        page.until_state("completed").await;

        let asked = pi.model.requests()[2].to_string();
        assert!(asked.contains("Reply in the terminal."), "{asked}");
        assert_one_line(pi);
        let kinds: Vec<String> = page.rows().await.into_iter().map(|row| row.kind).collect();
        assert_eq!(kinds, ["user", "assistant", "user", "assistant", "user", "assistant"]);
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}
