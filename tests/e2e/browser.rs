//! A headless Chromium with a profile of its own, driven through its driver. Both end with their owner.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, Stdio};

use thirtyfour::prelude::*;

pub struct Browser {
    driver_process: Child,
    /// Held open, since a driver that cannot write ends.
    _output: BufReader<ChildStdout>,
    pub driver: WebDriver,
    _profile: tempfile::TempDir,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Size {
    Wide,
    Phone,
}

impl Browser {
    /// One that has been here before: who comes for the first time may be met otherwise.
    pub async fn start(size: Size) -> Self {
        Self::started(size, false).await
    }

    pub async fn for_the_first_time(size: Size) -> Self {
        Self::started(size, true).await
    }

    async fn started(size: Size, first_time: bool) -> Self {
        // The port it picks may be taken by another program before it has both of its addresses: then it gives up.
        let (driver_process, output, port) = (0..5).find_map(|_| start_driver()).expect("the driver starts");
        let profile = tempfile::tempdir().unwrap();
        let capabilities = capabilities(profile.path(), size);
        let driver = WebDriver::new(format!("http://127.0.0.1:{port}"), capabilities).await.unwrap();
        if !first_time {
            let been_here = "try { localStorage['pilothouse.begun'] = 'yes' } catch {}";
            let script = serde_json::json!({"source": been_here});
            driver.cdp().send_raw("Page.addScriptToEvaluateOnNewDocument", script).await.unwrap();
        }
        Self { driver_process, _output: output, driver, _profile: profile }
    }
}

/// The driver's process, its output and its port; none if it ended at once.
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
            panic!("{driver_program}: {error}; run the tests with `cargo xtask test e2e`")
        });
    let mut output = BufReader::new(driver_process.stdout.take().unwrap());
    let mut said = Vec::new();
    let port = output.by_ref().lines().map_while(Result::ok).find_map(|line| {
        let port =
            line.split("successfully on port ").nth(1).map(|port| port.trim_end_matches('.').to_owned());
        said.push(line);
        port?.parse::<u16>().ok()
    });
    if port.is_none() {
        let _ = driver_process.wait();
        eprintln!("the driver did not start: {}", said.join(" "));
    }
    Some((driver_process, output, port?))
}

fn capabilities(profile: &std::path::Path, size: Size) -> thirtyfour::ChromeCapabilities {
    let mut capabilities = DesiredCapabilities::chrome();
    let window = match size {
        Size::Wide => "--window-size=1280,800",
        // Headless Chromium has no window narrower than 500: the emulation below makes it a phone.
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
        // The whole group: the driver and every process of its browser.
        let group = format!("-{}", self.driver_process.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        let _ = self.driver_process.wait();
    }
}
