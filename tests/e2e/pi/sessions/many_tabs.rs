//! One session of pi in two tabs.

use serde_json::json;

use crate::model::reply::{calls, says};
use crate::pi::fixture::story;

#[tokio::test]
async fn prompts_and_answers_of_one_tab_appear_in_the_other() {
    story("tabs", async |fixture, pi, page| {
        pi.model.will([says("Two berths").gate("half").text(" are free.")]);
        let address = page.address().await;
        let tabs = page.open_tab().await;
        page.visit(&address).await;
        page.until_present("textarea[name=prompt]").await;
        page.switch_to_tab(&tabs.first).await;
        page.send("Is a berth free?").await;
        page.switch_to_tab(&tabs.second).await;
        page.until_text("Is a berth free?").await;
        page.until_text("Two berths").await;
        pi.model.open("half");
        page.until_state("completed").await;
        let rows = page.rows().await;
        page.switch_to_tab(&tabs.first).await;
        page.until_state("completed").await;
        assert_eq!(page.rows().await, rows);

        pi.model.will([calls("bash", json!({"command": "rm README.md"})), says("It is gone.")]);
        page.send("Remove the readme").await;
        page.until_present("[data-ask-id]").await;
        page.switch_to_tab(&tabs.second).await;
        page.until_present("[data-ask-id]").await;
        page.press("Approve").await;
        page.until_text("It is gone.").await;
        page.until_state("completed").await;
        let rows = page.rows().await;
        page.switch_to_tab(&tabs.first).await;
        page.until_absent("[data-ask-id]").await;
        page.until_state("completed").await;
        assert_eq!(page.rows().await, rows);
        assert!(!fixture.project.path().join("README.md").exists());
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}
