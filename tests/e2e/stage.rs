//! Everything a story needs: a server, a project folder, a browser. When a story fails, what the browser showed is
//! kept as a picture.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;

use pilothouse_test_support::browser::{Browser, Page, Size};
use pilothouse_test_support::server::{ServerSetup, TestServer, built_binary};

use crate::line::{self, Line};

pub struct Stage {
    pub server: TestServer,
    /// Another way to the server, for stories in which it breaks.
    pub line: Line,
    pub project: tempfile::TempDir,
    pub browser: Browser,
}

impl Stage {
    /// The tab that is in front.
    pub fn page(&self) -> Page {
        self.browser.page()
    }

    /// Lets a `/wait…` of the demo's go on.
    pub fn release(&self, file: &str) {
        std::fs::write(self.project.path().join(file), "").unwrap();
    }
}

pub async fn story(name: &str, size: Size, tell: impl AsyncFnOnce(&mut Stage)) {
    story_at_pace(name, size, "instant", tell).await;
}

pub async fn story_at_pace(name: &str, size: Size, pace: &str, tell: impl AsyncFnOnce(&mut Stage)) {
    story_with(name, size, project(), ServerSetup::new(&built_binary()).pace(pace), tell).await;
}

/// A folder to work in.
pub fn project() -> tempfile::TempDir {
    let project = tempfile::Builder::new().prefix("harbour-").tempdir().unwrap();
    std::fs::write(project.path().join("README.md"), "# Harbour\n\nA small project.\n").unwrap();
    project
}

/// A story with a server that is set up as the teller wants it.
pub async fn story_with(
    name: &str,
    size: Size,
    project: tempfile::TempDir,
    setup: ServerSetup,
    tell: impl AsyncFnOnce(&mut Stage),
) {
    let (listener, host) = line::listener();
    let setup = setup.project(project.path()).argument("--allowed-host").argument(host);
    let server = setup.start();
    let line = Line::new(listener, &server);
    let browser = Browser::start(size).await;
    let mut stage = Stage { server, line, project, browser };
    let told = AssertUnwindSafe(tell(&mut stage)).catch_unwind().await;
    if told.is_err() {
        stage.page().screenshot(&format!("failed-{name}")).await;
        eprintln!("the server's log:\n{}", stage.server.log());
    }
    stage.browser.quit().await;
    if let Err(failure) = told {
        std::panic::resume_unwind(failure);
    }
}
