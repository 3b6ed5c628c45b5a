//! `cargo xtask test`: the checks and tests, in their order.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::architecture;
use crate::arguments::Part;
use crate::cargo;
use crate::fuzz;
use crate::page;
use crate::process;
use crate::report::Progress;
use crate::server::{self, Profile};
use crate::setup::{Axe, Browser, PageTools, RealAgents, TARGET, TEST_RUNNER, Tool, bubblewrap, nginx};
use crate::steps::Steps;
use crate::workspace::Workspace;

/// Integration tests that need a browser.
const END_TO_END_TEST: &str = "e2e";
const WEB_TEST: &str = "web";

const SEE_ABOVE: &str = "tests failed; see above";

/// Checks that are fast and need no set-up run first, so that mistakes show early.
pub(crate) fn run(workspace: &Workspace, part: Option<Part>, arguments: &[String]) -> Result<ExitCode> {
    let wants = |wanted: Part| part.is_none_or(|part| part == wanted);
    let metadata = cargo::metadata(workspace)?;
    let tests = cargo::integration_tests(&metadata);
    let mut steps = Steps::default();
    if wants(Part::Unit) {
        steps.check("formatting", || formatting(workspace));
        steps.check("architecture", || architecture::check(workspace, &metadata));
        steps.check("lints", || lints(workspace));
        bubblewrap::install_if_missing();
        steps.need("unit tests", || unit(workspace, &tests, arguments));
        if arguments.is_empty() {
            steps.need("documentation tests", || documentation(workspace));
        }
    }
    // Arguments are names of tests, which mean nothing to a fuzzer.
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
    let tools = steps.need("setup", || {
        let tools = PageTools::ensure(workspace, &mut Progress::default())?;
        Ok((tools, Browser::ensure(workspace)?))
    });
    // Without tools the steps are still listed, as skipped.
    let tools = || tools.as_ref().context("setup failed");
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
        let nginx = steps.need("nginx", || nginx::ensure(workspace));
        steps.need("page", || {
            let (tools, _) = tools()?;
            page::build(workspace, tools)
        });
        steps.need("server", || server::build(workspace, Profile::Development));
        steps.need("end-to-end tests", || {
            let (_, browser) = tools()?;
            let agents = agents.as_ref().context("setup failed")?;
            let axe = axe.as_ref().context("setup failed")?;
            let nginx = nginx.as_ref().context("setup failed")?;
            end_to_end_tests(workspace, browser, (agents, axe, nginx), tests, arguments)
        });
    }
}

/// Checks the format of this workspace and of the fuzz targets, which are another workspace.
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
        "clippy reported warnings; see above",
    )
}

/// Runs the tests on the host. Integration tests are listed one by one, to leave out those that need a browser.
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

/// Checks that `agents` compiles for browsers. For `core` the build of the page shows it.
fn agents_for_browsers(workspace: &Workspace, tools: &PageTools) -> Result<()> {
    let mut command = for_browsers(workspace, tools, "check")?;
    process::run(
        command.args(["-p", "pilothouse-agents"]),
        "crates/agents must compile for browsers; see the errors above",
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
        .args(["-p", page::PACKAGE, "--lib"])
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", TEST_RUNNER)
        .env("CHROMEDRIVER", &browser.driver.program)
        .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", browser.write_capabilities(workspace)?)
        .env("WASM_BINDGEN_USE_BROWSER", "1");
    if tests.iter().any(|name| name == WEB_TEST) {
        command.args(["--test", WEB_TEST]);
    }
    process::run(command.arg("--").args(arguments), SEE_ABOVE)
}

/// A cargo command with the page's compiler and profile, so that it reuses the page's dependencies.
fn for_browsers(workspace: &Workspace, tools: &PageTools, name: &str) -> Result<Command> {
    let mut command = cargo::cargo(workspace);
    command.args([name, "--profile", page::PROFILE, "--target", TARGET]);
    tools.apply(&mut command)?;
    Ok(command)
}

fn end_to_end_tests(
    workspace: &Workspace,
    browser: &Browser,
    (agents, axe, nginx): (&RealAgents, &Axe, &Tool),
    tests: &[String],
    arguments: &[String],
) -> Result<()> {
    if !tests.iter().any(|name| name == END_TO_END_TEST) {
        bail!(
            "the end-to-end tests are missing: the root package has no test named `{END_TO_END_TEST}` (tests/e2e/main.rs)"
        );
    }
    let mut command = cargo::cargo(workspace);
    command
        .args(["test", "--workspace", "--test", END_TO_END_TEST])
        .env("PILOTHOUSE_BINARY", server::program(workspace, Profile::Development))
        .env("CHROMEDRIVER", &browser.driver.program)
        .env("CHROME_BINARY", &browser.chromium.program)
        .env("PILOTHOUSE_NGINX", &nginx.program);
    agents.apply(&mut command);
    axe.apply(&mut command);
    process::run(command.arg("--").args(arguments), SEE_ABOVE)
}
