//! Features of the protocol that agents use or leave out: approvals, sub-agents, settings, ends of a turn.
//! The agents are scripts, because each story needs one that does just this.

use pilothouse_test_support::acp_script;
use pilothouse_test_support::browser::{Page, Size, session_row};
use pilothouse_test_support::server::{ServerSetup, built_binary};
use pilothouse_test_support::wait::until_true;

use crate::fixture::{Fixture, project, story_with};

/// An agent without images, modes, models and options. The prompt says what it does.
const PLAIN: &str = r#"
call() { update '{"sessionUpdate":"tool_call","toolCallId":"'"$1"'","title":"'"$2"'","kind":"'"$3"'","status":"completed","rawInput":{"description":"'"$2"'"},"_meta":{"claudeCode":{"parentToolUseId":"'"$4"'"}}}'; }
end() { answer "$prompt" '{"stopReason":"'"$1"'"}'; }
while read -r line; do
    case "$line" in
    *'"initialize"'*) initialized "$(id "$line")" '{"sessionCapabilities":{"resume":{}}}' ;;
    *'"session/new"'*|*'"session/resume"'*) answer "$(id "$line")" '{"sessionId":"s1"}' ;;
    *'"session/prompt"'*)
        prompt=$(id "$line")
        echo "$line" >>prompts.log
        case "$line" in
        *'Please refuse'*) end refusal ;;
        *'Never end'*) end max_turn_requests ;;
        *'Wait for me'*) until [ -e go ]; do sleep 0.02; done; end end_turn ;;
        *'Change the greeting'*)
            ask p1 session/request_permission '{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"Edit greeting.txt","kind":"edit","status":"pending","rawInput":{"path":"'"$PWD"'/greeting.txt"},"content":[{"type":"diff","path":"'"$PWD"'/greeting.txt","oldText":"Ahoy\n","newText":"Ahoy, harbour\n"}]},"options":[{"optionId":"always","name":"Allow","kind":"allow_always"},{"optionId":"once","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}' ;;
        *'Sign the form'*)
            ask u1 elicitation/create '{"sessionId":"s1","mode":"url","elicitationId":"e1","message":"Please sign the form","url":"https://harbour.example/form"}' ;;
        *'Send scouts'*)
            call north "Scout the north" think ""
            call south "Scout the south" think ""
            call n1 "Look at the ice" read north
            call n2 "Count the bears" read north
            call s1 "Look at the sand" read south
            say "All is quiet."
            end end_turn ;;
        *) say "Aye."; end end_turn ;;
        esac ;;
    *'"id":"p1"'*|*'"id":"u1"'*) echo "$line" >>answers.log; say "Thank you."; end end_turn ;;
    esac
done"#;

/// A story with a session of a scripted agent.
async fn story(name: &str, script: &str, tell: impl AsyncFnOnce(&mut Fixture, &Page)) {
    let folder = tempfile::tempdir().unwrap();
    let command = acp_script::write(folder.path(), "agent", script);
    let setup = ServerSetup::new(&built_binary()).agent(&format!("helper=acp:{command}"));
    story_with(name, Size::Wide, project(), setup, async |fixture| {
        let page = fixture.page();
        page.enter(&fixture.server.link).await;
        page.new_session_of("helper").await;
        tell(fixture, &page).await;
    })
    .await;
}

/// Waits until the agent has written these words to a file in the project.
async fn until_logged(fixture: &Fixture, file: &str, words: &str) {
    let file = fixture.project.path().join(file);
    until_true(words, || std::fs::read_to_string(&file).is_ok_and(|text| text.contains(words))).await;
}

#[tokio::test]
async fn auto_approve_warns_while_it_is_on_and_is_remembered_for_the_folder() {
    story("auto-approve-warning", PLAIN, async |fixture, page| {
        let first = page.session().await;
        let mark = format!("{} .sidebar-mark.warning", session_row(&first));
        assert_eq!(page.count(&mark).await, 0);
        page.press("Auto-approve").await;
        page.until_focus("[data-level=off]").await;
        page.click_with_text("label", "Also for new sessions in this folder").await;
        page.click_with_text(".level", "Edits in this folder").await;
        page.until_present("[data-level=edits][aria-pressed=true]").await;
        page.press("Auto-approve").await;
        page.until_visible(&mark).await;
        page.until_visible(".auto-words:not(.visually-hidden)").await;
        page.until_text_in(".auto-approve", "Edits in this folder").await;
        page.send("Wait for me").await;
        // While the agent works, the button is filled.
        page.until_visible(".auto-approve [data-warning]").await;
        fixture.release("go");
        page.until_state("completed").await;
        page.open_new_session_form().await;
        let second = page.new_session_of("helper").await;
        assert_ne!(first, second);
        page.until_present(&format!("main[data-session-id='{second}'][data-auto-approve=edits]")).await;
    })
    .await;
}

#[tokio::test]
async fn i_approve_an_edit_in_the_tray_by_its_diff() {
    story("tray-diff", PLAIN, async |fixture, page| {
        let session = page.session().await;
        page.send("Change the greeting").await;
        page.until_state("waiting_approval").await;
        page.open_new_session_form().await;
        page.press("Waiting for you").await;
        page.until_text_in(".waiting .diff", "Ahoy, harbour").await;
        // An answer that counts for later requests says so, although the agent calls it just "Allow".
        page.until_text_in(".waiting [data-choice='3']", "Always").await;
        page.screenshot("tray-diff").await;
        page.click(".waiting [data-answer=yes]").await;
        page.until_absent(".waiting-button").await;
        page.until_present(&format!("{}[data-state=completed]", session_row(&session))).await;
        until_logged(fixture, "answers.log", r#""optionId":"once""#).await;
    })
    .await;
}

#[tokio::test]
async fn the_first_number_is_the_first_button_and_not_the_first_answer_of_the_agent() {
    story("number", PLAIN, async |fixture, page| {
        page.send("Change the greeting").await;
        page.until_present("[data-ask-kind=permission] [data-choice='1'][data-answer=yes]").await;
        page.press_keys(thirtyfour::prelude::Key::Alt + "1").await;
        page.until_text("Thank you.").await;
        until_logged(fixture, "answers.log", r#""optionId":"once""#).await;
    })
    .await;
}

#[tokio::test]
async fn the_calls_of_two_sub_agents_name_their_agent_where_they_are_interleaved() {
    story("sub-agents", PLAIN, async |fixture, page| {
        page.run("Send scouts").await;
        page.until_text("All is quiet.").await;
        page.until_count("[data-parent]", 3).await;
        page.until_text_in("[data-call-id=n1] .row-parent", "Scout the north").await;
        page.until_text_in("[data-call-id=s1] .row-parent", "Scout the south").await;
        assert_eq!(page.count("[data-call-id=n2] .row-parent").await, 0, "its sister is above");
        page.screenshot("sub-agents").await;
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn a_refusal_and_the_limit_of_a_turn_are_said() {
    story("ends", PLAIN, async |_, page| {
        page.send("Please refuse").await;
        page.until_text("The model refused to continue.").await;
        page.until_state("error").await;
        page.send("Never end").await;
        page.until_text("The agent reached the limit of requests per turn.").await;
    })
    .await;
}

#[tokio::test]
async fn the_output_of_my_command_goes_to_the_agent_with_the_next_message() {
    story("shell", PLAIN, async |fixture, page| {
        page.send("!ls").await;
        page.until_text("README.md").await;
        page.run("What did I run?").await;
        page.until_text("Aye.").await;
        until_logged(fixture, "prompts.log", "README.md").await;
        fixture.same_after_reload_and_restart().await;
    })
    .await;
}

#[tokio::test]
async fn what_an_agent_cannot_do_is_not_shown() {
    story("plain", PLAIN, async |_, page| {
        page.run("Hello").await;
        page.until_text("Aye.").await;
        page.until_absent("[aria-label='Add images']").await;
        page.until_absent(".title-select").await;
        page.until_absent("button .title-model").await;
        page.until_absent(".title-side [title=Options]").await;
    })
    .await;
}

#[tokio::test]
async fn i_visit_a_page_for_the_agent_and_say_that_it_is_done() {
    story("visit", PLAIN, async |fixture, page| {
        page.send("Sign the form").await;
        page.until_text_in("[data-ask-kind=confirm]", "Please sign the form").await;
        page.until_text_in("[data-ask-kind=confirm]", "harbour.example").await;
        page.until_present("[data-ask-kind=confirm] a[href='https://harbour.example/form'][target=_blank]")
            .await;
        page.screenshot("visit").await;
        page.press("Done").await;
        page.until_text("Thank you.").await;
        page.until_state("completed").await;
        until_logged(fixture, "answers.log", r#""action":"accept""#).await;
        page.send("Sign the form").await;
        page.press("Decline").await;
        until_logged(fixture, "answers.log", r#""action":"decline""#).await;
    })
    .await;
}

/// An agent with an effort, and with models and modes as agents had them before there were options.
const LEGACY: &str = r#"
effort=low
options() { printf '[{"id":"effort","name":"Effort","category":"thought_level","type":"select","currentValue":"%s","options":[{"value":"low","name":"Low"},{"value":"high","name":"High"}]}]' "$effort"; }
while read -r line; do
    case "$line" in
    *'"initialize"'*) initialized "$(id "$line")" '{"sessionCapabilities":{"resume":{}}}' ;;
    *'"session/new"'*|*'"session/resume"'*) answer "$(id "$line")" '{"sessionId":"s1","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask first"},{"id":"plan","name":"Plan only"}]},"models":{"currentModelId":"small","availableModels":[{"modelId":"small","name":"Small One"},{"modelId":"large","name":"Large One"}]},"configOptions":'"$(options)"'}' ;;
    *'"session/set_config_option"'*) echo "$line" >>changes.log; effort=high; answer "$(id "$line")" '{"configOptions":'"$(options)"'}' ;;
    *'"session/set_mode"'*|*'"session/set_model"'*) echo "$line" >>changes.log; answer "$(id "$line")" '{}' ;;
    *'"session/prompt"'*) say "Aye."; answer "$(id "$line")" '{"stopReason":"end_turn"}' ;;
    esac
done"#;

#[tokio::test]
async fn i_choose_the_effort_and_a_mode_and_a_model_of_an_older_agent() {
    story("legacy", LEGACY, async |fixture, page| {
        page.run("Hello").await;
        page.choose_option("select[title^=Thinking]", "high").await;
        until_logged(fixture, "changes.log", r#""value":"high""#).await;
        page.until_value("select[title^=Thinking]", "high").await;
        page.choose_option("select[title^=Mode]", "plan").await;
        until_logged(fixture, "changes.log", r#""modeId":"plan""#).await;
        page.press("Model").await;
        page.click_with_text("#models [role=option]", "Large One").await;
        until_logged(fixture, "changes.log", r#""modelId":"large""#).await;
        page.until_text_in(".title-model", "Large One").await;
        page.until_value("select[title^=Mode]", "plan").await;
    })
    .await;
}
