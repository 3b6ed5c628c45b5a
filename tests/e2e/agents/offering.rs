//! Choosing, adding and continuing agents: the New-session screen, the login, and what an agent can do. The agents are
//! scripts that speak the protocol, because a real one cannot be made to need a login here.

use pilothouse_test_support::acp_script;
use pilothouse_test_support::browser::Size;
use pilothouse_test_support::server::{ServerSetup, built_binary};

use crate::fixture::{Fixture, project, story_with};

/// A story with a scripted agent, which is named `helper`.
async fn story(name: &str, size: Size, script: &str, tell: impl AsyncFnOnce(&mut Fixture)) {
    let folder = tempfile::tempdir().unwrap();
    let setup = ServerSetup::new(&built_binary())
        .agent(&format!("helper=acp:{}", acp_script::write(folder.path(), "agent", script)));
    story_with(name, size, project(), setup, async |fixture| {
        fixture.page().enter(&fixture.server.link).await;
        tell(fixture).await;
    })
    .await;
}

/// An agent with options, a plan, commands and earlier sessions.
const HELPER: &str = r#"
options='[{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first"},{"value":"auto","name":"Auto"}]},
{"id":"model","name":"Model","category":"model","type":"select","currentValue":"small","options":[{"value":"small","name":"Small One"},{"value":"large","name":"Large One"}]},
{"id":"fast","name":"Fast answers","type":"boolean","currentValue":false}]'
options=$(tr -d '\n' <<<"$options")
while read -r line; do
    case "$line" in
    *'"initialize"'*) answer "$(id "$line")" '{"protocolVersion":1,"agentInfo":{"name":"helper","title":"Harbour Helper","version":"4.2.0"},"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true},"sessionCapabilities":{"list":{},"resume":{}}}}' ;;
    *'"session/list"'*) answer "$(id "$line")" '{"sessions":[{"sessionId":"s1","cwd":"'"$PWD"'","title":"Paint the hull","updatedAt":"2026-11-16T02:00:00Z"}]}' ;;
    *'"session/load"'*)
        update '{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Paint the hull"}}'
        say "Painted it blue."
        answer "$(id "$line")" '{"configOptions":'"$options"'}' ;;
    *'"session/new"'*|*'"session/resume"'*) answer "$(id "$line")" '{"sessionId":"s1","configOptions":'"$options"'}' ;;
    *'"session/set_config_option"'*)
        echo "$line" >>changes.log
        options=$(sed 's/"currentValue":"ask"/"currentValue":"auto"/; s/"currentValue":false/"currentValue":true/' <<<"$options")
        answer "$(id "$line")" '{"configOptions":'"$options"'}' ;;
    *'"session/prompt"'*) say "Aye."; answer "$(id "$line")" '{"stopReason":"end_turn"}' ;;
    esac
done"#;

#[tokio::test]
async fn agents_are_offered_with_their_version_and_others_with_the_command_that_installs_them() {
    story("offering", Size::Wide, HELPER, async |fixture| {
        let page = fixture.page();
        page.until_form().await;
        page.until_text_in(".choice-card", "Harbour Helper").await;
        page.until_text_in(".choice-version", "4.2.0").await;
        page.click_with_text("summary", "More agents").await;
        page.until_text_in("[data-available=goose]", "Goose").await;
        page.until_text_in("[data-available=goose] .command-box", "goose").await;
        page.screenshot("new-session-agents").await;
        page.grant(&fixture.server.origin(), &["clipboardReadWrite", "clipboardSanitizedWrite"]).await;
        page.cdp("Page.bringToFront", serde_json::json!({})).await;
        page.click("[data-available=goose] .command-box button").await;
        page.until_text_in("[data-available=goose] .command-box", "Copied").await;
    })
    .await;
}

#[tokio::test]
async fn an_agent_that_i_install_while_the_page_is_open_is_found_by_check_again() {
    let programs = tempfile::tempdir().unwrap();
    let setup = ServerSetup::new(&built_binary()).programs(programs.path());
    story_with("found-later", Size::Wide, project(), setup, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.open_new_session_form().await;
        page.until_form().await;
        // The list that is open stays open.
        page.until_visible("[data-available=kimi]").await;
        page.press("Check again").await;
        page.until_text_in(".agent-tools [role=status]", "No new agents found.").await;
        page.until_visible("[data-available=kimi]").await;
        acp_script::install(programs.path(), "kimi", HELPER);
        page.press("Check again").await;
        page.until_text_in(".agent-tools [role=status]", "Found Kimi.").await;
        page.until_absent("[data-available=kimi]").await;
        page.until_visible("[data-available=goose]").await;
        page.new_session_of("kimi").await;
        page.run("Hello").await;
        page.until_text("Aye.").await;
    })
    .await;
}

#[tokio::test]
async fn i_add_an_agent_use_it_and_remove_it() {
    let folder = tempfile::tempdir().unwrap();
    let command = acp_script::write(folder.path(), "agent", HELPER);
    story_with("adding", Size::Wide, project(), ServerSetup::new(&built_binary()), async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.open_new_session_form().await;
        page.until_form().await;
        page.click_with_text("summary", "Add an agent…").await;
        page.fill("[name=agent-name]", "mine").await;
        page.fill("[name=agent-command]", "'open quote").await;
        page.press("Add agent").await;
        page.until_text_in("[data-add-agent] .problem", "open quote").await;
        page.fill("[name=agent-command]", &command).await;
        page.press("Add agent").await;
        page.until_text_in(".agent-tools [role=status]", "Added mine.").await;
        page.until_focus("input[name=agent][value=mine]:checked").await;
        page.until_hidden("[name=agent-name]").await;
        page.new_session_of("mine").await;
        page.run("Hello").await;
        page.until_text("Aye.").await;
        page.open_new_session_form().await;
        page.press("Remove Harbour Helper").await;
        page.press("Remove").await;
        page.until_absent("[aria-label='Remove Harbour Helper']").await;
    })
    .await;
}

#[tokio::test]
async fn i_continue_a_session_that_only_the_agent_knows() {
    story("continuing", Size::Wide, HELPER, async |fixture| {
        let page = fixture.page();
        page.until_form().await;
        page.choose_agent("helper").await;
        page.click_with_text("summary", "Continue a session of").await;
        page.until_text_in("[data-agent-session]", "Paint the hull").await;
        page.screenshot("continue-session").await;
        page.click("[data-agent-session]").await;
        page.until_text("Painted it blue.").await;
        page.until_state("completed").await;
        assert_eq!(page.count("[role=log] [data-kind=user]").await, 1);
        page.run("And the mast?").await;
        page.until_text("Aye.").await;
        let rows = page.rows().await;
        assert_eq!(page.rows_after_reload().await, rows);
    })
    .await;
}

#[tokio::test]
async fn i_change_mode_model_and_options_and_read_what_the_agent_can_do() {
    story("options", Size::Wide, HELPER, async |fixture| {
        let page = fixture.page();
        page.new_session_of("helper").await;
        page.run("Hello").await;
        page.choose_option("select[title^=Mode]", "auto").await;
        page.until_value("select[title^=Mode]", "auto").await;
        page.press("Model").await;
        page.click_with_text("#models [role=option]", "Large One").await;
        let changes = fixture.project.path().join("changes.log");
        let heard = |part: &'static str| {
            let changes = changes.clone();
            move || std::fs::read_to_string(&changes).is_ok_and(|text| text.contains(part))
        };
        pilothouse_test_support::wait::until_true("the mode", heard(r#""value":"auto""#)).await;
        pilothouse_test_support::wait::until_true("the model", heard(r#""value":"large""#)).await;
        page.choose_in_session_menu("About this agent").await;
        page.until_text_in("dialog[open]", "Harbour Helper").await;
        page.until_text_in("dialog[open]", "4.2.0").await;
        page.screenshot("about-agent").await;
    })
    .await;
}

/// An agent that needs a login.
const LOCKED: &str = r#"
methods='[{"id":"web","name":"Log in on the web","description":"Opens a browser"},{"id":"key","name":"API key","type":"env_var","vars":[{"name":"HARBOUR_KEY"}]},{"id":"tty","name":"Terminal","type":"terminal","args":["--login"]}]'
while read -r line; do
    case "$line" in
    *'"initialize"'*) answer "$(id "$line")" '{"protocolVersion":1,"agentCapabilities":{},"authMethods":'"$methods"'}' ;;
    *'"authenticate"'*) touch logged-in; answer "$(id "$line")" '{}' ;;
    *'"session/new"'*)
        if [ -e logged-in ]; then answer "$(id "$line")" '{"sessionId":"s1"}'
        else fail "$(id "$line")" -32000 "Authentication required"; fi ;;
    *'"session/prompt"'*) say "Aye."; answer "$(id "$line")" '{"stopReason":"end_turn"}' ;;
    esac
done"#;

#[tokio::test]
async fn an_agent_that_needs_a_login_says_how_and_answers_after_it() {
    story("login", Size::Wide, LOCKED, async |fixture| {
        let page = fixture.page();
        page.new_session_of("helper").await;
        page.send("Hello").await;
        page.until_present("[data-login]").await;
        page.until_text_in("[data-login-method=key]", "HARBOUR_KEY").await;
        page.until_text_in("[data-login-method=tty]", "--login").await;
        page.screenshot("login").await;
        page.reload().await;
        page.until_present("[data-login]").await;
        page.click("[data-login-method=web] button").await;
        page.until_absent("[data-login]").await;
        page.press("Retry").await;
        page.until_text("Aye.").await;
        page.until_state("completed").await;
    })
    .await;
}

#[tokio::test]
async fn i_copy_the_command_of_a_login_and_cancel_another() {
    let script = LOCKED.replace("touch logged-in; answer \"$(id \"$line\")\" '{}'", ":");
    assert_ne!(script, LOCKED);
    story("login-cancel", Size::Wide, &script, async |fixture| {
        let page = fixture.page();
        page.new_session_of("helper").await;
        page.send("Hello").await;
        page.until_present("[data-login]").await;
        page.grant(&fixture.server.origin(), &["clipboardReadWrite", "clipboardSanitizedWrite"]).await;
        page.cdp("Page.bringToFront", serde_json::json!({})).await;
        page.click("[data-login-method=tty] .command-box button").await;
        page.until_text_in("[data-login-method=tty] .command-box", "Copied").await;
        page.click("[data-login-method=web] button").await;
        page.until_text_of("[data-login-method=web] [role=status]", "Logging in…").await;
        page.until_focus("[data-login-method=web] .progress button").await;
        page.press("Cancel").await;
        page.until_present("[data-login-method=web] .button.primary:enabled").await;
    })
    .await;
}

/// An agent that needs a login and does not say how.
const SPEECHLESS: &str = r#"
while read -r line; do
    case "$line" in
    *'"initialize"'*) initialized "$(id "$line")" ;;
    *'"session/new"'*) fail "$(id "$line")" -32000 "Authentication required" ;;
    esac
done"#;

#[tokio::test]
async fn an_agent_that_names_no_login_shows_what_it_is_known_to_need() {
    let programs = tempfile::tempdir().unwrap();
    acp_script::install(programs.path(), "kimi", SPEECHLESS);
    let setup = ServerSetup::new(&built_binary()).programs(programs.path());
    story_with("login-needs", Size::Wide, project(), setup, async |fixture| {
        let page = fixture.page();
        page.enter(&fixture.server.link).await;
        page.new_session_of("kimi").await;
        page.send("Hello").await;
        page.until_text_in("[data-login]", "A Moonshot login").await;
        page.until_present("[data-login] a[href*=MoonshotAI]").await;
    })
    .await;
}

#[tokio::test]
async fn an_agent_that_never_answers_shows_the_time_and_can_be_stopped() {
    story("never-ready", Size::Wide, "while read -r line; do :; done", async |fixture| {
        let page = fixture.page();
        page.new_session_of("helper").await;
        page.send("Hello").await;
        page.until_text_in(".run-status", "Starting").await;
        page.until_text_in(".run-status", " 2 s").await;
        page.press("Stop").await;
        page.until_state("stopped").await;
    })
    .await;
}
