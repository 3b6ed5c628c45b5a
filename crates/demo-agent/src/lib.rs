//! The built-in demo agent: a guide to Pilothouse that speaks pi's RPC protocol on stdin and stdout.
//!
//! `pilothouse demo-agent` runs it as a separate process, so the server treats it like any other agent and tests
//! cover the real path. It stores its sessions as pi session files and its tools really run. There is no model
//! behind it: the same prompt in the same session always gets the same answer. With `--script` it replays a
//! recorded conversation instead, in pi's protocol or in the Agent Client Protocol.
//!
//! The crate depends on none of the other Pilothouse crates. The server knows only its command line.

mod acp_script;
mod agent;
mod commands;
mod pace;
mod protocol;
mod run;
mod scenes;
mod script;
mod session;
mod shell;
mod stdio;
mod tools;

use std::{path::PathBuf, sync::Arc};

use anyhow::Context;
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::mpsc,
};

use agent::Agent;
use pace::Pace;
use session::SessionFile;
use shell::ProcessGroups;
use stdio::{Fault, Output};

/// The command line of `pilothouse demo-agent`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// The protocol: pi's RPC mode, or acp to replay a recording of an agent with the Agent Client Protocol
    #[arg(long, default_value = "rpc", value_parser = ["rpc", "acp"])]
    mode: String,

    /// Open or create the session with this id
    #[arg(long, value_name = "ID")]
    session_id: Option<String>,

    /// Open this session file
    #[arg(long, value_name = "FILE", conflicts_with = "session_id")]
    session: Option<PathBuf>,

    /// The folder for sessions that are made from the opened one, instead of its own
    #[arg(long, value_name = "FOLDER", requires = "session")]
    session_dir: Option<PathBuf>,

    /// Playback speed: realistic, instant, or a factor such as 2
    #[arg(long, default_value = "realistic", env = "PILOTHOUSE_DEMO_PACE")]
    pace: Pace,

    /// Replay a recorded conversation, one {"dir","t","line"} per line
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,

    /// The session file that was recorded with the script
    #[arg(long, value_name = "FILE", requires = "script")]
    script_session: Option<PathBuf>,

    /// Wait for every recorded command, including queries
    #[arg(long, requires = "script")]
    script_strict: bool,

    /// Fail on purpose: stall@N, flood@N[:BYTES], lines@N[:COUNT], junk@N, die@N[:CODE], kill@N, ignore-term
    #[arg(long, value_name = "FAULT")]
    fault: Vec<Fault>,
}

/// Runs the agent until stdin closes or a signal arrives. Kills its remaining shell commands before it returns.
pub async fn run(arguments: Arguments) -> anyhow::Result<()> {
    let groups = ProcessGroups::default();
    let output = Output::to_stdout(&arguments.fault, groups.clone())?;
    if arguments.mode == "acp" {
        acp_script::play(&arguments, output.clone(), stdio::read_stdin()?).await?;
        output.flush().await;
        return Ok(());
    }
    let folder = std::env::current_dir().context("the working folder no longer exists")?;
    let agent_folder = agent_folder()?;
    let session = match (&arguments.session, &arguments.session_id) {
        (Some(file), _) => SessionFile::open_file(file, &folder, arguments.session_dir.clone()),
        (None, Some(id)) => SessionFile::open(&agent_folder, &folder, validate_session_id(id)?),
        (None, None) => SessionFile::open(&agent_folder, &folder, &uuid::Uuid::now_v7().to_string()),
    };
    let session = session.context("cannot open the session")?;
    let agent = Agent::open(&agent_folder, folder, session, arguments.pace, output.clone(), groups.clone());
    let agent = Arc::new(agent);
    if arguments.script.is_none() {
        agent.store_initial_settings();
    }
    let lines = stdio::read_stdin()?;
    let serve = async {
        match &arguments.script {
            Some(_) => script::play(&agent, &arguments, lines).await,
            None => serve(&agent, lines).await,
        }
    };
    let code = if arguments.fault.contains(&Fault::IgnoreTerm) {
        // Only SIGKILL ends the process: SIGTERM is caught and ignored, and so is the end of stdin.
        let _terminate = signal(SignalKind::terminate())?;
        serve.await?;
        std::future::pending().await
    } else {
        tokio::select! {
            served = serve => served.map(|()| 0)?,
            code = exit_signal() => code?,
        }
    };
    groups.kill_all();
    agent.scratch.clear();
    output.flush().await;
    if code != 0 {
        std::process::exit(code);
    }
    Ok(())
}

async fn serve(agent: &Arc<Agent>, mut lines: mpsc::Receiver<Vec<u8>>) -> anyhow::Result<()> {
    while let Some(line) = lines.recv().await {
        commands::handle_line(agent, &line);
    }
    Ok(())
}

/// Waits for the first signal that ends the process and returns the exit code for it.
async fn exit_signal() -> anyhow::Result<i32> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    Ok(tokio::select! {
        _ = terminate.recv() => 143,
        _ = interrupt.recv() => 130,
        _ = hang_up.recv() => 129,
    })
}

/// The folder for sessions and scratch files, set by the same variable as for pi.
fn agent_folder() -> anyhow::Result<PathBuf> {
    if let Some(folder) = std::env::var_os("PI_CODING_AGENT_DIR").filter(|folder| !folder.is_empty()) {
        return std::path::absolute(folder).context("PI_CODING_AGENT_DIR is not a valid path");
    }
    let home = std::env::home_dir().context("there is no home folder; set PI_CODING_AGENT_DIR")?;
    Ok(home.join(".pilothouse").join("demo"))
}

/// Checks that the id is safe as a part of a file name.
fn validate_session_id(id: &str) -> anyhow::Result<&str> {
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    anyhow::ensure!(
        !id.is_empty() && id.len() <= 128 && !id.starts_with('.') && id.chars().all(is_allowed),
        "not a session id: {id}"
    );
    Ok(id)
}
