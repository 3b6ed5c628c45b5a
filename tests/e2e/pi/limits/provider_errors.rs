//! Providers that fail: errors that pi retries, and errors that the user has to handle.

use crate::model::reply::{Reply, refuses, says};
use crate::pi::fixture::story;

#[tokio::test]
async fn the_provider_fails_once_and_i_see_the_retry() {
    story("retry", async |fixture, pi, page| {
        let second = Reply::default().gate("second").text("Here I am.");
        pi.model.will([refuses(500, "The model has run aground"), second]);
        page.send("Are you there?").await;
        page.until_text_in(".run-words", "etry").await;
        page.until_text_in(".run-words", "aground").await;
        pi.model.until_asked(2).await;
        pi.model.open("second");
        page.until_text("Here I am.").await;
        page.until_state("completed").await;
        let rows = page.rows().await;
        let kinds: Vec<&str> = rows.iter().map(|row| row.kind.as_str()).collect();
        assert_eq!(kinds, ["user", "error", "assistant"], "the failed attempt is not shown");
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn the_provider_keeps_failing_and_i_retry_later() {
    story("retries-exhausted", async |fixture, pi, page| {
        let failure = || refuses(429, "Too many boats in the harbour");
        pi.model.will([failure(), failure(), failure()]);
        page.send("May I enter?").await;
        page.until_state("error").await;
        page.until_text("Too many boats in the harbour").await;
        assert_eq!(pi.model.requests().len(), 3, "pi did not retry as often as its settings say");
        assert_eq!(
            page.count("[role=log] [data-kind=error]").await,
            1,
            "the error is not shown exactly once"
        );
        let rows = page.rows().await;
        assert_eq!(page.rows_after_reload().await, rows);
        pi.model.will([says("Welcome.")]);
        page.press("Retry").await;
        page.until_text("Welcome.").await;
        page.until_state("completed").await;
        assert_eq!(pi.model.last_heard(), "May I enter?");
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn the_provider_refuses_a_request_and_i_see_why() {
    story("refused", async |fixture, pi, page| {
        pi.model.will([refuses(400, "No such berth")]);
        page.run("Berth 99").await;
        page.until_text("No such berth").await;
        assert_eq!(page.state().await, "error");
        assert_eq!(pi.model.requests().len(), 1, "pi retried a refused request");
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn the_connection_to_the_model_breaks_in_mid_text_and_pi_retries() {
    story("cut", async |fixture, pi, page| {
        pi.model.will([says("Half an answer and then").cut(), says("A whole answer.")]);
        page.send("Answer me").await;
        page.until_text("A whole answer.").await;
        page.until_state("completed").await;
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}
