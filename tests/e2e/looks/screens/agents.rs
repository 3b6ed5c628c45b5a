//! The screens of agents with the Agent Client Protocol: plans, permissions with a diff, forms, auto-approve,
//! options and the login.

use pilothouse_test_support::acp_script;
use pilothouse_test_support::browser::Size;
use pilothouse_test_support::server::ServerSetup;

use super::{Screen, plain, tour};
use crate::fixture::Fixture;

/// An agent that needs a login first. A prompt then leads to a plan, an edit that needs permission, and a form.
const AGENT: &str = r#"
options='[{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first"},{"value":"auto","name":"Auto"}]},{"id":"model","name":"Model","category":"model","type":"select","currentValue":"large","options":[{"value":"large","name":"Large One"}]},{"id":"fast","name":"Fast answers","type":"boolean","currentValue":false}]'
while read -r line; do
    case "$line" in
    *'"initialize"'*) answer "$(id "$line")" '{"protocolVersion":1,"agentInfo":{"name":"helper","title":"Harbour Helper","version":"4.2.0"},"agentCapabilities":{"sessionCapabilities":{"list":{},"resume":{}}},"authMethods":[{"id":"web","name":"Log in on the web","description":"Opens a browser"},{"id":"key","name":"API key","type":"env_var","vars":[{"name":"HARBOUR_KEY"}]},{"id":"tty","name":"Terminal","type":"terminal","args":["--login"]}]}' ;;
    *'"session/list"'*) answer "$(id "$line")" '{"sessions":[{"sessionId":"s9","cwd":"'"$PWD"'","title":"Paint the hull","updatedAt":"2026-11-16T02:00:00Z"}]}' ;;
    *'"authenticate"'*) touch logged-in; answer "$(id "$line")" '{}' ;;
    *'"session/new"'*|*'"session/resume"'*)
        if [ -e logged-in ]; then answer "$(id "$line")" '{"sessionId":"s1","configOptions":'"$options"'}'
        else fail "$(id "$line")" -32000 "Authentication required"; fi ;;
    *'"session/prompt"'*)
        prompt=$(id "$line")
        say "I change the greeting first."
        update '{"sessionUpdate":"plan","entries":[{"content":"Read the greeting","priority":"high","status":"completed"},{"content":"Change the greeting of the harbour to something that is long enough to need two lines on a phone","priority":"medium","status":"in_progress"},{"content":"Run the tests","priority":"low","status":"pending"}]}'
        call='{"toolCallId":"c1","title":"Edit greeting.txt","kind":"edit","status":"pending","locations":[{"path":"'"$PWD"'/greeting.txt","line":2}],"rawInput":{"path":"'"$PWD"'/greeting.txt"},"content":[{"type":"diff","path":"'"$PWD"'/greeting.txt","oldText":"one\nAhoy\nthree\n","newText":"one\nAhoy, harbour\nthree\n"}]}'
        update "$(sed 's/^{/{"sessionUpdate":"tool_call",/' <<<"$call")"
        ask p1 session/request_permission '{"sessionId":"s1","toolCall":'"$call"',"options":[{"optionId":"once","name":"Allow once","kind":"allow_once"},{"optionId":"always","name":"Always allow edits","kind":"allow_always"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}' ;;
    *'"id":"p1"'*)
        update '{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}'
        ask f1 elicitation/create '{"sessionId":"s1","mode":"form","message":"How shall the tests run?","requestedSchema":{"type":"object","required":["name"],"properties":{"name":{"type":"string","title":"Name of the run","minLength":3},"times":{"type":"integer","title":"Repetitions","minimum":1,"maximum":9},"slow":{"type":"boolean","title":"Slow tests, too"},"where":{"type":"string","title":"Where","enum":["here","in a container"]}}}}' ;;
    *'"id":"f1"'*)
        update '{"sessionUpdate":"plan","entries":[]}'
        say "Done."
        answer "$prompt" '{"stopReason":"max_tokens"}' ;;
    esac
done"#;

fn setup(folder: &tempfile::TempDir) -> ServerSetup {
    plain().agent(&format!("helper=acp:{}", acp_script::write(folder.path(), "agent", AGENT)))
}

async fn tell(fixture: &mut Fixture, screen: &mut Screen) {
    let page = screen.page.clone();
    page.enter(&fixture.server.link).await;
    page.until_form().await;
    page.until_text_in(".choice-version", "4.2.0").await;
    page.choose_agent("helper").await;
    page.click_with_text("summary", "Continue a session of").await;
    page.until_text_in("[data-agent-session]", "Paint the hull").await;
    page.click_with_text("summary", "More agents").await;
    screen.check("70-agents").await;
    page.new_session_of("helper").await;
    screen.send("Change the greeting").await;
    page.until_present("[data-login]").await;
    screen.check("71-login").await;
    page.click("[data-login-method=web] button").await;
    page.until_absent("[data-login]").await;
    page.press("Retry").await;
    page.until_state("waiting_approval").await;
    page.until_draft("").await;
    assert_eq!(page.count("[data-kind=user]").await, 1, "the refused message is gone");
    screen.check("72-permission").await;
    page.press("Allow once").await;
    page.until_present("[data-ask-kind=form]").await;
    screen.check("73-form").await;
    page.click("[data-ask-id] [type=submit]").await;
    page.until_present("[data-ask-id] [aria-invalid=true]").await;
    screen.check("74-form-error").await;
    page.fill("[data-ask-id] input[type=text]", "nightly").await;
    page.click("[data-ask-id] [type=submit]").await;
    page.until_state("completed").await;
    screen.check("75-token-limit").await;
    page.press("Auto-approve").await;
    screen.check("76-auto-approve-levels").await;
    page.click_with_text(".level", "Everything").await;
    page.until_present("[data-auto-approve=everything]").await;
    page.press("Auto-approve").await;
    screen.send("Change it again").await;
    page.until_text_in("[data-kind=system]", "Approved automatically").await;
    page.until_present("[data-ask-kind=form]").await;
    screen.check("77-auto-approve-on").await;
}

#[tokio::test]
async fn agents_are_accessible() {
    let folder = tempfile::tempdir().unwrap();
    tour("agents-wide", Size::Wide, setup(&folder), tell).await;
}

#[tokio::test]
async fn agents_are_accessible_on_a_phone() {
    let folder = tempfile::tempdir().unwrap();
    tour("agents-phone", Size::Phone, setup(&folder), tell).await;
}
