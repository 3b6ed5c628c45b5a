//! What of the recordings cannot pass through a server, and why; and where pi's file knows less than what streamed.

use serde_json::Value;

/// Scenarios nobody can drive through a server, each with the reason.
pub const NOT_DRIVEN: &[(&str, &str)] = &[
    ("broken-extension", "pi says nothing and ends: dies_at_start has that"),
    ("compact-mid-run", "the server refuses a compaction in mid-run: the person stops the run first"),
    ("follow-up-while-idle", "what is said at rest is sent as a prompt, which pi takes up at once"),
    ("invalid-input", "every input is written by hand and wrong: the server writes none of them"),
    ("invalid-input-null", "every input is written by hand and wrong: the server writes none of them"),
    ("start-failures", "starts with wrong options, which the server does not give"),
    ("v0.73.1/invalid-input", "every input is written by hand and wrong: the server writes none of them"),
];

/// pi goes on in another file: the server starts another process for that, so the play ends here.
pub fn changes_session(line: &Value) -> bool {
    ["new_session", "fork", "clone", "switch_session"].iter().any(|kind| line["type"] == *kind)
}

/// Inputs that no command of a page's leads to.
pub fn is_never_sent(line: &Value, answer: Option<&Value>, running: bool) -> bool {
    let refused = answer.is_some_and(|answer| answer["success"] == false);
    let error = answer.and_then(|answer| answer["error"].as_str()).unwrap_or_default();
    match line["type"].as_str() {
        None => true,
        // While the agent is at work the server names the lane, and during a compaction it waits.
        Some("prompt") => refused && (running || error.contains("already processing")),
        // There is nothing to stop.
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

/// Where the next server shows something else than what streamed, and why.
pub struct Difference {
    pub scenario: &'static str,
    pub why: &'static str,
    /// Changes the rows as they streamed to what is known afterwards.
    pub change: fn(&mut Vec<String>),
}

pub const DIFFERENCES: &[Difference] = &[
    Difference {
        scenario: "v0.73.1/user-bash",
        why: "before 1.0 pi does not write down that a command stood outside the context",
        change: |rows| rows.iter_mut().for_each(|row| *row = row.replace(" outside the context", "")),
    },
    Difference {
        scenario: "v0.73.1/extension-permission-gate",
        why: "answers are kept with the time of today, between entries with times of the recording",
        change: |rows| rows.sort_by_key(|row| !row.starts_with("system ")),
    },
    Difference {
        scenario: "new-session-mid-run",
        why: "pi stops the run for a change of session, which the play does not come to and its file tells",
        change: |rows| rows.last_mut().unwrap().push_str(" (interrupted)"),
    },
];
