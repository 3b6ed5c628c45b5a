//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Works with coding agents from a browser.
#[derive(Debug, Parser)]
#[command(name = "pilothouse", version, args_conflicts_with_subcommands = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Subcommands>,
    #[command(flatten)]
    pub serve: ServeArguments,
}

#[derive(Debug, Subcommand)]
pub enum Subcommands {
    /// The built-in agent, on standard input and output
    DemoAgent(pilothouse_demo_agent::Arguments),
}

#[derive(Debug, Default, Args)]
pub struct ServeArguments {
    /// Where to listen [default: 127.0.0.1:4780]; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<String>,
    /// Where tokens and the demo's sessions are kept
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// A TOML file that says the same and more
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// An agent: NAME=DIALECT:COMMAND ARGS…, where DIALECT is pi; may be given several times
    #[arg(long = "agent", value_name = "NAME=DIALECT:COMMAND")]
    pub agents: Vec<String>,
    /// Where new sessions start unless another folder is picked [default: the present folder]
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// A further host name to answer to, for a reverse proxy: name, name:port or https://name
    #[arg(long = "allowed-host", value_name = "HOST")]
    pub allowed_hosts: Vec<String>,
    /// Minutes after which the process of a resting agent is ended, 0 for never [default: 10]
    #[arg(long, value_name = "MINUTES")]
    pub idle_minutes: Option<f64>,
    /// Do not open a browser
    #[arg(long)]
    pub no_open: bool,
}
