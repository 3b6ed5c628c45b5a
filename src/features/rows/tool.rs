//! A tool call: one line when closed. What it shows when open is in `tool_details`.

use leptos::prelude::*;
use pilothouse_core::protocol::SessionMetaStoreFields;
use pilothouse_core::render::describe::describe_call;
use pilothouse_core::render::tool_view::{exit_code, was_stopped};
use pilothouse_core::{Mark, Phase, UiMessage};
use web_sys::Element;

use super::entry::Entry;
use super::images::Images;
use super::line as row_line;
use super::tool_details::ToolDetails;
use super::tool_icon::tool_icon;
use crate::dom::element::{Changed, mark, set};
use crate::widgets::icon::Icon;
use crate::widgets::relative_time::duration;

/// What the closed line says. Output that grows changes none of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Line {
    call_id: String,
    tool: String,
    verb: String,
    folders: String,
    target: String,
    phase: Phase,
    duration: Option<String>,
    exit: Option<String>,
    given_up: Option<Mark>,
}

impl Line {
    fn of(message: &UiMessage, cwd: &str) -> Self {
        let Some(step) = &message.tool_step else { return Self::default() };
        let description = describe_call(step);
        let (folders, target) = description.folders_and_name(cwd);
        Self {
            call_id: step.call_id.clone(),
            tool: step.tool_name.clone(),
            folders: folders.to_owned(),
            target: target.to_owned(),
            verb: description.verb,
            phase: step.phase,
            duration: step.duration_ms.map(duration),
            exit: exit_code(step).filter(|code| *code != 0).map(|code| format!("exit {code}")),
            given_up: message
                .mark
                .filter(|mark| matches!(mark, Mark::Interrupted | Mark::Cancelled))
                .or_else(|| was_stopped(step).then_some(Mark::Cancelled)),
        }
    }

    const fn state(&self) -> (Icon, &'static str) {
        match (self.phase, self.given_up) {
            (_, Some(Mark::Cancelled)) => (Icon::Stop, "stopped"),
            (_, Some(_)) => (Icon::Stop, "interrupted"),
            (Phase::Calling, _) => (Icon::Spinner, "calling"),
            (Phase::Running, _) => (Icon::Spinner, "running"),
            (Phase::Done, _) => (Icon::Check, "done"),
            (Phase::Error, _) => (Icon::Alert, "failed"),
        }
    }

    fn write(&self, row: &Element, line: &row_line::Line) {
        set(row, "data-call-id", &self.call_id);
        set(row, "data-phase", self.phase.name());
        set(row, "data-tool", &self.tool);
        mark(row, "data-interrupted", self.given_up.map(|_| "true"));
        let words = [
            ("row-verb", "", self.verb.as_str()),
            ("row-target", &self.folders, &self.target),
            ("row-exit", "", self.exit.as_deref().unwrap_or_default()),
            ("row-duration", "", self.duration.as_deref().unwrap_or_default()),
        ];
        line.write(tool_icon(&self.tool), &words);
        let (icon, words) = self.state();
        line.write_state(icon, words);
    }
}

pub fn build(entry: Entry) -> Element {
    let row = entry.article("row tool");
    let line = row_line::Line::in_row(&row);
    let mut images = Images::at_end(&row);
    let article = row.clone();
    let (mut shown, mut open) = (Changed::default(), Changed::default());
    let mut details = None::<ToolDetails>;
    entry.follow(move |entry, message| {
        let now = entry.session.meta.cwd().with(|cwd| Line::of(message, cwd));
        if shown.as_ref() != Some(&now) {
            now.write(&row, &line);
            shown.differs(now);
        }
        let is_open = entry.is_open();
        if open.differs(is_open) {
            line.set_open(&row, is_open);
            if let Some(details) = details.take() {
                details.remove();
            }
        }
        if is_open {
            let cwd = || entry.session.meta.cwd().get_untracked();
            details.get_or_insert_with(|| ToolDetails::in_row(&row, cwd())).show(message);
        }
        images.show(&entry.session.id(), &message.images);
    });
    article
}

#[cfg(test)]
mod tests {
    use super::*;
    use pilothouse_core::ToolStep;
    use serde_json::json;

    fn call(tool: &str, args: serde_json::Value) -> UiMessage {
        let step = ToolStep { tool_name: tool.into(), tool_args: args, ..ToolStep::default() };
        UiMessage { tool_step: Some(step), ..UiMessage::default() }
    }

    #[test]
    fn output_that_grows_leaves_the_line_as_it_is() {
        let mut message = call("bash", json!({"command": "ls"}));
        let before = Line::of(&message, "");
        if let Some(step) = &mut message.tool_step {
            step.result = Some("more".into());
        }
        assert_eq!(Line::of(&message, ""), before);
    }
}
