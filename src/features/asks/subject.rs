//! The subject of an ask: its question, and for an approval the exact command, diff or arguments.

use pilothouse_core::ToolStep;
use pilothouse_core::conversation::ask::Ask;
use pilothouse_core::render::diff::{FileDiff, diffs_of};
use pilothouse_core::render::tool_view::{ToolView, indented_json};
use pilothouse_core::render::visible_text::has_hidden;
use web_sys::Element;

use super::outside_link;
use crate::dom::element::{append, with_text};
use crate::features::rows::diff;
use crate::widgets::visible_text::visible_text;

/// Appends the question and its subject. `folder` is the session's.
pub fn append_to(card: &Element, ask: &Ask, folder: &str) {
    let call = ask.tool.as_deref().map(CallSubject::of);
    // The first line of a title is the question; the rest is its exact subject, such as a command.
    let (title, rest) = ask.title.split_once('\n').map_or((ask.title.as_str(), ""), |parts| parts);
    let exact = call.as_ref().map(|call| call.exact.as_str()).unwrap_or_default();
    let title = if repeats(&ask.title, exact) { "Run this command?" } else { title };
    append(card, &visible_text("h2", "ask-title", title));
    if !rest.is_empty() && !repeats(&ask.title, exact) && !repeats(rest, exact) {
        append(card, &visible_text("div", "ask-exact", rest));
    }
    if !ask.message.is_empty() && !repeats(&ask.message, exact) {
        // The message of an approval without a call is its subject.
        let class = if ask.approval && call.is_none() { "ask-message ask-exact" } else { "ask-message" };
        append(card, &visible_text("div", class, &ask.message));
    }
    if let Some(call) = &call {
        call.diffs.iter().for_each(|change| append(card, &diff::render(change, folder)));
        if !call.exact.is_empty() {
            append(card, &visible_text("div", "ask-exact", &call.exact));
        }
        if !call.paths.is_empty() {
            append(card, &place("Files: ", &call.paths.join(", ")));
        }
    }
    // The folder in which a command runs is part of what is approved.
    if ask.approval && !folder.is_empty() {
        append(card, &place("In ", folder));
    }
    if !ask.url.is_empty() {
        append(card, &place("Opens ", host_of(&ask.url)));
        append(card, &outside_link("button", &ask.url, "Open page"));
    }
}

fn place(label: &str, text: &str) -> Element {
    let line = with_text("p", "ask-place", label);
    append(&line, &visible_text("code", "", text));
    line
}

/// What a call will do.
#[derive(Debug, Default, PartialEq)]
struct CallSubject {
    diffs: Vec<FileDiff>,
    /// The exact command, or the arguments if nothing else shows them.
    exact: String,
    /// The files that neither the diffs nor the arguments name.
    paths: Vec<String>,
}

impl CallSubject {
    fn of(step: &ToolStep) -> Self {
        let diffs = diffs_of(step);
        let arguments = || indented_json(&step.tool_args.to_string()).unwrap_or_default();
        let exact = match ToolView::of(step) {
            ToolView::Shell { command } => command,
            // A diff does not mark invisible characters.
            _ if !diffs.is_empty() && !has_hidden(&step.tool_args.to_string()) => String::new(),
            _ => arguments(),
        };
        let mut paths = Vec::<String>::new();
        for path in step.paths() {
            let shown = exact.contains(path) || diffs.iter().any(|diff| diff.path == path);
            if !shown && !paths.iter().any(|known| known == path) {
                paths.push(path.to_owned());
            }
        }
        Self { diffs, exact, paths }
    }
}

/// Whether a title is just the command, possibly as code.
fn repeats(title: &str, exact: &str) -> bool {
    !exact.is_empty() && title.trim().trim_matches('`').trim() == exact.trim()
}

/// The host of a web address, with its port. An address without one is returned whole.
fn host_of(address: &str) -> &str {
    let Some((_, rest)) = address.split_once("://") else { return address };
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    authority.rsplit('@').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn subject(tool: &str, args: Value) -> CallSubject {
        CallSubject::of(&ToolStep { tool_name: tool.into(), tool_args: args, ..ToolStep::default() })
    }

    #[test]
    fn a_command_is_shown_exactly_and_an_edit_as_a_diff() {
        assert_eq!(subject("bash", json!({"command": "rm -r x "})).exact, "rm -r x ");
        let edit = subject("edit", json!({"path": "a.rs", "oldText": "a", "newText": "b"}));
        assert_eq!((edit.diffs.len(), edit.exact.as_str(), edit.paths.len()), (1, "", 0));
        let other = subject("mcp__bell", json!({"times": 3}));
        assert_eq!(other.exact, "{\n  \"times\": 3\n}");
        let hidden = subject("edit", json!({"path": "a.rs", "oldText": "a", "newText": "b\u{202e}"}));
        assert!(hidden.exact.contains('\u{202e}'), "a diff does not mark it");
    }

    #[test]
    fn a_title_that_is_the_command_is_not_shown_twice() {
        assert!(repeats("`ls -l`", "ls -l") && repeats(" ls -l\n", "ls -l"));
        assert!(!repeats("List files", "ls -l") && !repeats("", ""));
    }

    #[test]
    fn the_host_is_the_one_that_the_browser_visits() {
        assert_eq!(host_of("https://example.com/login?x"), "example.com");
        assert_eq!(host_of("https://bank.com@evil.example:8080/"), "evil.example:8080");
        assert_eq!(host_of("mailto:x"), "mailto:x");
    }
}
