//! The first load, in a browser that has never visited the page: small, each file once, the highlighter only when code
//! appears, and lazy parts only when they are shown.

use serde::Deserialize;
use serde_json::json;

use pilothouse_test_support::browser::{JavaScript, Page, Size};

use crate::fixture::story;

const JS: JavaScript = js!("first_load");

/// The budget of the first load, in bytes as sent: the HTML with its styles, the scripts and the WebAssembly.
const BUDGET: u64 = 500_000;

/// Files that the browser fetches for the tab and for installing the page.
const ICONS: [&str; 3] = [".png", ".svg", ".webmanifest"];

/// The budget of the highlighter, in bytes as sent.
const HIGHLIGHTER_BUDGET: u64 = 45_000;

const HIGHLIGHTER: &str = "/pilothouse-highlight-web";

/// The file with the lists in the settings, a lazy part.
const SETTINGS: &str = "/split_settings.wasm";

/// The list of devices, and the problem that replaces it.
const DEVICE: &str = "dialog[open] .device";
const PROBLEM: &str = "dialog[open] .problem";

/// A file that the page requested from the server.
#[derive(Debug, Deserialize)]
struct File {
    path: String,
    bytes: u64,
}

async fn requested_files(page: &Page) -> Vec<File> {
    page.call_as(JS, "requestedFiles", json!([])).await
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
    story("first-load", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.add_init_call(JS, "recordSynchronousRequests", json!([])).await;
        page.first_visit(&fixture.server.link).await;
        page.call(JS, "idle", json!([])).await;

        let files = requested_files(&page).await;
        let is_icon = |file: &&File| ICONS.iter().any(|ending| file.path.ends_with(ending));
        let bytes: u64 = files.iter().filter(|file| !is_icon(file)).map(|file| file.bytes).sum();
        assert!((100_000..=BUDGET).contains(&bytes), "{bytes} bytes: {files:#?}");
        assert_each_once(&files);
        assert_eq!(count(&files, |path| path.ends_with(".wasm")), 1, "one module: {files:#?}");
        let synchronous = page.call(JS, "synchronousRequests", json!([])).await;
        assert_eq!(synchronous, json!([]), "synchronous requests");
    })
    .await;
}

#[tokio::test]
async fn the_highlighter_is_requested_once_and_only_when_code_appears() {
    story("first-load-code", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.run("/image").await;
        let is_highlighter = |path: &str| path.starts_with(HIGHLIGHTER);
        assert_eq!(count(&requested_files(&page).await, is_highlighter), 0, "no code has appeared yet");

        page.run("/tour").await;
        page.until_present(".code-block .code-function").await;
        page.run("/tour").await;
        let files = requested_files(&page).await;
        // The loader, the glue and the module.
        assert_eq!(count(&files, is_highlighter), 3, "{files:#?}");
        let bytes: u64 = files.iter().filter(|file| is_highlighter(&file.path)).map(|file| file.bytes).sum();
        assert!((1_000..=HIGHLIGHTER_BUDGET).contains(&bytes), "{bytes} bytes: {files:#?}");
        assert_each_once(&files);
    })
    .await;
}

#[tokio::test]
async fn a_lazy_part_is_requested_once_and_only_when_it_is_shown() {
    story("first-load-part", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.press("Settings").await;
        page.until_present(".popover.settings:popover-open").await;
        let is_settings = |path: &str| path.ends_with(SETTINGS);
        assert_eq!(count(&requested_files(&page).await, is_settings), 0, "the lists are not shown yet");

        for _ in 0..2 {
            page.press("Devices…").await;
            page.until_count(DEVICE, 1).await;
            page.press("Close").await;
            page.press("Settings").await;
        }
        let files = requested_files(&page).await;
        assert_eq!(count(&files, is_settings), 1, "{files:#?}");
        assert_each_once(&files);
    })
    .await;
}

#[tokio::test]
async fn a_lazy_part_that_cannot_be_loaded_says_so_and_can_be_loaded_again() {
    story("first-load-failure", Size::Wide, async |fixture| {
        let page = fixture.page();
        page.first_visit(&fixture.server.link).await;
        page.press("Settings").await;
        page.until_text_in(".popover.settings", "Devices…").await;
        fixture.server.kill();
        page.until_lost().await;
        page.press("Devices…").await;
        page.until_text_in(PROBLEM, "could not be loaded").await;
        page.screenshot("wide-lazy-part-failed").await;
        page.press("Try again").await;
        page.until_text_in(PROBLEM, "could not be loaded").await;
        assert_eq!(page.count(PROBLEM).await, 1);

        fixture.server.restart();
        page.until_connected().await;
        page.press("Try again").await;
        page.until_count(DEVICE, 1).await;
        assert_eq!(page.count("dialog[open] .ask-answers").await, 0, "the problem is gone");
    })
    .await;
}
