//! The rows that streamed but are missing or different in the session file, each with the reason.

/// A row that streamed, and the row of the file in its place.
pub struct Difference {
    pub scenario: &'static str,
    pub why: &'static str,
    /// The beginning of the streamed row.
    live: &'static str,
    /// Converts the streamed row to that of the file; none if the file lacks it.
    stored: Option<fn(&str) -> String>,
}

impl Difference {
    /// Converts the streamed rows to those of the file. Panics if the row did not stream.
    pub fn apply(&self, rows: Vec<String>) -> Vec<String> {
        let position = rows.iter().position(|row| row.starts_with(self.live));
        let Some(position) = position else {
            panic!("{}: no row {:?} streamed ({})", self.scenario, self.live, self.why)
        };
        let mut rows = rows;
        let row = rows.remove(position);
        if let Some(stored) = self.stored {
            rows.insert(position, stored(&row));
        }
        rows
    }
}

const KILLED: &str = "pi writes a message when it is complete, and does not record its own end";
const OUTPUT: &str = "pi writes a tool's output when the tool has ended";

pub const DIFFERENCES: &[Difference] = &[
    lacks("kill-mid-first-reply-then-resume", "assistant \"Never finished", KILLED),
    lacks("kill-mid-first-reply-then-resume", "error \"The agent was terminated by signal 9", KILLED),
    lacks("kill-mid-stream-then-resume", "thinking \"Long work ahead", KILLED),
    lacks("kill-mid-stream-then-resume", "assistant \"This second answer never", KILLED),
    lacks("kill-mid-stream-then-resume", "error \"The agent was terminated by signal 9", KILLED),
    lacks("sigterm-mid-stream", "assistant \"Half an answer", KILLED),
    lacks("sigterm-mid-stream", "error \"The agent exited with code 143", KILLED),
    lacks("stdin-closed-mid-stream", "assistant \"Half an answer", KILLED),
    lacks_output("stdin-closed-mid-tool", "tool bash \"call_z1\""),
    lacks("v0.73.1/kill-mid-stream-then-resume", "thinking \"Long work ahead", KILLED),
    lacks("v0.73.1/kill-mid-stream-then-resume", "assistant \"This second answer never", KILLED),
    lacks("v0.73.1/kill-mid-stream-then-resume", "error \"The agent was terminated", KILLED),
    lacks_output("v0.73.1/kill-mid-tool-then-resume", "tool bash \"call_k1\""),
    lacks("v0.73.1/kill-mid-tool-then-resume", "error \"The agent was terminated", KILLED),
    Difference {
        scenario: "v0.73.1/user-bash",
        why: "before 1.0 pi does not record that a command was excluded from the context",
        live: "bash \"echo private\"",
        stored: Some(|row| row.replace(" outside the context", "")),
    },
];

const fn lacks(scenario: &'static str, live: &'static str, why: &'static str) -> Difference {
    Difference { scenario, why, live, stored: None }
}

const fn lacks_output(scenario: &'static str, live: &'static str) -> Difference {
    Difference { scenario, why: OUTPUT, live, stored: Some(|row| row.replace(r#""working\n""#, r#""""#)) }
}

/// Scenarios that were stopped while pi waited to retry: the file ends with the failure.
pub const STOP_NOT_IN_FILE: &[&str] = &["abort-during-retry-wait"];

/// Scenarios without a session file: pi creates it with the first answer.
pub const WITHOUT_A_FILE: &[&str] = &[
    "broken-extension",
    "extension-ui",
    "invalid-input-null",
    "no-model",
    "no-session",
    "start-failures",
    "user-bash-abort-too-early",
    "user-bash-abort",
    "user-bash-two-at-once",
    "v0.73.1/extension-ui",
    "v0.73.1/user-bash-abort",
];
