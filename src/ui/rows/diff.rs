//! What a tool changes in files, line by line.

use leptos::prelude::*;
use pilothouse_core::diff::{FileChange, FileDiff, Hunk, Line, LineEnd, LineKind};

#[component]
pub fn Diff(diff: FileDiff) -> impl IntoView {
    let word = match diff.change {
        FileChange::Edited => "Edited",
        FileChange::Created => "Created",
        FileChange::Deleted => "Deleted",
        FileChange::Moved => "Moved",
        FileChange::Written => "Written",
        FileChange::Binary => "Not text",
    };
    let path = match &diff.old_path {
        Some(old) => format!("{old} → {}", diff.path),
        None => diff.path.clone(),
    };
    let label = format!("Changes of {path}");
    let left_out = (diff.left_out > 0).then(|| format!("{} more lines are not shown.", diff.left_out));
    let hunks = diff.hunks.into_iter().map(hunk).collect_view();
    view! {
        <section class="diff" aria-label=label>
            <p class="diff-head">
                <span>{word}</span>
                <span class="diff-path">{path}</span>
                <span class="diff-added">{format!("+{}", diff.added)}</span>
                <span class="diff-removed">{format!("−{}", diff.removed)}</span>
            </p>
            <div class="diff-lines" tabindex="0">{hunks}</div>
            {left_out.map(|note| view! { <p class="diff-note">{note}</p> })}
        </section>
    }
}

fn hunk(hunk: Hunk) -> impl IntoView {
    view! { <div class="diff-hunk">{hunk.lines.into_iter().map(line).collect_view()}</div> }
}

fn line(line: Line) -> impl IntoView {
    let number = line.new_number.or(line.old_number).map(|number| number.to_string()).unwrap_or_default();
    let (class, sign) = match line.kind {
        LineKind::Context => ("diff-text", " "),
        LineKind::Added => ("diff-text added", "+"),
        LineKind::Removed => ("diff-text removed", "−"),
    };
    let end = match line.end {
        LineEnd::Newline => "",
        LineEnd::CarriageReturnNewline => "␍",
        LineEnd::Missing => " (no line break at the end)",
    };
    let spans = line.spans.into_iter().map(|span| match span.changed {
        true => view! { <mark>{span.text}</mark> }.into_any(),
        false => span.text.into_any(),
    });
    view! {
        <span class="diff-number">{number}</span>
        <span class=class>{sign} " " {spans.collect_view()} <span class="faint">{end}</span></span>
    }
}
