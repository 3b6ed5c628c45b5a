//! The fixture of a story: a server, a project folder and a browser. A story that fails leaves a screenshot.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;

use pilothouse_test_support::browser::{Browser, Page, Size};
use pilothouse_test_support::proxy::{self, Proxy};
use pilothouse_test_support::scripted_agent::Script;
use pilothouse_test_support::server::{ServerSetup, TestServer, built_binary};
use pilothouse_test_support::session_file::SessionFile;

/// The browser has an empty profile and has never visited the page.
pub struct Fixture {
    pub server: TestServer,
    /// A proxy to the server, for stories in which the connection breaks.
    pub proxy: Proxy,
    pub project: tempfile::TempDir,
    pub browser: Browser,
}

impl Fixture {
    /// The page in the tab that has the focus.
    pub fn page(&self) -> Page {
        self.browser.page()
    }

    /// The address of a session.
    pub fn session_address(&self, session: &str) -> String {
        format!("{}/s/{session}", self.server.origin())
    }

    /// The address of a session with a pairing code, for an origin at which the browser has no access yet.
    pub fn session_link(&self, session: &str) -> String {
        format!("{}#pair={}", self.session_address(session), self.server.new_code())
    }

    /// Kills and restarts the server, and waits until the page is connected again.
    pub async fn restart_server(&mut self) {
        self.server.kill();
        let page = self.page();
        page.until_lost().await;
        self.server.restart();
        page.until_connected().await;
    }

    /// Asserts that the rows stay the same after a reload, and after a restart of the server, when only the session's
    /// file has them.
    pub async fn same_after_reload_and_restart(&mut self) {
        let page = self.page();
        let rows = page.rows().await;
        assert_eq!(page.rows_after_reload().await, rows, "after a reload");
        self.restart_server().await;
        assert_eq!(page.rows_after_reload().await, rows, "after a restart of the server");
    }

    /// Creates the file that a `/wait…` of the demo agent waits for.
    pub fn release(&self, file: &str) {
        std::fs::write(self.project.path().join(file), "").unwrap();
    }

    /// Stores a session of the demo agent and returns its id.
    pub fn add_session(&self, file: SessionFile) -> String {
        file.write(&self.server.demo_sessions().join("--harbour--"))
    }
}

/// A story with the demo agent, which answers without pauses.
pub async fn story(name: &str, size: Size, tell: impl AsyncFnOnce(&mut Fixture)) {
    story_at_pace(name, size, "instant", tell).await;
}

/// A story with the demo agent at a pace: `realistic`, or a factor.
pub async fn story_at_pace(name: &str, size: Size, pace: &str, tell: impl AsyncFnOnce(&mut Fixture)) {
    story_with(name, size, project(), ServerSetup::new(&built_binary()).pace(pace), tell).await;
}

/// A story with a server that offers an agent named `scripted`, which plays the script.
pub async fn scripted_story(name: &str, script: &Script, tell: impl AsyncFnOnce(&mut Fixture)) {
    let folder = tempfile::tempdir().unwrap();
    let setup = script.offer(ServerSetup::new(&built_binary()), folder.path());
    story_with(name, Size::Wide, project(), setup, tell).await;
}

/// A project folder.
pub fn project() -> tempfile::TempDir {
    let project = tempfile::Builder::new().prefix("harbour-").tempdir().unwrap();
    std::fs::write(project.path().join("README.md"), "# Harbour\n\nA small project.\n").unwrap();
    project
}

/// A story with its own server setup.
pub async fn story_with(
    name: &str,
    size: Size,
    project: tempfile::TempDir,
    setup: ServerSetup,
    tell: impl AsyncFnOnce(&mut Fixture),
) {
    let (listener, host) = proxy::bind();
    let setup = setup.project(project.path()).argument("--allowed-host").argument(host);
    let server = setup.start();
    let proxy = Proxy::start(listener, server.port, &[]);
    let browser = Browser::start(size).await;
    let mut fixture = Fixture { server, proxy, project, browser };
    let outcome = AssertUnwindSafe(tell(&mut fixture)).catch_unwind().await;
    if outcome.is_err() {
        fixture.page().screenshot(&format!("failed-{name}")).await;
        eprintln!("the server's log:\n{}", fixture.server.log());
    }
    fixture.browser.quit().await;
    if let Err(failure) = outcome {
        std::panic::resume_unwind(failure);
    }
}
