//! What an agent and its extensions show beside the conversation: questions, approvals, notices, states, titles, menus,
//! retries, and the words with which a process dies.

use serde_json::{Value, json};

use pilothouse_test_support::browser::{Page, Size};
use pilothouse_test_support::scripted_agent::{PI_VERSION, Script, write_stand_in};
use pilothouse_test_support::server::{ServerSetup, built_binary};

use super::payloads::{bundles, texts, words};
use super::trap::Trap;
use super::watch::Watch;
use crate::stage::{project, scripted_story, story_with};

const ASK_KINDS: [&str; 4] = ["select", "confirm", "input", "editor"];

/// Every text of an element that a person sees or hears, of all that fit.
async fn shown(page: &Page, selector: &str) -> String {
    let script = "return [...document.querySelectorAll(arguments[0])].map((element) => element.textContent).join('\\n')";
    page.script(script, vec![json!(selector)]).await.as_str().unwrap().to_owned()
}

fn is_told(shown: &str, texts: &[String], place: &str) {
    for word in texts.iter().flat_map(|text| words(text)) {
        assert!(shown.contains(word), "'{word}' is not told in {place}: {shown}");
    }
}

#[tokio::test]
async fn a_question_of_the_agent_shows_what_it_says_and_does_nothing_else() {
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
    scripted_story("hostile-asks", &script, async |stage| {
        let page = stage.page();
        page.watch().await;
        page.without_policy().await;
        page.enter(&stage.server.link).await;
        page.new_session_of("scripted").await;
        page.send("Ask me").await;
        let cards = "return document.querySelectorAll('[role=log] [data-ask-id]').length === arguments[0]";
        page.until_script("the cards", cards, vec![json!(all.len())]).await;
        is_told(&shown(&page, "[role=log] [data-ask-id]").await, &all, "the cards");
        let unseen = "return [...document.querySelectorAll('[data-ask-id], [data-ask-id] [placeholder]')]\
                        .flatMap((part) => [part.textContent, part.ariaLabel ?? '', part.placeholder ?? ''])\
                        .filter((text) => /[\\0-\\x08\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069]/.test(text))";
        assert_eq!(page.script(unseen, vec![]).await, json!([]), "nothing hides in what is approved");
        page.press("Waiting on me").await;
        page.until("the tray", "return !!document.querySelector('.waiting [data-ask-id]')").await;
        is_told(&shown(&page, ".waiting [data-ask-id]").await, &all, "the tray");
        page.nothing_has_happened(stage, &trap, "asked").await;
        page.script("document.querySelector(':popover-open').hidePopover()", vec![]).await;
        // The last button of each card declines; what stays of it is a row.
        let decline = "document.querySelectorAll('[role=log] [data-ask-id]').forEach((card) =>\
                         [...card.querySelectorAll('button')].at(-1).click())";
        page.script(decline, vec![]).await;
        page.until("no card", "return !document.querySelector('[data-ask-id]')").await;
        let rows = "return document.querySelectorAll('[role=log] [data-kind=system]').length >= arguments[0]";
        page.be_endless().await;
        page.until_script("what stays of them", rows, vec![json!(all.len())]).await;
        is_told(&shown(&page, "[role=log] [data-kind=system]").await, &all, "the rows");
        page.nothing_has_happened(stage, &trap, "answered").await;
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
async fn what_an_extension_shows_and_what_the_menus_offer_is_only_text() {
    let trap = Trap::set();
    let payloads = texts(&trap);
    let all = bundles(&payloads, 17);
    assert!(all.len() <= 32, "as many as are kept");
    let mut script = Script::default();
    let model = |text: &str| json!({"id": text, "name": text, "provider": text, "contextWindow": 100_000, "reasoning": true});
    let models: Vec<Value> = payloads.iter().map(|payload| model(&payload.text)).collect();
    let command = |text: &str| json!({"name": text, "description": text, "source": "extension"});
    let commands: Vec<Value> = payloads.iter().map(|payload| command(&payload.text)).collect();
    for _ in 0..8 {
        let state = json!({"model": model(&all[0]), "thinkingLevel": "medium", "isStreaming": false,
            "isCompacting": false, "sessionFile": "", "sessionId": ""});
        script.respond_anytime("get_state", state);
        script.respond_anytime("get_available_models", json!({ "models": models }));
        script.respond_anytime("get_commands", json!({ "commands": commands }));
    }
    script.expect_command("prompt");
    script.respond("prompt", json!({"disposition": "started"}));
    script.send(json!({"type": "agent_start"}));
    decorations(&mut script, &all);
    scripted_story("hostile-beside", &script, async |stage| {
        let page = stage.page();
        page.watch().await;
        page.without_policy().await;
        page.enter(&stage.server.link).await;
        page.new_session_of("scripted").await;
        page.send("Show me").await;
        let there = "return document.querySelectorAll(`[data-widget]`).length === arguments[0] &&\
                       document.querySelectorAll(`[data-status]`).length === arguments[0]";
        page.until_script("all of it", there, vec![json!(all.len())]).await;
        // Colours of a terminal mean nothing here and are not told.
        let plain: Vec<String> = all.iter().flat_map(|text| text.lines()).map(str::to_owned).collect();
        let plain: Vec<String> = plain.into_iter().filter(|line| !line.contains('\x1b')).collect();
        is_told(&shown(&page, "[data-widget]").await, &plain, "the boxes");
        is_told(&shown(&page, "[data-status]").await, &plain, "the states");
        let last = &all[all.len() - 1..];
        is_told(&shown(&page, ".notice-text").await, last, "the notices");
        is_told(&shown(&page, ".run-status").await, last, "the retry");
        is_told(&shown(&page, "h1.title").await, &[first_line(&last[0])], "the title");
        let title = page.script("return document.title", vec![]).await;
        assert!(title.as_str().unwrap().contains(&first_line(&last[0])), "{title}");
        is_told(&shown(&page, ".title-model").await, &all[..1], "the model");
        page.nothing_has_happened(stage, &trap, "decorated").await;

        page.press("Model").await;
        let options =
            "return document.querySelectorAll(`#${arguments[0]} [role=option]`).length >= arguments[1]";
        page.until_script("the models", options, vec![json!("models"), json!(payloads.len())]).await;
        is_told(&shown(&page, "#models [role=option]").await, &all, "the models");
        page.script("document.querySelector(':popover-open').hidePopover()", vec![]).await;
        page.fill_composer("/").await;
        page.until_script("the commands", options, vec![json!("commands"), json!(payloads.len())]).await;
        is_told(&shown(&page, "#commands [role=option]").await, &all, "the commands");
        page.nothing_has_happened(stage, &trap, "offered").await;
    })
    .await;
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap().to_owned()
}

#[tokio::test]
async fn the_last_words_of_an_agent_that_dies_are_only_words() {
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
    story_with("hostile-death", Size::Wide, project(), setup, async |stage| {
        let page = stage.page();
        page.watch().await;
        page.without_policy().await;
        page.enter(&stage.server.link).await;
        page.new_session_of("dying").await;
        page.send("Are you there?").await;
        page.until_state("creating").await;
        page.open_new_session_form().await;
        stage.release("go");
        page.press("Waiting on me").await;
        page.until("the tray", "return !!document.querySelector('.waiting-reason')").await;
        page.press("Open").await;
        page.until_state("error").await;
        // The last lines are kept.
        is_told(&shown(&page, "[role=log]").await, &all[all.len() - 1..], "the error");
        page.nothing_has_happened(stage, &trap, "dead").await;
    })
    .await;
}

#[tokio::test]
async fn why_an_agent_does_not_start_is_told_in_its_words_and_they_are_only_words() {
    let trap = Trap::set();
    let folder = tempfile::tempdir().unwrap();
    // An agent each for as much as one is heard with: the last line of what it says.
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
    story_with("hostile-start", Size::Wide, project(), setup, async |stage| {
        let page = stage.page();
        page.watch().await;
        page.without_policy().await;
        page.enter(&stage.server.link).await;
        let there = "return document.querySelectorAll('.choice-problem').length === arguments[0]";
        page.until_script("all complaints", there, vec![json!(complaints.len())]).await;
        let told = shown(&page, ".choice-problem").await;
        is_told(&told, &complaints, "the agents");
        assert!(!told.contains(['\u{202e}', '\u{200b}', '\u{2066}']), "nothing hides in it");
        page.nothing_has_happened(stage, &trap, "offered").await;
    })
    .await;
}
