//! A tool call: a header, expandable to the details of `tool_details`.

use leptos::prelude::*;
use pilothouse_core::conversation::ask::Ask;
use pilothouse_core::protocol::SessionMetaStoreFields;
use pilothouse_core::render::describe::describe_call;
use pilothouse_core::render::tool_kind::ToolKind;
use pilothouse_core::render::tool_view::{exit_code, was_stopped};
use pilothouse_core::{Mark, Phase, ToolStep, UiMessage};
use web_sys::Element;

use super::context::RowContext;
use super::header::RowHeader;
use super::images::Images;
use super::tool_details::ToolDetails;
use crate::dom::element::{Changed, set, toggle_attribute};
use crate::widgets::icon::Icon;
use crate::widgets::relative_time::duration;

/// The content of the row's header. It does not depend on the tool's output, which may grow quickly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ToolHeader {
    call_id: String,
    tool: String,
    verb: String,
    folders: String,
    target: String,
    phase: Phase,
    duration: Option<String>,
    exit: Option<String>,
    /// The call of another agent that this one belongs to; empty for none.
    parent: String,
    /// The title of that call, unless the row above shows it.
    parent_title: Option<String>,
    /// A permission request for the call is open.
    waiting: bool,
    /// `Cancelled` or `Interrupted`, if the call did not end on its own.
    stopped: Option<Mark>,
}

impl ToolHeader {
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
            parent: step.info.parent.clone(),
            parent_title: None,
            waiting: false,
            phase: step.phase,
            duration: step.duration_ms.map(duration),
            exit: exit_code(step).filter(|code| *code != 0).map(|code| format!("exit {code}")),
            stopped: message
                .mark
                .filter(|mark| matches!(mark, Mark::Interrupted | Mark::Cancelled))
                .or_else(|| was_stopped(step).then_some(Mark::Cancelled)),
        }
    }

    /// The state's icon and label.
    const fn state(&self) -> (Icon, &'static str) {
        match (self.phase, self.stopped) {
            (_, Some(Mark::Cancelled)) => (Icon::Stop, "Stopped"),
            (_, Some(_)) => (Icon::Stop, "Interrupted"),
            (Phase::Calling, _) => (Icon::Spinner, "Starting"),
            (Phase::Running, _) => (Icon::Spinner, "Running"),
            (Phase::Done, _) => (Icon::Check, "Done"),
            (Phase::Error, _) => (Icon::Alert, "Failed"),
        }
    }

    fn render(&self, row: &Element, header: &RowHeader) {
        set(row, "data-call-id", &self.call_id);
        let phase = if self.waiting { Phase::Calling } else { self.phase };
        set(row, "data-phase", phase.name());
        toggle_attribute(row, "data-waiting", self.waiting.then_some(""));
        toggle_attribute(row, "data-parent", Some(self.parent.as_str()).filter(|parent| !parent.is_empty()));
        set(row, "data-tool", &self.tool);
        toggle_attribute(row, "data-interrupted", self.stopped.map(|_| "true"));
        let parts = [
            ("row-parent", "", self.parent_title.as_deref().unwrap_or_default()),
            ("row-verb", "", self.verb.as_str()),
            ("row-target", &self.folders, &self.target),
            ("row-waiting", "", if self.waiting { "Waiting for approval" } else { "" }),
            ("row-exit", "", self.exit.as_deref().unwrap_or_default()),
            ("row-duration", "", self.duration.as_deref().unwrap_or_default()),
        ];
        header.set_content(tool_icon(&self.tool), &parts);
        if !self.waiting {
            let (icon, label) = self.state();
            header.append_state(icon, label);
        }
    }
}

pub fn build(context: RowContext) -> Element {
    let row = context.article("row tool");
    let header = RowHeader::append_to(&row);
    let mut images = Images::at_end(&row);
    let article = row.clone();
    let (mut shown, mut open) = (Changed::default(), Changed::default());
    let mut details = None::<ToolDetails>;
    let expanded = context.watch_expanded();
    context.render_effect(&article, move |context, message| {
        let mut content = context.session.meta.cwd().with(|cwd| ToolHeader::of(message, cwd));
        content.parent_title = context.session.distant_parent(&context.row);
        content.waiting = context.session.meta.asks().with(|asks| is_waiting(asks, &content.call_id));
        if shown.as_ref() != Some(&content) {
            content.render(&row, &header);
            shown.update(content);
        }
        let is_open = expanded.get();
        if open.update(is_open) {
            header.set_open(&row, is_open);
            if let Some(details) = details.take() {
                details.remove();
            }
        }
        if is_open {
            let cwd = || context.session.meta.cwd().get_untracked();
            details.get_or_insert_with(|| ToolDetails::insert_into(&row, cwd())).show(message);
        }
        images.show(&context.session.id(), &message.images);
    });
    article
}

/// Whether a permission request for this call is open, whatever phase the agent reports.
fn is_waiting(asks: &[Ask], call_id: &str) -> bool {
    let is_about = |step: &ToolStep| !call_id.is_empty() && step.call_id == call_id;
    asks.iter().filter_map(|ask| ask.tool.as_deref()).any(is_about)
}

fn tool_icon(tool: &str) -> Icon {
    match ToolKind::of(tool) {
        ToolKind::Shell => Icon::Terminal,
        ToolKind::Edit | ToolKind::Write => Icon::Edit,
        ToolKind::Read => Icon::File,
        ToolKind::Search | ToolKind::Find => Icon::Search,
        ToolKind::List => Icon::Folder,
        ToolKind::Plan => Icon::List,
        ToolKind::Delegate => Icon::Fork,
        ToolKind::Web => Icon::Globe,
        ToolKind::Other => Icon::Tool,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(tool: &str, args: serde_json::Value) -> UiMessage {
        let step = ToolStep { tool_name: tool.into(), tool_args: args, ..ToolStep::default() };
        UiMessage { tool_step: Some(step), ..UiMessage::default() }
    }

    #[test]
    fn a_call_waits_while_a_permission_for_it_is_open() {
        let tool = Some(ToolStep { call_id: "1".into(), ..ToolStep::default() });
        let asks = [Ask { tool: tool.map(Box::new), ..Ask::default() }, Ask::default()];
        assert!(is_waiting(&asks, "1") && !is_waiting(&asks, "2"));
        let nameless = [Ask { tool: Some(Box::default()), ..Ask::default() }];
        assert!(!is_waiting(&nameless, ""), "an empty id identifies no call");
    }

    #[test]
    fn growing_output_does_not_change_the_header() {
        let mut message = call("bash", json!({"command": "ls"}));
        let before = ToolHeader::of(&message, "");
        if let Some(step) = &mut message.tool_step {
            step.result = Some("more".into());
        }
        assert_eq!(ToolHeader::of(&message, ""), before);
    }
}
