//! Agents with the Agent Client Protocol: recorded conversations played through the real server, and what the server
//! adds for such agents: the recorded history, the queue, the shell, auto-approve, login and import.

mod hostile;
mod imports;
mod recordings;
mod services;

use pilothouse_test_support::server::ServerSetup;

use crate::binary;

/// The folder of the recorded conversations.
fn fixtures() -> std::path::PathBuf {
    pilothouse_test_support::recordings::acp::folder()
}

/// The command of an agent that replays a recording.
fn replaying(recording: &str) -> String {
    let script = fixtures().join(format!("{recording}.jsonl"));
    format!("{} demo-agent --mode acp --pace instant --script {}", binary().display(), script.display())
}

/// Starts a server with one agent, which is named `agent`.
fn setup(command: &str) -> ServerSetup {
    ServerSetup::new(binary()).argument("--agent").argument(format!("agent=acp:{command}"))
}
