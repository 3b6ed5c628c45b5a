//! The built-in demo agent: a guide through the page that speaks pi's RPC dialect on stdio.
//!
//! It runs as a process of its own (`pilothouse demo-agent`), so that the server treats it like any other agent and
//! tests exercise the real path. It keeps its sessions as pi session files, its tools really run, and there is no
//! model: the same prompt always gets the same answer. With `--script` it replays a recorded conversation instead.
//!
//! Nothing here knows the server, the page or the network; the server knows nothing of this but the command line.

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
    signal::unix::{Signal, SignalKind, signal},
    sync::mpsc,
};

use agent::Agent;
pub use pace::Pace;
use shell::ProcessGroups;
pub use stdio::Fault;
use stdio::Output;

#[derive(clap::Args, Debug)]
pub struct DemoArguments {
    /// As pi is started; there is no other mode
    #[arg(long, default_value = "rpc", value_parser = ["rpc"])]
    pub mode: String,

    /// Open or create the session with this id
    #[arg(long, value_name = "ID")]
    pub session_id: Option<String>,

    /// How fast it plays: realistic, instant, or a factor such as 2
    #[arg(long, default_value = "realistic", env = "PILOTHOUSE_DEMO_PACE")]
    pub pace: Pace,

    /// Replay a recorded conversation, one {"dir","t","line"} per line
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,

    /// The session file that was recorded with the script
    #[arg(long, value_name = "FILE", requires = "script")]
    pub script_session: Option<PathBuf>,

    /// Wait for every recorded command, also for those that only ask
    #[arg(long, requires = "script")]
    pub script_strict: bool,

    /// Go wrong on purpose: stall@N, flood@N[:BYTES], lines@N[:COUNT], junk@N, die@N[:CODE], kill@N, ignore-term
    #[arg(long, value_name = "FAULT")]
    pub fault: Vec<Fault>,
}

/// Runs until stdin closes or a signal comes. No shell command outlives it.
pub async fn run(arguments: DemoArguments) -> anyhow::Result<()> {
    let groups = ProcessGroups::default();
    let output = Output::to_stdout(&arguments.fault, groups.clone())?;
    let folder = std::env::current_dir().context("the working folder is gone")?;
    let session_id = match &arguments.session_id {
        Some(id) => valid_session_id(id)?.to_owned(),
        None => uuid::Uuid::now_v7().to_string(),
    };
    let agent =
        Agent::open(&agent_folder()?, folder, &session_id, arguments.pace, output.clone(), groups.clone())
            .context("cannot open the session")?;
    let agent = Arc::new(agent);
    if arguments.script.is_none() {
        agent.begin_session();
    }
    let lines = stdio::lines_of_stdin()?;
    let serve = async {
        match &arguments.script {
            Some(_) => script::play(&agent, &arguments, lines).await,
            None => serve(&agent, lines).await,
        }
    };
    let code = if arguments.fault.contains(&Fault::IgnoreTerm) {
        // Deaf on purpose; only SIGKILL ends it.
        let _terminate = signal(SignalKind::terminate())?;
        serve.await?;
        std::future::pending().await
    } else {
        tokio::select! {
            served = serve => served.map(|()| 0)?,
            code = signalled() => code?,
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

/// Returns the exit code for the first signal that asks to end.
async fn signalled() -> anyhow::Result<i32> {
    let listen = |kind: SignalKind| -> std::io::Result<Signal> { signal(kind) };
    let mut terminate = listen(SignalKind::terminate())?;
    let mut interrupt = listen(SignalKind::interrupt())?;
    let mut hang_up = listen(SignalKind::hangup())?;
    Ok(tokio::select! {
        _ = terminate.recv() => 143,
        _ = interrupt.recv() => 130,
        _ = hang_up.recv() => 129,
    })
}

/// Where sessions live: the same variable that tells pi.
fn agent_folder() -> anyhow::Result<PathBuf> {
    if let Some(folder) = std::env::var_os("PI_CODING_AGENT_DIR").filter(|folder| !folder.is_empty()) {
        return std::path::absolute(folder).context("PI_CODING_AGENT_DIR is no path");
    }
    let home = std::env::home_dir().context("no home folder; set PI_CODING_AGENT_DIR")?;
    Ok(home.join(".pilothouse").join("demo"))
}

/// The id becomes part of a file name.
fn valid_session_id(id: &str) -> anyhow::Result<&str> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    anyhow::ensure!(
        !id.is_empty() && id.len() <= 128 && !id.starts_with('.') && id.chars().all(fits),
        "not a session id: {id}"
    );
    Ok(id)
}
