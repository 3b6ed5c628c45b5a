//! A tool call: one line when closed, its arguments and its result when open.

use leptos::prelude::*;
use pilothouse_core::describe::describe_call;
use pilothouse_core::diff::diffs_of;
use pilothouse_core::{Mark, Phase, UiMessage};

use super::diff::Diff;
use super::entry::Entry;
use super::images::Images;
use super::streamed_text::StreamedText;
use super::tool_icon::{is_shell, tool_icon};
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

#[component]
fn ToolDetails(entry: Entry) -> impl IntoView {
    let arguments = memo(move || entry.read(arguments));
    let has_result = memo(move || entry.read(|message| !result(message).is_empty()));
    let ended = memo(move || {
        entry.read(|message| message.tool_step.as_ref().is_some_and(|step| !step.phase.is_open()))
    });
    // A change of files is shown as one; what the tool says of it adds nothing, unless it failed.
    let diffs =
        memo(move || entry.read(|message| message.tool_step.as_ref().map(diffs_of).unwrap_or_default()));
    let changes = memo(move || !diffs.with(Vec::is_empty));
    let failed = memo(move || {
        entry.read(|message| message.tool_step.as_ref().is_some_and(|step| step.phase == Phase::Error))
    });
    let show_result = move || has_result.get() && (failed.get() || !changes.get());
    view! {
        <div class="tool-details">
            <When when=move || !changes.get() && !arguments.with(String::is_empty)>
                <pre class="row-arguments">{live(move || arguments.get())}</pre>
            </When>
            {live(move || diffs.get().into_iter().map(|diff| view! { <Diff diff /> }).collect_view().into_any())}
            <When when=show_result>
                <StreamedText entry text=result class="row-result" />
            </When>
            <When when=move || ended.get() && !has_result.get()>
                <p class="faint">"No output"</p>
            </When>
        </div>
    }
}

fn result(message: &UiMessage) -> &str {
    message.tool_step.as_ref().and_then(|step| step.result.as_deref()).unwrap_or_default()
}

/// A command as it was run, anything else as JSON.
fn arguments(message: &UiMessage) -> String {
    let Some(step) = &message.tool_step else { return String::new() };
    let command = ["command", "cmd"].iter().find_map(|key| step.tool_args.get(key)?.as_str());
    match command.filter(|_| is_shell(&step.tool_name)) {
        Some(command) => format!("$ {command}"),
        None if step.tool_args.is_null() => String::new(),
        None => serde_json::to_string_pretty(&step.tool_args).unwrap_or_default(),
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
    fn a_shell_call_shows_its_command_and_others_their_json() {
        assert_eq!(arguments(&call("bash", json!({"command": "ls\npwd", "timeout": 3}))), "$ ls\npwd");
        assert_eq!(arguments(&call("read", json!({"path": "a"}))), "{\n  \"path\": \"a\"\n}");
        assert_eq!(arguments(&call("read", serde_json::Value::Null)), "");
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
