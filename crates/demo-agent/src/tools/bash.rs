//! The `bash` tool: a shell command of the agent, with its output so far as partial results.

use std::time::Instant;

use serde_json::{Value, json};

use super::{Outcome, Workbench};
use crate::{
    protocol::{Content, Event, PartialResult, ToolContent},
    shell::{self, Captured, Ended, ShellCommand},
};

pub(super) async fn run(bench: &Workbench<'_>, id: &str, command: &str) -> Outcome {
    let agent = bench.agent;
    let args = json!({"command": command});
    let update = |content: &[Content], details: Option<&Value>| {
        agent.output.emit(&Event::ToolExecutionUpdate {
            tool_call_id: id,
            tool_name: "bash",
            args: &args,
            partial_result: PartialResult { content, details },
        });
    };
    update(&[], None);
    let started = Instant::now();
    let shell = ShellCommand { command, folder: &agent.folder, cancel: bench.cancel, every_piece: false };
    let ended = shell::run(shell, &agent.groups, &agent.output, |_, captured| {
        let truncated = captured.truncated();
        let details = details(captured).unwrap_or(json!({}));
        update(&[Content::text(truncated.content)], Some(&details));
    })
    .await;
    match ended {
        Ok(ended) => outcome(&ended, started.elapsed().as_secs_f64()),
        Err(error) => Outcome::error(format!("Cannot run the command: {error}")),
    }
}

/// Only output that was cut has details.
fn details(captured: &Captured) -> Option<Value> {
    let truncated = captured.truncated();
    truncated.is_cut().then(|| {
        let mut details = json!({"truncation": truncated.describe()});
        if let Some(path) = captured.full_output_path() {
            details["fullOutputPath"] = json!(path);
        }
        details
    })
}

fn outcome(ended: &Ended, seconds: f64) -> Outcome {
    let captured = &ended.captured;
    let output = captured.text();
    let truncated = captured.truncated();
    if ended.cancelled {
        let gap = if output.is_empty() { "" } else { "\n\n" };
        return Outcome::error(format!("{}{gap}Command aborted", truncated.content));
    }
    let exit_code = ended.exit_code.unwrap_or(-1);
    let mut text = truncated.content.clone();
    if truncated.is_cut() {
        let first = truncated.total_lines - truncated.output_lines() + 1;
        let path = captured.full_output_path().map(|path| format!(" Full output: {}", path.display()));
        text.push_str(&format!(
            "\n\n[Showing lines {first}-{total} of {total}.{}]",
            path.unwrap_or_default(),
            total = truncated.total_lines,
        ));
    }
    if text.is_empty() {
        text.push_str("(no output)");
    }
    if exit_code != 0 {
        text.push_str(&format!("\n\nCommand exited with code {exit_code}"));
    }
    Outcome::ok(ToolContent {
        content: vec![Content::text(text)],
        details: details(captured),
        structured_content: Some(json!({
            "output": output,
            "truncated": false,
            "exit_code": exit_code,
            "wall_time_seconds": (seconds * 10.0).round() / 10.0,
        })),
        is_error: exit_code != 0,
    })
}
