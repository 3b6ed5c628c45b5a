//! `cargo xtask test`: which checks and tests there are, in which order, and how each is called.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::architecture;
use crate::arguments::Part;
use crate::cargo;
use crate::fuzz;
use crate::page;
use crate::process;
use crate::serve;
use crate::setup::{Axe, Browser, PageTools, RealAgents, TARGET, TEST_RUNNER};
use crate::steps::Steps;
use crate::workspace::Workspace;

const PAGE_PACKAGE: &str = "pilothouse-page";

/// Integration tests that need more than the host: a browser, or a whole server.
const END_TO_END_TEST: &str = "e2e";
const WEB_TEST: &str = "web";

const SEE_ABOVE: &str = "tests failed; the lines above say which";

/// What is quick and needs no set-up comes first, so that a slip is told early.
pub(crate) fn run(workspace: &Workspace, part: Option<Part>, arguments: &[String]) -> Result<ExitCode> {
    let wants = |wanted: Part| part.is_none_or(|part| part == wanted);
    let metadata = cargo::metadata(workspace)?;
    let tests = cargo::integration_tests(&metadata);
    let mut steps = Steps::default();
    if wants(Part::Unit) {
        steps.check("formatting", || formatting(workspace));
        steps.check("architecture", || architecture::check(workspace, &metadata));
        steps.check("lints", || lints(workspace));
        steps.need("unit tests", || unit(workspace, &tests, arguments));
        if arguments.is_empty() {
            steps.need("documentation tests", || documentation(workspace));
        }
    }
    // A name of a test says nothing to a fuzzer.
    if part == Some(Part::Fuzz) || (part.is_none() && arguments.is_empty()) {
        steps.check("fuzzing", || fuzz::short_runs(workspace, arguments));
    }
    if wants(Part::Web) || wants(Part::EndToEnd) {
        browser_parts(workspace, &mut steps, &tests, arguments, (wants(Part::Web), wants(Part::EndToEnd)));
    }
    Ok(steps.finish())
}

fn browser_parts(
    workspace: &Workspace,
    steps: &mut Steps,
    tests: &[String],
    arguments: &[String],
    (web, end_to_end): (bool, bool),
) {
    let tools = steps.need("set-up", || Ok((PageTools::ensure(workspace)?, Browser::ensure(workspace)?)));
    // Without tools the steps are still named, and skipped.
    let tools = || tools.as_ref().context("the set-up failed");
    if web {
        steps.check("agents compile for browsers", || {
            let (tools, _) = tools()?;
            agents_for_browsers(workspace, tools)
        });
        steps.need("browser tests", || {
            let (tools, browser) = tools()?;
            browser_tests(workspace, tools, browser, tests, arguments)
        });
    }
    if end_to_end {
        let agents = steps.need("real agents", || RealAgents::ensure(workspace));
        let axe = steps.need("axe", || Axe::ensure(workspace));
        steps.need("page", || {
            let (tools, _) = tools()?;
            page::build(workspace, tools)
        });
        steps.need("server", || serve::build(workspace, &[]));
        steps.need("end-to-end tests", || {
            let (_, browser) = tools()?;
            let agents = agents.as_ref().context("the set-up failed")?;
            let axe = axe.as_ref().context("the set-up failed")?;
            end_to_end_tests(workspace, browser, (agents, axe), tests, arguments)
        });
    }
}

/// The fuzz targets are a workspace of their own, which cargo formats only when told.
fn formatting(workspace: &Workspace) -> Result<()> {
    process::run(
        cargo::cargo(workspace).args(["fmt", "--all", "--check"]),
        "some files are not formatted; run `cargo fmt --all`",
    )?;
    process::run(
        cargo::cargo(workspace).args(["fmt", "--check", "--manifest-path", fuzz::MANIFEST]),
        &format!("some files are not formatted; run `cargo fmt --manifest-path {}`", fuzz::MANIFEST),
    )
}

fn lints(workspace: &Workspace) -> Result<()> {
    process::run(
        cargo::cargo(workspace).args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
        "clippy found something; the lines above say what",
    )
}

/// Every test of the host. Targets are named one by one, since the end-to-end tests are not among them.
fn unit(workspace: &Workspace, tests: &[String], arguments: &[String]) -> Result<()> {
    let mut command = cargo::cargo(workspace);
    command.args(["test", "--workspace", "--lib", "--bins"]);
    for test in tests.iter().filter(|name| *name != END_TO_END_TEST && *name != WEB_TEST) {
        command.args(["--test", test]);
    }
    process::run(command.arg("--").args(arguments), SEE_ABOVE)
}

fn documentation(workspace: &Workspace) -> Result<()> {
    process::run(cargo::cargo(workspace).args(["test", "--workspace", "--doc", "--quiet"]), SEE_ABOVE)
}

/// The page's build shows that core compiles for browsers; agents must as well, though no page uses it.
fn agents_for_browsers(workspace: &Workspace, tools: &PageTools) -> Result<()> {
    let mut command = for_browsers(workspace, tools, "check")?;
    process::run(
        command.args(["-p", "pilothouse-agents"]),
        "crates/agents must compile for browsers; the lines above say what does not",
    )
}

fn browser_tests(
    workspace: &Workspace,
    tools: &PageTools,
    browser: &Browser,
    tests: &[String],
    arguments: &[String],
) -> Result<()> {
    let mut command = for_browsers(workspace, tools, "test")?;
    command
        .args(["-p", PAGE_PACKAGE, "--lib"])
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", TEST_RUNNER)
        .env("CHROMEDRIVER", &browser.driver.program)
        .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", browser.write_capabilities(workspace)?)
        .env("WASM_BINDGEN_USE_BROWSER", "1");
    if tests.iter().any(|name| name == WEB_TEST) {
        command.args(["--test", WEB_TEST]);
    }
    process::run(command.arg("--").args(arguments), SEE_ABOVE)
}

/// A cargo command with the page's compiler and profile, so that dependencies are shared with the page.
fn for_browsers(workspace: &Workspace, tools: &PageTools, name: &str) -> Result<Command> {
    let mut command = cargo::cargo(workspace);
    command.args([name, "--profile", page::PROFILE, "--target", TARGET]);
    tools.apply(&mut command)?;
    Ok(command)
}

fn end_to_end_tests(
    workspace: &Workspace,
    browser: &Browser,
    (agents, axe): (&RealAgents, &Axe),
    tests: &[String],
    arguments: &[String],
) -> Result<()> {
    if !tests.iter().any(|name| name == END_TO_END_TEST) {
        bail!(
            "there are no end-to-end tests: the root package has no test named `{END_TO_END_TEST}` (tests/e2e/main.rs)"
        );
    }
    let mut command = end_to_end(workspace, browser);
    agents.apply(&mut command);
    axe.apply(&mut command);
    process::run(command.arg("--").args(arguments), SEE_ABOVE)
}

/// The end-to-end tests with the server that was built last.
pub(crate) fn end_to_end(workspace: &Workspace, browser: &Browser) -> Command {
    let mut command = cargo::cargo(workspace);
    command
        .args(["test", "--workspace", "--test", END_TO_END_TEST])
        .env("PILOTHOUSE_BINARY", workspace.built_program("debug", serve::PROGRAM))
        .env("CHROMEDRIVER", &browser.driver.program)
        .env("CHROME_BINARY", &browser.chromium.program);
    command
}
