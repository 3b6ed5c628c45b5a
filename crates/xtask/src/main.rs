//! The project's commands: `cargo xtask run`, `test`, `fuzz`, `bench`, `dist`, `setup`, `trunk`.
//!
//! - `setup` installs the tools, `page` builds the page, `server` builds and starts the server (`run`, `dist`)
//! - `test`, `fuzz` and `bench` call cargo's tests, cargo-fuzz and the benches; `architecture` checks the crates
//!
//! This crate uses no product code, so it builds in seconds and works when the product does not compile.

mod architecture;
mod arguments;
mod bench;
mod cargo;
mod environment;
mod fingerprint;
mod fuzz;
mod page;
mod process;
mod report;
mod server;
mod setup;
mod split;
mod steps;
mod test;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;

use crate::arguments::Task;
use crate::workspace::Workspace;

fn main() -> ExitCode {
    match perform() {
        Ok(code) => code,
        Err(error) => {
            report::failure(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn perform() -> Result<ExitCode> {
    let task = arguments::parse(std::env::args().skip(1))?;
    let workspace = Workspace::find()?;
    match task {
        Task::Help => {
            report::plain(arguments::USAGE);
            Ok(ExitCode::SUCCESS)
        }
        Task::Setup => setup::everything(&workspace).map(|()| ExitCode::SUCCESS),
        Task::Run { arguments } => server::run(&workspace, &arguments),
        Task::Dist => server::dist(&workspace).map(|()| ExitCode::SUCCESS),
        Task::Trunk { arguments } => page::trunk(&workspace, &arguments),
        Task::Fuzz { target, arguments } => fuzz::long_run(&workspace, &target, &arguments),
        Task::BenchCore { arguments } => bench::core::run(&workspace, &arguments).map(|()| ExitCode::SUCCESS),
        Task::BenchPage { arguments } => bench::page::run(&workspace, &arguments).map(|()| ExitCode::SUCCESS),
        Task::Test { part, arguments } => test::run(&workspace, part, &arguments),
    }
}
