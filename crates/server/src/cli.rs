//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// A web chat for coding agents
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
    /// Run the built-in demo agent on standard input and output
    DemoAgent(pilothouse_demo_agent::Arguments),
}

#[derive(Debug, Default, Args)]
pub struct ServeArguments {
    /// Address to listen on; port 0 picks a free port [default: 127.0.0.1:4780]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<String>,
    /// Folder for the token, the databases and the demo's sessions
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Configuration file in TOML [default: ~/.config/pilothouse/config.toml]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Agent to offer, as NAME=PROTOCOL:COMMAND ARGS… with protocol pi or acp; can be repeated
    #[arg(long = "agent", value_name = "NAME=PROTOCOL:COMMAND")]
    pub agents: Vec<String>,
    /// Default folder for new sessions [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// Additional host to accept, for a reverse proxy: name, name:port or https://name; can be repeated
    #[arg(long = "allowed-host", value_name = "HOST")]
    pub allowed_hosts: Vec<String>,
    /// Stop an idle agent's process after this many minutes; 0 means never [default: 10]
    #[arg(long, value_name = "MINUTES")]
    pub idle_minutes: Option<f64>,
    /// Don't open a browser
    #[arg(long)]
    pub no_open: bool,
}
