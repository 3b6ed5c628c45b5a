//! The `bash` tool: runs a shell command and sends the output so far as partial results.

use std::time::Instant;

use serde_json::{Value, json};

use super::{ToolContext, ToolOutcome};
use crate::{
    protocol::{Content, Event, PartialResult, ToolContent},
    shell::{self, Captured, ShellCommand, ShellResult},
};

pub(super) async fn run(context: &ToolContext<'_>, id: &str, command: &str) -> ToolOutcome {
    let agent = context.agent;
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
    let shell = ShellCommand { command, folder: &agent.folder, cancel: context.cancel, with_deltas: false };
    let result = shell::run(shell, &agent.groups, &agent.output, |_, captured| {
        let truncated = captured.truncated();
        let details = details(captured).unwrap_or(json!({}));
        update(&[Content::text(truncated.content)], Some(&details));
    })
    .await;
    match result {
        Ok(result) => outcome(&result, started.elapsed().as_secs_f64()),
        Err(error) => ToolOutcome::error(format!("Cannot run the command: {error}")),
    }
}

/// The details of truncated output; other output has none.
fn details(captured: &Captured) -> Option<Value> {
    let truncated = captured.truncated();
    truncated.is_truncated().then(|| {
        let mut details = json!({"truncation": truncated.describe()});
        if let Some(path) = captured.full_output_path() {
            details["fullOutputPath"] = json!(path);
        }
        details
    })
}

fn outcome(result: &ShellResult, seconds: f64) -> ToolOutcome {
    let captured = &result.captured;
    let output = captured.text();
    let truncated = captured.truncated();
    if result.cancelled {
        let gap = if output.is_empty() { "" } else { "\n\n" };
        return ToolOutcome::error(format!("{}{gap}Command aborted", truncated.content));
    }
    let exit_code = result.exit_code.unwrap_or(-1);
    let mut text = truncated.content.clone();
    if truncated.is_truncated() {
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
    ToolOutcome::ok(ToolContent {
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
