//! `cargo xtask first-load`: finds out what the page runs until it stands, and writes down that everything else comes
//! later. A story in a real browser says what belongs to it: `tests/e2e/first_load.rs`.

use std::fs;

use anyhow::{Context, Result};

use crate::cargo;
use crate::page;
use crate::process;
use crate::report;
use crate::serve;
use crate::setup::{Browser, PageTools};
use crate::split;
use crate::test;
use crate::workspace::Workspace;

const STORY: &str = "first_load::what_the_page_runs_until_it_stands";

pub(crate) fn renew(workspace: &Workspace) -> Result<()> {
    let browser = Browser::ensure(workspace)?;
    let (folder, wasm) = page::traced(workspace, &PageTools::ensure(workspace)?)?;
    report::line("server", "is built with a page that keeps count");
    process::run(
        cargo::cargo(workspace)
            .args(["build", "--workspace", "--bin", serve::PROGRAM])
            .env("PILOTHOUSE_PAGE_DIR", &folder),
        "the server could not be built; the lines above say why",
    )?;
    let told = workspace.path("target/page.ran");
    let mut story = test::end_to_end(workspace, &browser);
    story.env("PILOTHOUSE_RAN", &told).args(["--", "--ignored", "--exact", STORY]);
    process::run(&mut story, "the story of the first load failed; the lines above say why")?;
    let ran: Vec<u32> = serde_json::from_str(&fs::read_to_string(&told).context("the story told nothing")?)?;
    let list = split::list(&wasm, &ran.iter().copied().collect())?;
    fs::write(workspace.path(page::LIST), list.write())
        .with_context(|| format!("{} cannot be written", page::LIST))?;
    report::line("done", &format!("{} functions ran, {} lines in {}", ran.len(), list.len(), page::LIST));
    Ok(())
}
