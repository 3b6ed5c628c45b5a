//! Renders the line diff of a file that a tool has changed.

use pilothouse_core::render::describe::folders_and_name;
use pilothouse_core::render::diff::{FileChange, FileDiff, Line, LineEnd, LineKind};
use web_sys::Element;

use super::code;
use crate::dom::element::{append, path, set, with_class, with_text};

pub fn render(diff: &FileDiff, cwd: &str) -> Element {
    let change = match diff.change {
        FileChange::Edited => "Edited",
        FileChange::Created => "Created",
        FileChange::Deleted => "Deleted",
        FileChange::Moved => "Moved",
        FileChange::Written => "Written",
        FileChange::Binary => "Binary",
    };
    let (folders, name) = folders_and_name(&diff.path, cwd);
    // For a moved file, the old path comes first.
    let prefix = match &diff.old_path {
        Some(old) => {
            let (old_folders, old_name) = folders_and_name(old, cwd);
            format!("{old_folders}{old_name} → {folders}")
        }
        None => folders.to_owned(),
    };
    let (section, head) = (with_class("section", "diff"), with_class("p", "diff-head"));
    set(&section, "aria-label", &format!("Changes to {prefix}{name}"));
    append(&head, &with_text("span", "", change));
    append(&head, &path("diff-path", &prefix, name));
    append(&head, &with_text("span", "diff-added", &format!("+{}", diff.added)));
    append(&head, &with_text("span", "diff-removed", &format!("−{}", diff.removed)));
    append(&section, &head);
    let (lines, language) = (with_class("div", "diff-lines"), code::language_of(&diff.path));
    set(&lines, "tabindex", "0");
    set(&lines, "role", "group");
    set(&lines, "aria-label", "Changed lines");
    for hunk in &diff.hunks {
        let block = with_class("div", "diff-hunk");
        hunk.lines.iter().for_each(|line| append_line(&block, line));
        code::colour(&block, &language);
        append(&lines, &block);
    }
    append(&section, &lines);
    if diff.left_out > 0 {
        let note = format!("{} more lines not shown", diff.left_out);
        append(&section, &with_text("p", "diff-note", &note));
    }
    section
}

fn append_line(block: &Element, line: &Line) {
    let number = line.new_number.or(line.old_number).map(|number| number.to_string()).unwrap_or_default();
    let (class, sign) = match line.kind {
        LineKind::Context => ("diff-text", "  "),
        LineKind::Added => ("diff-text added", "+ "),
        LineKind::Removed => ("diff-text removed", "− "),
    };
    let end = match line.end {
        LineEnd::Newline => "",
        LineEnd::CarriageReturnNewline => "␍",
        LineEnd::Missing => " (no newline at end of file)",
    };
    append(block, &with_text("span", "diff-number", &number));
    let text = with_text("span", class, sign);
    for span in &line.spans {
        let part =
            if span.changed { with_text("mark", "", &span.text) } else { with_text("span", "", &span.text) };
        append(&text, &part);
    }
    if !end.is_empty() {
        append(&text, &with_text("span", "faint", end));
    }
    append(block, &text);
}
