//! Hostile names of sessions, folders, files and addresses, and hostile text that the user pasted.

use std::collections::BTreeSet;

use serde_json::json;

use pilothouse_test_support::browser::Size;
use pilothouse_test_support::session_file::SessionFile;

use super::payloads::{Payload, bundles, texts, words};
use super::trap::Trap;
use super::watch::Watch;
use crate::fixture::story;

#[tokio::test]
async fn titles_and_folders_are_only_text() {
    story("hostile-titles", Size::Wide, async |fixture| {
        let trap = Trap::set();
        let payloads = texts(&trap);
        for (number, payload) in payloads.iter().enumerate() {
            let mut file = SessionFile::numbered(number, &format!("/harbour/{}", payload.text));
            file.user("Hello");
            file.title(&payload.text);
            fixture.add_session(file);
        }
        let page = fixture.page();
        page.watch().await;
        page.without_policy().await;
        page.enter(&fixture.server.link).await;
        page.until_count("nav [data-session-id]", payloads.len()).await;
        let shown = page.texts("nav .sidebar-title, nav .folder-name").await.join("\n");
        for payload in payloads.iter().filter(|payload| payload.text.chars().count() < 100) {
            let title = payload.text.trim().lines().next().unwrap_or_default();
            assert!(words(title).all(|word| shown.contains(word)), "{title:?}");
        }
        page.nothing_has_happened(fixture, &trap, "listed").await;
    })
    .await;
}

#[tokio::test]
async fn hits_of_a_search_are_only_text() {
    story("hostile-hits", Size::Wide, async |fixture| {
        let trap = Trap::set();
        let payloads = texts(&trap);
        // A search shows three hits of a session.
        for (number, said) in payloads.chunks(3).enumerate() {
            let mut file = SessionFile::numbered(number, "/harbour");
            file.user("Hello");
            said.iter().for_each(|payload| file.user(&format!("barnacle {}", payload.text)));
            fixture.add_session(file);
        }
        let page = fixture.page();
        page.watch().await;
        page.without_policy().await;
        page.enter(&fixture.server.link).await;
        for query in
            ["barnacle", "onerror", "script", "javascript:", "<img", "url(", "&#", "__proto__", "](http"]
        {
            page.fill("[name=search]", query).await;
            let found = json!([query]);
            page.until_call(&format!("hits of {query}"), js!("hostile/names"), "isHit", found).await;
            page.nothing_has_happened(fixture, &trap, query).await;
        }
    })
    .await;
}

/// The payload as the name of a file: without slashes and NUL, and not too long.
fn name(payload: &Payload) -> Option<String> {
    let name = payload.text.replace('\0', "").replace('/', "\u{2215}");
    let name = name[..name.floor_char_boundary(200)].to_owned();
    (!name.is_empty() && !name.starts_with('.')).then_some(name)
}

#[tokio::test]
async fn names_of_files_and_folders_are_only_text() {
    story("hostile-files", Size::Wide, async |fixture| {
        let trap = Trap::set();
        let names: BTreeSet<String> = texts(&trap).iter().filter_map(name).collect();
        for name in &names {
            std::fs::create_dir_all(fixture.project.path().join(name)).unwrap();
            std::fs::write(fixture.project.path().join(format!("{name}~")), "").unwrap();
        }
        let page = fixture.page();
        page.watch().await;
        page.without_policy().await;
        page.first_visit(&fixture.server.link).await;
        page.open_new_session_form().await;
        page.until_count(".folder-entry", names.len() + 1).await;
        let shown = page.texts(".folder-entry").await.join("\n");
        for word in names.iter().flat_map(|name| words(name)) {
            assert!(shown.contains(word), "{word}");
        }
        // Inside a folder its name is in the path, the crumbs and the session.
        let inside = fixture.project.path().join("<img src=x onerror=pwned()>");
        page.fill("[name=folder]", &inside.to_string_lossy()).await;
        page.press("Go").await;
        page.until_text_in(".crumb", "<img").await;
        page.nothing_has_happened(fixture, &trap, "picked").await;
        page.press("Parent folder").await;
        page.until_count(".folder-entry", names.len() + 1).await;
        page.new_session().await;
        let mut offered = 0;
        for letters in
            ["", "on", "sc", "im", "sv", "ja", "ur", "ht", "da", "pw", "e", "z", "{", "<", "&", "("]
        {
            page.fill_composer(&format!("@{letters}")).await;
            page.until_draft(&format!("@{letters}")).await;
            page.until_present("#files [role=option]").await;
            offered += page.count("#files [role=option]").await;
            page.nothing_has_happened(fixture, &trap, letters).await;
        }
        assert!(offered > 300, "{offered}");
    })
    .await;
}

#[tokio::test]
async fn my_messages_commands_and_titles_are_only_text() {
    story("hostile-own", Size::Wide, async |fixture| {
        let trap = Trap::set();
        let all = bundles(&texts(&trap), 20);
        let page = fixture.page();
        page.watch().await;
        page.without_policy().await;
        page.first_visit(&fixture.server.link).await;
        page.send("/wait-tool go").await;
        page.until_tool("running").await;
        for (number, text) in all.iter().enumerate() {
            page.fill_composer(&format!("hatch {text}")).await;
            page.press(if number % 2 == 0 { "Steer" } else { "Follow-up" }).await;
        }
        page.until_count("[data-scheduled]", all.len()).await;
        let queued = page.texts("[data-scheduled] .queue-text").await;
        for text in &all {
            // A field has one kind of line break.
            let text = text.replace("\r\n", "\n").replace('\r', "\n");
            let expected = format!("hatch {}", text.trim_end());
            assert!(queued.contains(&expected), "{text:?} is not in {queued:?}");
        }
        page.nothing_has_happened(fixture, &trap, "scheduled").await;
        page.press("Edit").await;
        page.until_present("textarea[name=scheduled]").await;
        page.press("Cancel").await;
        page.press("Restore to editor").await;
        page.until_absent("[data-scheduled]").await;
        page.nothing_has_happened(fixture, &trap, "restored").await;
        fixture.release("go");
        page.until_state("completed").await;
        std::fs::write(fixture.project.path().join("payloads"), all.concat()).unwrap();
        page.fill_composer("!cat payloads # <script>pwned()</script>").await;
        page.press("Run").await;
        page.until_text_in("[data-kind=bash] .row-result", "DROP TABLE").await;
        page.choose_in_session_menu("Rename").await;
        page.fill(".title-bar [name=title]", "<img src=x onerror=pwned()>").await;
        page.press_keys(thirtyfour::Key::Enter + "").await;
        page.until_text_of("h1.title", "<img src=x onerror=pwned()>").await;
        page.choose_in_session_menu("Delete…").await;
        page.until_text_in("dialog[open]", "<img src=x").await;
        page.nothing_has_happened(fixture, &trap, "asked").await;
    })
    .await;
}

#[tokio::test]
async fn an_address_is_only_an_address() {
    story("hostile-address", Size::Wide, async |fixture| {
        let trap = Trap::set();
        let page = fixture.page();
        page.watch().await;
        page.without_policy().await;
        page.enter(&fixture.server.link).await;
        for payload in texts(&trap).iter().step_by(12) {
            let path: String = payload.text.bytes().map(|byte| format!("%{byte:02X}")).collect();
            for place in ["/s/", "/", "/?", "/#", "/#pair="] {
                page.visit(&format!("{}{place}{path}", fixture.server.origin())).await;
                page.until_present("main, html:not(:has(script))").await;
                page.nothing_has_happened(fixture, &trap, place).await;
            }
        }
    })
    .await;
}

/// Addresses and everything that the page stores name another server.
#[tokio::test]
async fn promise_08_neither_the_address_nor_stored_values_choose_another_server() {
    story("hostile-server", Size::Wide, async |fixture| {
        let trap = Trap::set();
        let page = fixture.page();
        page.watch().await;
        page.without_policy().await;
        page.first_visit(&fixture.server.link).await;
        page.run("/help").await;
        let session = page.session().await;
        let stored: Vec<String> = page
            .call_as(js!("hostile/names"), "storeEverywhere", json!([format!("http://{}/", trap.host)]))
            .await;
        assert!(!stored.is_empty(), "the page stores nothing any more: {stored:?}");
        let (origin, host) = (fixture.server.origin(), &trap.host);
        let names = ["server", "api", "host", "base", "url", "socket", "ws", "origin", "proxy"];
        let query: String = names.map(|name| format!("{name}=http://{host}/&")).concat();
        for address in [
            format!("{origin}/s/{session}?{query}"),
            format!("{origin}/s/{session}#{query}"),
            format!("{origin}/s/{session}"),
        ] {
            page.enter(&address).await;
            page.nothing_has_happened(fixture, &trap, &address).await;
        }
        page.until_present(&format!("main[data-session-id='{session}']")).await;
        page.run("/help").await;
        page.nothing_has_happened(fixture, &trap, "a message").await;
    })
    .await;
}
