//! One session of pi's in two tabs.

use serde_json::json;

use super::reply::{calls, says};
use super::stage::story;

#[tokio::test]
async fn what_i_ask_and_answer_in_one_tab_happens_in_the_other() {
    story("tabs", async |stage, pi, page| {
        pi.model.will([says("Two berths").gate("half").text(" are free.")]);
        let address = page.driver.current_url().await.unwrap();
        let tabs = page.open_tab().await;
        page.visit(address.as_str()).await;
        page.until("the composer", "return !!document.querySelector('textarea[name=prompt]')").await;
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
        page.until("the card", "return !!document.querySelector('[data-ask-id]')").await;
        page.switch_to_tab(&tabs.second).await;
        page.until("the card here too", "return !!document.querySelector('[data-ask-id]')").await;
        page.press("Approve").await;
        page.until_text("It is gone.").await;
        page.until_state("completed").await;
        let rows = page.rows().await;
        page.switch_to_tab(&tabs.first).await;
        page.until("no card", "return !document.querySelector('[data-ask-id]')").await;
        page.until_state("completed").await;
        assert_eq!(page.rows().await, rows);
        assert!(!stage.project.path().join("README.md").exists());
        pi.same_after_reload_and_restart(stage).await;
    })
    .await;
}
