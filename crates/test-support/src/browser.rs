//! A headless Chromium with an empty profile, driven through chromedriver.

mod clicks;
mod page;
mod reading;
mod script;
mod tabs;
mod wire;

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, Stdio};

use thirtyfour::prelude::*;

use crate::process;

pub use page::{COMPOSER, Page, session_row};
pub use reading::{Rect, Row};
pub use script::JavaScript;
pub use tabs::Tabs;

/// A browser and its driver process. Dropping it ends both.
pub struct Browser {
    driver_process: Child,
    /// Kept open: the driver exits when it cannot write.
    _output: BufReader<ChildStdout>,
    pub driver: WebDriver,
    _profile: tempfile::TempDir,
}

/// The screen that the browser emulates.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Size {
    Wide,
    Phone,
}

impl Browser {
    /// Starts a browser that has never visited the page.
    pub async fn start(size: Size) -> Self {
        // The driver exits if another program takes its port before it listens on both addresses.
        let (driver_process, output, port) =
            (0..5).find_map(|_| start_driver()).expect("chromedriver does not start");
        let profile = tempfile::tempdir().unwrap();
        let capabilities = capabilities(profile.path(), size);
        let driver = WebDriver::new(format!("http://127.0.0.1:{port}"), capabilities).await.unwrap();
        Self { driver_process, _output: output, driver, _profile: profile }
    }

    /// The page in the tab that has the focus.
    pub fn page(&self) -> Page {
        Page { driver: self.driver.clone() }
    }

    /// The private memory of the page's process, in bytes: of all that render pages, the largest.
    pub fn page_memory(&self) -> u64 {
        let is_renderer = |process: &u32| {
            process::command_line(*process).iter().any(|word| word.contains("--type=renderer"))
        };
        let renderers = process::descendants(self.driver_process.id()).into_iter().filter(is_renderer);
        renderers.map(process::private_memory).max().unwrap_or_default()
    }

    /// Closes the browser. A driver that is dropped with an open session blocks for a minute.
    pub async fn quit(&self) {
        let _ = self.driver.clone().quit().await;
    }
}

/// Starts the driver and returns its process, output and port; `None` if it exits at once.
fn start_driver() -> Option<(Child, BufReader<ChildStdout>, u16)> {
    let driver_program = std::env::var("CHROMEDRIVER").unwrap_or_else(|_| "chromedriver".to_owned());
    let mut driver_process = Command::new(&driver_program)
        .arg("--port=0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap_or_else(|error| {
            panic!("{driver_program} cannot be started: {error}; run the tests with `cargo xtask test e2e`")
        });
    let mut output = BufReader::new(driver_process.stdout.take().unwrap());
    let mut lines = Vec::new();
    let port = output.by_ref().lines().map_while(Result::ok).find_map(|line| {
        let port =
            line.split("successfully on port ").nth(1).map(|port| port.trim_end_matches('.').to_owned());
        lines.push(line);
        port?.parse::<u16>().ok()
    });
    if port.is_none() {
        let _ = driver_process.wait();
        eprintln!("the driver did not start: {}", lines.join(" "));
    }
    Some((driver_process, output, port?))
}

fn capabilities(profile: &std::path::Path, size: Size) -> thirtyfour::ChromeCapabilities {
    let mut capabilities = DesiredCapabilities::chrome();
    let window = match size {
        Size::Wide => "--window-size=1280,800",
        // Headless Chromium has no window narrower than 500 pixels; the emulation below makes it a phone.
        Size::Phone => "--window-size=500,844",
    };
    for argument in [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        window,
        &format!("--user-data-dir={}", profile.display()),
    ] {
        capabilities.add_arg(argument).unwrap();
    }
    if matches!(size, Size::Phone) {
        let metrics = serde_json::json!({"width": 390, "height": 844, "pixelRatio": 2.0, "touch": true});
        capabilities
            .add_experimental_option("mobileEmulation", serde_json::json!({"deviceMetrics": metrics}))
            .unwrap();
    }
    if let Ok(binary) = std::env::var("CHROME_BINARY") {
        capabilities.set_binary(&binary).unwrap();
    }
    capabilities
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The process group contains the driver and every process of the browser.
        let group = format!("-{}", self.driver_process.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        let _ = self.driver_process.wait();
    }
}
