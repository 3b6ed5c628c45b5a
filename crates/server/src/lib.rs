//! The Pilothouse server: runs coding agents over their stdio protocols and serves the page.
//!
//! `http::guard` alone controls access, `agent::process` alone spawns processes, `hub` knows all sessions and clients,
//! and each open `session` is one task.

pub mod agent;
pub mod allowed_roots;
pub mod app;
pub mod audit;
pub mod browser;
pub mod cli;
pub mod client;
pub mod clock;
pub mod config;
pub mod data_folder;
pub mod devices;
pub mod history;
pub mod http;
pub mod hub;
pub mod search;
pub mod session;
pub mod socket;
pub mod store;

use std::io::{IsTerminal, Write};

use anyhow::{Context, Result};
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

use cli::ServeArguments;
use config::Config;

/// Runs the server until Ctrl-C or SIGTERM.
pub async fn serve(arguments: ServeArguments) -> Result<()> {
    let filter = EnvFilter::try_from_env("PILOTHOUSE_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let colours = std::io::stderr().is_terminal();
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(colours).init();
    let config = Config::load(arguments)?;
    let (open, data_dir) = (config.open, config.data_dir.clone());
    let running = app::start(config).await?;
    // Signals are handled before the readiness message, because a signal may follow it immediately.
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot handle signals")?;
    let mut terminate = signal(SignalKind::terminate()).context("cannot handle signals")?;
    let mut stdout = std::io::stdout();
    let _ = writeln!(stdout, "Pilothouse is ready: {}", running.link);
    let _ = stdout.flush();
    if open {
        browser::open(&running.link, &data_dir);
    }
    running
        .run(async move {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        })
        .await
}
