//! Providers that fail: what pi mends by itself, and what it leaves to the person.

use super::reply::{Reply, refuses, says};
use super::stage::story;

#[tokio::test]
async fn the_provider_fails_once_and_i_see_that_it_is_tried_again() {
    story("retry", async |stage, pi, page| {
        let second = Reply::default().gate("second").text("Here I am.");
        pi.model.will([refuses(500, "The model has run aground"), second]);
        page.send("Are you there?").await;
        page.until(
            "the note",
            "const words = document.querySelector('.run-words')?.textContent ?? '';\
             return /retry/i.test(words) && words.includes('aground')",
        )
        .await;
        pi.model.until_asked(2).await;
        pi.model.open("second");
        page.until_text("Here I am.").await;
        page.until_state("completed").await;
        let rows = page.rows().await;
        let kinds: Vec<&str> = rows.iter().map(|row| row.kind.as_str()).collect();
        assert_eq!(kinds, ["user", "error", "assistant"], "what failed stays known");
        pi.same_after_reload_and_restart(stage).await;
    })
    .await;
}

#[tokio::test]
async fn the_provider_fails_for_good_and_i_try_again_later() {
    story("retries-exhausted", async |stage, pi, page| {
        let failure = || refuses(429, "Too many boats in the harbour");
        pi.model.will([failure(), failure(), failure()]);
        page.send("May I enter?").await;
        page.until_state("error").await;
        page.until_text("Too many boats in the harbour").await;
        assert_eq!(pi.model.requests().len(), 3, "tried again as often as the settings say");
        assert_eq!(page.count("[role=log] [data-kind=error]").await, 1, "told once");
        let rows = page.rows().await;
        assert_eq!(page.rows_after_reload().await, rows);
        pi.model.will([says("Welcome.")]);
        page.press("Retry").await;
        page.until_text("Welcome.").await;
        page.until_state("completed").await;
        assert_eq!(pi.model.last_heard(), "May I enter?");
        pi.same_after_reload_and_restart(stage).await;
    })
    .await;
}

#[tokio::test]
async fn the_provider_refuses_what_i_asked_and_says_why() {
    story("refused", async |stage, pi, page| {
        pi.model.will([refuses(400, "No such berth")]);
        page.run("Berth 99").await;
        page.until_text("No such berth").await;
        assert_eq!(page.state().await, "error");
        assert_eq!(pi.model.requests().len(), 1, "what is refused is not tried again");
        pi.same_after_reload_and_restart(stage).await;
    })
    .await;
}

#[tokio::test]
async fn the_line_to_the_model_breaks_in_mid_text_and_the_answer_still_comes() {
    story("cut", async |stage, pi, page| {
        pi.model.will([says("Half an answer and then").cut(), says("A whole answer.")]);
        page.send("Answer me").await;
        page.until_text("A whole answer.").await;
        page.until_state("completed").await;
        pi.same_after_reload_and_restart(stage).await;
    })
    .await;
}
