//! `cargo xtask bench page`: measures the page in a real browser, and in the same run a page of plain elements that
//! shows the same text (the floor). The bench is in tests/bench; a name is a page and a figure of it.

use std::collections::HashMap;
use std::fs;

use anyhow::{Context, Result};

use super::comparisons::Comparison;
use super::print_table;
use super::table::{Budget, Unit};
use crate::cargo;
use crate::page;
use crate::process;
use crate::report::Progress;
use crate::server::{self, Profile};
use crate::setup::{Browser, PageTools};
use crate::workspace::Workspace;

use Budget::{AtLeast, AtMost, Below, Ratio};
use Unit::{Bytes, Count, Nanoseconds, PerSecond};

const PAGE: [Comparison; 29] = [
    beside("main thread per delta, 100 turns", Nanoseconds, ["floor/cpu-100", "page/cpu-100"], Ratio(1.35)),
    beside("  5,000 turns", Nanoseconds, ["floor/cpu-5000", "page/cpu-5000"], Ratio(1.35)),
    beside("  the page, from 100 to 5,000", Nanoseconds, ["page/cpu-100", "page/cpu-5000"], Ratio(1.15)),
    Comparison::new("  scripts", Nanoseconds, "floor/script-100", "page/script-100", None),
    Comparison::new("  style", Nanoseconds, "floor/style-100", "page/style-100", None),
    Comparison::new("  layout", Nanoseconds, "floor/layout-100", "page/layout-100", None),
    beside("layouts, 100 turns", PerSecond, ["floor/layouts-100", "page/layouts-100"], Ratio(1.1)),
    beside("  5,000 turns", PerSecond, ["floor/layouts-5000", "page/layouts-5000"], Ratio(1.1)),
    beside("screen updates, 100 turns", PerSecond, ["floor/updates-100", "page/updates-100"], AtLeast(55.0)),
    beside("  5,000 turns", PerSecond, ["floor/updates-5000", "page/updates-5000"], AtLeast(55.0)),
    beside("key to paint, p95, 100 turns", Nanoseconds, ["floor/key-100", "page/key-100"], Ratio(1.3)),
    beside("  5,000 turns", Nanoseconds, ["floor/key-5000", "page/key-5000"], Ratio(1.3)),
    beside("burst, 100 turns", Nanoseconds, ["floor/burst-100", "page/burst-100"], Ratio(1.3)),
    beside("  5,000 turns", Nanoseconds, ["floor/burst-5000", "page/burst-5000"], Ratio(1.3)),
    beside("  its longest task, 100 turns", Nanoseconds, ["floor/task-100", "page/task-100"], Below(50e6)),
    beside("  5,000 turns", Nanoseconds, ["floor/task-5000", "page/task-5000"], Below(50e6)),
    beside("showing a session, 100 turns", Nanoseconds, ["floor/show-100", "page/show-100"], Ratio(2.5)),
    beside("  the page, from 100 to 5,000", Nanoseconds, ["page/show-100", "page/show-5000"], Ratio(1.2)),
    Comparison::new("  5,000 turns", Nanoseconds, "floor/show-5000", "page/show-5000", None),
    beside("switching back, 100 turns", Nanoseconds, ["floor/switch-100", "page/switch-100"], Ratio(2.0)),
    beside("  5,000 turns", Nanoseconds, ["floor/switch-5000", "page/switch-5000"], Ratio(2.0)),
    beside("memory, 100 turns", Bytes, ["floor/memory-100", "page/memory-100"], Ratio(2.0)),
    beside("  5,000 turns", Bytes, ["floor/memory-5000", "page/memory-5000"], Ratio(2.0)),
    Comparison::new("  the page, from 100 to 5,000", Bytes, "page/memory-100", "page/memory-5000", None),
    beside("nodes, 100 turns", Count, ["floor/nodes-100", "page/nodes-100"], Ratio(3.0)),
    beside("  5,000 turns", Count, ["floor/nodes-5000", "page/nodes-5000"], Ratio(3.0)),
    Comparison::new("  the page, from 100 to 5,000", Count, "page/nodes-100", "page/nodes-5000", None),
    Comparison::alone("first load", Bytes, "page/first-load", Some(AtMost(500e3))),
    beside("first visit, new profile", Nanoseconds, ["floor/first-visit", "page/first-visit"], Ratio(3.0)),
];

const fn beside(what: &'static str, unit: Unit, names: [&'static str; 2], budget: Budget) -> Comparison {
    Comparison::new(what, unit, names[0], names[1], Some(budget))
}

pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let browser = Browser::ensure(workspace)?;
    page::build(workspace, &PageTools::ensure(workspace, &mut Progress::default())?)?;
    server::build(workspace, Profile::Release)?;
    let figures = workspace.build_folder().join("page-figures.json");
    let mut command = cargo::cargo(workspace);
    // The bench only drives browser and server, so it needs no optimisation and reuses the end-to-end tests' build.
    command
        .args(["test", "--workspace", "--bench", "page", "--"])
        .args(arguments)
        .env("PILOTHOUSE_BINARY", server::program(workspace, Profile::Release))
        .env("PILOTHOUSE_FIGURES", &figures)
        .env("CHROMEDRIVER", &browser.driver.program)
        .env("CHROME_BINARY", &browser.chromium.program);
    process::run(&mut command, "the bench failed; see above")?;
    let text = fs::read_to_string(&figures).context("the bench wrote no figures")?;
    let measured: HashMap<String, f64> =
        serde_json::from_str(&text).context("the figures of the bench cannot be read")?;
    print_table(&PAGE, |name| measured.get(name).copied())
}
