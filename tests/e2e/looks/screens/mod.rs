//! Every state of the screen, wide and on a phone: axe-core checks it in every theme, and a screenshot is saved for
//! people to look at.

mod agents;
mod axe;
mod branches;
mod conversation;
mod library;
mod questions;
mod start;
mod trouble;

use serde_json::json;

use pilothouse_test_support::browser::{JavaScript, Page, Size};
use pilothouse_test_support::scripted_agent::Script;
use pilothouse_test_support::server::{ServerSetup, built_binary};

use crate::fixture::{Fixture, project, story_with};

const JS: JavaScript = js!("looks/screens");

/// The preferences of the system, and the user's own setting for contrast.
struct Theme {
    name: &'static str,
    scheme: &'static str,
    contrast: &'static str,
    chosen_contrast: bool,
}

const fn theme(name: &'static str, scheme: &'static str) -> Theme {
    Theme { name, scheme, contrast: "no-preference", chosen_contrast: false }
}

const THEMES: [Theme; 6] = [
    theme("light", "light"),
    theme("dark", "dark"),
    Theme { contrast: "more", ..theme("more-light", "light") },
    Theme { contrast: "more", ..theme("more-dark", "dark") },
    Theme { chosen_contrast: true, ..theme("contrast-light", "light") },
    Theme { chosen_contrast: true, ..theme("contrast-dark", "dark") },
];

/// How many of the themes have screenshots.
const PICTURED: usize = 2;

pub struct Screen {
    page: Page,
    size: Size,
    /// The violations so far.
    found: Vec<String>,
}

impl Screen {
    /// Checks the page as it is now.
    async fn check(&mut self, state: &str) {
        let size = match self.size {
            Size::Wide => "wide",
            Size::Phone => "phone",
        };
        if matches!(self.size, Size::Phone) {
            let fields = self.page.call(JS, "zoomedFields", json!([])).await;
            assert_eq!(fields, json!([]), "{state}: a phone zooms in on these fields");
        }
        for (number, theme) in THEMES.iter().enumerate() {
            self.apply(theme).await;
            if number < PICTURED {
                self.page.screenshot(&format!("{size}-{state}-{}", theme.name)).await;
            }
            // Only colours differ between themes.
            let found = axe::run(&self.page, number > 0).await;
            self.found
                .extend(found.into_iter().map(|found| format!("{size} {state} {}: {found}", theme.name)));
        }
        self.apply(&THEMES[0]).await;
    }

    async fn apply(&self, theme: &Theme) {
        self.page
            .emulate_media(&[("prefers-color-scheme", theme.scheme), ("prefers-contrast", theme.contrast)])
            .await;
        self.page.call(JS, "setContrast", json!([theme.chosen_contrast])).await;
    }

    /// Sends with the button, which works with touch and without.
    async fn send(&self, text: &str) {
        self.page.fill_composer(text).await;
        self.page.click("form.composer button[type=submit]").await;
    }

    /// Sends a prompt and waits for the end of the run.
    async fn run(&self, text: &str) {
        let before = self.page.events_seen().await;
        self.send(text).await;
        self.page.until_end_of(text, before).await;
    }
}

/// A story that checks states of the screen. Fails at its end if any check found something.
async fn tour(name: &str, size: Size, setup: ServerSetup, tell: impl AsyncFnOnce(&mut Fixture, &mut Screen)) {
    story_with(&format!("screens-{name}"), size, project(), setup, async |fixture| {
        let page = fixture.page();
        if matches!(size, Size::Wide) {
            page.emulate_window(1280, 800, 1).await;
        }
        let mut screen = Screen { page, size, found: Vec::new() };
        tell(fixture, &mut screen).await;
        assert!(screen.found.is_empty(), "{} findings:\n{}", screen.found.len(), screen.found.join("\n"));
    })
    .await;
}

fn plain() -> ServerSetup {
    ServerSetup::new(&built_binary())
}

/// A setup with an agent that plays a script.
fn scripted(script: &Script, folder: &tempfile::TempDir) -> ServerSetup {
    script.offer(plain(), folder.path())
}
