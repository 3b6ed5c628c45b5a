//! Names: of sessions, folders, files and addresses; and what a person writes, who may have pasted it from anywhere.

use std::collections::BTreeSet;

use serde_json::json;

use pilothouse_test_support::browser::Size;
use pilothouse_test_support::session_file::SessionFile;

use super::payloads::{Payload, bundles, texts, words};
use super::trap::Trap;
use super::watch::Watch;
use crate::stage::story;

#[tokio::test]
async fn titles_and_folders_are_only_text() {
    story("hostile-titles", Size::Wide, async |stage| {
        let trap = Trap::set();
        let payloads = texts(&trap);
        for (number, payload) in payloads.iter().enumerate() {
            let mut file = SessionFile::numbered(number, &format!("/harbour/{}", payload.text));
            file.user("Hello");
            file.title(&payload.text);
            stage.add_session(file);
        }
        let page = stage.page();
        page.watch().await;
        page.without_policy().await;
        page.enter(&stage.server.link).await;
        let there = "return document.querySelectorAll('nav [data-session-id]').length === arguments[0]";
        page.until_script("all sessions", there, vec![json!(payloads.len())]).await;
        let told = "return [...document.querySelectorAll('nav .sidebar-title, nav .folder-name')]\
                      .map((element) => element.textContent).join('\\n')";
        let told = page.script(told, vec![]).await;
        for payload in payloads.iter().filter(|payload| payload.text.chars().count() < 100) {
            let title = payload.text.trim().lines().next().unwrap_or_default();
            assert!(words(title).all(|word| told.as_str().unwrap().contains(word)), "{title:?}");
        }
        page.nothing_has_happened(stage, &trap, "listed").await;
    })
    .await;
}

#[tokio::test]
async fn what_a_search_finds_is_only_text() {
    story("hostile-hits", Size::Wide, async |stage| {
        let trap = Trap::set();
        let payloads = texts(&trap);
        // A search tells three of a session.
        for (number, said) in payloads.chunks(3).enumerate() {
            let mut file = SessionFile::numbered(number, "/harbour");
            file.user("Hello");
            said.iter().for_each(|payload| file.user(&format!("barnacle {}", payload.text)));
            stage.add_session(file);
        }
        let page = stage.page();
        page.watch().await;
        page.without_policy().await;
        page.enter(&stage.server.link).await;
        for query in
            ["barnacle", "onerror", "script", "javascript:", "<img", "url(", "&#", "__proto__", "](http"]
        {
            page.fill("[name=search]", query).await;
            let found = "return [...document.querySelectorAll('nav .hit mark')]\
                           .some((mark) => mark.textContent.toLowerCase() === arguments[0])";
            page.until_script(&format!("hits of {query}"), found, vec![json!(query)]).await;
            page.nothing_has_happened(stage, &trap, query).await;
        }
    })
    .await;
}

/// As the name of a file: no slash, no NUL, not too long.
fn name(payload: &Payload) -> Option<String> {
    let name = payload.text.replace('\0', "").replace('/', "\u{2215}");
    let name = name[..name.floor_char_boundary(200)].to_owned();
    (!name.is_empty() && !name.starts_with('.')).then_some(name)
}

#[tokio::test]
async fn names_of_files_and_folders_are_only_text() {
    story("hostile-files", Size::Wide, async |stage| {
        let trap = Trap::set();
        let names: BTreeSet<String> = texts(&trap).iter().filter_map(name).collect();
        for name in &names {
            std::fs::create_dir_all(stage.project.path().join(name)).unwrap();
            std::fs::write(stage.project.path().join(format!("{name}~")), "").unwrap();
        }
        let page = stage.page();
        page.watch().await;
        page.without_policy().await;
        page.enter(&stage.server.link).await;
        let listed = "return document.querySelectorAll('.folder-entry').length === arguments[0]";
        page.until_script("the folders", listed, vec![json!(names.len() + 1)]).await;
        let told = "return [...document.querySelectorAll('.folder-entry')].map((entry) => entry.textContent).join('\\n')";
        let told = page.script(told, vec![]).await;
        for word in names.iter().flat_map(|name| words(name)) {
            assert!(told.as_str().unwrap().contains(word), "{word}");
        }
        // Into one of them: its name is in the path, the crumbs and the session.
        let inside = stage.project.path().join("<img src=x onerror=pwned()>");
        page.fill("[name=folder]", &inside.to_string_lossy()).await;
        page.press("Go").await;
        page.until("its crumb", "return [...document.querySelectorAll('.crumb')].at(-1)?.textContent.includes('<img')")
            .await;
        page.nothing_has_happened(stage, &trap, "picked").await;
        page.press("Parent folder").await;
        page.until_script("the folders again", listed, vec![json!(names.len() + 1)]).await;
        page.new_session().await;
        let mut offered = 0;
        for letters in ["", "on", "sc", "im", "sv", "ja", "ur", "ht", "da", "pw", "e", "z", "{", "<", "&", "("] {
            page.fill_composer(&format!("@{letters}")).await;
            let found = "return document.querySelector('textarea[name=prompt]').value === arguments[0] &&\
                           [...document.querySelectorAll('#files [role=option]')].length > 0";
            page.until_script("files", found, vec![json!(format!("@{letters}"))]).await;
            offered += page.count("#files [role=option]").await;
            page.nothing_has_happened(stage, &trap, letters).await;
        }
        assert!(offered > 300, "{offered}");
    })
    .await;
}

#[tokio::test]
async fn what_i_write_schedule_run_and_name_is_only_text() {
    story("hostile-own", Size::Wide, async |stage| {
        let trap = Trap::set();
        let all = bundles(&texts(&trap), 20);
        let page = stage.page();
        page.watch().await;
        page.without_policy().await;
        page.enter(&stage.server.link).await;
        page.new_session().await;
        page.send("/wait-tool go").await;
        page.until_tool("running").await;
        for (number, text) in all.iter().enumerate() {
            page.fill_composer(&format!("hatch {text}")).await;
            page.press(if number % 2 == 0 { "Steer" } else { "Follow-up" }).await;
        }
        let queued = "return [...document.querySelectorAll('[data-scheduled] .queue-text')]\
                        .map((row) => row.textContent)";
        let count = "return document.querySelectorAll('[data-scheduled]').length === arguments[0]";
        page.until_script("the queue", count, vec![json!(all.len())]).await;
        let told = page.script(queued, vec![]).await;
        for text in &all {
            // A field knows one kind of line break.
            let text = text.replace("\r\n", "\n").replace('\r', "\n");
            let there = told.as_array().unwrap().contains(&json!(format!("hatch {}", text.trim_end())));
            assert!(there, "{text:?} is not in {told}");
        }
        page.nothing_has_happened(stage, &trap, "scheduled").await;
        page.press("Edit").await;
        page.until("the editor", "return !!document.querySelector('textarea[name=scheduled]')").await;
        page.press("Cancel").await;
        page.press("Restore to editor").await;
        page.until("it back", "return !document.querySelector('[data-scheduled]')").await;
        page.nothing_has_happened(stage, &trap, "restored").await;
        stage.release("go");
        page.until_state("completed").await;
        std::fs::write(stage.project.path().join("payloads"), all.concat()).unwrap();
        page.fill_composer("!cat payloads # <script>pwned()</script>").await;
        page.press("Run").await;
        let ended = "return document.querySelector('[data-kind=bash] .row-result')?.textContent.includes('DROP TABLE')";
        page.until("its output", ended).await;
        page.choose_in_session_menu("Rename").await;
        page.fill(".title-bar [name=title]", "<img src=x onerror=pwned()>").await;
        page.press_keys(thirtyfour::Key::Enter + "").await;
        page.until("its name", "return document.querySelector('h1.title')?.textContent === '<img src=x onerror=pwned()>'")
            .await;
        page.choose_in_session_menu("Delete…").await;
        page.until("the question", "return document.querySelector('dialog[open]')?.textContent.includes('<img src=x')")
            .await;
        page.nothing_has_happened(stage, &trap, "asked").await;
    })
    .await;
}

#[tokio::test]
async fn an_address_is_only_an_address() {
    story("hostile-address", Size::Wide, async |stage| {
        let trap = Trap::set();
        let page = stage.page();
        page.watch().await;
        page.without_policy().await;
        page.enter(&stage.server.link).await;
        for payload in texts(&trap).iter().step_by(12) {
            let path: String = payload.text.bytes().map(|byte| format!("%{byte:02X}")).collect();
            for place in ["/s/", "/", "/?", "/#", "/#token="] {
                page.visit(&format!("{}{place}{path}", stage.server.origin())).await;
                let there = "return !!document.querySelector('main') || !document.querySelector('script')";
                page.until("a page", there).await;
                page.nothing_has_happened(stage, &trap, place).await;
            }
        }
    })
    .await;
}
