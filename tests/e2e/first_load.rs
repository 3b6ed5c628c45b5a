//! The first load, in a browser that has never visited the page: small, each file once, and the highlighter only when
//! code appears.

use serde::Deserialize;

use pilothouse_test_support::browser::{Browser, Page, Size};

use crate::stage::story;

const RECORDER: &str = include_str!("js/first_load.js");

/// The budget of the first load, in bytes as sent.
const BUDGET: u64 = 500_000;

const HIGHLIGHTER: &str = "/pilothouse-highlight-web";

/// A file that the page requested from the server.
#[derive(Debug, Deserialize)]
struct File {
    path: String,
    bytes: u64,
}

async fn requested_files(page: &Page) -> Vec<File> {
    serde_json::from_value(page.script("return firstLoad.files()", vec![]).await).unwrap()
}

fn assert_each_once(files: &[File]) {
    let mut paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    paths.sort_unstable();
    let count = paths.len();
    paths.dedup();
    assert_eq!(paths.len(), count, "files were requested twice: {files:#?}");
}

fn count(files: &[File], is_counted: impl Fn(&str) -> bool) -> usize {
    files.iter().filter(|file| is_counted(&file.path)).count()
}

#[tokio::test]
async fn the_first_load_is_small_and_requests_each_file_once() {
    story("first-load", Size::Wide, async |stage| {
        let browser = Browser::start_first_visit(Size::Wide).await;
        let page = browser.page();
        page.add_init_script(RECORDER).await;
        page.enter(&stage.server.link).await;
        page.until(
            "the composer",
            "return !!document.querySelector('main[data-session-id] textarea[name=prompt]')",
        )
        .await;
        // Some of the page's work is done when the browser is idle.
        page.async_script("await new Promise((done) => requestIdleCallback(done))").await;

        let files = requested_files(&page).await;
        let bytes: u64 = files.iter().map(|file| file.bytes).sum();
        assert!((100_000..=BUDGET).contains(&bytes), "{bytes} bytes: {files:#?}");
        assert_each_once(&files);
        assert_eq!(count(&files, |path| path.ends_with(".wasm")), 1, "one module: {files:#?}");
        let synchronous = page.script("return firstLoad.synchronous", vec![]).await;
        assert_eq!(synchronous, serde_json::json!([]), "synchronous requests");
        browser.quit().await;
    })
    .await;
}

#[tokio::test]
async fn the_highlighter_is_requested_once_and_only_when_code_appears() {
    story("first-load-code", Size::Wide, async |stage| {
        let browser = Browser::start_first_visit(Size::Wide).await;
        let page = browser.page();
        page.add_init_script(RECORDER).await;
        page.enter(&stage.server.link).await;
        page.run("/image").await;
        let is_highlighter = |path: &str| path.starts_with(HIGHLIGHTER);
        assert_eq!(count(&requested_files(&page).await, is_highlighter), 0, "no code has appeared yet");

        page.run("/tour").await;
        page.until("coloured code", "return !!document.querySelector('.code-block .code-function')").await;
        page.run("/tour").await;
        let files = requested_files(&page).await;
        // The loader, the glue and the module.
        assert_eq!(count(&files, is_highlighter), 3, "{files:#?}");
        assert_each_once(&files);
        browser.quit().await;
    })
    .await;
}
