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
    /// Print a link that gives one more browser access, also as a QR code
    Link(InstallationArguments),
    /// List the browsers that have access, rename one, or revoke its access
    Devices(DevicesArguments),
}

/// Selects the running server.
#[derive(Debug, Args)]
pub struct InstallationArguments {
    /// Data folder of the server
    #[arg(long, value_name = "DIR", global = true)]
    pub data_dir: Option<PathBuf>,
    /// Configuration file of the server
    #[arg(long, value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct DevicesArguments {
    #[command(subcommand)]
    pub command: Option<DeviceCommand>,
    #[command(flatten)]
    pub installation: InstallationArguments,
}

#[derive(Debug, Subcommand)]
pub enum DeviceCommand {
    /// List the devices (the default)
    List,
    /// Give a device another name
    Rename {
        /// Id of the device, as listed
        id: String,
        name: String,
    },
    /// End a device's access and close its connections
    Revoke {
        /// Id of the device, as listed
        id: String,
    },
}

#[derive(Debug, Default, Args)]
pub struct ServeArguments {
    /// Address to listen on; port 0 picks a free port [default: 127.0.0.1:4780]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<String>,
    /// Folder for the databases and the demo's sessions
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
    /// Folder in which sessions may be created, with all folders below it; can be repeated [default: the home folder and
    /// the current folder]
    #[arg(long = "allowed-root", value_name = "DIR")]
    pub allowed_roots: Vec<PathBuf>,
    /// Additional host to accept, for a reverse proxy: name, name:port or https://name; can be repeated
    #[arg(long = "allowed-host", value_name = "HOST")]
    pub allowed_hosts: Vec<String>,
    /// Certificate chain in PEM format, to serve HTTPS
    #[arg(long, value_name = "FILE")]
    pub tls_cert: Option<PathBuf>,
    /// Private key of the certificate in PEM format
    #[arg(long, value_name = "FILE")]
    pub tls_key: Option<PathBuf>,
    /// Allow other machines to connect without encryption: others in the network can read everything
    #[arg(long)]
    pub allow_plain_http: bool,
    /// Revoke the access of a browser that was not used for this many days; 0 means never [default: 90]
    #[arg(long, value_name = "DAYS")]
    pub device_days: Option<f64>,
    /// Stop an idle agent's process after this many minutes; 0 means never [default: 10]
    #[arg(long, value_name = "MINUTES")]
    pub idle_minutes: Option<f64>,
    /// Don't open a browser
    #[arg(long)]
    pub no_open: bool,
}
