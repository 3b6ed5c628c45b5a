//! Every state a screen can be in, wide and phone-sized: axe is asked whether everybody can use it, in every theme, and
//! a picture of it is kept for people to look at.

mod asking;
mod axe;
mod beginning;
mod library;
mod talking;
mod trouble;

use serde_json::json;

use pilothouse_test_support::browser::{Page, Size};
use pilothouse_test_support::scripted_agent::Script;
use pilothouse_test_support::server::{ServerSetup, built_binary};

use crate::stage::{Stage, project, story_with};

/// How the page looks: what is emulated of the system, and what the person has chosen.
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

/// Of so many of the themes there are pictures of every state.
const PICTURED: usize = 2;

pub struct Screen {
    page: Page,
    size: Size,
    /// What axe has found.
    found: Vec<String>,
}

impl Screen {
    /// Looks at the page as it stands.
    async fn shows(&mut self, state: &str) {
        let size = match self.size {
            Size::Wide => "wide",
            Size::Phone => "phone",
        };
        if matches!(self.size, Size::Phone) {
            let small = "return [...document.querySelectorAll('input, textarea, select')]\
                           .filter((field) => field.offsetParent && parseFloat(getComputedStyle(field).fontSize) < 16)\
                           .map((field) => field.name || field.ariaLabel || field.className)";
            let small = self.page.script(small, vec![]).await;
            assert_eq!(small, json!([]), "{state}: a phone zooms in on these");
        }
        for (number, theme) in THEMES.iter().enumerate() {
            self.put_on(theme).await;
            if number < PICTURED {
                self.page.screenshot(&format!("{size}-{state}-{}", theme.name)).await;
            }
            // What is not about colours is the same in all of them.
            let found = axe::run(&self.page, number > 0).await;
            self.found
                .extend(found.into_iter().map(|found| format!("{size} {state} {}: {found}", theme.name)));
        }
        self.put_on(&THEMES[0]).await;
    }

    async fn put_on(&self, theme: &Theme) {
        let features = json!({"features": [
            {"name": "prefers-color-scheme", "value": theme.scheme},
            {"name": "prefers-contrast", "value": theme.contrast},
        ]});
        self.page.cdp("Emulation.setEmulatedMedia", features).await;
        let choose = format!(
            "document.documentElement.toggleAttribute('data-contrast', false);\
             if ({}) document.documentElement.dataset.contrast = 'more';\
             await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));\
             const fading = document.getAnimations().filter((one) => one.effect.getTiming().iterations !== Infinity);\
             await Promise.all(fading.map((animation) => animation.finished));",
            theme.chosen_contrast
        );
        self.page.async_script(&choose).await;
    }

    /// By the button, which works with touch and without.
    async fn send(&self, text: &str) {
        self.page.fill_composer(text).await;
        self.page.click("form.composer button[type=submit]").await;
    }

    /// Sends, and waits for the end.
    async fn run(&self, text: &str) {
        self.send(text).await;
        let ended = "const main = document.querySelector('main');\
                     const rows = [...main.querySelectorAll('[role=log] [data-message-id]')];\
                     const asked = rows.findLastIndex((row) => row.dataset.kind === 'user' && row.textContent.includes(arguments[0]));\
                     return asked >= 0 && asked < rows.length - 1 && ['completed', 'error'].includes(main.dataset.state)";
        self.page.until_script(&format!("the end of '{text}'"), ended, vec![json!(text)]).await;
    }

    /// Opens the sidebar where it is a drawer.
    async fn open_sidebar(&self) {
        if matches!(self.size, Size::Phone) {
            self.page.press("Sessions").await;
            self.page
                .until("the drawer", "return document.querySelector('nav').getBoundingClientRect().left >= 0")
                .await;
        }
    }

    async fn close_popover(&self) {
        self.page.script("document.querySelector(':popover-open')?.hidePopover()", vec![]).await;
    }
}

/// The same tour on both sizes.
async fn tour(name: &str, size: Size, setup: ServerSetup, tell: impl AsyncFnOnce(&mut Stage, &mut Screen)) {
    story_with(&format!("screens-{name}"), size, project(), setup, async |stage| {
        let page = stage.page();
        if matches!(size, Size::Wide) {
            let metrics = json!({"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": false});
            page.cdp("Emulation.setDeviceMetricsOverride", metrics).await;
        }
        let mut screen = Screen { page, size, found: Vec::new() };
        tell(stage, &mut screen).await;
        assert!(screen.found.is_empty(), "{} findings:\n{}", screen.found.len(), screen.found.join("\n"));
    })
    .await;
}

fn plain() -> ServerSetup {
    ServerSetup::new(&built_binary())
}

/// With an agent that plays a script.
fn scripted(script: &Script, folder: &tempfile::TempDir) -> ServerSetup {
    script.offer(plain(), folder.path())
}
