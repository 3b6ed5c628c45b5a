//! Rows as text: everything a user sees of them. Row ids depend on the order of arrival and are left out.

use pilothouse_core::{Kind, Mark, UiMessage};

/// Renders every row in full, for comparisons.
pub fn render(rows: &[UiMessage]) -> Vec<String> {
    rows.iter().map(|row| line(row, usize::MAX)).collect()
}

/// Renders every row with long texts cut to their beginning and length, for snapshots and messages.
pub fn render_shortened(rows: &[UiMessage]) -> Vec<String> {
    rows.iter().map(|row| line(row, 160)).collect()
}

fn line(row: &UiMessage, longest: usize) -> String {
    let quoted = |text: &str| quoted(text, longest);
    let mark = match row.mark {
        None => "",
        Some(Mark::Interrupted) => " (interrupted)",
        Some(Mark::Cancelled) => " (cancelled)",
        Some(Mark::Compacted) => " (compacted)",
        Some(Mark::LeftBranch) => " (left branch)",
        Some(Mark::Answered) => " (answered)",
        Some(Mark::Sending | Mark::Refused) => panic!("a mark that only the page sets: {row:?}"),
    };
    let images: String = row.images.iter().map(|image| format!(" [{}]", image.mime_type)).collect();
    let body = match (row.kind, &row.tool_step, &row.bash_result) {
        (Kind::Tool, Some(step), _) => format!(
            "tool {} {:?} {} {} → {}{}",
            step.tool_name,
            step.call_id,
            step.phase.name(),
            json(&step.tool_args),
            quoted(step.result.as_deref().unwrap_or_default()),
            step.details.as_ref().map(|details| format!(" {}", quoted(&json(details)))).unwrap_or_default(),
        ),
        (Kind::Bash, _, Some(bash)) => format!(
            "bash {:?} exit={:?}{}{}{}{} → {}",
            bash.command,
            bash.exit_code,
            if bash.cancelled { " cancelled" } else { "" },
            if bash.truncated { " truncated" } else { "" },
            if bash.exclude_from_context { " outside the context" } else { "" },
            if bash.running { " running" } else { "" },
            quoted(&bash.output),
        ),
        (kind, ..) => format!("{} {}", kind.name(), quoted(&row.text)),
    };
    format!("{body}{images}{mark}")
}

/// JSON with sorted keys: whether objects keep their order depends on the features of the whole build.
fn json(value: &serde_json::Value) -> String {
    let mut value = value.clone();
    value.sort_all_objects();
    value.to_string()
}

fn quoted(text: &str, longest: usize) -> String {
    let shown: String = text.chars().take(longest).collect();
    if shown.len() == text.len() { format!("{text:?}") } else { format!("{shown:?}… {} bytes", text.len()) }
}
