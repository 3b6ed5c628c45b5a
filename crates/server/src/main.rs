//! The `pilothouse` program: reads the command line and hands over.

use std::process::ExitCode;

use clap::Parser;
use pilothouse_server::cli::{Cli, Subcommands};
use pilothouse_server::serve;

fn main() -> ExitCode {
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
            eprintln!("pilothouse: the system gives no threads: {error}");
            return ExitCode::FAILURE;
        }
    };
    let outcome = match cli.command {
        Some(Subcommands::DemoAgent(arguments)) => runtime.block_on(pilothouse_demo_agent::run(arguments)),
        None => runtime.block_on(serve(cli.serve)),
    };
    // Reads of standard input cannot be cancelled: don't wait for them.
    runtime.shutdown_background();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pilothouse: {error:#}");
            ExitCode::FAILURE
        }
    }
}
