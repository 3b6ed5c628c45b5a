//! Chromium and its driver, for the tests in a browser.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::{Tool, apt};
use crate::process;
use crate::workspace::Workspace;

const CHROMIUM_NAMES: [&str; 4] = ["chromium", "google-chrome-stable", "google-chrome", "chromium-browser"];

const CHROMIUM_PLACES: [&str; 3] = [
    "/usr/bin/chromium",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

const DRIVER_PLACES: [&str; 4] = [
    "/usr/bin/chromedriver",
    "/usr/lib/chromium-browser/chromedriver",
    "/usr/local/bin/chromedriver",
    "/opt/homebrew/bin/chromedriver",
];

const ADVICE: &str = "the browser tests need Chromium (or Chrome) and the chromedriver of the same version; \
install both, or set CHROME_BINARY and CHROMEDRIVER, and try again";

pub(crate) struct Browser {
    pub(crate) chromium: Tool,
    pub(crate) driver: Tool,
}

impl Browser {
    pub(crate) fn ensure(workspace: &Workspace) -> Result<Self> {
        let _lock = workspace.lock()?;
        let browser = match Self::find() {
            Some(browser) => browser,
            None => Self::install()?,
        };
        let (chromium, driver) = (&browser.chromium.version, &browser.driver.version);
        if process::major(chromium) != process::major(driver) {
            bail!("Chromium is version {chromium} but its driver is {driver}; {ADVICE}");
        }
        Ok(browser)
    }

    fn find() -> Option<Self> {
        let chromium = find_one("CHROME_BINARY", &CHROMIUM_NAMES, &CHROMIUM_PLACES)?;
        let driver = find_one("CHROMEDRIVER", &["chromedriver"], &DRIVER_PLACES)?;
        Some(Self { chromium, driver })
    }

    fn install() -> Result<Self> {
        if !apt::is_available() {
            bail!("{ADVICE}");
        }
        apt::install(&["chromium", "chromium-driver"], "the browser tests").context(ADVICE)?;
        Self::find().context(ADVICE)
    }

    /// Writes the file that configures the browser for wasm-bindgen's test runner.
    pub(crate) fn write_capabilities(&self, workspace: &Workspace) -> Result<PathBuf> {
        let file = workspace.path("target/webdriver.json");
        let options = json!({ "binary": self.chromium.program, "args": chromium_flags(apt::is_root()) });
        let text = json!({ "goog:chromeOptions": options }).to_string();
        fs::write(&file, text).context("target/webdriver.json cannot be written")?;
        Ok(file)
    }
}

/// Flags for a browser without a window and without requests of its own. Its sandbox does not work for root.
fn chromium_flags(is_root: bool) -> Vec<&'static str> {
    let mut flags = vec![
        "--headless",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
    ];
    if is_root {
        flags.push("--no-sandbox");
    }
    flags
}

/// The program named by a variable, else on the PATH, else at one of the places.
fn find_one(variable: &str, names: &[&str], places: &[&str]) -> Option<Tool> {
    let named = std::env::var_os(variable).map(PathBuf::from);
    let candidates = named
        .into_iter()
        .chain(names.iter().filter_map(|name| process::on_path(name)))
        .chain(places.iter().map(PathBuf::from));
    candidates.into_iter().find_map(|program| {
        let version = process::version(&program)?;
        Some(Tool { program, version })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_root_runs_without_the_sandbox() {
        assert!(!chromium_flags(false).contains(&"--no-sandbox"));
        assert!(chromium_flags(true).contains(&"--no-sandbox"));
    }
}
