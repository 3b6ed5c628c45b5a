//! Agents that are shell scripts and speak the Agent Client Protocol, for what neither a recording nor a real agent does.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Functions for scripts: `id LINE` is the id of a request; `answer ID RESULT`, `fail ID CODE TEXT`, `initialized ID
/// CAPABILITIES`, `update JSON`, `say TEXT` and `ask ID METHOD PARAMS` write messages. The session's id is `s1`.
const FUNCTIONS: &str = r#"
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
fail() { printf '{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":"%s"}}\n' "$1" "$2" "$3"; }
ask() { printf '{"jsonrpc":"2.0","id":"%s","method":"%s","params":%s}\n' "$1" "$2" "$3"; }
update() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":%s}}\n' "$1"; }
say() { update '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"'"$1"'"}}'; }
id() { sed -E 's/.*"id":([0-9]+).*/\1/' <<<"$1"; }
initialized() { answer "$1" '{"protocolVersion":1,"agentInfo":{"name":"scripted","version":"7.1"},"agentCapabilities":'"${2:-{\}}"'}'; }
"#;

/// Writes a script and returns the command that runs it.
pub fn write(folder: &Path, name: &str, script: &str) -> String {
    let file = folder.join(format!("{name}.sh"));
    std::fs::write(&file, format!("{FUNCTIONS}\n{script}")).unwrap();
    format!("bash {}", file.display())
}

/// Writes a script as a program with this name.
pub fn install(folder: &Path, name: &str, script: &str) {
    let file = folder.join(name);
    std::fs::write(&file, format!("#!/bin/bash\n{FUNCTIONS}\n{script}")).unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).unwrap();
}
