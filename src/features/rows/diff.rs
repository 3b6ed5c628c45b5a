//! What a tool changes in files, line by line.

use pilothouse_core::render::describe::folders_and_name;
use pilothouse_core::render::diff::{FileChange, FileDiff, Line, LineEnd, LineKind};
use web_sys::Element;

use super::code;
use crate::dom::element::{add, path, set, with_class, with_text};

pub fn draw(diff: &FileDiff, cwd: &str) -> Element {
    let word = match diff.change {
        FileChange::Edited => "Edited",
        FileChange::Created => "Created",
        FileChange::Deleted => "Deleted",
        FileChange::Moved => "Moved",
        FileChange::Written => "Written",
        FileChange::Binary => "Not text",
    };
    let (folders, name) = folders_and_name(&diff.path, cwd);
    let before = match &diff.old_path {
        Some(old) => {
            let (old_folders, old_name) = folders_and_name(old, cwd);
            format!("{old_folders}{old_name} → {folders}")
        }
        None => folders.to_owned(),
    };
    let (section, head) = (with_class("section", "diff"), with_class("p", "diff-head"));
    set(&section, "aria-label", &format!("Changes of {before}{name}"));
    add(&head, &with_text("span", "", word));
    add(&head, &path("diff-path", &before, name));
    add(&head, &with_text("span", "diff-added", &format!("+{}", diff.added)));
    add(&head, &with_text("span", "diff-removed", &format!("−{}", diff.removed)));
    add(&section, &head);
    let (lines, language) = (with_class("div", "diff-lines"), code::language_of(&diff.path));
    set(&lines, "tabindex", "0");
    set(&lines, "role", "group");
    set(&lines, "aria-label", "Lines");
    for hunk in &diff.hunks {
        let block = with_class("div", "diff-hunk");
        hunk.lines.iter().for_each(|content| line(&block, content));
        code::colour(&block, &language);
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
