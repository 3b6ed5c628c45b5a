//! What comes first and what comes later: the first screens need nothing of the later part, and whoever needs it
//! before it is there gets it at once.

use std::collections::BTreeSet;

use serde_json::json;

use pilothouse_test_support::browser::{Page, Size};
use pilothouse_test_support::session_file::{self, SessionFile};

use crate::stage::story;

/// What it may weigh at most.
const MOST: u64 = 250_000;

/// The page will never get what it asks for in the background.
async fn hold_back(page: &Page) {
    let source = "const fetched = window.fetch;\
                  window.fetch = (address, ...rest) =>\
                    String(address).includes('/later-') ? new Promise(() => {}) : fetched(address, ...rest)";
    page.add_init_script(source).await;
}

/// How often the later part was asked for in this way: `fetch`, or `xmlhttprequest` for at once.
async fn asked(page: &Page, how: &str) -> u64 {
    let script = "return performance.getEntriesByType('resource')\
                    .filter((entry) => entry.name.includes('/later-') && entry.initiatorType === arguments[0]).length";
    page.script(script, vec![json!(how)]).await.as_u64().unwrap()
}

async fn until_the_form(page: &Page) {
    page.until("the form", "return !!document.querySelector('main form button[type=submit]:enabled')").await;
}

/// A session in which everything ordinary was said.
async fn conversation(page: &Page) {
    page.new_session().await;
    for prompt in ["Hello there", "/think", "/tools", "/long 3"] {
        page.run(prompt).await;
    }
}

async fn until_the_conversation(page: &Page) {
    page.until_text("/long 3").await;
    page.until(
        "all of it",
        "return ['user', 'assistant', 'tool']\
           .every((kind) => document.querySelector(`[role=log] [data-kind=${kind}]`)) &&\
           !!document.querySelector('textarea[name=prompt]')",
    )
    .await;
    // What is done a few frames later belongs to it, and what is done only when there is nothing else to do.
    let rest = "for (let frame = 0; frame < 20; frame += 1) await new Promise((done) => requestAnimationFrame(done));\
                await new Promise((done) => requestIdleCallback(done))";
    page.async_script(rest).await;
}

#[tokio::test]
async fn the_first_screen_is_small_and_the_rest_comes_once_when_it_stands() {
    story("first-load", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        until_the_form(&page).await;
        page.until(
            "the later part",
            "return performance.getEntriesByType('resource')\
               .some((entry) => entry.name.includes('/later-') && entry.responseEnd > 0)",
        )
        .await;
        let files = page.script(
            "return performance.getEntriesByType('resource')\
               .filter((entry) => !entry.name.includes('/api/') && !entry.name.includes('/later-'))\
               .concat(performance.getEntriesByType('navigation'))\
               .map((entry) => [entry.name, entry.encodedBodySize])",
            vec![],
        );
        let files = files.await;
        let bytes: u64 = files.as_array().unwrap().iter().filter_map(|file| file[1].as_u64()).sum();
        assert!((50_000..=MOST).contains(&bytes), "{bytes} bytes before the page stands: {files}");
        let after = "const entries = performance.getEntriesByType('resource');\
                     const first = entries.find((entry) => /pilothouse-page-[0-9a-f]+\\.wasm$/.test(entry.name));\
                     return entries.find((entry) => entry.name.includes('/later-')).startTime >= first.responseEnd";
        assert_eq!(page.script(after, vec![]).await, json!(true), "the later part did not wait");
        page.new_session().await;
        page.press("Settings").await;
        assert_eq!((asked(&page, "fetch").await, asked(&page, "xmlhttprequest").await), (1, 0));
    })
    .await;
}

#[tokio::test]
async fn nothing_that_comes_later_is_needed_first_and_it_is_there_at_once_when_i_ask_for_it() {
    story("held-back", Size::Wide, async |stage| {
        let page = stage.page();
        page.enter(&stage.server.link).await;
        conversation(&page).await;
        hold_back(&page).await;
        page.reload().await;
        until_the_conversation(&page).await;
        assert_eq!(asked(&page, "xmlhttprequest").await, 0, "a session needs what comes later");
        let session = page.driver.current_url().await.unwrap();
        page.enter(&stage.server.origin()).await;
        until_the_form(&page).await;
        assert_eq!(asked(&page, "xmlhttprequest").await, 0, "the form needs what comes later");

        page.press("Settings").await;
        page.press("Dark").await;
        page.until("the dark", "return document.documentElement.dataset.theme === 'dark'").await;
        assert_eq!(asked(&page, "xmlhttprequest").await, 1);
        page.visit(session.as_str()).await;
        page.until_connected().await;
        until_the_conversation(&page).await;
        page.choose_in_session_menu("Rename").await;
        page.run("And go on").await;
        assert_eq!(asked(&page, "xmlhttprequest").await, 1, "it is asked for once");
    })
    .await;
}

/// Run by `cargo xtask first-load`, with a page that keeps count: what runs here is in the first part of the page.
#[tokio::test]
#[ignore = "needs a page that keeps count; run `cargo xtask first-load`"]
async fn what_the_page_runs_until_it_stands() {
    let file = std::env::var_os("PILOTHOUSE_RAN").expect("run `cargo xtask first-load`");
    let mut ran = BTreeSet::new();
    for size in [Size::Wide, Size::Phone] {
        ran.extend(what_runs(size).await);
    }
    std::fs::write(file, serde_json::to_string(&ran).unwrap()).unwrap();
}

/// What comes a moment later belongs to it as well: on a slow machine it comes before.
async fn come_to_rest(page: &Page) {
    let frames = "for (let frame = 0; frame < 90; frame += 1) await new Promise(requestAnimationFrame);\
                  await new Promise((done) => requestIdleCallback(done))";
    page.async_script(frames).await;
}

async fn what_runs(size: Size) -> BTreeSet<u64> {
    let mut ran = BTreeSet::new();
    story("first-load-ran", size, async |stage| {
        let page = stage.page();
        let collect = "return [...functionsThatRan]";
        page.enter(&stage.server.link).await;
        until_the_form(&page).await;
        come_to_rest(&page).await;
        let form = page.script(collect, vec![]).await;
        // More sessions from before than the sidebar shows at once.
        for number in 1..=14 {
            let mut file = SessionFile::numbered(number, &stage.project.path().to_string_lossy());
            file.user("An older question");
            file.assistant(json!([{"type": "text", "text": "An *older* answer."}]));
            stage.add_session(file);
        }
        match size {
            Size::Wide => {
                conversation(&page).await;
                page.reload().await;
                until_the_conversation(&page).await;
            }
            Size::Phone => {
                page.visit(&format!("{}/s/{}", stage.server.origin(), session_file::numbered_id(1))).await;
                page.until_connected().await;
                page.until_text("older answer").await;
            }
        }
        come_to_rest(&page).await;
        let session = page.script(collect, vec![]).await;
        // The form beside sessions that there are already.
        page.enter(&stage.server.origin()).await;
        until_the_form(&page).await;
        come_to_rest(&page).await;
        let again = page.script(collect, vec![]).await;
        let numbers = [form, session, again].into_iter().flat_map(|told| told.as_array().unwrap().clone());
        ran.extend(numbers.map(|number| number.as_u64().unwrap()));
    })
    .await;
    ran
}
