//! What a tool changes in files, line by line.

use pilothouse_core::diff::{FileChange, FileDiff, Line, LineEnd, LineKind};
use web_sys::Element;

use crate::ui::elements::{add, set, with_class, with_text};

pub fn draw(diff: &FileDiff) -> Element {
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
    let (section, head) = (with_class("section", "diff"), with_class("p", "diff-head"));
    set(&section, "aria-label", &format!("Changes of {path}"));
    add(&head, &with_text("span", "", word));
    add(&head, &with_text("span", "diff-path", &path));
    add(&head, &with_text("span", "diff-added", &format!("+{}", diff.added)));
    add(&head, &with_text("span", "diff-removed", &format!("−{}", diff.removed)));
    add(&section, &head);
    let lines = with_class("div", "diff-lines");
    set(&lines, "tabindex", "0");
    set(&lines, "role", "group");
    set(&lines, "aria-label", "Lines");
    for hunk in &diff.hunks {
        let block = with_class("div", "diff-hunk");
        hunk.lines.iter().for_each(|content| line(&block, content));
        add(&lines, &block);
    }
    add(&section, &lines);
    if diff.left_out > 0 {
        let note = format!("{} more lines are not shown.", diff.left_out);
        add(&section, &with_text("p", "diff-note", &note));
    }
    section
}

fn line(block: &Element, line: &Line) {
    let number = line.new_number.or(line.old_number).map(|number| number.to_string()).unwrap_or_default();
    let (class, sign) = match line.kind {
        LineKind::Context => ("diff-text", "  "),
        LineKind::Added => ("diff-text added", "+ "),
        LineKind::Removed => ("diff-text removed", "− "),
    };
    let end = match line.end {
        LineEnd::Newline => "",
        LineEnd::CarriageReturnNewline => "␍",
        LineEnd::Missing => " (no line break at the end)",
    };
    add(block, &with_text("span", "diff-number", &number));
    let text = with_text("span", class, sign);
    for span in &line.spans {
        let part =
            if span.changed { with_text("mark", "", &span.text) } else { with_text("span", "", &span.text) };
        add(&text, &part);
    }
    if !end.is_empty() {
        add(&text, &with_text("span", "faint", end));
    }
    add(block, &text);
}
