//! A session of pi that branches: another program goes back to an earlier message and continues from there.

use std::path::PathBuf;

use pilothouse_test_support::browser::Page;
use pilothouse_test_support::session_file::{append_aside, lines};

use crate::model::reply::says;
use crate::pi::fixture::{Pi, in_both_sizes, story};

/// The link to the other branch, between two rows.
const LINK: &str = ".branches .branch-link";

/// Another program continues after the first reply, and pi in a terminal from there.
fn go_back_and_continue(pi: &Pi) -> PathBuf {
    let file = pi.session_files().remove(0);
    let entries = lines(&file);
    let reply = entries.iter().find(|entry| entry["message"]["role"] == "assistant").unwrap();
    append_aside(&file, &reply["id"], "Words of another program");
    let path = file.display().to_string();
    pi.in_terminal(&["--session", &path, "-p", "Words in the terminal"]);
    file
}

async fn texts(page: &Page) -> Vec<String> {
    page.rows().await.into_iter().map(|row| row.text).collect()
}

#[tokio::test]
async fn what_i_said_before_another_program_went_back_is_one_click_away() {
    story("branches", async |fixture, pi, page| {
        pi.model.will([
            says("First reply."),
            says("Second reply."),
            says("Reply aside."),
            says("Continued."),
        ]);
        page.run("First words").await;
        page.run("Second words").await;
        let (session, said) = (page.session().await, page.rows().await);
        let file = go_back_and_continue(pi);
        page.until_text("Reply aside.").await;
        page.until_present(LINK).await;
        page.until_text_in(".branches", "1 other branch from here").await;
        page.until_text_in(".notices", "continued on another branch").await;
        assert_eq!(page.rows().await[..2], said[..2]);
        in_both_sizes(page, "pi-branch-left").await;
        let shown = page.rows_after_reload().await;
        page.until_present(LINK).await;
        let before = std::fs::read(&file).unwrap();

        page.click(LINK).await;
        page.until_text("Second reply.").await;
        page.until_text_of("main.branch h1", "Other branch of First words").await;
        assert_eq!(page.rows().await, said);
        assert_eq!(page.count("textarea[name=prompt]").await, 0, "there is a composer");
        page.until_present(".branch-bar button").await;
        in_both_sizes(page, "pi-branch").await;
        let address = page.address().await;
        assert_eq!(page.rows_after_reload().await, said);
        page.back().await;
        page.until_text("Reply aside.").await;
        assert_eq!(page.rows().await, shown);
        page.forward().await;
        page.until_text("Second reply.").await;
        page.click(".branch-title a").await;
        page.until_text("Reply aside.").await;
        assert_eq!(page.session().await, session);
        assert_eq!(std::fs::read(&file).unwrap(), before, "reading a branch has changed the file");

        page.visit(&address).await;
        page.until_text("Second reply.").await;
        page.press("Continue in a new session").await;
        page.until_present("textarea[name=prompt]").await;
        page.until_text("Second reply.").await;
        assert_ne!(page.session().await, session);
        assert_eq!(texts(page).await, said.iter().map(|row| row.text.clone()).collect::<Vec<_>>());
        page.run("Third words").await;
        page.until_text("Continued.").await;
        let asked = pi.model.requests()[3].to_string();
        for part in ["First words", "First reply.", "Second words", "Second reply.", "Third words"] {
            assert!(asked.contains(part), "{part}: {asked}");
        }
        assert!(!asked.contains("another program") && !asked.contains("aside"), "{asked}");
        assert_eq!(std::fs::read(&file).unwrap(), before, "the first session has changed");
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}
