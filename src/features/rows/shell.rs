//! A shell command that the user ran, with its output.

use pilothouse_core::{BashResult, UiMessage};
use web_sys::Element;

use super::context::RowContext;
use super::row_action;
use super::row_action::RowAction;
use super::streamed_text::StreamedText;
use crate::dom::element::{Changed, append, clear, set, toggle_attribute, with_class, with_text};
use crate::widgets::icon::Icon;

/// The content of the row's header. It does not depend on the output's text, which may grow quickly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ShellHeader {
    command: String,
    running: bool,
    outcome: Option<String>,
    failed: bool,
    outside_context: bool,
    has_output: bool,
}

impl ShellHeader {
    fn of(message: &UiMessage) -> Self {
        let Some(result) = &message.bash_result else { return Self::default() };
        Self {
            command: result.command.clone(),
            running: result.running,
            outcome: outcome(result),
            failed: !result.running && (result.cancelled || result.exit_code.is_some_and(|code| code != 0)),
            outside_context: result.exclude_from_context,
            has_output: !result.output.is_empty(),
        }
    }
}

fn outcome(result: &BashResult) -> Option<String> {
    let mut label = match (result.running, result.cancelled, result.exit_code) {
        (true, ..) => return None,
        (_, true, _) => "stopped".to_owned(),
        (_, _, Some(code)) => format!("exit {code}"),
        (_, _, None) => "ended".to_owned(),
    };
    if result.truncated {
        label.push_str(" · output truncated");
    }
    Some(label)
}

pub fn build(context: RowContext) -> Element {
    let row = context.article("row shell");
    let head = with_class("div", "shell-head icon-before");
    set(&head, "data-icon", Icon::Terminal.name());
    append(&row, &head);
    let article = row.clone();
    let mut shown = Changed::default();
    let mut text = None::<StreamedText>;
    context.render_effect(&article, move |_, message| {
        let header = ShellHeader::of(message);
        let has_output = header.has_output;
        if shown.as_ref() != Some(&header) {
            toggle_attribute(&row, "data-failed", header.failed.then_some("true"));
            render_header(&head, &header);
            shown.update(header);
        }
        if has_output {
            let text = text.get_or_insert_with(|| StreamedText::append_to(&row, "row-result"));
            text.show(output(message));
        } else if let Some(text) = text.take() {
            text.element.remove();
        }
    });
    article
}

fn render_header(head: &Element, header: &ShellHeader) {
    clear(head);
    append(head, &with_text("code", "shell-command", &header.command));
    if header.outside_context {
        let note = with_text("span", "shell-note", "not shared with the agent");
        set(&note, "title", "The agent doesn't see this command or its output");
        append(head, &note);
    }
    if let Some(outcome) = &header.outcome {
        append(head, &with_text("span", "row-duration", outcome));
    }
    if header.has_output {
        append(head, &row_action::copy_output_button());
    }
    if header.running {
        append(
            head,
            &row_action::text_button(
                RowAction::StopShell,
                "button quiet icon-before",
                Icon::Stop,
                "Stop command",
            ),
        );
    }
}

fn output(message: &UiMessage) -> &str {
    message.bash_result.as_ref().map(|result| result.output.as_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outcome_of_a_command_is_described() {
        let ended = BashResult { exit_code: Some(3), truncated: true, ..BashResult::default() };
        assert_eq!(outcome(&ended).as_deref(), Some("exit 3 · output truncated"));
        let stopped = BashResult { cancelled: true, exit_code: Some(0), ..BashResult::default() };
        assert_eq!(outcome(&stopped).as_deref(), Some("stopped"));
        assert_eq!(outcome(&BashResult { running: true, ..BashResult::default() }), None);
    }
}
