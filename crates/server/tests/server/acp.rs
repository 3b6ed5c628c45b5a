//! Agents with the Agent Client Protocol: recorded conversations played through the real server, and what the server
//! adds for such agents: the recorded history, the queue, the shell, auto-approve, login and import.

mod hostile;
mod recordings;
mod services;

use std::path::Path;

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

/// The command of an agent that is a shell script. `$1` of its functions is the id of a request.
fn scripted(folder: &Path, name: &str, script: &str) -> String {
    let file = folder.join(format!("{name}.sh"));
    std::fs::write(&file, format!("{PRELUDE}\n{script}")).unwrap();
    format!("bash {}", file.display())
}

/// Functions for scripted agents: `answer ID RESULT`, `update JSON`, `id LINE`.
const PRELUDE: &str = r#"
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
fail() { printf '{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":"%s"}}\n' "$1" "$2" "$3"; }
update() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":%s}}\n' "$1"; }
say() { update '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"'"$1"'"}}'; }
id() { sed -E 's/.*"id":([0-9]+).*/\1/' <<<"$1"; }
initialized() { answer "$1" '{"protocolVersion":1,"agentInfo":{"name":"scripted","version":"7.1"},"agentCapabilities":'"${2:-{\}}"'}'; }
"#;

/// Starts a server with one agent, which is named `agent`.
fn setup(command: &str) -> ServerSetup {
    ServerSetup::new(binary()).argument("--agent").argument(format!("agent=acp:{command}"))
}
