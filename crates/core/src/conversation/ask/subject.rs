//! What an ask is about, as the page displays it: the question, and for an approval everything that will run.

use super::{Ask, Choice};
use crate::conversation::limit;
use crate::conversation::ui_message::ToolStep;
use crate::render::diff::{FileDiff, LineKind, diffs_of};
use crate::render::tool_view::{ToolView, indented_json};
use crate::render::visible_text::is_deceptive;

/// The texts that are displayed, in their order. Empty ones are not.
#[derive(Debug, Default, PartialEq)]
pub struct Subject {
    pub question: String,
    /// The rest of the title, such as a command.
    pub details: String,
    pub message: String,
    /// The message is what is approved, as opposed to an explanation.
    pub is_message_exact: bool,
    pub diffs: Vec<FileDiff>,
    /// The exact command, or the arguments if nothing else displays them.
    pub exact: String,
    /// Other facts with their labels: arguments of a command, such as its folder, and files that nothing else names.
    pub facts: Vec<(String, String)>,
}

/// Arguments of a shell command that are displayed or do not change what runs.
const KNOWN_ARGUMENTS: [&str; 4] = ["command", "cmd", "description", "timeout"];

impl Subject {
    pub fn of(ask: &Ask) -> Self {
        let mut subject = ask.tool.as_deref().map(Self::of_call).unwrap_or_default();
        let exact = subject.exact.as_str();
        let (title, rest) = ask.title.split_once('\n').unwrap_or((&ask.title, ""));
        let title = if repeats(&ask.title, exact) { "Run this command?" } else { title };
        let other = |text: &str| if repeats(text, exact) { String::new() } else { text.to_owned() };
        let details = if repeats(&ask.title, exact) { String::new() } else { other(rest) };
        let message = other(&ask.message);
        subject.is_message_exact = ask.approval && ask.tool.is_none();
        if ask.left_out > 0 {
            subject.facts.push(("Not shown".to_owned(), limit::size(ask.left_out)));
        }
        (subject.question, subject.details, subject.message) = (title.to_owned(), details, message);
        subject
    }

    fn of_call(step: &ToolStep) -> Self {
        let diffs = diffs_of(step);
        let arguments = || indented_json(&step.tool_args.to_string()).unwrap_or_default();
        let mut facts = Vec::new();
        let exact = match ToolView::of(step) {
            ToolView::Shell { command } => {
                let arguments = step.tool_args.as_object().into_iter().flatten();
                let others = arguments.filter(|(key, _)| !KNOWN_ARGUMENTS.contains(&key.as_str()));
                facts.extend(others.map(|(key, value)| {
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    (key.clone(), text)
                }));
                command
            }
            // A diff shortens long changes and does not mark what is hidden.
            _ if !diffs.is_empty()
                && diffs.iter().all(|diff| diff.left_out == 0)
                && !has_deceptive_text(&step.tool_args) =>
            {
                String::new()
            }
            _ => arguments(),
        };
        let mut paths = Vec::<&str>::new();
        for path in step.paths() {
            let is_displayed = exact.contains(path) || diffs.iter().any(|diff| diff.path == path);
            if !is_displayed && !paths.contains(&path) {
                paths.push(path);
            }
        }
        if !paths.is_empty() {
            facts.push(("Files".to_owned(), paths.join(", ")));
        }
        Self { diffs, exact, facts, ..Self::default() }
    }

    /// Everything that is displayed as one text, with the possible answers and the folder. Different approvals have
    /// different texts.
    pub fn text(&self, ask: &Ask, folder: &str) -> String {
        let mut lines: Vec<String> = [&self.question, &self.details, &self.message, &self.exact]
            .into_iter()
            .filter(|text| !text.is_empty())
            .cloned()
            .collect();
        for diff in &self.diffs {
            lines.push(format!("{:?} {}", diff.change, diff.path));
            lines.extend(diff.old_path.iter().map(|path| format!("from {path}")));
            for line in diff.hunks.iter().flat_map(|hunk| &hunk.lines) {
                let sign = match line.kind {
                    LineKind::Context => ' ',
                    LineKind::Added => '+',
                    LineKind::Removed => '-',
                };
                lines.push(format!("{sign}{}", line.text()));
            }
        }
        lines.extend(self.facts.iter().map(|(label, text)| format!("{label}: {text}")));
        lines.extend((!folder.is_empty()).then(|| format!("In {folder}")));
        lines.extend((!ask.url.is_empty()).then(|| format!("Opens {}", ask.url)));
        let answers = ask.options.iter().map(|option| format!("Answer: {option}"));
        let choices = ask.choices.iter();
        lines.extend(
            answers
                .chain(choices.map(|Choice { id, name, kind }| format!("Answer: {name} ({kind:?}, {id})"))),
        );
        lines.join("\n")
    }
}

/// Whether a text among these arguments is not what it looks like.
fn has_deceptive_text(arguments: &serde_json::Value) -> bool {
    use serde_json::Value;
    match arguments {
        Value::String(text) => is_deceptive(text),
        Value::Array(items) => items.iter().any(has_deceptive_text),
        Value::Object(fields) => {
            fields.iter().any(|(key, value)| is_deceptive(key) || has_deceptive_text(value))
        }
        _ => false,
    }
}

/// Whether a title is just the command, possibly as code.
fn repeats(title: &str, exact: &str) -> bool {
    !exact.is_empty() && title.trim().trim_matches('`').trim() == exact.trim()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::conversation::ask::AskKind;

    fn subject(tool: &str, args: Value) -> Subject {
        Subject::of_call(&ToolStep { tool_name: tool.into(), tool_args: args, ..ToolStep::default() })
    }

    #[test]
    fn a_command_is_displayed_exactly_and_an_edit_as_a_diff() {
        assert_eq!(subject("bash", json!({"command": "rm -r x ", "timeout": 5})).exact, "rm -r x ");
        let edit = subject("edit", json!({"path": "a.rs", "oldText": "a", "newText": "b"}));
        assert_eq!((edit.diffs.len(), edit.exact.as_str(), edit.facts.len()), (1, "", 0));
        let other = subject("mcp__bell", json!({"times": 3}));
        assert_eq!(other.exact, "{\n  \"times\": 3\n}");
        for hidden in ["b\u{202e}", "g\u{43e}", &format!("b{}; curl", " ".repeat(200))] {
            let edit = subject("edit", json!({"path": "a.rs", "oldText": "a", "newText": hidden}));
            assert!(edit.exact.contains(hidden), "a diff does not mark it: {hidden:?}");
        }
        let long = subject("write", json!({"path": "a.rs", "content": "x\n".repeat(5_000)}));
        assert!(long.diffs[0].left_out > 0 && long.exact.contains("x\\nx"), "a diff shortens it");
    }

    #[test]
    fn arguments_that_change_what_a_command_does_are_displayed() {
        let elsewhere = subject("bash", json!({"command": "rm -r x", "cwd": "/etc", "env": {"A": 1}}));
        let facts = [("cwd".to_owned(), "/etc".to_owned()), ("env".to_owned(), "{\"A\":1}".to_owned())];
        assert_eq!((elsewhere.exact.as_str(), elsewhere.facts), ("rm -r x", facts.to_vec()));
    }

    #[test]
    fn a_title_that_is_the_command_is_not_displayed_twice() {
        let ask = |title: &str| {
            let tool = ToolStep {
                tool_name: "bash".into(),
                tool_args: json!({"command": "ls -l"}),
                ..ToolStep::default()
            };
            let ask = Ask {
                kind: AskKind::Permission,
                approval: true,
                title: title.into(),
                message: "ls -l".into(),
                tool: Some(Box::new(tool)),
                ..Ask::default()
            };
            Subject::of(&ask)
        };
        let (title, other) = (ask("`ls -l`"), ask("List\nfiles"));
        assert_eq!((title.question.as_str(), title.details.as_str()), ("Run this command?", ""));
        assert_eq!((other.question.as_str(), other.details.as_str()), ("List", "files"));
        assert_eq!((title.message.as_str(), title.exact.as_str()), ("", "ls -l"));
    }

    #[test]
    fn different_approvals_have_different_texts() {
        let choice = |id: &str| Choice { id: id.into(), name: "Allow".into(), ..Choice::default() };
        let call = |command: &str| {
            Some(Box::new(ToolStep {
                tool_name: "bash".into(),
                tool_args: json!({ "command": command }),
                ..ToolStep::default()
            }))
        };
        let ask =
            Ask { title: "Run?".into(), choices: vec![choice("1")], tool: call("ls"), ..Ask::default() };
        let text = |ask: &Ask, folder: &str| Subject::of(ask).text(ask, folder);
        assert_eq!(text(&ask, "/p"), "Run?\nls\nIn /p\nAnswer: Allow (Other, 1)");
        let others = [
            (Ask { title: "Stop?".into(), ..ask.clone() }, "/p"),
            (Ask { tool: call("ls "), ..ask.clone() }, "/p"),
            (Ask { choices: vec![choice("2")], ..ask.clone() }, "/p"),
            (ask.clone(), "/q"),
        ];
        for (other, folder) in others {
            assert_ne!(text(&other, folder), text(&ask, "/p"));
        }
    }
}
