//! Recordings and inputs that cannot be played through a server, and known differences after a restart.

use serde_json::Value;

/// Scenarios that cannot be played through a server, each with the reason.
pub const NOT_PLAYED: &[(&str, &str)] = &[
    ("broken-extension", "pi exits without output; misbehaving_agents tests that"),
    ("compact-mid-run", "the server refuses a compaction during a run"),
    ("follow-up-while-idle", "the server sends a message of an idle session as a prompt, which starts a run"),
    ("invalid-input", "every input is invalid; the server sends none of them"),
    ("invalid-input-null", "every input is invalid; the server sends none of them"),
    ("start-failures", "pi is started with invalid options, which the server does not use"),
    ("v0.73.1/invalid-input", "every input is invalid; the server sends none of them"),
];

/// Whether pi continues in another file. The server starts another process for that, so the scenario ends here.
pub fn changes_session(line: &Value) -> bool {
    ["new_session", "fork", "clone", "switch_session"].iter().any(|kind| line["type"] == *kind)
}

/// Whether no command of a client leads to this input.
pub fn is_never_sent(line: &Value, response: Option<&Value>, running: bool) -> bool {
    let refused = response.is_some_and(|response| response["success"] == false);
    let error = response.and_then(|response| response["error"].as_str()).unwrap_or_default();
    match line["type"].as_str() {
        None => true,
        // The server names the lane during a run, and waits during a compaction.
        Some("prompt") => refused && (running || error.contains("already processing")),
        // An idle agent is not stopped.
        Some("abort") => !running,
        Some(kind) => [
            "set_auto_retry",
            "set_auto_compaction",
            "set_steering_mode",
            "set_follow_up_mode",
            "cycle_model",
            "cycle_thinking_level",
            "export_html",
        ]
        .contains(&kind),
    }
}

/// A difference between the streamed rows and those of a restarted server, with the reason.
pub struct Difference {
    pub scenario: &'static str,
    pub why: &'static str,
    /// Converts the streamed rows to those of the restarted server.
    pub change: fn(&mut Vec<String>),
}

pub const DIFFERENCES: &[Difference] = &[
    Difference {
        scenario: "v0.73.1/user-bash",
        why: "before 1.0 pi does not record that a command was excluded from the context",
        change: |rows| rows.iter_mut().for_each(|row| *row = row.replace(" outside the context", "")),
    },
    Difference {
        scenario: "v0.73.1/extension-permission-gate",
        why: "answers are stored with the current time, entries have the times of the recording",
        change: |rows| rows.sort_by_key(|row| !row.starts_with("system ")),
    },
    Difference {
        scenario: "new-session-mid-run",
        why: "pi stops the run for a change of session, which is not played but recorded in the file",
        change: |rows| rows.last_mut().unwrap().push_str(" (interrupted)"),
    },
];
