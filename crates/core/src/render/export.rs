//! Exports a conversation as Markdown, for the clipboard and for files.

use crate::conversation::ui_message::{Kind, Mark, UiMessage};
use crate::render::describe::describe_call;
use crate::render::failure::failure_text;

/// All rows under a title, except thinking.
pub fn conversation(title: &str, rows: &[UiMessage]) -> String {
    let mut text = format!("# {}\n", title.trim());
    let mut speaker = None;
    for row in rows.iter().filter(|row| row.kind != Kind::Thinking) {
        let by = match row.kind {
            Kind::User | Kind::Bash => "You",
            _ => "Agent",
        };
        let body = message(row);
        if body.is_empty() {
            continue;
        }
        if speaker != Some(by) {
            text.push_str(&format!("\n## {by}\n"));
            speaker = Some(by);
        }
        text.push_str(&format!("\n{body}\n"));
    }
    text
}

/// One row. Text of the user and the model is unchanged; everything else is labelled.
pub fn message(row: &UiMessage) -> String {
    let body = match (&row.tool_step, &row.bash_result) {
        (Some(step), _) => {
            let description = describe_call(step);
            let head = format!("**{}** {}", description.verb, code(&description.target));
            let result = step.result.as_deref().unwrap_or_default();
            if result.trim().is_empty() { head } else { format!("{}\n\n{}", head.trim_end(), fenced(result)) }
        }
        (_, Some(bash)) => {
            let head = fenced(&format!("$ {}\n{}", bash.command, bash.output));
            match bash.exit_code {
                Some(code) if code != 0 => format!("{head}\n\nExit code {code}."),
                _ => head,
            }
        }
        _ => match (row.kind, row.mark) {
            (Kind::Error, _) => quoted(&format!("**Error.** {}", failure_text(&row.text))),
            (Kind::System, Some(Mark::Compacted)) => quoted(&format!("**Compacted.** {}", row.text)),
            (Kind::System, Some(Mark::Answered)) => fenced(&row.text),
            (Kind::System, _) => quoted(&row.text),
            _ => row.text.trim().to_owned(),
        },
    };
    let images = (0..row.images.len()).map(|number| format!("\n\n_[Image {}]_", number + 1));
    (body + &images.collect::<String>()).trim().to_owned()
}

/// The text in a fence that is longer than any run of backticks in it.
fn fenced(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{}\n{fence}", text.trim_end())
}

fn code(text: &str) -> String {
    match (text.is_empty(), text.contains('`')) {
        (true, _) => String::new(),
        (_, true) => format!("`` {text} ``"),
        _ => format!("`{text}`"),
    }
}

fn quoted(text: &str) -> String {
    let lines =
        text.trim().lines().map(|line| if line.is_empty() { ">".to_owned() } else { format!("> {line}") });
    lines.collect::<Vec<String>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::ui_message::{BashResult, Image, ToolStep};

    fn row(kind: Kind, text: &str) -> UiMessage {
        UiMessage { kind, text: text.into(), ..UiMessage::default() }
    }

    #[test]
    fn a_conversation_is_exported_with_its_speakers() {
        let step = ToolStep {
            tool_name: "bash".into(),
            tool_args: serde_json::json!({"command": "ls"}),
            result: Some("a\nb\n".into()),
            ..ToolStep::default()
        };
        let bash = BashResult { command: "false".into(), exit_code: Some(1), ..BashResult::default() };
        let rows = [
            UiMessage { images: vec![Image::default()], ..row(Kind::User, "Look at this") },
            row(Kind::Thinking, "Hm."),
            row(Kind::Assistant, "I look."),
            UiMessage { tool_step: Some(step), ..row(Kind::Tool, "") },
            UiMessage { mark: Some(Mark::Compacted), ..row(Kind::System, "So far\n\ngood") },
            UiMessage { bash_result: Some(bash), ..row(Kind::Bash, "") },
        ];
        let expected = "# The title\n\n## You\n\nLook at this\n\n_[Image 1]_\n\n## Agent\n\nI look.\n\n**Run** `ls`\n\n\
                        ```\na\nb\n```\n\n> **Compacted.** So far\n>\n> good\n\n## You\n\n```\n$ false\n```\n\nExit code 1.\n";
        assert_eq!(conversation(" The title ", &rows), expected);
    }

    #[test]
    fn backticks_in_the_text_do_not_end_the_fence() {
        assert_eq!(fenced("a ```` b"), "`````\na ```` b\n`````");
        assert_eq!(code("a`b"), "`` a`b ``");
    }
}
