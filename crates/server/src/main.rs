//! The `pilothouse` program: parses the command line and runs the server, the demo agent, a supervisor, or a command for
//! a server.

use std::process::ExitCode;

use clap::Parser;
#[cfg(target_os = "linux")]
use pilothouse_server::agent::process::supervisor;
use pilothouse_server::cli::{Cli, Subcommands};
use pilothouse_server::devices::control::{manage_devices, print_link};
use pilothouse_server::serve;

fn main() -> ExitCode {
    // Before anything else, so that it stays light: every agent has a supervisor.
    #[cfg(target_os = "linux")]
    if let Some(code) = supervisor::run_if_asked(std::env::args_os().skip(1)) {
        return code;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if !error.use_stderr() => error.exit(),
        Err(error) => {
            let text = error.to_string();
            let sentence = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
            eprintln!("pilothouse: {sentence} (see pilothouse --help)");
            return ExitCode::from(2);
        }
    };
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("pilothouse: cannot start threads: {error}");
            return ExitCode::FAILURE;
        }
    };
    let result = match cli.command {
        Some(Subcommands::DemoAgent(arguments)) => runtime.block_on(pilothouse_demo_agent::run(arguments)),
        Some(Subcommands::Link(arguments)) => runtime.block_on(print_link(arguments)),
        Some(Subcommands::Devices(arguments)) => runtime.block_on(manage_devices(arguments)),
        None => runtime.block_on(serve(cli.serve)),
    };
    // A pending read of standard input cannot be cancelled, so it is not awaited.
    runtime.shutdown_background();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pilothouse: {error:#}");
            ExitCode::FAILURE
        }
    }
}
