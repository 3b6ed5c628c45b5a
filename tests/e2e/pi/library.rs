//! What I do with whole sessions of pi's: naming, forking, deleting.

use serde_json::Value;
use thirtyfour::{By, Key};

use pilothouse_test_support::session_file;

use super::reply::says;
use super::stage::story;

#[tokio::test]
async fn i_fork_from_my_second_message_and_the_first_session_stays_as_it_is() {
    story("fork", async |stage, pi, page| {
        pi.model.will([says("First reply."), says("Second reply."), says("Another reply.")]);
        page.run("First words").await;
        page.run("Second words").await;
        let first = page.attribute("main[data-session-id]", "data-session-id").await;
        let rows = page.rows().await;
        let file = pi.session_files().remove(0);
        let before = std::fs::read(&file).unwrap();
        page.script(
            "[...document.querySelectorAll('[data-kind=user]')].at(-1).querySelector('[aria-label^=Fork]').click()",
            vec![],
        )
        .await;
        page.until(
            "the text",
            "return document.querySelector('textarea[name=prompt]')?.value === 'Second words'",
        )
        .await;
        let second = page.attribute("main[data-session-id]", "data-session-id").await;
        assert_ne!(second, first);
        page.until_text("First reply.").await;
        assert_eq!(page.rows().await, rows[..2]);
        page.write(Key::Control + "a").await;
        page.run("Other words").await;
        assert_eq!(pi.model.last_heard(), "Other words");
        let asked = pi.model.requests()[2].to_string();
        assert!(asked.contains("First reply.") && !asked.contains("Second words"), "{asked}");
        assert_eq!(std::fs::read(&file).unwrap(), before, "the first file is untouched");
        assert_eq!(pi.session_files().len(), 2);
        pi.same_after_reload_and_restart(stage).await;
        page.visit(&format!("{}/s/{first}", stage.server.origin())).await;
        page.until_text("Second reply.").await;
        assert_eq!(page.rows().await, rows);
    })
    .await;
}

#[tokio::test]
async fn i_name_a_session_and_pi_knows_it_by_that_name() {
    story("rename", async |stage, pi, page| {
        pi.model.will([says("Here.")]);
        page.run("Are you there?").await;
        page.choose_in_session_menu("Rename").await;
        page.fill(".title-bar [name=title]", "Lights").await;
        let field = page.driver.find(By::Css(".title-bar [name=title]")).await.unwrap();
        field.send_keys(Key::Enter + "").await.unwrap();
        let named = "return document.querySelector('h1.title')?.textContent === 'Lights' &&\
                     document.querySelector('nav .sidebar-title')?.textContent === 'Lights'";
        page.until("its name", named).await;
        let name = |entries: Vec<Value>| {
            entries.iter().rfind(|entry| entry["type"] == "session_info").map(|entry| entry["name"].clone())
        };
        assert_eq!(name(pi.entries()), Some("Lights".into()));
        pi.same_after_reload_and_restart(stage).await;
        page.until("its name again", named).await;
        // Now no process of pi's runs.
        page.choose_in_session_menu("Rename").await;
        page.fill(".title-bar [name=title]", "Buoys").await;
        let field = page.driver.find(By::Css(".title-bar [name=title]")).await.unwrap();
        field.send_keys(Key::Enter + "").await.unwrap();
        page.until("the other name", "return document.querySelector('h1.title')?.textContent === 'Buoys'")
            .await;
        let start = std::time::Instant::now();
        while name(pi.entries()) != Some("Buoys".into()) {
            assert!(start.elapsed().as_secs() < 30, "{:?}", pi.entries());
            tokio::time::sleep(std::time::Duration::from_millis(15)).await;
        }
        pi.model.will([says("Still here.")]);
        page.run("And now?").await;
        assert_eq!(pi.session_files().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn i_delete_a_session_and_its_file_is_gone_from_pis_folder() {
    story("delete", async |stage, pi, page| {
        pi.model.will([says("Here.")]);
        page.run("Are you there?").await;
        let file = pi.session_files().remove(0);
        let said = session_file::lines(&file);
        page.choose_in_session_menu("Delete…").await;
        page.press("Delete").await;
        page.until("the form", "return !!document.querySelector('main.new-session')").await;
        page.until("no row", "return !document.querySelector('nav [data-session-id]')").await;
        assert!(!file.exists());
        assert!(!said.is_empty());
        pi.restart_server(stage).await;
        page.reload().await;
        assert_eq!(page.count("nav [data-session-id]").await, 0);
    })
    .await;
}
