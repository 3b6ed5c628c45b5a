//! Whole sessions of pi: renaming, forking, deleting.

use serde_json::Value;
use thirtyfour::prelude::Key;

use pilothouse_test_support::{session_file, wait};

use crate::model::reply::says;
use crate::pi::fixture::story;

#[tokio::test]
async fn i_fork_from_my_second_message_and_the_first_session_stays_unchanged() {
    story("fork", async |fixture, pi, page| {
        pi.model.will([says("First reply."), says("Second reply."), says("Another reply.")]);
        page.run("First words").await;
        page.run("Second words").await;
        let first = page.session().await;
        let rows = page.rows().await;
        let file = pi.session_files().remove(0);
        let before = std::fs::read(&file).unwrap();
        page.click_last("[data-kind=user] [aria-label^=Fork]").await;
        page.until_draft("Second words").await;
        let second = page.session().await;
        assert_ne!(second, first);
        page.until_text("First reply.").await;
        assert_eq!(page.rows().await, rows[..2]);
        page.write(Key::Control + "a").await;
        page.run("Other words").await;
        assert_eq!(pi.model.last_heard(), "Other words");
        let asked = pi.model.requests()[2].to_string();
        assert!(asked.contains("First reply.") && !asked.contains("Second words"), "{asked}");
        assert_eq!(std::fs::read(&file).unwrap(), before, "the file of the first session has changed");
        assert_eq!(pi.session_files().len(), 2);
        fixture.same_after_reload_and_restart().await;
        page.visit(&format!("{}/s/{first}", fixture.server.origin())).await;
        page.until_text("Second reply.").await;
        assert_eq!(page.rows().await, rows);
    })
    .await;
}

#[tokio::test]
async fn i_rename_a_session_and_pi_stores_the_title() {
    story("rename", async |fixture, pi, page| {
        pi.model.will([says("Here.")]);
        page.run("Are you there?").await;
        page.choose_in_session_menu("Rename").await;
        page.fill(".title-bar [name=title]", "Lights").await;
        page.press_keys(Key::Enter + "").await;
        let until_titled = async |title: &str| {
            page.until_text_of("h1.title", title).await;
            page.until_text_of("nav .sidebar-title", title).await;
        };
        until_titled("Lights").await;
        let name = |entries: Vec<Value>| {
            entries.iter().rfind(|entry| entry["type"] == "session_info").map(|entry| entry["name"].clone())
        };
        assert_eq!(name(pi.entries()), Some("Lights".into()));
        fixture.same_after_reload_and_restart().await;
        until_titled("Lights").await;
        // Now pi does not run.
        page.choose_in_session_menu("Rename").await;
        page.fill(".title-bar [name=title]", "Buoys").await;
        page.press_keys(Key::Enter + "").await;
        page.until_text_of("h1.title", "Buoys").await;
        wait::until_true("the new title in pi's file", || name(pi.entries()) == Some("Buoys".into())).await;
        pi.model.will([says("Still here.")]);
        page.run("And now?").await;
        assert_eq!(pi.session_files().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn i_delete_a_session_and_pi_has_no_file_of_it() {
    story("delete", async |fixture, pi, page| {
        pi.model.will([says("Here.")]);
        page.run("Are you there?").await;
        let file = pi.session_files().remove(0);
        let said = session_file::lines(&file);
        page.choose_in_session_menu("Delete…").await;
        page.press("Delete").await;
        page.until_present("main.new-session").await;
        page.until_absent("nav [data-session-id]").await;
        assert!(!file.exists());
        assert!(!said.is_empty());
        fixture.restart_server().await;
        page.reload().await;
        assert_eq!(page.count("nav [data-session-id]").await, 0);
    })
    .await;
}
