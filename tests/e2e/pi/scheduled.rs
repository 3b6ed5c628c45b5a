//! What I scheduled while pi works, and think better of.

use serde_json::json;
use thirtyfour::{By, Key};

use pilothouse_test_support::browser::Page;

use super::reply::{calls, says};
use super::stage::{Pi, story};

/// pi waits in a tool while these are scheduled, in this order.
async fn schedule(pi: &Pi, page: &Page, texts: &[&str]) {
    pi.model.will([calls("bash", json!({"command": "until [ -e go ]; do sleep 0.02; done; echo waited"}))]);
    page.send("Sail on").await;
    page.until_tool("running").await;
    for text in texts {
        page.send(text).await;
        let there = "return [...document.querySelectorAll('[data-scheduled] .queue-text')]\
                     .some((row) => row.textContent === arguments[0])";
        page.until_script(text, there, vec![json!(text)]).await;
    }
}

/// Presses a button in the row of this message.
async fn press_in(page: &Page, text: &str, label: &str) {
    let script = "const row = [...document.querySelectorAll('[data-scheduled]')]\
                    .find((row) => row.textContent.includes(arguments[0]));\
                  const button = row?.querySelector(`[aria-label='${arguments[1]}']`); button?.click(); return !!button";
    page.until_script(&format!("{label} of '{text}'"), script, vec![json!(text), json!(label)]).await;
}

async fn remove(page: &Page, text: &str) {
    press_in(page, text, "Remove").await;
    let gone = "return ![...document.querySelectorAll('[data-scheduled]')]\
                .some((row) => row.textContent.includes(arguments[0]))";
    page.until_script(&format!("'{text}' to be gone"), gone, vec![json!(text)]).await;
}

fn heard(pi: &Pi) -> String {
    serde_json::to_string(&pi.model.requests()).unwrap()
}

#[tokio::test]
async fn i_change_one_and_remove_one_and_pi_hears_only_what_is_left() {
    story("scheduled", async |stage, pi, page| {
        schedule(pi, page, &["Look to port", "Drop the anchor"]).await;
        press_in(page, "Look to port", "Edit").await;
        page.until("the editor", "return !!document.querySelector('textarea[name=scheduled]')").await;
        let field = page.driver.find(By::Css("textarea[name=scheduled]")).await.unwrap();
        field.send_keys(Key::Control + "a").await.unwrap();
        field.send_keys("Look to starboard").await.unwrap();
        page.press("Save").await;
        page.until(
            "it saved",
            "return !document.querySelector('textarea[name=scheduled], [data-under-edit]')",
        )
        .await;
        remove(page, "Drop the anchor").await;
        page.until(
            "what is left",
            "return [...document.querySelectorAll('[data-scheduled] .queue-text')]\
             .map((row) => row.textContent).join() === 'Look to starboard'",
        )
        .await;
        page.reload().await;
        page.until("it still", "return document.querySelectorAll('[data-scheduled]').length === 1").await;
        pi.model.will([says("To starboard.")]);
        stage.release("go");
        page.until_text("To starboard.").await;
        page.until_state("completed").await;
        assert_eq!(pi.model.last_heard(), "Look to starboard");
        assert!(!heard(pi).contains("Look to port") && !heard(pi).contains("Drop the anchor"));
        let rows = page.rows().await;
        let kinds: Vec<&str> = rows.iter().map(|row| row.kind.as_str()).collect();
        assert_eq!(kinds, ["user", "tool", "user", "assistant"]);
        pi.same_after_reload_and_restart(stage).await;
    })
    .await;
}

#[tokio::test]
async fn one_that_i_am_changing_waits_for_me_also_when_the_run_is_over() {
    story("scheduled-held", async |stage, pi, page| {
        schedule(pi, page, &["Look to port"]).await;
        press_in(page, "Look to port", "Edit").await;
        page.until("it held", "return !!document.querySelector('[data-under-edit]')").await;
        pi.model.will([says("Waited."), says("To port.")]);
        stage.release("go");
        page.until_text("Waited.").await;
        page.until_state("completed").await;
        assert!(!heard(pi).contains("Look to port"));
        page.press("Save").await;
        page.until_text("To port.").await;
        page.until_state("completed").await;
        assert_eq!(pi.model.last_heard(), "Look to port");
        pi.same_after_reload_and_restart(stage).await;
    })
    .await;
}

#[tokio::test]
async fn i_take_all_back_into_the_composer_and_the_run_goes_on_without_them() {
    story("scheduled-restored", async |stage, pi, page| {
        schedule(pi, page, &["Look to port", "Drop the anchor"]).await;
        page.press("Restore to editor").await;
        page.until("an empty queue", "return !document.querySelector('[data-scheduled]')").await;
        page.until(
            "both texts in the composer",
            "const draft = document.querySelector('textarea[name=prompt]').value;\
             return draft.includes('Look to port') && draft.includes('Drop the anchor')",
        )
        .await;
        let draft = page.draft().await;
        pi.model.will([says("Nothing was said.")]);
        stage.release("go");
        page.until_text("Nothing was said.").await;
        page.until_state("completed").await;
        assert!(!heard(pi).contains("Look to port"));
        pi.same_after_reload_and_restart(stage).await;
        assert_eq!(page.draft().await, draft);
    })
    .await;
}
