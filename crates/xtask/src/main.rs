//! The project's own commands: `cargo xtask run`, `test`, `fuzz`, `bench`, `dist`, `setup`, `trunk`.
//!
//! This crate prepares the machine, calls cargo, trunk and the browser, and tells what it does.
//! It never uses product code, so that it builds in seconds and works when the product does not.

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
mod serve;
mod setup;
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
        Task::Run { arguments } => serve::run(&workspace, &arguments),
        Task::Dist => serve::dist(&workspace).map(|()| ExitCode::SUCCESS),
        Task::Trunk { arguments } => page::trunk(&workspace, &arguments),
        Task::Fuzz { target, arguments } => fuzz::long_run(&workspace, &target, &arguments),
        Task::BenchCore { arguments } => bench::core::run(&workspace, &arguments).map(|()| ExitCode::SUCCESS),
        Task::BenchPage { arguments } => bench::page::run(&workspace, &arguments).map(|()| ExitCode::SUCCESS),
        Task::Test { part, arguments } => test::run(&workspace, part, &arguments),
    }
}
