//! A shell command of the person's own, with its output.

use leptos::prelude::*;
use pilothouse_core::{BashResult, UiMessage};

use super::entry::Entry;
use super::streamed_text::StreamedText;
use crate::actions::use_actions;
use crate::ui::dynamic::{When, clicked, live, memo};
use crate::ui::icon::{Glyph, Icon};

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

#[component]
pub fn ShellRow(entry: Entry) -> impl IntoView {
    let actions = use_actions();
    let line = memo(move || entry.read(Line::of));
    view! {
        <article
            class="row shell"
            data-message-id=entry.id()
            data-kind="bash"
            data-failed=live(move || line.with(|line| line.failed.then_some("true")))
        >
            <div class="shell-head">
                <Glyph icon=Icon::Terminal />
                <code class="shell-command">{live(move || line.with(|line| line.command.clone()))}</code>
                <When when=move || line.with(|line| line.outside_context)>
                    <span class="shell-note" title="The agent does not see this">"kept from the agent"</span>
                </When>
                <span class="row-duration">{live(move || line.with(|line| line.outcome.clone()))}</span>
                <When when=move || line.with(|line| line.running)>
                    <button type="button" class="button quiet" on:click=clicked(move |_| actions.stop_shell(entry.session))>
                        <Glyph icon=Icon::Stop />
                        "Stop command"
                    </button>
                </When>
            </div>
            <When when=move || line.with(|line| line.has_output)>
                <StreamedText entry text=output class="row-result" />
            </When>
        </article>
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
