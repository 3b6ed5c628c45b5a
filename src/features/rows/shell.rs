//! A shell command of the person's own, with its output.

use pilothouse_core::{BashResult, UiMessage};
use web_sys::Element;

use super::click;
use super::click::Act;
use super::entry::Entry;
use super::streamed_text::StreamedText;
use crate::dom::element::{Changed, add, clear, mark, set, with_class, with_text};
use crate::widgets::icon::Icon;

/// What stands beside the command. Output that grows changes none of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Line {
    command: String,
    running: bool,
    outcome: Option<String>,
    failed: bool,
    outside_context: bool,
    has_output: bool,
}

impl Line {
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
    let mut words = match (result.running, result.cancelled, result.exit_code) {
        (true, ..) => return None,
        (_, true, _) => "stopped".to_owned(),
        (_, _, Some(code)) => format!("exit {code}"),
        (_, _, None) => "ended".to_owned(),
    };
    if result.truncated {
        words.push_str(" · output cut");
    }
    Some(words)
}

pub fn build(entry: Entry) -> Element {
    let row = entry.article("row shell");
    let head = with_class("div", "shell-head icon-before");
    set(&head, "data-icon", Icon::Terminal.name());
    add(&row, &head);
    let article = row.clone();
    let mut shown = Changed::default();
    let mut text = None::<StreamedText>;
    entry.follow(move |_, message| {
        let line = Line::of(message);
        let has_output = line.has_output;
        if shown.as_ref() != Some(&line) {
            mark(&row, "data-failed", line.failed.then_some("true"));
            write(&head, &line);
            shown.differs(line);
        }
        if has_output {
            let text = text.get_or_insert_with(|| StreamedText::in_place(&row, "row-result"));
            text.show(output(message));
        } else if let Some(text) = text.take() {
            text.element.remove();
        }
    });
    article
}

fn write(head: &Element, line: &Line) {
    clear(head);
    add(head, &with_text("code", "shell-command", &line.command));
    if line.outside_context {
        let note = with_text("span", "shell-note", "kept from the agent");
        set(&note, "title", "The agent does not see this");
        add(head, &note);
    }
    if let Some(outcome) = &line.outcome {
        add(head, &with_text("span", "row-duration", outcome));
    }
    if line.has_output {
        add(head, &click::copies_output());
    }
    if line.running {
        add(head, &click::button(Act::StopShell, "button quiet icon-before", Icon::Stop, "Stop command"));
    }
}

fn output(message: &UiMessage) -> &str {
    message.bash_result.as_ref().map(|result| result.output.as_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_says_how_it_ended() {
        let ended = BashResult { exit_code: Some(3), truncated: true, ..BashResult::default() };
        assert_eq!(outcome(&ended).as_deref(), Some("exit 3 · output cut"));
        let stopped = BashResult { cancelled: true, exit_code: Some(0), ..BashResult::default() };
        assert_eq!(outcome(&stopped).as_deref(), Some("stopped"));
        assert_eq!(outcome(&BashResult { running: true, ..BashResult::default() }), None);
    }
}
