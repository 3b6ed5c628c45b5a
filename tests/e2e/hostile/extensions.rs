//! Hostile text of an agent and its extensions outside the conversation: questions, approvals, notices, statuses, titles,
//! menus, retries, and the last words of a process.

use pilothouse_core::limits::NAME_BYTES;
use serde_json::{Value, json};
use thirtyfour::prelude::Key;

use pilothouse_test_support::browser::{Page, Size};
use pilothouse_test_support::scripted_agent::{PI_VERSION, Script, write_stand_in};
use pilothouse_test_support::server::{ServerSetup, built_binary};

use super::payloads::{bundles, texts, words};
use super::trap::Trap;
use super::watch::Watch;
use crate::fixture::{project, scripted_story, story_with};

const ASK_KINDS: [&str; 4] = ["select", "confirm", "input", "editor"];

/// The text of all elements that match.
async fn shown(page: &Page, selector: &str) -> String {
    page.texts(selector).await.join("\n")
}

fn assert_shown(shown: &str, texts: &[String], place: &str) {
    for word in texts.iter().flat_map(|text| words(text)) {
        assert!(shown.contains(word), "'{word}' is not shown in {place}: {shown}");
    }
}

#[tokio::test]
async fn a_question_of_the_agent_is_only_text() {
    let trap = Trap::set();
    let all = bundles(&texts(&trap), 8);
    let mut script = Script::default();
    script.expect_command("prompt");
    script.respond("prompt", json!({"disposition": "started"}));
    script.send(json!({"type": "agent_start"}));
    for (number, text) in all.iter().enumerate() {
        let options: Vec<&str> = text.lines().collect();
        let ask =
            json!({"title": text, "message": text, "options": options, "placeholder": text, "prefill": text});
        script.extension(ASK_KINDS[number % ASK_KINDS.len()], ask);
    }
    for _ in &all {
        script.expect_command("extension_ui_response");
    }
    script.send(json!({"type": "agent_settled", "aborted": false}));
    scripted_story("hostile-asks", &script, async |fixture| {
        let page = fixture.page();
        page.watch().await;
        page.without_policy().await;
        page.enter(&fixture.server.link).await;
        page.new_session_of("scripted").await;
        page.send("Ask me").await;
        page.until_count("[role=log] [data-ask-id]", all.len()).await;
        assert_shown(&shown(&page, "[role=log] [data-ask-id]").await, &all, "the cards");
        let hidden = page.call(js!("hostile/rows"), "hiddenCharacters", json!([])).await;
        assert_eq!(hidden, json!([]), "a question contains invisible characters");
        page.press("Waiting for you").await;
        page.until_present(".waiting [data-ask-id]").await;
        assert_shown(&shown(&page, ".waiting [data-ask-id]").await, &all, "the tray");
        page.nothing_has_happened(fixture, &trap, "asked").await;
        page.press_keys(Key::Escape + "").await;
        // The last button of each card declines. A row remains of each.
        for left in (0..all.len()).rev() {
            page.click_last("[role=log] [data-ask-id] button").await;
            page.until_count("[role=log] [data-ask-id]", left).await;
        }
        page.until_absent("[data-ask-id]").await;
        page.be_endless().await;
        page.until_at_least("[role=log] [data-kind=system]", all.len()).await;
        assert_shown(&shown(&page, "[role=log] [data-kind=system]").await, &all, "the rows");
        page.nothing_has_happened(fixture, &trap, "answered").await;
    })
    .await;
}

fn decorations(script: &mut Script, all: &[String]) {
    for (number, text) in all.iter().enumerate() {
        let level = ["info", "warning", "error"][number % 3];
        script.extension("notify", json!({"message": text, "notifyType": level}));
        script.send(json!({"type": "extension_error", "extensionPath": text, "error": text}));
        script.extension("setTitle", json!({"title": text}));
        script.send(json!({"type": "session_info_changed", "name": text}));
        script.extension("set_editor_text", json!({"text": text}));
        let retry = json!({"type": "auto_retry_start", "attempt": 1, "maxAttempts": 3, "delayMs": 5,
            "errorMessage": text});
        script.send(retry);
        script.send(json!({"type": text, "data": text}));
    }
    for text in all.iter().take(32) {
        script.extension("setStatus", json!({"statusKey": text, "statusText": text}));
        script.extension(
            "setWidget",
            json!({"widgetKey": text, "widgetLines": text.lines().collect::<Vec<_>>()}),
        );
    }
}

#[tokio::test]
async fn decorations_of_extensions_and_options_of_menus_are_only_text() {
    let trap = Trap::set();
    let payloads = texts(&trap);
    let all = bundles(&payloads, 17);
    assert!(all.len() <= 32, "the page keeps no more than 32");
    let mut script = Script::default();
    let model = |text: &str| json!({"id": text, "name": text, "provider": text, "contextWindow": 100_000, "reasoning": true});
    // A longer name is cut.
    let names = payloads.iter().map(|payload| payload.text.clone()).filter(|text| text.len() <= NAME_BYTES);
    let names: Vec<String> = names.collect();
    let models: Vec<Value> = names.iter().map(|name| model(name)).collect();
    let command = |text: &str| json!({"name": text, "description": text, "source": "extension"});
    let commands: Vec<Value> = names.iter().map(|name| command(name)).collect();
    for _ in 0..8 {
        let state = json!({"model": model(&names[0]), "thinkingLevel": "medium", "isStreaming": false,
            "isCompacting": false, "sessionFile": "", "sessionId": ""});
        script.respond_anytime("get_state", state);
        script.respond_anytime("get_available_models", json!({ "models": models }));
        script.respond_anytime("get_commands", json!({ "commands": commands }));
    }
    script.expect_command("prompt");
    script.respond("prompt", json!({"disposition": "started"}));
    script.send(json!({"type": "agent_start"}));
    decorations(&mut script, &all);
    scripted_story("hostile-extensions", &script, async |fixture| {
        let page = fixture.page();
        page.watch().await;
        page.without_policy().await;
        page.enter(&fixture.server.link).await;
        page.new_session_of("scripted").await;
        page.send("Show me").await;
        page.until_count("[data-widget]", all.len()).await;
        page.until_count("[data-status]", all.len()).await;
        // Colours of a terminal have no meaning here and are not shown.
        let plain: Vec<String> = all.iter().flat_map(|text| text.lines()).map(str::to_owned).collect();
        let plain: Vec<String> = plain.into_iter().filter(|line| !line.contains('\x1b')).collect();
        assert_shown(&shown(&page, "[data-widget]").await, &plain, "the widgets");
        assert_shown(&shown(&page, "[data-status]").await, &plain, "the statuses");
        let last = &all[all.len() - 1..];
        assert_shown(&shown(&page, ".notice-text").await, last, "the notices");
        assert_shown(&shown(&page, ".run-status").await, last, "the retry");
        assert_shown(&shown(&page, "h1.title").await, &[first_line(&last[0])], "the title");
        let title = page.title().await;
        assert!(title.contains(&first_line(&last[0])), "{title}");
        assert_shown(&shown(&page, ".title-model").await, &names[..1], "the model");
        page.nothing_has_happened(fixture, &trap, "decorated").await;

        page.press("Model").await;
        page.until_at_least("#models [role=option]", names.len()).await;
        assert_shown(&shown(&page, "#models [role=option]").await, &names, "the models");
        page.press_keys(Key::Escape + "").await;
        page.fill_composer("/").await;
        page.until_at_least("#commands [role=option]", names.len()).await;
        assert_shown(&shown(&page, "#commands [role=option]").await, &names, "the commands");
        page.nothing_has_happened(fixture, &trap, "offered").await;
    })
    .await;
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap().to_owned()
}

#[tokio::test]
async fn the_last_words_of_an_agent_are_only_text() {
    let trap = Trap::set();
    let all = bundles(&texts(&trap), 20);
    let folder = tempfile::tempdir().unwrap();
    let last_words = folder.path().join("words");
    std::fs::write(&last_words, all.concat()).unwrap();
    let die = format!(
        "read -r line; while [ ! -e go ]; do sleep 0.02; done; cat '{}' >&2; exit 3",
        last_words.display()
    );
    let program = write_stand_in(folder.path(), &built_binary(), PI_VERSION, &die);
    let setup = ServerSetup::new(&built_binary())
        .agent(&format!("dying=pi:sh '{}'", program.display()))
        .env("PI_CODING_AGENT_DIR", folder.path());
    story_with("hostile-death", Size::Wide, project(), setup, async |fixture| {
        let page = fixture.page();
        page.watch().await;
        page.without_policy().await;
        page.enter(&fixture.server.link).await;
        page.new_session_of("dying").await;
        page.send("Are you there?").await;
        page.until_state("creating").await;
        page.open_new_session_form().await;
        fixture.release("go");
        page.press("Waiting for you").await;
        page.until_present(".waiting-reason").await;
        page.press("Open").await;
        page.until_state("error").await;
        // The server keeps the last lines.
        assert_shown(&shown(&page, "[role=log]").await, &all[all.len() - 1..], "the error");
        page.nothing_has_happened(fixture, &trap, "dead").await;
    })
    .await;
}

#[tokio::test]
async fn the_reason_why_an_agent_does_not_start_is_only_text() {
    let trap = Trap::set();
    let folder = tempfile::tempdir().unwrap();
    // The page shows the last line of each agent, up to a length, so it takes several agents.
    let mut complaints = vec![String::new()];
    for payload in texts(&trap) {
        let text = payload.text.lines().collect::<Vec<_>>().join(" ");
        let last = complaints.len() - 1;
        if complaints[last].len() + text.len() > 1_500 {
            complaints.push(text);
        } else {
            complaints[last] = format!("{} {text}", complaints[last]);
        }
    }
    let program = folder.path().join("agent.sh");
    std::fs::write(&program, "cat \"$1\" >&2; exit 3\n").unwrap();
    let mut setup = ServerSetup::new(&built_binary());
    for (number, complaint) in complaints.iter().enumerate() {
        let words = folder.path().join(format!("words-{number}"));
        std::fs::write(&words, format!("Error:\n{complaint}\n")).unwrap();
        let agent = format!("berth {number}=pi:sh '{}' '{}'", program.display(), words.display());
        setup = setup.agent(&agent);
    }
    story_with("hostile-start", Size::Wide, project(), setup, async |fixture| {
        let page = fixture.page();
        page.watch().await;
        page.without_policy().await;
        page.enter(&fixture.server.link).await;
        page.until_count(".choice-problem", complaints.len()).await;
        let reasons = shown(&page, ".choice-problem").await;
        assert_shown(&reasons, &complaints, "the agents");
        assert!(!reasons.contains(['\u{202e}', '\u{200b}', '\u{2066}']), "invisible characters are shown");
        page.nothing_has_happened(fixture, &trap, "offered").await;
    })
    .await;
}
