//! A tool call: one line when closed. What it shows when open is in `tool_details`.

use leptos::prelude::*;
use pilothouse_core::describe::describe_call;
use pilothouse_core::tool_view::exit_code;
use pilothouse_core::{Mark, Phase, UiMessage};

use super::entry::Entry;
use super::images::Images;
use super::tool_details::ToolDetails;
use super::tool_icon::tool_icon;
use crate::ui::dynamic::{When, clicked, live, memo};
use crate::ui::icon::{Glyph, Icon};
use crate::ui::relative_time::duration;

/// What the closed line says. Output that grows changes none of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Line {
    call_id: String,
    tool: String,
    verb: String,
    target: String,
    phase: Phase,
    duration: Option<String>,
    exit: Option<String>,
    given_up: Option<Mark>,
}

impl Line {
    fn of(message: &UiMessage) -> Self {
        let Some(step) = &message.tool_step else { return Self::default() };
        let description = describe_call(step);
        Self {
            call_id: step.call_id.clone(),
            tool: step.tool_name.clone(),
            verb: description.verb,
            target: description.target,
            phase: step.phase,
            duration: step.duration_ms.map(duration),
            exit: exit_code(step).filter(|code| *code != 0).map(|code| format!("exit {code}")),
            given_up: message.mark.filter(|mark| matches!(mark, Mark::Interrupted | Mark::Cancelled)),
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
}

#[component]
pub fn ToolRow(entry: Entry) -> impl IntoView {
    let line = memo(move || entry.read(Line::of));
    let open = entry.expanded();
    let icon = Signal::derive(move || line.with(|line| tool_icon(&line.tool)));
    let state_icon = Signal::derive(move || line.with(|line| line.state().0));
    view! {
        <article
            class="row tool"
            class:open=open
            data-message-id=entry.id()
            data-kind="tool"
            data-call-id=live(move || line.with(|line| line.call_id.clone()))
            data-phase=live(move || line.with(|line| line.phase.name()))
            data-tool=live(move || line.with(|line| line.tool.clone()))
            data-interrupted=live(move || line.with(|line| line.given_up.map(|_| "true")))
        >
            <button
                type="button"
                class="row-line"
                aria-expanded=live(move || open.get().to_string())
                on:click=clicked(move |_| open.update(|open| *open = !*open))
            >
                <Glyph icon />
                <span class="row-verb">{live(move || line.with(|line| line.verb.clone()))}</span>
                <span class="row-target">{live(move || line.with(|line| line.target.clone()))}</span>
                <span class="row-exit">{live(move || line.with(|line| line.exit.clone()))}</span>
                <span class="row-duration">{live(move || line.with(|line| line.duration.clone()))}</span>
                <span class="row-state" title=live(move || line.with(|line| line.state().1))>
                    <Glyph icon=state_icon />
                    <span class="visually-hidden">{live(move || line.with(|line| line.state().1))}</span>
                </span>
                <Glyph icon=Icon::Chevron class="chevron" />
            </button>
            <When when=move || open.get()>
                <ToolDetails entry />
            </When>
            <Images entry />
        </article>
    }
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
        let before = Line::of(&message);
        if let Some(step) = &mut message.tool_step {
            step.result = Some("more".into());
        }
        assert_eq!(Line::of(&message), before);
    }
}
